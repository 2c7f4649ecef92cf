"""A tree's files in a folder: exactly them, and only what differs written."""

import os
from pathlib import Path

import pytest

from builder.compile.sources import Update, disturbed, update_sources
from tests.core.memory import Memory, tree_in_memory
from tests.core.real_git import Files
from verify.model.diagnostic import InputFault
from verify.model.ids import BlobId, RepoPath, TreeId
from verify.model.patch import Mode
from verify.model.progress import Silent


class Place:
    """A folder that trees are laid into."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "src"
        self.record = root / "laid.json"

    def lay(self, files: Files) -> Update:
        tree, source = tree_in_memory(files)
        return self.update(tree.id, source)

    def update(self, tree: TreeId, source: Memory) -> Update:
        with Silent().stage("lay") as stage:
            return update_sources(tree=tree, source=source, folder=self.folder, record=self.record, stage=stage)

    def holds(self) -> Files:
        """What lies there now."""
        found: dict[RepoPath, tuple[Mode, bytes]] = {}
        for path in self.folder.rglob("*"):
            name = RepoPath(os.fsencode(path.relative_to(self.folder)))
            if path.is_symlink():
                found[name] = (Mode.SYMLINK, os.fsencode(path.readlink()))
            elif path.is_file():
                mode = Mode.EXECUTABLE if path.stat().st_mode & 0o100 else Mode.FILE
                found[name] = (mode, path.read_bytes())
        return found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def text(**files: bytes) -> dict[RepoPath, tuple[Mode, bytes]]:
    return {RepoPath(name.replace("__", "/").encode()): (Mode.FILE, data) for name, data in files.items()}


FILES = text(one=b"1\n", two=b"2\n", deep__er__three=b"3\n")


def test_the_folder_holds_exactly_the_tree(place: Place) -> None:
    files = {
        **FILES,
        RepoPath(b"run.sh"): (Mode.EXECUTABLE, b"#!/bin/sh\n"),
        RepoPath(b"link"): (Mode.SYMLINK, b"deep/er/three"),
        RepoPath(b"build/x.log"): (Mode.FILE, b"ignored by many\n"),
        RepoPath(b".gitignore"): (Mode.FILE, b"*\n"),
        RepoPath(b"caf\xe9 \xff"): (Mode.FILE, b"\x00\xff\r\n"),
    }
    place.lay(files)
    assert place.holds() == files


def test_a_submodule_is_an_empty_folder(place: Place) -> None:
    place.lay({**FILES, RepoPath(b"sub/mod"): (Mode.SUBMODULE, b"Subproject commit " + b"1" * 40 + b"\n")})
    assert list((place.folder / "sub/mod").iterdir()) == []
    assert place.holds() == FILES


def test_only_files_that_differ_are_written(place: Place) -> None:
    place.lay(FILES)
    before = (place.folder / "one").stat()
    done = place.lay({**FILES, **text(two=b"changed\n", four=b"4\n")})
    assert done == Update(written=2, removed=0, kept=2)
    assert (place.folder / "one").stat() == before


def test_a_written_file_has_the_present_time_even_when_it_is_an_old_version(place: Place) -> None:
    place.lay(FILES)
    first = (place.folder / "one").stat().st_mtime_ns
    place.lay({**FILES, **text(one=b"another\n")})
    place.lay(FILES)
    assert (place.folder / "one").stat().st_mtime_ns > first


def test_a_mode_that_changed_is_laid_again(place: Place) -> None:
    place.lay(FILES)
    place.lay({**FILES, RepoPath(b"one"): (Mode.EXECUTABLE, b"1\n")})
    assert place.holds()[RepoPath(b"one")] == (Mode.EXECUTABLE, b"1\n")


def test_a_file_changed_behind_our_back_is_laid_again_though_size_and_time_are_as_before(place: Place) -> None:
    place.lay(FILES)
    path = place.folder / "one"
    status = path.stat()
    path.write_bytes(b"!\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert place.lay(FILES) == Update(written=1, removed=0, kept=2)
    assert place.holds() == FILES


def test_what_does_not_belong_there_is_removed(place: Place) -> None:
    place.lay(FILES)
    (place.folder / "deep/stray").write_bytes(b"x")
    (place.folder / "empty/inner").mkdir(parents=True)
    (place.folder / "dangling").symlink_to("nowhere")
    assert place.lay(FILES) == Update(written=0, removed=2, kept=3)
    assert sorted(path.name for path in place.folder.rglob("*")) == ["deep", "er", "one", "three", "two"]


def test_a_file_and_a_folder_change_places(place: Place) -> None:
    place.lay(text(a=b"file\n", b__c=b"inner\n"))
    other = text(a__d=b"inner\n", b=b"file\n")
    place.lay(other)
    assert place.holds() == other


def test_a_link_in_the_place_of_a_folder_is_not_followed(place: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "three").write_bytes(b"mine\n")
    place.lay(FILES)
    for path in (place.folder / "deep/er/three", place.folder / "deep/er"):
        path.unlink() if path.is_file() else path.rmdir()
    (place.folder / "deep/er").symlink_to(outside)
    place.lay(FILES)
    assert place.holds() == FILES
    assert (outside / "three").read_bytes() == b"mine\n"


def test_a_lay_that_was_cut_short_is_done_anew(place: Place) -> None:
    place.lay(FILES)
    tree, source = tree_in_memory(text(one=b"other\n", two=b"other too\n"))
    lost = BlobId(next(name for name, data in source.objects.items() if data == b"other too\n"))
    data = source.objects.pop(lost)
    with pytest.raises(KeyError):
        place.update(tree.id, source)
    source.objects[lost] = data
    assert place.update(tree.id, source) == Update(written=2, removed=0, kept=0)
    assert place.holds() == text(one=b"other\n", two=b"other too\n")


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b'{"schema":"stackproof/laid/1","files":[["one"]]}', b"\xff"])
def test_a_damaged_record_is_not_believed(place: Place, damage: bytes) -> None:
    place.lay(FILES)
    place.record.write_bytes(damage)
    assert place.lay(FILES) == Update(written=3, removed=0, kept=0)


def test_a_folder_copied_from_elsewhere_with_its_times_is_not_believed(place: Place) -> None:
    place.lay(FILES)
    os.system(f"cp -a {place.folder} {place.folder}2 && rm -r {place.folder} && mv {place.folder}2 {place.folder}")
    assert place.lay(FILES).written == 3


def test_a_folder_without_rights_is_begun_anew(place: Place) -> None:
    place.lay(FILES)
    (place.folder / "deep").chmod(0)
    place.lay(FILES)
    assert place.holds() == FILES


@pytest.mark.parametrize("path", [b"../out", b"a/../../out", b".git/hooks/x", b"a/.GIT/config"])
def test_a_path_that_leaves_the_folder_is_refused_and_nothing_is_written(place: Place, path: bytes) -> None:
    with pytest.raises(InputFault) as caught:
        place.lay({**FILES, RepoPath(path): (Mode.FILE, b"out\n")})
    assert caught.value.diagnostics[0].code == "tree-path-unsafe"
    assert not place.folder.exists()


def test_laid_files_that_changed_since_are_named_and_added_ones_are_not(place: Place) -> None:
    place.lay(FILES)
    assert disturbed(folder=place.folder, record=place.record) == ()
    (place.folder / "generated.h").write_bytes(b"x")
    (place.folder / "two").write_bytes(b"?\n")
    (place.folder / "deep/er/three").unlink()
    assert set(disturbed(folder=place.folder, record=place.record)) == {b"two", b"deep/er/three"}
