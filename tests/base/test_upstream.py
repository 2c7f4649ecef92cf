"""A base becomes exactly upstream's tree, from every kind of source, or nothing at all."""

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from builder.fetch import digest_of
from builder.store import Store
from builder.upstream import Imported, import_base
from tests.base.archives import FILES, Entry, Sdist, kind, make_sdist, write_tar
from verify.git import Git
from verify.model.diagnostic import Fault
from verify.model.ids import CommitId, TreeId
from verify.model.progress import Silent
from verify.model.release import ArchiveSource, Base, FolderSource, GitSource, SdistSource, Source

VENDORED = "engine_python-1.0/vendor/engine"
GIT_DIR = "engine_python-1.0/.git/modules/vendor/engine"


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Sdist:
    return make_sdist(tmp_path_factory.mktemp("sdist"))


def imported(cache: Path, source: Source, commit: str | None, root: Path = Path()) -> Imported:
    return import_base(
        base=Base(source=source, upstream_commit=None if commit is None else CommitId(commit)),
        store=Store.open(cache / "objects.git"),
        cache=cache,
        offline=True,
        progress=Silent(),
        root=root,
    )


def in_cache(cache: Path, sdist: Sdist, *, without: str = "", more: tuple[Entry, ...] = ()) -> SdistSource:
    """Put the sdist where a download would be."""
    cache.mkdir(exist_ok=True)
    archive = sdist.write(cache / "engine_python-1.0.tar.gz", without=without, more=more)
    folder = cache / "downloads" / digest_of(archive)
    folder.mkdir(parents=True)
    archive.rename(folder / archive.name)
    return SdistSource(
        package="engine-python",
        version="1.0",
        sha256=digest_of(folder / archive.name),
        folder="vendor/engine",
        git_dir=".git/modules/vendor/engine",
    )


def refused(cache: Path, source: Source, commit: str | None, root: Path = Path()) -> Fault:
    with pytest.raises(Fault) as caught:
        imported(cache, source, commit, root)
    assert not list((cache / "bases").glob("*")) if (cache / "bases").exists() else True
    return caught.value


def replaced(sdist: Sdist, name: str, **changes: object) -> Sdist:
    """The sdist with one member of the vendored folder changed."""
    entries = tuple(
        Entry(**{**_fields(entry), **changes}) if entry.name == f"{VENDORED}/{name}" else entry  # type: ignore[arg-type]
        for entry in sdist.entries
    )
    assert entries != sdist.entries
    return Sdist(entries=entries, commit=sdist.commit, tree=sdist.tree)


def _fields(entry: Entry) -> dict[str, object]:
    return {"name": entry.name, "data": entry.data, "mode": entry.mode, "edit": entry.edit}


def test_an_sdist_gives_the_very_tree_and_commit_of_upstream(tmp_path: Path, sdist: Sdist) -> None:
    found = imported(tmp_path, in_cache(tmp_path, sdist), sdist.commit)
    assert (found.tree, found.commit, found.from_cache) == (sdist.tree, sdist.commit, False)


def test_git_sees_a_sound_repository_that_is_cut_at_the_base(tmp_path: Path, sdist: Sdist) -> None:
    imported(tmp_path, in_cache(tmp_path, sdist), sdist.commit)
    git = Git(git_dir=tmp_path / "objects.git", cwd=tmp_path)
    git.run("fsck", "--strict")
    assert git.text("rev-list", "--all") == sdist.commit


def test_a_second_import_reads_nothing_but_the_store(tmp_path: Path, sdist: Sdist) -> None:
    source = in_cache(tmp_path, sdist)
    first = imported(tmp_path, source, sdist.commit)
    shutil.rmtree(tmp_path / "downloads")
    again = imported(tmp_path, source, sdist.commit)
    assert (again.tree, again.commit, again.from_cache) == (first.tree, first.commit, True)


@pytest.mark.parametrize("record", [b"", b"{", b"[]", b'{"schema": "stackproof/base/1", "tree": "x", "commit": "y"}'])
def test_a_broken_record_is_no_record(tmp_path: Path, sdist: Sdist, record: bytes) -> None:
    source = in_cache(tmp_path, sdist)
    imported(tmp_path, source, sdist.commit)
    (file,) = (tmp_path / "bases").iterdir()
    file.write_bytes(record)
    assert not imported(tmp_path, source, sdist.commit).from_cache


def test_a_record_of_a_lost_store_is_no_record(tmp_path: Path, sdist: Sdist) -> None:
    source = in_cache(tmp_path, sdist)
    imported(tmp_path, source, sdist.commit)
    shutil.rmtree(tmp_path / "objects.git")
    assert not imported(tmp_path, source, sdist.commit).from_cache


def test_loose_objects_are_taken_as_well_as_packs(tmp_path: Path) -> None:
    loose = make_sdist(tmp_path / "made", packed=False)
    assert imported(tmp_path / "cache", in_cache(tmp_path / "cache", loose), loose.commit).tree == loose.tree


def test_the_shipped_index_is_not_looked_at(tmp_path: Path, sdist: Sdist) -> None:
    evil = Sdist(
        entries=tuple(
            Entry(name=entry.name, data=b"nonsense") if entry.name.endswith((".idx", ".rev")) else entry
            for entry in sdist.entries
        ),
        commit=sdist.commit,
        tree=sdist.tree,
    )
    assert imported(tmp_path, in_cache(tmp_path, evil), sdist.commit).tree == sdist.tree


def test_files_that_the_shipped_repository_lacks_are_taken_from_the_folder(tmp_path: Path) -> None:
    loose = make_sdist(tmp_path / "made", packed=False)
    data, _ = FILES["src/main.c"]
    blob = Git(git_dir=tmp_path / "made/upstream/.git", cwd=tmp_path).run("hash-object", "--stdin", stdin=data)
    name = blob.decode().strip()
    source = in_cache(tmp_path / "cache", loose, without=f"{name[:2]}/{name[2:]}")
    found = imported(tmp_path / "cache", source, loose.commit)
    assert Store.open(tmp_path / "cache/objects.git").is_whole(found.tree)


def test_without_a_commit_the_base_gets_one_that_its_tree_alone_decides(tmp_path: Path, sdist: Sdist) -> None:
    found = imported(tmp_path, in_cache(tmp_path, sdist), None)
    folder = tmp_path / "folder"
    lay_out(folder)
    other = imported(tmp_path / "other", FolderSource(path="folder"), None, tmp_path)
    assert found.tree == sdist.tree
    assert (other.tree, other.commit) == (found.tree, found.commit)


def lay_out(folder: Path) -> None:
    for name, (data, mode) in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)
    (folder / "link").symlink_to("src/main.c")


def test_a_folder_is_taken_as_it_lies_without_its_own_repository(tmp_path: Path, sdist: Sdist) -> None:
    lay_out(tmp_path / "folder")
    (tmp_path / "folder/.git").mkdir()
    (tmp_path / "folder/.git/config").write_text("x")
    assert imported(tmp_path, FolderSource(path="folder"), None, tmp_path).tree == sdist.tree


def test_a_folder_that_changed_is_read_again(tmp_path: Path, sdist: Sdist) -> None:
    lay_out(tmp_path / "folder")
    imported(tmp_path, FolderSource(path="folder"), None, tmp_path)
    (tmp_path / "folder/new").write_text("x")
    found = imported(tmp_path, FolderSource(path="folder"), None, tmp_path)
    assert (found.from_cache, found.tree == sdist.tree) == (False, False)


def test_a_local_archive_is_pinned_by_its_digest(tmp_path: Path, sdist: Sdist) -> None:
    archive = sdist.write(tmp_path / "a.tar.gz")
    good = ArchiveSource(file="a.tar.gz", sha256=digest_of(archive), folder=VENDORED)
    assert imported(tmp_path, good, None, tmp_path).tree == sdist.tree
    bad = ArchiveSource(file="a.tar.gz", sha256=digest_of(Path(__file__)), folder=VENDORED)
    (told,) = refused(tmp_path / "other", bad, None, tmp_path).diagnostics
    assert told.code == "sha256-differs"
    assert told.notes == (f"expected sha256 {bad.sha256}", f"met sha256      {good.sha256}")


def test_a_git_repository_gives_its_commit_without_history(tmp_path: Path) -> None:
    made = make_sdist(tmp_path / "made")
    found = imported(tmp_path, GitSource(repository="made/upstream", commit=made.commit), made.commit, tmp_path)
    assert (found.tree, found.commit) == (made.tree, made.commit)
    shutil.rmtree(tmp_path / "made")
    assert imported(tmp_path, GitSource(repository="made/upstream", commit=made.commit), None, tmp_path).from_cache


def test_a_changed_file_is_named_with_both_blobs(tmp_path: Path, sdist: Sdist) -> None:
    source = in_cache(tmp_path, replaced(sdist, "src/main.c", data=b"int evil;\n"))
    (told,) = refused(tmp_path, source, sdist.commit).diagnostics
    assert told.code == "base-differs-from-upstream"
    assert told.notes[1] == f"tree of the commit    {sdist.tree}"
    assert told.notes[2].startswith("src/main.c holds ")


def test_a_changed_mode_is_named(tmp_path: Path, sdist: Sdist) -> None:
    source = in_cache(tmp_path, replaced(sdist, "run.sh", mode=0o644))
    (told,) = refused(tmp_path, source, sdist.commit).diagnostics
    assert told.notes[2:] == ("run.sh has mode 100644, in the commit 100755",)


def test_a_missing_and_an_added_file_are_named(tmp_path: Path, sdist: Sdist) -> None:
    source = in_cache(tmp_path, sdist, without="keep.log", more=(Entry(name=f"{VENDORED}/evil.c"),))
    (told,) = refused(tmp_path, source, sdist.commit).diagnostics
    assert told.notes[2:] == ("build/keep.log is missing from the archive", "evil.c is not in the commit")


def test_what_the_archive_says_of_itself_is_told_and_not_believed(tmp_path: Path, sdist: Sdist) -> None:
    (told,) = refused(tmp_path, in_cache(tmp_path, sdist), "1" * 40).diagnostics
    assert told.code == "upstream-commit-missing"
    assert told.notes[0] == f"the archive says of itself that it is {sdist.commit}"


def changed_pack(sdist: Sdist) -> Sdist:
    def evil(entry: Entry) -> Entry:
        if not entry.name.endswith(".pack"):
            return entry
        middle = len(entry.data) // 2
        return Entry(name=entry.name, data=entry.data[:middle] + b"evil" + entry.data[middle + 4 :])

    return Sdist(entries=tuple(map(evil, sdist.entries)), commit=sdist.commit, tree=sdist.tree)


def test_a_damaged_pack_is_told(tmp_path: Path, sdist: Sdist) -> None:
    fault = refused(tmp_path, in_cache(tmp_path, changed_pack(sdist)), sdist.commit)
    assert fault.diagnostics[0].code == "base-repository-broken"


@pytest.mark.parametrize("data", [b"", b"junk", b"x\x9c\x01\x00\x00\xff\xff"])
def test_a_damaged_loose_object_is_told(tmp_path: Path, sdist: Sdist, data: bytes) -> None:
    more = (Entry(name=f"{GIT_DIR}/objects/aa/{'b' * 38}", data=data),)
    fault = refused(tmp_path, in_cache(tmp_path, sdist, more=more), sdist.commit)
    assert fault.diagnostics[0].code == "base-repository-broken"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (Entry(name=f"{VENDORED}/sub/.git/config"), "base-path-git"),
        (Entry(name=f"{VENDORED}/sub/.GIT"), "base-path-git"),
        (Entry(name=f"{VENDORED}/src/main.c/x"), "archive-path-twice"),
        (Entry(name=f"{VENDORED}/link/x"), "archive-path-twice"),
        (Entry(name=f"{VENDORED}/hard", edit=kind(tarfile.LNKTYPE, "engine_python-1.0/setup.py")), "archive-link-out"),
        (Entry(name="../evil"), "archive-path-out"),
    ],
)
def test_what_no_base_may_hold_is_refused(tmp_path: Path, sdist: Sdist, more: Entry, code: str) -> None:
    fault = refused(tmp_path, in_cache(tmp_path, sdist, more=(more,)), sdist.commit)
    assert fault.diagnostics[0].code == code


def test_a_hard_link_inside_the_folder_is_the_file_itself(tmp_path: Path) -> None:
    entries = [Entry(name="e/a", data=b"x", mode=0o755), Entry(name="e/b", edit=kind(tarfile.LNKTYPE, "e/a"))]
    archive = write_tar(tmp_path / "a.tar", entries, form="w")
    found = imported(tmp_path, ArchiveSource(file="a.tar", sha256=digest_of(archive), folder="e"), None, tmp_path)
    a, b = Store.open(tmp_path / "objects.git").listing(found.tree).values()
    assert a == b


@pytest.mark.parametrize(
    ("source", "commit", "code"),
    [
        (FolderSource(path="none"), None, "base-folder-missing"),
        (FolderSource(path="empty"), None, "base-folder-missing"),
        (FolderSource(path="pipe"), None, "archive-entry-kind"),
        (FolderSource(path="empty"), "1" * 40, "upstream-commit-unprovable"),
        (GitSource(repository="empty", commit=CommitId("1" * 40)), None, "base-fetch-failed"),
        (GitSource(repository="empty", commit=CommitId("1" * 40)), "2" * 40, "upstream-commit-differs"),
        (GitSource(repository="file:///none", commit=CommitId("1" * 40)), None, "offline-not-cached"),
    ],
)
def test_a_source_that_gives_nothing_is_told(tmp_path: Path, source: Source, commit: str | None, code: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe/p")
    assert refused(tmp_path / "cache", source, commit, tmp_path).diagnostics[0].code == code


def test_a_missing_archive_is_told(tmp_path: Path, sdist: Sdist) -> None:
    source = ArchiveSource(file="none.tar", sha256=digest_of(Path(__file__)), folder="")
    assert refused(tmp_path, source, None, tmp_path).diagnostics[0].code == "base-archive-missing"


def test_a_folder_that_the_archive_lacks_is_told(tmp_path: Path, sdist: Sdist) -> None:
    archive = sdist.write(tmp_path / "a.tar.gz")
    source = ArchiveSource(file="a.tar.gz", sha256=digest_of(archive), folder="engine_python-1.0/vendor/none")
    assert refused(tmp_path, source, None, tmp_path).diagnostics[0].code == "base-folder-missing"


def test_an_import_that_is_killed_is_made_good_by_the_next(tmp_path: Path, sdist: Sdist) -> None:
    source = in_cache(tmp_path, sdist)
    child = os.fork()
    if child == 0:
        from builder import vendored

        vendored._tree = lambda *args: os.kill(os.getpid(), 9)  # type: ignore[assignment]
        imported(tmp_path, source, sdist.commit)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9
    assert imported(tmp_path, source, sdist.commit).tree == sdist.tree
    assert not list((tmp_path / "objects.git").glob("import-*"))


def test_a_tree_of_git_itself_is_the_same(tmp_path: Path, sdist: Sdist) -> None:
    lay_out(tmp_path / "folder")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path / "folder", check=True)
    subprocess.run(["git", "add", "--force", "--all"], cwd=tmp_path / "folder", check=True)
    made = subprocess.run(["git", "write-tree"], cwd=tmp_path / "folder", check=True, capture_output=True).stdout
    found = imported(tmp_path, FolderSource(path="folder"), None, tmp_path)
    assert found.tree == TreeId(made.decode().strip())
