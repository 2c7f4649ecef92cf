"""The base out of an archive that carries upstream's own repository: its files and its commit must be one tree."""

import gzip
import io
import random
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.core.random_edits import random_files
from tests.core.real_git import Files, RealGit
from verify.bundle.archive_base import import_archive
from verify.git import Git, GitFailed, make_repository
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath
from verify.model.patch import Mode

SOURCE = {"kind": "sdist", "folder": "vendor/engine", "git_dir": ".git/modules/vendor/engine"}
FILES: Files = {
    RepoPath(b"src/main.c"): (Mode.FILE, b"int main;\n"),
    RepoPath(b"run.sh"): (Mode.EXECUTABLE, b"#!/bin/sh\n"),
    RepoPath(b"latest"): (Mode.SYMLINK, b"src/main.c"),
    RepoPath('ümlaut "quoted"\n.c'.encode()): (Mode.FILE, b"data 5\nM 100644\n"),
    RepoPath(b"empty"): (Mode.FILE, b""),
}


def sdist(folder: Path, members: Mapping[bytes, tuple[Mode, bytes]]) -> Path:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, (mode, data) in members.items():
            member = tarfile.TarInfo("package-1.0/" + path.decode("utf-8", "surrogateescape"))
            member.mode = 0o755 if mode is Mode.EXECUTABLE else 0o644
            if mode is Mode.SYMLINK:
                member.type, member.linkname = tarfile.SYMTYPE, data.decode()
                archive.addfile(member)
            else:
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    (folder / "package.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return folder / "package.tar.gz"


def vendored(files: Files) -> dict[bytes, tuple[Mode, bytes]]:
    return {b"setup.py": (Mode.FILE, b"pass\n")} | {b"vendor/engine/" + path: state for path, state in files.items()}


def carried(git: RealGit, *, packed: bool) -> dict[bytes, tuple[Mode, bytes]]:
    """The objects of a repository, as an archive of a checkout carries them."""
    folder = git.folder / "repo.git"
    if packed:
        git.run("repack", "-a", "-d", "-q")
        git.run("prune-packed", "-q")
    found = {}
    for path in sorted((folder / "objects").rglob("*")):
        if path.is_file():
            inner = path.relative_to(folder).as_posix().encode()
            found[b".git/modules/vendor/engine/" + inner] = (Mode.FILE, path.read_bytes())
    return found


@contextmanager
def repositories(folder: Path) -> Iterator[tuple[Git, Git]]:
    for name in ("files", "upstream"):
        make_repository(folder / name)
    yield tuple(Git(git_dir=folder / name, cwd=folder) for name in ("files", "upstream"))  # type: ignore[misc]  # two


def test_git_makes_of_an_archive_the_tree_that_upstream_has(tmp_path: Path) -> None:
    upstream = RealGit(tmp_path)
    tree = upstream.tree_of(FILES)
    archive = sdist(tmp_path, vendored(FILES))

    with repositories(tmp_path) as (files, other):
        assert import_archive(archive, SOURCE, files=files, upstream=other) == tree


@pytest.mark.parametrize("packed", [True, False])
def test_the_commit_is_found_in_what_the_archive_carries(packed: bool, tmp_path: Path) -> None:
    upstream = RealGit(tmp_path)
    tree = upstream.tree_of(FILES)
    commit = upstream.run("rev-parse", "refs/heads/x").decode().strip()
    if not packed:
        unpack(upstream)
    archive = sdist(tmp_path, vendored(FILES) | carried(upstream, packed=packed))

    with repositories(tmp_path) as (files, other):
        import_archive(archive, SOURCE, files=files, upstream=other)

        assert other.run("cat-file", "commit", commit).startswith(b"tree " + tree.encode())
        with pytest.raises(GitFailed):
            files.run("cat-file", "commit", commit)


def unpack(git: RealGit) -> None:
    objects = git.folder / "repo.git/objects"
    for pack in sorted((objects / "pack").glob("*.pack")):
        data = pack.read_bytes()
        for path in pack.parent.glob(pack.stem + ".*"):
            path.chmod(0o644)
            path.unlink()
        subprocess.run(["git", "unpack-objects", "-q"], input=data, env=git.env, cwd=git.folder, check=True)


def test_an_object_that_the_archive_carries_never_stands_for_one_of_its_files(tmp_path: Path) -> None:
    """A loose object under the id of a file, with another content, must not get into the tree's objects."""
    upstream = RealGit(tmp_path)
    upstream.tree_of(FILES)
    unpack(upstream)
    blob = upstream.run("rev-parse", "refs/heads/x:src/main.c").decode().strip()
    members = vendored(FILES) | carried(upstream, packed=False)
    place = f".git/modules/vendor/engine/objects/{blob[:2]}/{blob[2:]}".encode()
    assert place in members
    evil = upstream.run("hash-object", "-w", "--stdin", stdin=b"int evil;\n").decode().strip()
    members[place] = (
        Mode.FILE,
        (upstream.folder / f"repo.git/objects/{evil[:2]}/{evil[2:]}").read_bytes(),
    )

    with repositories(tmp_path) as (files, other):
        import_archive(sdist(tmp_path, members), SOURCE, files=files, upstream=other)

        assert files.run("cat-file", "blob", blob) == b"int main;\n"


def test_odd_names_and_contents_come_through(tmp_path: Path) -> None:
    upstream = RealGit(tmp_path)
    plain = (Mode.FILE, Mode.EXECUTABLE)
    files_of = {path: state for path, state in random_files(random.Random(7), 60).items() if state[0] in plain}
    tree = upstream.tree_of(files_of)

    with repositories(tmp_path) as (files, other):
        assert import_archive(sdist(tmp_path, vendored(files_of)), SOURCE, files=files, upstream=other) == tree


@pytest.mark.parametrize("path", [b"a/.git/config", b"a/../../out", b".GIT/hooks/x", b"git~1/config"])
def test_a_path_that_no_tree_can_have_is_refused(path: bytes, tmp_path: Path) -> None:
    archive = sdist(tmp_path, {b"vendor/engine/" + path: (Mode.FILE, b"x")})

    with repositories(tmp_path) as (files, other), pytest.raises(InputFault) as told:
        import_archive(archive, SOURCE, files=files, upstream=other)

    assert told.value.diagnostics[0].code == "archive-path-out"


def test_a_broken_pack_in_the_archive_is_told(tmp_path: Path) -> None:
    members = vendored(FILES)
    members[b".git/modules/vendor/engine/objects/pack/pack-1.pack"] = (Mode.FILE, b"PACK and nothing else")

    with repositories(tmp_path) as (files, other), pytest.raises(GitFailed):
        import_archive(sdist(tmp_path, members), SOURCE, files=files, upstream=other)
