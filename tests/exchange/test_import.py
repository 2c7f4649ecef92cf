"""Imports: the project derives the same tree at once, keeps every hunk, and refuses what it cannot prove."""

import json
import random
from pathlib import Path

import pytest

from builder.exchange.debian import import_debian
from builder.exchange.folder_tree import folder_tree
from builder.exchange.git_range import import_range
from builder.exchange.mailbox import import_mailbox
from builder.exchange.quilt import import_quilt
from builder.exchange.series import read_series
from builder.exchange.stack_in import StackIn, slug
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files, RealGit
from tests.exchange.folders import plain, random_series, read_and_derive, tree_id, write_files
from verify.diff.submission import Dialect
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath
from verify.model.patch import Mode
from verify.model.stack import Stack

TEXT = b"".join(b"line %d\n" % number for number in range(1, 21))
HUNK = b"@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n line 11\n line 12\n line 13\n"
PLAIN = b"--- a/x\n+++ b/x\n" + HUNK


def quilt(
    folder: Path, dialect: Dialect = Dialect.GNU, *, strict: bool = False, mapping: Path | None = None
) -> StackIn:
    return import_quilt(
        orig=folder / "orig", patches=folder / "patches", series=None, dialect=dialect, mapping=mapping,
        out=folder / "out", strict=strict,
    )  # fmt: skip


def series(folder: Path, text: str, **patches: bytes) -> None:
    write_files(folder / "orig", {RepoPath(b"x"): (Mode.FILE, TEXT), RepoPath(b"d/y"): (Mode.FILE, TEXT)})
    (folder / "patches").mkdir()
    for name, data in patches.items():
        (folder / "patches" / name).write_bytes(data)
    (folder / "patches/series").write_text(text)


def codes(fault: InputFault) -> list[str]:
    return [diagnostic.code for diagnostic in fault.diagnostics]


@pytest.mark.parametrize("seed", range(5))
def test_a_random_series_gives_its_tree_and_the_project_agrees_with_itself(seed: int, tmp_path: Path) -> None:
    before, after = random_series(seed, tmp_path, 5)

    taken = quilt(tmp_path, Dialect.GIT)

    assert folder_tree(tmp_path / "orig").id == tree_id(before)
    assert taken.stack.tip_tree() == tree_id(after)
    _, derived = read_and_derive(tmp_path / "out", tmp_path / "cache")
    assert derived.findings == ()
    assert derived.result == taken.stack


def test_each_patch_is_kept_as_sent_and_as_taken(tmp_path: Path) -> None:
    moved = PLAIN.replace(b"-7,7 +7,7", b"-5,7 +5,7")
    series(tmp_path, "a\n", a=moved)

    taken = quilt(tmp_path)

    folder = tmp_path / "out/blocks/out/folds/a"
    assert (folder / "source.patch").read_bytes() == moved
    assert b"@@ -7,7 +7,7 @@" in (folder / "fold.patch").read_bytes()
    assert [fate.placement.offset for fate in taken.reports[0].fates] == [2]


def test_strict_refuses_what_is_not_at_its_line(tmp_path: Path) -> None:
    series(tmp_path, "a\n", a=PLAIN.replace(b"-7,7 +7,7", b"-5,7 +5,7"))
    with pytest.raises(InputFault) as caught:
        quilt(tmp_path, strict=True)
    assert codes(caught.value) == ["hunk-not-exact"]
    assert not (tmp_path / "out").exists()


def test_options_of_the_series_are_read(tmp_path: Path) -> None:
    deep = PLAIN.replace(b"a/x", b"p/q/x").replace(b"b/x", b"p/q/x")
    series(tmp_path, "a -p2\nb -R  # back again\n\n#c\n", a=deep, b=PLAIN)
    taken = quilt(tmp_path)
    assert taken.stack.tip_tree() == taken.stack.base_tree
    assert [layer.fold for layer in taken.stack.layers] == ["a", "b"]


def test_an_option_that_is_not_known_is_refused_and_not_skipped() -> None:
    with pytest.raises(InputFault) as caught:
        read_series(b"a -p1\nb -F3\n../c\n", file="series")
    assert codes(caught.value) == ["series-option", "series-path"]


def test_a_map_says_which_block_takes_a_patch(tmp_path: Path) -> None:
    other = PLAIN.replace(b"a/x", b"a/d/y").replace(b"b/x", b"b/d/y")
    series(tmp_path, "a\nb\n", a=PLAIN, b=other)
    (tmp_path / "map.json").write_text(json.dumps({"first": ["a"], "second": ["b"]}))
    taken = quilt(tmp_path, mapping=tmp_path / "map.json")
    assert [(block.name, [fold.id for fold in block.folds]) for block in taken.blocks] == [
        ("first", ["a"]),
        ("second", ["b"]),
    ]


@pytest.mark.parametrize(
    "value",
    [[], {"a": "b"}, {"one": ["a"]}, {"one": ["a", "b", "a"]}, {"one": ["a", "b", "c"]}, {"Bad Name": ["a", "b"]}],
)
def test_a_map_that_does_not_fit_is_refused(value: object, tmp_path: Path) -> None:
    series(tmp_path, "a\nb\n", a=PLAIN, b=PLAIN)
    (tmp_path / "map.json").write_text(json.dumps(value))
    with pytest.raises(InputFault) as caught:
        quilt(tmp_path, mapping=tmp_path / "map.json")
    assert set(codes(caught.value)) == {"map-wrong"}


def test_a_patch_that_is_there_already_is_not_applied_again(tmp_path: Path) -> None:
    series(tmp_path, "a\nb\n", a=PLAIN, b=PLAIN)
    with pytest.raises(InputFault) as caught:
        quilt(tmp_path)
    assert codes(caught.value) == ["hunk-already-there"]


def test_a_missing_patch_is_told(tmp_path: Path) -> None:
    series(tmp_path, "a\n")
    with pytest.raises(InputFault) as caught:
        quilt(tmp_path)
    assert codes(caught.value) == ["series-patch-missing"]


def test_an_import_never_writes_over_a_project(tmp_path: Path) -> None:
    series(tmp_path, "a\n", a=PLAIN)
    quilt(tmp_path)
    with pytest.raises(InputFault) as caught:
        quilt(tmp_path)
    assert codes(caught.value) == ["project-exists"]


def test_a_project_inside_of_its_own_base_is_refused(tmp_path: Path) -> None:
    series(tmp_path, "a\n", a=PLAIN)
    with pytest.raises(InputFault) as caught:
        import_quilt(
            orig=tmp_path / "orig", patches=tmp_path / "patches", series=None, dialect=Dialect.GNU, mapping=None,
            out=tmp_path / "orig/out", strict=False,
        )  # fmt: skip
    assert codes(caught.value) == ["project-in-base"]


def test_names_that_are_not_utf8_are_read_and_told(tmp_path: Path) -> None:
    series(tmp_path, "")
    (tmp_path / "patches/caf\udce9").write_bytes(PLAIN)
    (tmp_path / "patches/series").write_bytes(b"caf\xe9\n")
    taken = quilt(tmp_path)
    assert [fold.source for fold in taken.blocks[0].folds] == ["gnu series, caf\\xe9"]
    assert read_and_derive(tmp_path / "out", tmp_path / "cache")[1].findings == ()


def test_a_patch_with_nothing_in_it_is_an_empty_fold(tmp_path: Path) -> None:
    series(tmp_path, "a\n", a=b"only a comment\n")
    taken = quilt(tmp_path)
    assert taken.stack.tip_tree() == taken.stack.base_tree
    assert read_and_derive(tmp_path / "out", tmp_path / "cache")[1].findings == ()


def test_a_debian_tree_is_read_without_its_own_folders(tmp_path: Path) -> None:
    series(
        tmp_path,
        "",
    )
    source = tmp_path / "orig"
    (source / "debian/patches").mkdir(parents=True)
    (source / "debian/source").mkdir()
    (source / "debian/source/format").write_text("3.0 (quilt)\n")
    (source / "debian/patches/series").write_text("a -p7  # dpkg-source ignores options\n")
    (source / "debian/patches/a").write_bytes(PLAIN)
    taken = import_debian(source=source, mapping=None, out=tmp_path / "out", strict=False)
    assert taken.stack.base_tree == folder_tree(source, without=("debian",)).id
    assert read_and_derive(tmp_path / "out", tmp_path / "cache")[1].findings == ()


def applied_debian_tree(folder: Path) -> Path:
    """As `dpkg-source -x` leaves it: patches applied, the files before them kept in `.pc/`."""
    source = folder / "source"
    new = b"--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+new\n"
    write_files(source, {RepoPath(b"x"): (Mode.EXECUTABLE, TEXT.replace(b"line 10\n", b"ten\n"))})
    (source / "new").write_bytes(b"new\n")
    (source / "debian/patches").mkdir(parents=True)
    (source / "debian/patches/a").write_bytes(PLAIN)
    (source / "debian/patches/b").write_bytes(new)
    (source / "debian/patches/series").write_text("a\nb\n")
    write_files(source / ".pc/a", {RepoPath(b"x"): (Mode.EXECUTABLE, TEXT)})
    write_files(source / ".pc/b", {RepoPath(b"new"): (Mode.FILE, b"")})
    (source / ".pc/applied-patches").write_text("a\nb\n")
    return source


def test_a_debian_tree_with_its_patches_applied_is_taken_back_to_its_base(tmp_path: Path) -> None:
    source = applied_debian_tree(tmp_path)
    taken = import_debian(source=source, mapping=None, out=tmp_path / "out", strict=True)
    assert taken.stack.base_tree == tree_id({RepoPath(b"x"): (Mode.EXECUTABLE, TEXT)})
    assert taken.stack.tip_tree() == folder_tree(source, without=("debian", ".pc")).id
    assert read_and_derive(tmp_path / "out", tmp_path / "cache")[1].findings == ()


def test_a_debian_tree_that_somebody_changed_is_no_result_of_its_patches(tmp_path: Path) -> None:
    source = applied_debian_tree(tmp_path)
    (source / "new").write_bytes(b"changed\n")
    with pytest.raises(InputFault) as caught:
        import_debian(source=source, mapping=None, out=tmp_path / "out", strict=False)
    assert codes(caught.value) == ["debian-applied"]
    assert not (tmp_path / "out").exists()


def test_copies_of_a_debian_tree_never_come_from_outside(tmp_path: Path) -> None:
    source = applied_debian_tree(tmp_path)
    (tmp_path / "outside").mkdir()
    (source / ".pc/a/x").unlink()
    (source / ".pc/a").rmdir()
    (source / ".pc/a").symlink_to(tmp_path / "outside")
    with pytest.raises(InputFault) as caught:
        import_debian(source=source, mapping=None, out=tmp_path / "out", strict=False)
    assert codes(caught.value) == ["debian-applied"]


def random_history(git: RealGit, seed: int, count: int) -> tuple[list[Files], list[str]]:
    """A straight branch of random trees; gives the files and the commit of each."""
    rng = random.Random(seed)
    files = [plain(random_files(rng, 20))]
    for _ in range(count):
        files.append(random_patch(rng, files[-1], 6)[1])
    commits: list[str] = []
    for number, tree in enumerate(git.tree_of(each) for each in files):
        parent = ["-p", commits[-1]] if commits else []
        text = f"Change {number}\n\nBody of {number}\n".encode()
        commits.append(git.run("commit-tree", tree, *parent, stdin=text).decode().strip())
    git.run("update-ref", "refs/heads/main", commits[-1])
    return files, commits


@pytest.mark.parametrize("seed", range(4))
def test_a_git_range_is_a_fold_for_each_commit(seed: int, tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    files, commits = random_history(git, seed, 4)
    taken = import_range(
        repository=tmp_path / "repo.git", revisions=f"{commits[0]}..main", block=None, out=tmp_path / "out"
    )
    assert [layer.after for layer in taken.stack.layers] == [tree_id(each) for each in files[1:]]
    assert [fold.body for fold in taken.blocks[0].folds] == [f"Body of {number}" for number in range(1, 5)]
    for layer, fold in zip(taken.stack.layers, taken.blocks[0].folds, strict=True):
        assert git.apply(layer.before, fold.patch_bytes) == layer.after, git.why
    _, derived = read_and_derive(tmp_path / "out", tmp_path / "cache")
    assert derived.findings == ()
    assert isinstance(derived.result, Stack)


def test_a_merge_is_refused_with_advice(tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    files, commits = random_history(git, 1, 2)
    merge = git.run("commit-tree", git.tree_of(files[0]), "-p", commits[1], "-p", commits[2], stdin=b"m")
    with pytest.raises(InputFault) as caught:
        import_range(
            repository=tmp_path / "repo.git", revisions=f"{commits[0]}..{merge.decode().strip()}", block=None,
            out=tmp_path / "out",
        )  # fmt: skip
    assert codes(caught.value) == ["range-merge"]


def test_a_base_that_is_no_ancestor_is_refused(tmp_path: Path) -> None:
    _, commits = random_history(RealGit(tmp_path), 1, 2)
    with pytest.raises(InputFault) as caught:
        import_range(
            repository=tmp_path / "repo.git", revisions=f"{commits[2]}..{commits[1]}", block=None, out=tmp_path / "out"
        )
    assert codes(caught.value) == ["range-unrelated"]


def test_a_mail_folder_is_a_fold_for_each_patch(tmp_path: Path) -> None:
    series(tmp_path, "")
    mail = b"From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n"
    mail += b"From: A <a@a.org>\nSubject: s\n\nb\n---\n"
    (tmp_path / "m").write_bytes(mail + PLAIN + mail + PLAIN.replace(b"line 10", b"ten").replace(b"+ten", b"+TEN"))
    taken = import_mailbox(
        orig=tmp_path / "orig", mailbox=tmp_path / "m", dialect=Dialect.GIT, strip=1, block=None, out=tmp_path / "out",
        strict=True,
    )  # fmt: skip
    assert [fold.id for fold in taken.blocks[0].folds] == ["s", "s-2"]
    assert read_and_derive(tmp_path / "out", tmp_path / "cache")[1].findings == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [("CVE-2020-1.patch", "cve-2020-1.patch"), ("Ä/ö", "patch"), ("..", "patch"), ("x" * 200, "x" * 72)],
)
def test_any_text_makes_a_name(text: str, name: str) -> None:
    assert slug(text) == name
