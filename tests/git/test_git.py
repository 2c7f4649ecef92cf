"""Git under the seal hears nothing of its surroundings, and a machine without git is told so."""

from pathlib import Path

import pytest

from builder.tree import object_id
from tests.git.hostile import EVIL, hostile
from verify.git import OPTIONS, Git, GitFailed, alternate_line, environment, find_git, make_repository
from verify.model.diagnostic import EnvironmentFault
from verify.model.ids import EMPTY_TREE

__all__ = ["hostile"]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    own = tmp_path / "own.git"
    own.mkdir()
    make_repository(own)
    return Git(git_dir=own, cwd=tmp_path)


def test_no_variable_of_git_gets_through() -> None:
    env = environment({"GIT_EVIL": "1", "GIT_DIR": "/x", "LC_ALL": "de", "SECRET": "x", "PATH": "/bin"})
    assert env["PATH"] == "/bin"
    assert env["LC_ALL"] == "C"
    assert not {"GIT_EVIL", "GIT_DIR", "SECRET"} & env.keys()


def test_a_proxy_gets_through_to_the_network_alone() -> None:
    assert "https_proxy" not in environment({"https_proxy": "x"})
    assert environment({"https_proxy": "x"}, network=True)["https_proxy"] == "x"


def test_no_setting_of_the_user_is_seen(git: Git, hostile: Path) -> None:
    seen = dict(line.split("=", 1) for line in git.text("config", "--list").split("\n"))
    ours = {key.lower(): value for key, value in OPTIONS}
    for key, evil in EVIL.items():
        assert seen.get(key.lower()) in (ours.get(key.lower()), None), key
        assert seen.get(key.lower()) != evil


def test_the_author_is_not_the_user(git: Git, hostile: Path) -> None:
    who = "stackproof <maintainers@stackproof.dev> 0 +0000"
    expected = f"tree {EMPTY_TREE}\nauthor {who}\ncommitter {who}\n\nx\n"
    assert git.text("commit-tree", git.text("mktree"), "-m", "x") == object_id("commit", expected.encode())


def test_a_refusal_says_what_git_said(git: Git) -> None:
    with pytest.raises(GitFailed) as caught:
        git.run("cat-file", "-p", "1" * 40)
    assert caught.value.status == 128
    assert "Not a valid object name" in caught.value.output


def test_a_machine_without_git_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(EnvironmentFault) as caught:
        find_git()
    assert caught.value.diagnostics[0].code == "git-missing"
    assert caught.value.diagnostics[0].help == "apt-get install git"


@pytest.mark.parametrize("name", ["plain", "#comment", 'quo"te\\', "two\nlines", "üml"])
def test_a_repository_borrows_from_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    lender, borrower = tmp_path / name, tmp_path / "borrower"
    for folder in (lender, borrower):
        folder.mkdir()
    make_repository(lender)
    make_repository(borrower, alternates=(lender / "objects",))
    blob = Git(git_dir=lender, cwd=tmp_path).run("hash-object", "-w", "--stdin", stdin=b"x").decode().strip()
    assert Git(git_dir=borrower, cwd=tmp_path).run("cat-file", "blob", blob) == b"x"


def test_an_alternate_that_git_would_read_as_a_comment_is_quoted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert alternate_line(Path("/a/b")) == b"/a/b\n"
    assert alternate_line(Path('/a"\n')) == b'"/a\\"\\n"\n'
