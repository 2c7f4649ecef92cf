"""Git's quoting of names and the paths that no patch may name."""

from pathlib import Path

import pytest

from tests.core.real_git import Files, RealGit
from verify.diff.paths import awkward_path, unsafe_path
from verify.diff.quote import quote_name, unquote_name
from verify.model.ids import RepoPath
from verify.model.patch import Mode


def test_every_byte_is_quoted_as_git_quotes_it(tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    names = [RepoPath(b"x" + bytes([byte])) for byte in range(1, 256) if byte != 0x2F]
    files: Files = dict.fromkeys(names, (Mode.FILE, b""))
    listed = (
        git.run("-c", "core.quotePath=true", "ls-tree", "--name-only", git.tree_of(files)).rstrip(b"\n").split(b"\n")
    )

    assert sorted(listed) == sorted(quote_name(name) for name in names)


def test_unquoting_gives_back_every_name() -> None:
    for byte in range(256):
        name = bytes([byte]) + b"n"
        assert unquote_name(quote_name(name)) == name


@pytest.mark.parametrize("broken", [b'"open', b'"a"b', b'"\\q"', b'"\\8"', b'"\\12"', b'"\\'])
def test_broken_quoting_is_no_name(broken: bytes) -> None:
    assert unquote_name(broken) is None


@pytest.mark.parametrize(
    "path",
    [
        b"", b"/etc/passwd", b"a/../b", b"..", b"./a", b"a//b", b"a/", b"a\0b",
        b".git/config", b"x/.GIT/hooks/y", b"git~1/x",
        b".git. /x", b".git::$INDEX_ALLOCATION/x", b"a\\.git\\x", ".g\u200cit/config".encode(),
        b"a" * 5000, b"a/" * 300 + b"a",
    ],
)  # fmt: skip
def test_a_path_that_leaves_the_tree_is_refused(path: bytes) -> None:
    assert unsafe_path(path) is not None


@pytest.mark.parametrize(
    "path", [b"a", b".gitignore", b".github/x", b"a/.gitmodules", b"x.git/y", b"git~10", b"..a", b"a b"]
)
def test_an_innocent_path_is_not_refused(path: bytes) -> None:
    assert unsafe_path(path) is None


@pytest.mark.parametrize("path", [b"aux", b"x/COM1.txt", b"a:b", b"a.", b"b ", b"q?", b"\xff"])
def test_a_path_that_some_system_cannot_hold_is_awkward(path: bytes) -> None:
    assert awkward_path(RepoPath(path)) is not None


def test_git_refuses_the_dot_git_spellings_too(tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    for path in (".git/x", ".GIT/x"):
        entry = f"100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t{path}\0"
        git.run("update-index", "-z", "--index-info", stdin=entry.encode(), check=False)
    assert git.run("ls-files") == b""
