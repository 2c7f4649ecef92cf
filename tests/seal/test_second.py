"""The trees by dulwich: where it is installed it must agree with git, and without it the report says so."""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from builder.exchange.tree_diff import patch_between
from tests.core.memory import tree_in_memory
from tests.seal.project import Project
from tests.seal.tampering import sum_again
from verify.bundle.check import Report, check_bundle
from verify.bundle.origin import OpenBase
from verify.bundle.second import NOT_INSTALLED, _Trees
from verify.diff.render import render_patch
from verify.git import Git
from verify.model.ids import RepoPath
from verify.model.patch import Mode
from verify.model.verdict import Failed, Passed, Undecided
from verify.rederive import rederive


def second(report: Report):  # type: ignore[no-untyped-def]
    return next(each.outcome for each in report.checks if each.name == "trees by dulwich")


@pytest.mark.parametrize("of", ["archive", "git"])
def test_dulwich_derives_the_recorded_trees(of: str, project: Project, sealed: Path) -> None:
    base = project.archive if of == "archive" else project.store.git_dir
    outcome = second(check_bundle(sealed, base=base))
    assert isinstance(outcome, Passed), outcome
    assert outcome.summary == "dulwich derives 3 trees, and the tip by combined.diff"


def test_without_the_base_nothing_is_derived(sealed: Path) -> None:
    assert isinstance(second(check_bundle(sealed, base=None)), Undecided)


@pytest.mark.parametrize("name", ["combined.diff", "patches/0001-alpha-base.patch"])
def test_another_patch_gives_another_tree(name: str, project: Project, bundle: Path) -> None:
    path = bundle / name
    path.write_bytes(path.read_bytes().replace(b"+line nine", b"+line 9 new").replace(b"+line 9 again", b"+line ten"))
    sum_again(bundle)
    outcome = second(check_bundle(bundle, base=project.store.git_dir))
    assert isinstance(outcome, Failed)
    assert {each.code for each in outcome.findings} == {"bundle-second-differs"}
    assert [each.place.file for each in outcome.findings if each.place] == [name]


def test_a_hunk_that_has_moved_is_refused_and_not_searched_for(project: Project, bundle: Path) -> None:
    path = bundle / "combined.diff"
    path.write_bytes(path.read_bytes().replace(b"@@ -6,", b"@@ -7,").replace(b" +6,", b" +7,"))
    sum_again(bundle)
    outcome = second(check_bundle(bundle, base=project.store.git_dir))
    assert isinstance(outcome, Failed)
    assert "does not fit" in outcome.findings[0].message


def test_without_dulwich_the_report_says_so(project: Project, sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.bundle.check.is_installed", lambda: False)
    report = check_bundle(sealed, base=project.store.git_dir)
    assert int(report.exit_code()) == 0
    assert NOT_INSTALLED in report.unchecked
    assert "trees by dulwich" not in [each.name for each in report.checks]


def test_what_dulwich_cannot_read_is_undecided(project: Project, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: _Trees, tree: bytes, patch: bytes) -> bytes:
        raise ValueError("no such thing")

    monkeypatch.setattr(_Trees, "after", broken)
    outcome = second(check_bundle(bundle, base=project.store.git_dir))
    assert isinstance(outcome, Undecided)
    assert outcome.reasons[0].code == "second-way-failed"


AWKWARD = {
    RepoPath(b"crlf"): (Mode.FILE, b"one\r\ntwo\rthree\r\n"),
    RepoPath(b"no end"): (Mode.FILE, b"a\nb"),
    RepoPath(b"deep/er/file"): (Mode.FILE, b"x\n"),
    RepoPath('n\u00e4me "q"\t'.encode()): (Mode.FILE, b"x\n"),
    RepoPath(b"link"): (Mode.SYMLINK, b"crlf"),
    RepoPath(b"bin"): (Mode.FILE, bytes(range(256)) * 30),
    RepoPath(b"empty"): (Mode.FILE, b""),
}


def test_awkward_files_come_and_go_as_by_git(tmp_path: Path) -> None:
    changed = {path: (mode, data + b"\r\x0bmore") for path, (mode, data) in AWKWARD.items() if path != b"deep/er/file"}
    empty = {RepoPath(b"only"): (Mode.FILE, b"x\n")}
    repository = tmp_path / "base.git"
    subprocess.run(["git", "init", "-q", "--bare", str(repository)], check=True)
    git = Git(git_dir=repository, cwd=tmp_path)
    states = (empty, AWKWARD, changed, empty)
    base = "".join(
        git.run(
            "mktree", stdin=b"100644 blob %s\tonly\n" % git.run("hash-object", "-w", "--stdin", stdin=b"x\n").strip()
        )
        .decode()
        .split()
    )
    trees = [tree_in_memory(each)[0] for each in states]
    patches = [render_patch(patch_between(one, other)) for one, other in pairwise(trees)]

    ours = _Trees(OpenBase(files=git, upstream=git, came_from="", archive_tree=None))
    met, tree = [], base.encode()
    for patch in patches:
        tree = ours.after(tree, patch)
        met.append(tree.decode())

    assert tuple(met) == rederive(git_dir=repository, base_tree=base, patches=patches)  # type: ignore[arg-type]
    assert met[-1] == base
