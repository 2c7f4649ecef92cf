"""A good project broken in one way, and the code that must say so: the rows of stacking.

Each row takes a project that derives without a finding, changes one thing on disk, and names the first code.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.exchange.quilt import import_quilt
from tests.exchange.folders import read_and_derive, write_files
from verify.diff.submission import Dialect
from verify.model.diagnostic import Diagnostic, Fault
from verify.model.ids import RepoPath
from verify.model.patch import Mode

TEXT = b"".join(b"line %d\n" % number for number in range(1, 41))
ONE = b"--- a/x\n+++ b/x\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n line 11\n line 12\n line 13\n"
TWO = b"--- a/x\n+++ b/x\n@@ -8,7 +8,7 @@\n line 8\n line 9\n ten\n-line 11\n+eleven\n line 12\n line 13\n line 14\n"
NEW = b"--- /dev/null\n+++ b/new/file\n@@ -0,0 +1 @@\n+new\n"
FOLDS = Path("out/blocks/out/folds")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(
        tmp_path / "orig", {RepoPath(b"x"): (Mode.FILE, TEXT), RepoPath(b"run"): (Mode.EXECUTABLE, b"#!/bin/sh\n")}
    )
    (tmp_path / "patches").mkdir()
    for name, data in (("one", ONE), ("two", TWO), ("new", NEW)):
        (tmp_path / "patches" / name).write_bytes(data)
    (tmp_path / "patches/series").write_text("one\ntwo\nnew\n")
    import_quilt(
        orig=tmp_path / "orig", patches=tmp_path / "patches", series=None, dialect=Dialect.GNU, mapping=None,
        out=tmp_path / "out", strict=False,
    )  # fmt: skip
    return tmp_path


def codes(project: Path) -> list[str]:
    findings: tuple[Diagnostic, ...]
    try:
        findings = read_and_derive(project / "out", project / "cache")[1].findings
    except Fault as fault:
        findings = fault.diagnostics
    return [finding.code for finding in findings]


def edit(project: Path, name: str, old: bytes, new: bytes) -> None:
    file = project / name
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new, 1))


def base_line(project: Path) -> None:
    edit(project, "orig/x", b"line 10\n", b"upstream\n")


def base_far_line(project: Path) -> None:
    edit(project, "orig/x", b"line 40\n", b"upstream\n")


def base_shifted(project: Path) -> None:
    edit(project, "orig/x", b"line 1\n", b"upstream\nline 1\n")


def base_other_file(project: Path) -> None:
    edit(project, "orig/run", b"sh", b"bash")


def base_file_gone(project: Path) -> None:
    (project / "orig/x").unlink()


def base_file_in_the_way(project: Path) -> None:
    (project / "orig/new").mkdir()
    (project / "orig/new/file").write_text("mine\n")


def base_file_for_a_folder(project: Path) -> None:
    (project / "orig/new").write_text("a file\n")


def base_mode(project: Path) -> None:
    (project / "orig/x").chmod(0o755)


def patch_content(project: Path) -> None:
    edit(project, f"{FOLDS}/one/fold.patch", b"+ten", b"+TEN")


def patch_line_number(project: Path) -> None:
    edit(project, f"{FOLDS}/one/fold.patch", b"@@ -7,7 +7,7 @@", b"@@ -8,7 +8,7 @@")


def patch_new_number(project: Path) -> None:
    edit(project, f"{FOLDS}/one/fold.patch", b"@@ -7,7 +7,7 @@", b"@@ -7,7 +8,7 @@")


def patch_heading(project: Path) -> None:
    edit(project, f"{FOLDS}/one/fold.patch", b"+7,7 @@", b"+7,7 @@ main()")


def patch_count(project: Path) -> None:
    edit(project, f"{FOLDS}/one/fold.patch", b"-7,7 ", b"-7,6 ")


def patch_path(project: Path) -> None:
    data = (project / FOLDS / "one/fold.patch").read_bytes()
    (project / FOLDS / "one/fold.patch").write_bytes(data.replace(b"/x", b"/../x"))


def patch_less_context(project: Path) -> None:
    edit(project, f"{FOLDS}/one/fold.patch", b"@@ -7,7 +7,7 @@\n line 7\n", b"@@ -8,6 +8,6 @@\n")


def patch_gone(project: Path) -> None:
    (project / FOLDS / "one/fold.patch").unlink()


def lock_sha(project: Path) -> None:
    lock(project, lambda folds: folds[0].update(patch_sha256="0" * 64))


def lock_tree(project: Path) -> None:
    lock(project, lambda folds: folds[1].update(tree="0" * 40))


def lock_commit(project: Path) -> None:
    lock(project, lambda folds: folds[1].update(commit="0" * 40))


def lock_preimage(project: Path) -> None:
    edit_side(project, "before")


def lock_postimage(project: Path) -> None:
    edit_side(project, "after")


def subject(project: Path) -> None:
    edit(project, "out/blocks/out/block.yaml", b'subject: "two"', b'subject: "another"')


def edit_side(project: Path, side: str) -> None:
    file = project / "out/blocks/lock.json"
    value = json.loads(file.read_text())
    value["folds"][0]["files"][0][side]["blob"] = "0" * 40
    file.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n")


def lock(project: Path, change: Callable[[list[dict[str, object]]], object]) -> None:
    file = project / "out/blocks/lock.json"
    value = json.loads(file.read_text())
    change(value["folds"])
    file.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n")


ROWS: tuple[tuple[Callable[[Path], None], str], ...] = (
    (base_line, "hunk-mismatch"),
    (base_far_line, "preimage-differs"),
    (base_shifted, "hunk-mismatch"),
    (base_other_file, "tree-differs"),
    (base_file_gone, "path-missing"),
    (base_file_in_the_way, "tree-differs"),
    (base_file_for_a_folder, "tree-differs"),
    (base_mode, "preimage-differs"),
    (patch_content, "lock-patch"),
    (patch_line_number, "lock-patch"),
    (patch_new_number, "patch-line-numbers"),
    (patch_heading, "patch-not-canonical"),
    (patch_count, "patch-syntax"),
    (patch_path, "patch-path-unsafe"),
    (patch_less_context, "patch-context"),
    (patch_gone, "patch-missing"),
    (lock_sha, "lock-patch"),
    (lock_tree, "tree-differs"),
    (lock_commit, "commit-differs"),
    (lock_preimage, "preimage-differs"),
    (lock_postimage, "postimage-differs"),
    (subject, "commit-differs"),
)


def test_the_project_is_good_before_it_is_broken(project: Path) -> None:
    assert codes(project) == []


@pytest.mark.parametrize(("sabotage", "code"), ROWS, ids=[row[0].__name__ for row in ROWS])
def test_one_thing_is_broken_and_named(sabotage: Callable[[Path], None], code: str, project: Path) -> None:
    sabotage(project)
    shutil.rmtree(project / "cache", ignore_errors=True)
    assert code in codes(project)[:2]  # a reader tells the changed digest first


@pytest.mark.parametrize(
    ("sabotage", "code"), [(base_file_in_the_way, "path-exists"), (base_file_for_a_folder, "path-obstructed")]
)
def test_what_stands_in_the_way_is_named_among_the_findings(
    sabotage: Callable[[Path], None], code: str, project: Path
) -> None:
    sabotage(project)
    assert code in codes(project)
