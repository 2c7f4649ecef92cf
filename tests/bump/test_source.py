"""What `bump --to` names: versions, other commits and packages of an sdist, repositories, archives, folders."""

import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from builder.bump.source import Bench, Source, find_source
from builder.store import Store
from builder.tree import object_id
from builder.upstream import import_base
from tests.base.archives import FILES, Entry, Sdist, make_sdist
from tests.base.test_upstream import in_cache
from tests.bump.test_bump import commit_all
from verify.bundle.documents import ReleaseDocument
from verify.bundle.origin import OpenBase, open_base
from verify.model.diagnostic import InputFault
from verify.model.ids import CommitId, RepoPath, TreeId
from verify.model.progress import Silent
from verify.model.release import ArchiveSource, Base, FolderSource, GitSource, SdistSource

TOP = "engine_python-1.0/.git/modules/vendor/engine"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Sdist:
    return make_sdist(tmp_path_factory.mktemp("sdist"))


def second_head() -> tuple[CommitId, TreeId, tuple[Entry, ...]]:
    """Another commit of upstream with one file, as loose objects, and the ref that names it."""
    blob = b"newer\n"
    tree = b"100644 new.c\0" + bytes.fromhex(object_id("blob", blob))
    who = b"u <u@example.org> 2 +0000"
    text = b"tree %s\nauthor %s\ncommitter %s\n\nNewer\n" % (object_id("tree", tree).encode(), who, who)
    entries = []
    for kind, data in (("blob", blob), ("tree", tree), ("commit", text)):
        name = object_id(kind, data)
        packed = zlib.compress(b"%s %d\0" % (kind.encode(), len(data)) + data)
        entries.append(Entry(name=f"{TOP}/objects/{name[:2]}/{name[2:]}", data=packed))
    commit = CommitId(object_id("commit", text))
    entries.append(Entry(name=f"{TOP}/refs/remotes/origin/newer", data=f"{commit}\n".encode()))
    return commit, TreeId(object_id("tree", tree)), tuple(entries)


def bench(tmp_path: Path) -> Bench:
    paths = tuple(RepoPath(name.encode()) for name in FILES)
    return Bench(root=tmp_path, cache=tmp_path, offline=True, progress=Silent(), paths=lambda: paths)


def found(tmp_path: Path, text: str, now: Base, folder: str = "") -> Source:
    return find_source(text, now=now, bench=bench(tmp_path), folder=folder)


def imported_tree(tmp_path: Path, source: Source) -> TreeId:
    store = Store.open(tmp_path / "objects.git")
    return import_base(
        base=source.base, store=store, cache=tmp_path, offline=True, progress=Silent(), root=tmp_path
    ).tree


def test_a_version_is_the_same_package_at_its_own_commit(tmp_path: Path, sdist: Sdist) -> None:
    pinned = in_cache(tmp_path, sdist)
    source = found(tmp_path, "1.0", Base(source=pinned, upstream_commit=sdist.commit))
    assert source.base == Base(source=pinned, upstream_commit=sdist.commit)
    assert imported_tree(tmp_path, source) == sdist.tree


def test_a_digest_that_nobody_stated_is_found_and_told(tmp_path: Path, sdist: Sdist) -> None:
    pinned = in_cache(tmp_path, sdist)
    older = SdistSource(
        package="Engine_Python", version="0.9", sha256=pinned.sha256, folder="vendor/engine", git_dir=pinned.git_dir
    )
    source = found(tmp_path, "1.0", Base(source=older, upstream_commit=None))
    assert isinstance(source.base.source, SdistSource)
    assert source.base.source.sha256 == pinned.sha256
    assert "found and not stated by anybody" in source.told[0]


def test_another_commit_of_the_repository_in_it_is_a_base(tmp_path: Path, sdist: Sdist) -> None:
    commit, tree, entries = second_head()
    pinned = in_cache(tmp_path, sdist, more=entries)
    source = found(tmp_path, "1.0@origin/newer", Base(source=pinned, upstream_commit=sdist.commit))
    assert (source.base.upstream_commit, source.base.source) == (
        commit,
        SdistSource(
            package=pinned.package,
            version="1.0",
            sha256=pinned.sha256,
            folder=pinned.folder,
            git_dir=pinned.git_dir,
            of_commit=True,
        ),
    )
    assert imported_tree(tmp_path, source) == tree
    archive = next((tmp_path / "downloads" / pinned.sha256).iterdir())
    declared = {
        "kind": "sdist",
        "sha256": pinned.sha256,
        "folder": pinned.folder,
        "git_dir": pinned.git_dir,
        "of_commit": True,
    }
    release = cast("ReleaseDocument", SimpleNamespace(source=declared, upstream_commit=commit))
    with open_base(archive, release) as opened:
        assert isinstance(opened, OpenBase), opened
        assert opened.archive_tree == tree


def test_a_ref_that_is_not_there_lists_those_that_are(tmp_path: Path, sdist: Sdist) -> None:
    pinned = in_cache(tmp_path, sdist)
    with pytest.raises(InputFault) as caught:
        found(tmp_path, "1.0@nothing", Base(source=pinned, upstream_commit=sdist.commit))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "bump-ref-unknown"
    assert any(note.startswith("HEAD is ") for note in diagnostic.notes)


def test_the_engines_folder_in_another_package_is_found(tmp_path: Path, sdist: Sdist) -> None:
    in_cache(tmp_path, sdist)
    now = Base(source=FolderSource(path="engine"), upstream_commit=None)
    source = found(tmp_path, "engine-python==1.0", now)
    assert isinstance(source.base.source, SdistSource)
    assert (source.base.source.folder, source.base.source.git_dir) == ("vendor/engine", "")
    assert "vendor/engine" in source.told[-1]
    assert imported_tree(tmp_path, source) == sdist.tree


def test_an_archive_a_folder_and_a_repository_are_bases(tmp_path: Path, sdist: Sdist) -> None:
    archive = sdist.write(tmp_path / "engine.tar.gz")
    now = Base(source=FolderSource(path="engine"), upstream_commit=None)
    source = found(tmp_path, str(archive), now)
    assert isinstance(source.base.source, ArchiveSource)
    assert (source.base.source.file, source.base.source.folder) == ("engine.tar.gz", "engine_python-1.0/vendor/engine")
    (tmp_path / "engine").mkdir()
    assert found(tmp_path, str(tmp_path / "engine"), now).base.source == FolderSource(path="engine")
    commits = commit_all(tmp_path / "upstream", ["one\n", "two\n"])
    source = found(tmp_path, f"{tmp_path / 'upstream'}@HEAD", now)
    assert source.base.source == GitSource(repository="upstream", commit=CommitId(commits[1]))
    assert source.told == (f"HEAD of {tmp_path / 'upstream'}: {commits[1]}",)


@pytest.mark.parametrize("text", ["nothing", "0.3", "missing/folder", "missing@HEAD"])
def test_what_names_nothing_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputFault) as caught:
        found(tmp_path, text, Base(source=FolderSource(path="engine"), upstream_commit=None))
    assert caught.value.diagnostics[0].code == "bump-source"
