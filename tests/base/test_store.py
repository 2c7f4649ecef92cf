"""The store holds git's own objects, whole or not at all, for however many writers."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from builder.pack import PackWriter
from builder.store import Store
from builder.tree import NewObject, Obstructed, Tree, file_state, object_id
from verify.git import Git
from verify.model.diagnostic import EnvironmentFault
from verify.model.ids import EMPTY_TREE, BlobId, CommitId, RepoPath, TreeId
from verify.model.patch import Mode


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "cache/objects.git")


def blobs(count: int, salt: str = "") -> list[NewObject]:
    datas = [f"{salt}{number}".encode() * (number % 7) for number in range(count)]
    return [NewObject("blob", object_id("blob", data), data) for data in datas]


def git(store: Store) -> Git:
    return Git(git_dir=store.git_dir, cwd=store.git_dir)


@pytest.mark.parametrize("count", [0, 1, 20, 64, 65, 500])
def test_what_was_written_is_read_by_us_and_by_git(store: Store, count: int) -> None:
    objects = blobs(count)
    store.write(objects)
    for new in objects:
        assert store.blob(BlobId(new.id)) == new.data
    names = "".join(f"{new.id}\n" for new in objects).encode()
    checked = git(store).run("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", stdin=names)
    assert checked.decode().splitlines() == [f"{new.id} blob {len(new.data)}" for new in objects]
    git(store).run("fsck", "--strict")


def test_few_objects_are_loose_and_many_are_one_pack(store: Store) -> None:
    store.write(blobs(10))
    assert not list(store.git_dir.glob("objects/pack/*.pack"))
    store.write(blobs(300, salt="x"))
    assert len(list(store.git_dir.glob("objects/pack/*.pack"))) == 1


def test_large_objects_are_packed_though_they_are_few(store: Store) -> None:
    data = os.urandom(1 << 20) * 17
    store.write([NewObject("blob", object_id("blob", data), data)])
    assert len(list(store.git_dir.glob("objects/pack/*.pack"))) == 1
    assert store.blob(BlobId(object_id("blob", data))) == data


def test_writing_twice_writes_once(store: Store) -> None:
    objects = blobs(200)
    first = store.write([*objects, *objects])
    assert first == len({new.id for new in objects})
    assert store.write(objects) == 0


def test_an_object_with_another_id_is_our_defect_and_leaves_nothing(store: Store) -> None:
    with pytest.raises(ValueError, match="is in fact"):
        store.write([*blobs(100), NewObject("blob", "1" * 40, b"x")])
    assert not [path for path in (store.git_dir / "objects").rglob("*") if path.is_file()]


def test_a_killed_writer_leaves_the_old_state(store: Store) -> None:
    child = os.fork()
    if child == 0:
        pack = PackWriter(store.git_dir / "objects")
        for new in blobs(100):
            pack.put(new.id, new.kind, new.data)
        os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    assert not store.has(blobs(100)[1].id)
    git(store).run("fsck", "--strict")
    store.write(blobs(100))
    assert store.has(blobs(100)[1].id)


def test_a_pack_without_its_index_is_not_there_yet(store: Store) -> None:
    store.write(blobs(100))
    (index,) = store.git_dir.glob("objects/pack/*.idx")
    index.unlink()
    again = Store.open(store.git_dir)
    assert not again.has(blobs(100)[1].id)
    again.write(blobs(100))
    git(store).run("fsck", "--strict")


def test_writers_at_once_do_not_hinder_each_other(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def write() -> None:
        try:
            Store.open(tmp_path / "objects.git").write([*blobs(150), *blobs(30, salt="y")])
        except BaseException as error:  # noqa: BLE001 (told below)
            failures.append(error)

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    git(Store.open(tmp_path / "objects.git")).run("fsck", "--strict")


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        store = Store.open(tmp_path / "objects.git")
        store.write(blobs(3))
        store.write(blobs(100, salt="x"))
        store.pin("base/x", CommitId("1" * 40))
        store.cut([CommitId("1" * 40)])
    finally:
        os.umask(before)
    modes = {
        (path.is_dir(), oct(path.stat().st_mode & 0o777))
        for path in [store.git_dir, *store.git_dir.rglob("*")]
        if path.name != "stackproof.lock"
    }
    assert modes == {(True, "0o755"), (False, "0o644"), (False, "0o444")}


def test_a_missing_object_is_told_with_the_store(store: Store) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        store.blob(BlobId("1" * 40))
    assert caught.value.diagnostics[0].code == "object-missing"


def test_an_object_of_another_kind_is_not_taken_for_it(store: Store) -> None:
    store.write(blobs(2))
    with pytest.raises(EnvironmentFault, match="object-missing"):
        store.tree(TreeId(blobs(2)[1].id))


def test_what_is_no_repository_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/HEAD").write_text("nonsense")
    with pytest.raises(EnvironmentFault, match="object-store-broken"):
        Store.open(tmp_path / "x")


def test_a_pinned_commit_and_its_tree_survive_a_collection(store: Store) -> None:
    made = Tree.at(store, EMPTY_TREE).with_changes({RepoPath(b"a/b"): file_state(b"x", Mode.FILE)})
    assert not isinstance(made, Obstructed)
    store.write(made.new_objects())
    who = "a <a@b.c> 0 +0000"
    text = f"tree {made.id}\nparent {'1' * 40}\nauthor {who}\ncommitter {who}\n\nx\n".encode()
    commit = NewObject("commit", object_id("commit", text), text)
    store.write([commit, *blobs(5)])
    store.cut([CommitId(commit.id)])
    store.pin(f"base/{commit.id}", CommitId(commit.id))
    subprocess.run(["git", "gc", "--quiet", "--prune=now"], cwd=store.git_dir, check=True, capture_output=True)
    again = Store.open(store.git_dir)
    assert again.is_whole(made.id)
    assert again.commit(CommitId(commit.id)) == text
    assert not again.has(blobs(5)[3].id)


def test_a_tree_that_lacks_a_file_is_not_whole(store: Store) -> None:
    made = Tree.at(store, EMPTY_TREE).with_changes({RepoPath(b"a/b"): file_state(b"x", Mode.FILE)})
    assert not isinstance(made, Obstructed)
    store.write([new for new in made.new_objects() if new.kind == "tree"])
    assert not store.is_whole(made.id)


def test_a_store_without_its_head_is_told_with_what_removes_it(tmp_path: Path) -> None:
    (tmp_path / "a b/objects").mkdir(parents=True)
    with pytest.raises(EnvironmentFault, match="object-store-broken") as caught:
        Store.open(tmp_path / "a b")
    assert caught.value.diagnostics[0].help == f"rm -rf '{tmp_path}/a b'"
    assert [each.name for each in tmp_path.iterdir()] == ["a b"]
