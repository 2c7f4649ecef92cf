"""Two maintainers: names are bound, parents are heads, and two branches of a project become one."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from builder.edit.history import Named, next_history, read_history, render_history
from builder.edit.merging import Sides, both_changed, merge_file, merge_history, merge_lock, merge_release
from tests.edit.workshop import Workshop
from tests.who.conftest import Run
from verify.model.diagnostic import InputFault
from verify.model.ids import CommitId, ReleaseName, TreeId
from verify.model.release import Reference


def named(name: str, parent: str | None = None, content: str = "a") -> Named:
    reference = Reference(base_tree=TreeId("b" * 40), tip_tree=TreeId(content * 40), tip_commit=CommitId(content * 40))
    return Named(name=ReleaseName(name), parent=ReleaseName(parent) if parent else None, reference=reference)


R1, R2 = named("r1"), named("r2", "r1", "c")


def test_a_history_reads_back() -> None:
    assert read_history(render_history((R1, R2))) == (R1, R2)
    assert read_history(None) == ()


@pytest.mark.parametrize("data", [b"{}", b"[]", b"x", b'{"schema": "stackproof/history/1", "releases": [{}]}'])
def test_a_broken_history_is_told(data: bytes) -> None:
    with pytest.raises(InputFault, match="history-unreadable"):
        read_history(data)


def test_the_newest_release_may_be_pinned_again() -> None:
    assert next_history((R1, R2), named("r2", "r1", "d"), sealed=None)[1].reference.tip_tree == "d" * 40


def test_a_release_that_another_one_follows_is_bound() -> None:
    with pytest.raises(InputFault, match="release-name-bound"):
        next_history((R1, R2), named("r1", None, "d"), sealed=None)
    assert next_history((R1, R2), R1, sealed=None) == (R1, R2)


def test_of_a_bound_name_that_ends_in_the_same_files_the_commits_are_told() -> None:
    other = replace(R1, reference=replace(R1.reference, tip_commit=CommitId("e" * 40)))
    with pytest.raises(InputFault) as met:
        next_history((R1,), other, sealed=R1.reference)
    notes = met.value.diagnostics[0].notes
    assert f"derived tip commit  {'e' * 40}" in notes
    assert not any("tip tree" in note for note in notes)


def test_a_sealed_release_is_bound() -> None:
    with pytest.raises(InputFault, match="release-name-bound"):
        next_history((R1,), named("r1", None, "d"), sealed=R1.reference)
    assert next_history((R1,), R1, sealed=R1.reference) == (R1,)


@pytest.mark.parametrize("parent", [None, "r1", "r9"])
def test_a_new_release_follows_the_newest(parent: str | None) -> None:
    with pytest.raises(InputFault, match="parent-not-head"):
        next_history((R1, R2), named("r3", parent), sealed=None)
    assert len(next_history((R1, R2), named("r3", "r2"), sealed=None)) == 3


def test_two_releases_from_one_parent_are_a_conflict() -> None:
    sides = [render_history(each) for each in ((R1,), (R1, R2), (R1, named("r2b", "r1")))]
    (conflict,) = merge_history(Sides(base=sides[0], ours=sides[1], theirs=sides[2])).conflicts
    assert conflict.code == "merge-release-name"


def release(**changes: object) -> bytes:
    document = {"name": "r1", "blocks": ["a", "b"], "gates": {"x": {"kind": "build"}}, "reference": {"tip_tree": "1"}}
    return (json.dumps(document | changes, indent=2) + "\n").encode()


@pytest.mark.parametrize(
    ("ours", "theirs", "blocks"),
    [
        (["a", "b", "c"], ["a", "b", "d"], ["a", "b", "c", "d"]),
        (["c", "a", "b"], ["a", "d", "b"], ["c", "a", "d", "b"]),
        (["b"], ["a", "b", "d"], ["b", "d"]),
        (["b", "a"], ["a", "b", "c"], ["b", "c", "a"]),
    ],
)
def test_blocks_of_both_sides_are_kept_in_order(ours: list[str], theirs: list[str], blocks: list[str]) -> None:
    merged = merge_release(Sides(base=release(), ours=release(blocks=ours), theirs=release(blocks=theirs)))
    assert merged.conflicts == ()
    assert json.loads(merged.data)["blocks"] == blocks


def test_what_each_side_declared_is_kept_and_the_reference_is_left_to_pin() -> None:
    ours = release(gates={"x": {"kind": "build"}, "y": {"kind": "warnings"}}, reference={"tip_tree": "2"})
    theirs = release(blocks=["a", "b", "c"], reference={"tip_tree": "3"})
    merged = json.loads(merge_release(Sides(base=release(), ours=ours, theirs=theirs)).data)
    assert (set(merged["gates"]), merged["blocks"][-1], merged["reference"]) == ({"x", "y"}, "c", {"tip_tree": "2"})


@pytest.mark.parametrize(
    ("ours", "theirs", "code"),
    [
        ({"name": "r2"}, {"name": "r2b"}, "merge-release-name"),
        ({"blocks": ["b", "a", "c"]}, {"blocks": ["c", "a", "b"]}, "merge-order"),
        ({"gates": {"x": {"kind": "warnings"}}}, {"gates": {"x": {"kind": "fold-owns"}}}, "merge-both-declared"),
    ],
)
def test_what_both_changed_is_a_conflict(ours: dict[str, object], theirs: dict[str, object], code: str) -> None:
    base = release(blocks=["a", "b", "c"])
    both = {"blocks": ["a", "b", "c"]}
    merged = merge_release(Sides(base=base, ours=release(**(both | ours)), theirs=release(**(both | theirs))))
    assert [each.code for each in merged.conflicts] == [code]


def lock(**patches: str) -> bytes:
    folds = [{"block": "b", "fold": name, "patch_sha256": digest} for name, digest in patches.items()]
    return json.dumps({"schema": "stackproof/lock/1", "folds": folds}).encode()


def test_folds_of_both_sides_are_in_the_lock() -> None:
    merged = merge_lock(Sides(base=lock(x="1"), ours=lock(x="2", y="1"), theirs=lock(x="1", z="1")))
    assert [(f["fold"], f["patch_sha256"]) for f in json.loads(merged.data)["folds"]] == [
        ("x", "2"), ("y", "1"), ("z", "1"),
    ]  # fmt: skip


def test_a_fold_that_both_changed_is_named_with_its_block() -> None:
    (conflict,) = merge_lock(Sides(base=lock(x="1"), ours=lock(x="2"), theirs=lock(x="3"))).conflicts
    assert "fold `x` of block `b`" in conflict.message


@pytest.mark.parametrize("name", ["release.json", "blocks/lock.json"])
@pytest.mark.parametrize("data", [b"true", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_a_side_that_is_no_document_is_told(name: str, data: bytes) -> None:
    with pytest.raises(InputFault, match="merge-unreadable"):
        merge_file(name, Sides(base=release(), ours=release(name="r2"), theirs=data))


def test_a_block_in_conflict_is_named() -> None:
    assert "block `moe`" in both_changed("blocks/moe/block.yaml").message


class Team:
    """A project in a git repository with two branches, and git as its users run it."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root, self.cache = root, cache

    def git(self, *args: str, fails: bool = False) -> str:
        env = {
            "PATH": f"{self.root.parent / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.cache.parent),
            "GIT_CONFIG_NOSYSTEM": "1", "STACKPROOF_CACHE": str(self.cache), "PYTHONPATH": str(Path.cwd()),
        }  # fmt: skip
        who = ("-c", "user.name=A", "-c", "user.email=a@b.org", "-c", "core.autocrlf=false")
        done = subprocess.run(["git", *who, *args], cwd=self.root, env=env, capture_output=True, check=False)
        assert (done.returncode != 0) == fails, done.stderr + done.stdout
        return (done.stdout + done.stderr).decode()

    def edit(self, name: str, old: str, new: str) -> None:
        file = self.root / name
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))


@pytest.fixture
def team(shop: Workshop, run: Run, tmp_path: Path) -> Team:
    """`main` changes alpha's message, `other` changes what beta's patch makes; both were pinned."""
    made = Team(shop.root, shop.cache)
    program = tmp_path / "bin/stackproof"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom builder.cli.main import main\nsys.argv[0] = 'stackproof'\nmain()\n"
    )
    program.chmod(0o755)
    (shop.root / ".gitignore").write_text(".stackproof/\n")
    run("pin", "-C", shop.root)
    made.git("init", "-q", "-b", "main")
    made.git("add", ".")
    made.git("commit", "-qm", "One")
    made.git("checkout", "-qb", "other")
    made.edit("blocks/beta/folds/change/fold.patch", "+int c;", "+int e;")
    assert run("pin", "-C", shop.root).code == 0
    made.git("commit", "-qam", "Beta")
    made.git("checkout", "-q", "main")
    made.edit("blocks/alpha/block.yaml", "Turn line 3", "Turn the third line")
    assert run("pin", "-C", shop.root).code == 0
    made.git("commit", "-qam", "Alpha")
    return made


def test_pin_settles_a_merge_and_the_release_holds(team: Team, run: Run) -> None:
    team.git("merge", "-q", "other", fails=True)
    done = run("pin", "--merge", "-C", team.root, "--json")
    assert (done.code, done.json()["merged"]) == (0, ["blocks/history.json", "blocks/lock.json", "release.json"])
    assert run("check", "-C", team.root).code == 0
    assert "int e;" in (team.root / "blocks/beta/folds/change/fold.patch").read_text()


def with_another_fold(team: Team, run: Run, name: str) -> None:
    """A fold more at the end of alpha, which brings a file of its own."""
    patch = f"diff --git a/new/{name} b/new/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/new/{name}\n"
    (team.root.parent / f"{name}.patch").write_text(
        f"From: A <a@b.org>\nSubject: {name}\n\n{patch}@@ -0,0 +1,1 @@\n+x\n"
    )
    done = run("fold", team.root.parent / f"{name}.patch", "--block", "alpha", "--id", name, "-C", team.root)
    assert done.code == 0, done.err
    assert run("pin", "-C", team.root).code == 0
    team.git("add", ".")
    team.git("commit", "-qm", name)


@pytest.mark.parametrize("driver", [True, False])
def test_both_fold_into_the_same_block(team: Team, run: Run, driver: bool) -> None:
    if driver:
        run("merge-driver", "--install", "-C", team.root)
        team.git("add", ".gitattributes")
    with_another_fold(team, run, "mine")
    team.git("checkout", "-q", "other")
    with_another_fold(team, run, "theirs")
    team.git("checkout", "-q", "main")
    team.git("merge", "-q", "other", "-m", "Both", fails=not driver)
    assert run("pin", *([] if driver else ["--merge"]), "-C", team.root).code == 0
    assert run("check", "-C", team.root).code == 0
    told = run("status", "-C", team.root, "--json").json()["blocks"]
    assert [fold["id"] for fold in told[0]["folds"]] == ["turn", "mine", "theirs"]  # type: ignore[index]


def test_the_driver_merges_by_itself(team: Team, run: Run) -> None:
    assert run("merge-driver", "--install", "-C", team.root).code == 0
    team.git("add", ".gitattributes")
    team.git("commit", "-qm", "Attributes")
    team.git("merge", "-q", "other", "-m", "Both")
    assert run("pin", "-C", team.root).code == 0
    assert run("check", "-C", team.root).code == 0


def test_a_fold_that_both_changed_is_a_conflict_named_by_block(team: Team, run: Run) -> None:
    team.edit("blocks/beta/folds/change/fold.patch", "+int c;", "+int f;")
    run("pin", "-C", team.root)
    team.git("commit", "-qam", "Beta, too")
    team.git("merge", "-q", "other", fails=True)
    done = run("pin", "--merge", "-C", team.root)
    assert done.code == 2
    assert "fold `change` of block `beta`" in done.err


def test_a_sealed_name_is_refused_and_may_be_bound_again(shop: Workshop, run: Run) -> None:
    bundle = shop.root / "dist/engine-1-r1"
    bundle.mkdir(parents=True)
    shutil.copy(shop.root / "release.json", bundle)
    assert run("pin", "-C", shop.root).code == 0
    file = shop.root / "blocks/beta/folds/change/fold.patch"
    file.write_text(file.read_text().replace("+int c;", "+int e;"))
    refused = run("pin", "-C", shop.root)
    assert (refused.code, "release-name-bound" in refused.err) == (2, True)
    assert run("pin", "--rebind", "-C", shop.root).code == 0


TEXT = """# Alpha.
schema: stackproof/block/1
title: Alpha
owns: [src/**]
folds:
  # One.
  - id: one
    subject: Add one
    author: A <a@b.org>
# End.
"""
SECOND = "  - id: {0}\n    subject: Add {0}\n    author: A <a@b.org>\n"


def merged(ours: str, theirs: str) -> str:
    made = merge_file("blocks/a/block.yaml", Sides(base=TEXT.encode(), ours=ours.encode(), theirs=theirs.encode()))
    return made.conflicts[0].message if made.conflicts else made.data.decode()


def test_folds_and_fields_of_both_sides_are_in_the_block() -> None:
    ours = TEXT.replace("# End", SECOND.format("two") + "# End")
    theirs = TEXT.replace("# End", SECOND.format("three") + "# End").replace("title: Alpha", "title: Beta")
    made = merged(ours, theirs)
    assert [made.count(word) for word in ("id: one", "id: two", "id: three", "title: Beta", "# One.", "# End.")] == [
        1
    ] * 6
    assert made.index("id: two") < made.index("id: three")


def test_a_fold_that_one_side_removed_is_removed() -> None:
    base = TEXT.replace("# End", SECOND.format("two") + "# End")
    sides = Sides(base=base.encode(), ours=TEXT.encode(), theirs=base.replace("Alpha", "Beta").encode())
    made = merge_file("blocks/a/block.yaml", sides)
    assert (b"two" in made.data, b"title: Beta" in made.data, made.conflicts) == (False, True, ())


@pytest.mark.parametrize(
    ("old", "ours", "theirs", "what"),
    [
        ("Add one", "Add 1", "Add the first", "fold `one` of block `a`"),
        ("title: Alpha", "title: Beta", "title: Gamma", "block `a`"),
    ],
)
def test_what_both_changed_in_a_block_is_named(old: str, ours: str, theirs: str, what: str) -> None:
    assert merged(TEXT.replace(old, ours), TEXT.replace(old, theirs)) == f"both branches changed {what}"
