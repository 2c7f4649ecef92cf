"""A git remote gets branch and tag at once, or neither; what it gives back has the release's tree."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.publish.git_remote import publish_to_git
from builder.publish.outcome import How
from builder.publish.parcel import Parcel
from tests.seal.project import Project
from verify.git import Git, make_repository
from verify.model.diagnostic import EnvironmentFault, InputFault

BRANCH, TAG = "refs/heads/release/engine-1-r1", "refs/tags/engine-1-r1"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """An empty bare repository."""
    make_repository(tmp_path / "remote.git")
    return tmp_path / "remote.git"


def names(remote: Path) -> dict[str, str]:
    """Every name of the remote with the tree that it leads to."""
    git = Git(git_dir=remote, cwd=remote)
    found = git.text("for-each-ref", "--format=%(refname)").splitlines()
    return {name: git.text("rev-parse", f"{name}^{{tree}}") for name in found}


def publish(parcel: Parcel, remote: Path, project: Project) -> How:
    return publish_to_git(parcel, address=str(remote), store=project.store).how


def test_branch_and_tag_have_the_releases_tree(parcel: Parcel, remote: Path, published: Project) -> None:
    assert publish(parcel, remote, published) is How.NEW
    tip = published.stack.tip_tree()
    assert names(remote) == {BRANCH: tip, TAG: tip}
    git = Git(git_dir=remote, cwd=remote)
    assert git.text("rev-parse", BRANCH) == published.stack.tip_commit()
    assert str(parcel.digest) in git.text("cat-file", "tag", TAG)


def test_publishing_again_changes_nothing(parcel: Parcel, remote: Path, published: Project) -> None:
    publish(parcel, remote, published)
    assert publish(parcel, remote, published) is How.UNCHANGED


@pytest.mark.parametrize("left", [BRANCH, TAG])
def test_what_is_missing_is_added(left: str, parcel: Parcel, remote: Path, published: Project) -> None:
    publish(parcel, remote, published)
    Git(git_dir=remote, cwd=remote).run("update-ref", "-d", BRANCH if left == TAG else TAG)
    assert publish(parcel, remote, published) is How.NEW
    assert names(remote).keys() == {BRANCH, TAG}


@pytest.mark.parametrize("name", [BRANCH, TAG])
def test_a_name_that_stands_elsewhere_is_refused(name: str, parcel: Parcel, remote: Path, published: Project) -> None:
    publish(parcel, remote, published)
    git = Git(git_dir=remote, cwd=remote)
    base = git.text("rev-parse", f"{BRANCH}~1")
    git.run("update-ref", name, base)
    git.run("update-ref", "-d", BRANCH if name == TAG else TAG)
    with pytest.raises(InputFault) as told:
        publish(parcel, remote, published)
    assert told.value.diagnostics[0].code == "publish-name-taken"
    assert git.text("rev-parse", name) == base


def test_a_name_that_appears_while_we_push_is_refused(
    parcel: Parcel, remote: Path, published: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = Git(git_dir=remote, cwd=remote)
    base = git.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=published.store.commit(
        published.stack.base_commit)).decode().strip()  # fmt: skip
    plain = Git.run

    def run(self: Git, *args: str, **more: object) -> bytes:
        if args[0] == "push":
            _ref(remote, BRANCH, base)
        return plain(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "run", run)
    with pytest.raises(InputFault) as told:
        publish(parcel, remote, published)
    assert told.value.diagnostics[0].code == "publish-name-taken"
    assert not (remote / TAG).exists()


def _ref(remote: Path, name: str, value: str) -> None:
    """Written by hand: the object's own tree need not be there."""
    (remote / name).parent.mkdir(parents=True, exist_ok=True)
    (remote / name).write_text(f"{value}\n")


@pytest.mark.parametrize("refused", [BRANCH, TAG])
def test_a_remote_that_refuses_one_name_gets_neither(
    refused: str, parcel: Parcel, remote: Path, published: Project
) -> None:
    hook = remote / "hooks/update"
    hook.parent.mkdir()
    hook.write_text(f'#!/bin/sh\n[ "$1" != {refused} ]\n')
    hook.chmod(0o755)
    # the remote runs its own hooks: as somebody else's server would, outside of our settings
    with pytest.raises((EnvironmentFault, InputFault)):
        _with_hooks(lambda: publish(parcel, remote, published))
    assert names(remote) == {}
    hook.unlink()
    assert publish(parcel, remote, published) is How.NEW


def _with_hooks(act: Callable[[], object]) -> object:
    import verify.git

    before = verify.git.OPTIONS
    verify.git.OPTIONS = tuple(each for each in before if each[0] != "core.hooksPath")
    try:
        return act()
    finally:
        verify.git.OPTIONS = before


def test_a_kill_at_any_step_leaves_both_names_or_none(
    parcel: Parcel, remote: Path, published: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Git.run
    steps = 0
    last = 0

    def run(self: Git, *args: str, **more: object) -> bytes:
        nonlocal steps
        steps += args[0] != "hash-object"  # these make what nobody sees
        done = plain(self, *args, **more)  # type: ignore[arg-type]
        if steps == last:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(Git, "run", run)
    for at in range(1, 40):
        steps, last = 0, at
        try:
            publish(parcel, remote, published)
        except KeyboardInterrupt:
            last = 0
            there = names(remote)
            assert there == {} or there.keys() == {BRANCH, TAG}, at
            publish(parcel, remote, published)
            assert names(remote).keys() == {BRANCH, TAG}
            for name in (BRANCH, TAG):
                plain(Git(git_dir=remote, cwd=remote), "update-ref", "-d", name)
        else:
            break
    assert at > 4


def test_a_remote_that_is_not_there_is_told(parcel: Parcel, tmp_path: Path, published: Project) -> None:
    with pytest.raises(EnvironmentFault) as told:
        publish(parcel, tmp_path / "nothing.git", published)
    assert told.value.diagnostics[0].code == "remote-refused"


def test_a_base_without_its_history_goes_out_as_its_tree(
    tmp_path: Path, remote: Path, published: Project, parcel: Parcel
) -> None:
    """The base's commit has a parent that nobody has, as with an archive that carries a cut repository."""
    from dataclasses import replace

    from builder.commit import make_commit
    from builder.store import Store
    from verify.model.block import Person
    from verify.model.ids import CommitId

    store = published.store
    who = Person(name="up", email="up@stream.org")
    base = make_commit(tree=published.stack.base_tree, parents=(CommitId("1" * 40),), author=who, date="@5 +0000",
                       text="cut\n", file="")  # fmt: skip
    copy = Store.open(tmp_path / "cut.git")
    (copy.git_dir / "objects/info").mkdir(exist_ok=True)
    (copy.git_dir / "objects/info/alternates").write_text(f"{store.git_dir / 'objects'}\n")
    copy = Store.open(tmp_path / "cut.git")
    commits = [base]
    parent = CommitId(base.id)
    for _, fold in parcel.stack.folds():
        made = make_commit(tree=fold.tree, parents=(parent,), author=fold.author, date=fold.date, text=fold.message,
                           file="")  # fmt: skip
        commits.append(made)
        parent = CommitId(made.id)
    copy.write(commits)
    copy.cut((CommitId(base.id),))
    stack = replace(parcel.stack, base=replace(parcel.stack.base, commit=CommitId(base.id)),
                    tip=replace(parcel.stack.tip, commit=parent))  # fmt: skip
    cut = replace(parcel, stack=stack)

    done = publish_to_git(cut, address=str(remote), store=copy)

    assert done.how is How.NEW
    assert "the folds stand on the base's tree alone" in done.notes[-1]
    assert set(names(remote).values()) == {published.stack.tip_tree()}
    assert publish_to_git(cut, address=str(remote), store=copy).how is How.UNCHANGED


def test_a_clone_has_the_files_of_the_release(parcel: Parcel, remote: Path, published: Project, tmp_path: Path) -> None:
    publish(parcel, remote, published)
    subprocess.run(["git", "clone", "-q", "-b", "engine-1-r1", str(remote), str(tmp_path / "clone")], check=True,
                   capture_output=True, env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})  # fmt: skip
    assert (tmp_path / "clone/latest").readlink() == Path("src/new.c")
