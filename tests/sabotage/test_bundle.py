"""A good bundle broken in one way, with every checksum made again: the check and the code that must say so."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.seal.project import Project, make_project
from tests.seal.tampering import declare_again, digest, edit, members, rest_again, sum_again
from verify.bundle.check import check_bundle
from verify.model.verdict import Failed

BETA = "patches/0003-beta-base.patch"
DECLARED_BETA = "blocks/beta/folds/base/fold.patch"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("sabotage"))


@pytest.fixture(scope="module")
def sealed(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project.seal(tmp_path_factory.mktemp("dist")).folder


def replace(bundle: Path, name: str, old: bytes, new: bytes) -> None:
    data = (bundle / name).read_bytes()
    assert data.count(old) >= 1, name
    (bundle / name).write_bytes(data.replace(old, new, 1))


def in_stack(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def carry_out(bundle: Path) -> None:
        edit(bundle, "stack.json", change)
        rest_again(bundle)

    return carry_out


def in_verdict(change: Callable[[dict[str, Any]], object], *, again: bool = True) -> Callable[[Path], None]:
    def carry_out(bundle: Path) -> None:
        edit(bundle, "verdict.json", change)
        if again:
            rest_again(bundle)

    return carry_out


def another_line_in_the_combined_diff(bundle: Path) -> None:
    replace(bundle, "combined.diff", b"+the end\n", b"+the END\n")


def a_combined_diff_of_the_first_fold(bundle: Path) -> None:
    shutil.copyfile(bundle / "patches/0001-alpha-base.patch", bundle / "combined.diff")


def a_patch_changed_in_both_places(bundle: Path) -> None:
    for name in (BETA, DECLARED_BETA):
        replace(bundle, name, b"+the end\n", b"+the END\n")
    patch_again(bundle)


def a_patch_that_meets_another_line(bundle: Path) -> None:
    for name in (BETA, DECLARED_BETA):
        replace(bundle, name, b" line 58\n", b" line 85\n")
    patch_again(bundle)


def patch_again(bundle: Path) -> None:
    """Let lock, stack and verdict name the patch as it is now."""
    met = digest(bundle / BETA)
    lock = json.loads((bundle / "blocks/lock.json").read_bytes())
    lock["folds"][2]["patch_sha256"] = met
    (bundle / "blocks/lock.json").write_text(json.dumps(lock, indent=2, sort_keys=True) + "\n", "utf-8")
    edit(bundle, "stack.json", lambda stack: stack["blocks"][1]["folds"][0].update(patch_sha256=met))
    declare_again(bundle)


def another_tree_promised(bundle: Path) -> None:
    """Every document agrees on a tip tree that the patches do not give."""
    old = json.loads((bundle / "stack.json").read_bytes())["tip"]
    for name in ("release.json", "blocks/lock.json", "stack.json", "verdict.json"):
        data = (bundle / name).read_bytes().replace(old["tree"].encode(), b"1" * 40)
        (bundle / name).write_bytes(data)
    new = commit_of(bundle)
    for name in ("release.json", "blocks/lock.json", "stack.json", "verdict.json"):
        data = (bundle / name).read_bytes().replace(old["commit"].encode(), new.encode())
        (bundle / name).write_bytes(data)
    declare_again(bundle)


def commit_of(bundle: Path) -> str:
    from verify.bundle.commit import fold_commit_id
    from verify.bundle.document import read_document
    from verify.bundle.stack import BundleStack

    stack = read_document(BundleStack, (bundle / "stack.json").read_bytes())
    (_, before), (_, last) = stack.folds()[-2:]
    found = fold_commit_id(
        tree=last.tree, parent=before.commit, author=last.author, date=last.date, message=last.message
    )
    assert found is not None
    return found


def credit_to_somebody_else(stack: dict[str, Any]) -> None:
    stack["blocks"][0]["folds"][0]["author"]["name"] = "Nobody"


def a_gate_left_out(verdict: dict[str, Any]) -> None:
    verdict["results"] = [each for each in verdict["results"] if each["gate"] != "beta-built"]


def a_gate_made_optional(verdict: dict[str, Any]) -> None:
    verdict["results"][0].update(outcome="failed", findings=[], required=False)


def nothing_required(verdict: dict[str, Any]) -> None:
    for result in verdict["results"]:
        result["required"] = False


def folds_in_another_order(bundle: Path) -> None:
    (bundle / "patches/series").write_bytes(b"0002-alpha-pr-7.patch\n0001-alpha-base.patch\n0003-beta-base.patch\n")


def evidence_rewritten(bundle: Path) -> None:
    """A record with another observation and a digest that fits it; the verdict was made on the old one."""
    from verify.evidence import parse_evidence, render_evidence
    from verify.model.evidence import Evidence

    (name,) = (name for name in members(bundle) if name.startswith("evidence/"))
    old = parse_evidence((bundle / name).read_bytes())
    new = Evidence(
        key=old.key, observation={**old.observation, "steps": 4}, made_by=old.made_by, made_on=old.made_on,
        made_at=old.made_at, seconds=old.seconds,
    )  # fmt: skip
    (bundle / name).write_bytes(render_evidence(new))


def evidence_under_another_key(bundle: Path) -> None:
    (name,) = (name for name in members(bundle) if name.startswith("evidence/"))
    (bundle / name).rename((bundle / name).with_name("0" * 64 + ".json"))


def evidence_taken_out(bundle: Path) -> None:
    (name,) = (name for name in members(bundle) if name.startswith("evidence/"))
    (bundle / name).unlink()
    rest_again(bundle)


def a_program_beside_it(bundle: Path) -> None:
    (bundle / "install.sh").write_bytes(b"#!/bin/sh\n")


def a_block_that_nobody_judged(bundle: Path) -> None:
    (bundle / "blocks/gamma").mkdir()
    (bundle / "blocks/gamma/block.yaml").write_bytes(b"schema: stackproof/block/1\n")


def a_remark_in_a_declared_file(bundle: Path) -> None:
    with (bundle / "blocks/beta/block.yaml").open("ab") as file:
        file.write(b"# a remark\n")


def a_declared_file_and_its_own_sum(bundle: Path) -> None:
    a_remark_in_a_declared_file(bundle)

    def change(stack: dict[str, Any]) -> None:
        for each in stack["declared"]:
            each["sha256"] = digest(bundle / each["file"])

    edit(bundle, "stack.json", change)
    rest_again(bundle)


def another_name_in_release_json(bundle: Path) -> None:
    replace(bundle, "release.json", b'"engine-1-r1"', b'"engine-1-r9"')
    declare_again(bundle)


def another_base_in_base_json(bundle: Path) -> None:
    edit(bundle, "base.json", lambda base: base["source"].update(file="other.tar.gz"))


def the_verdict_of_another_release(bundle: Path) -> None:
    other = make_project(bundle.parent / "other", name="engine-1-r2", seconds=2.5).seal(bundle.parent / "dist").folder
    shutil.copyfile(other / "verdict.json", bundle / "verdict.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One way to break a bundle; `names` is the file that a finding must name."""

    breaks: Callable[[Path], None]
    check: str
    code: str
    names: str


CASES = {
    case.breaks.__name__ if case.breaks.__name__ != "carry_out" else f"{case.code} {number}": case
    for number, case in enumerate(
        (
            Case(breaks=another_line_in_the_combined_diff, check="combined diff", code="bundle-combined-differs",
                 names="combined.diff"),
            Case(breaks=a_combined_diff_of_the_first_fold, check="combined diff", code="bundle-combined-differs",
                 names="combined.diff"),
            Case(breaks=a_combined_diff_of_the_first_fold, check="trees by dulwich", code="bundle-second-differs",
                 names="combined.diff"),
            Case(breaks=another_tree_promised, check="trees by dulwich", code="bundle-second-differs", names=BETA),
            Case(breaks=a_patch_changed_in_both_places, check="trees", code="bundle-tree-differs", names=BETA),
            Case(breaks=a_patch_that_meets_another_line, check="trees", code="git-refuses-patch", names=BETA),
            Case(breaks=another_tree_promised, check="trees", code="bundle-tree-differs", names=BETA),
            Case(breaks=in_stack(credit_to_somebody_else), check="commits", code="bundle-commit-differs",
                 names="stack.json"),
            Case(breaks=in_stack(lambda s: s["blocks"][0]["folds"][0].update(date="@1 +0000")), check="commits",
                 code="bundle-commit-differs", names="stack.json"),
            Case(breaks=in_stack(lambda s: s["blocks"][0].update(tree="2" * 40)), check="agreement",
                 code="bundle-stack-differs", names="stack.json"),
            Case(breaks=in_stack(lambda s: s["tip"].update(commit="2" * 40)), check="agreement",
                 code="bundle-stack-differs", names="stack.json"),
            Case(breaks=in_stack(lambda s: s["gates"].pop()), check="agreement", code="bundle-stack-differs",
                 names="stack.json"),
            Case(breaks=in_stack(lambda s: s["blocks"].pop()), check="lock", code="bundle-lock-differs",
                 names="blocks/lock.json"),
            Case(breaks=in_verdict(a_gate_left_out), check="verdict", code="bundle-verdict-fails",
                 names="verdict.json"),
            Case(breaks=in_verdict(a_gate_made_optional), check="verdict", code="bundle-verdict-fails",
                 names="verdict.json"),
            Case(breaks=in_verdict(nothing_required), check="verdict", code="bundle-verdict-fails",
                 names="verdict.json"),
            Case(breaks=in_verdict(lambda v: v.update(verdict="cannot-judge")), check="verdict",
                 code="bundle-verdict-fails", names="verdict.json"),
            Case(breaks=in_verdict(lambda v: v["results"][0].update(summary="as you wish"), again=False),
                 check="verdict", code="bundle-verdict-altered", names="verdict.json"),
            Case(breaks=in_verdict(lambda v: v["subject"].update(release="engine-1-r2")), check="verdict",
                 code="bundle-verdict-of-another", names="verdict.json"),
            Case(breaks=the_verdict_of_another_release, check="verdict", code="bundle-verdict-of-another",
                 names="verdict.json"),
            Case(breaks=folds_in_another_order, check="patches", code="bundle-patch-differs", names="patches/series"),
            Case(breaks=evidence_rewritten, check="verdict", code="bundle-verdict-of-another", names="evidence/"),
            Case(breaks=evidence_under_another_key, check="evidence", code="bundle-evidence-unsound",
                 names="evidence/"),
            Case(breaks=evidence_taken_out, check="evidence", code="bundle-evidence-missing", names="verdict.json"),
            Case(breaks=a_program_beside_it, check="agreement", code="bundle-file-unknown", names="install.sh"),
            Case(breaks=a_block_that_nobody_judged, check="declared files", code="bundle-declared-differs",
                 names="blocks/gamma/block.yaml"),
            Case(breaks=a_remark_in_a_declared_file, check="declared files", code="bundle-declared-differs",
                 names="blocks/beta/block.yaml"),
            Case(breaks=a_declared_file_and_its_own_sum, check="declared files", code="bundle-declared-differs",
                 names="verdict.json"),
            Case(breaks=another_name_in_release_json, check="agreement", code="bundle-stack-differs",
                 names="stack.json"),
            Case(breaks=another_base_in_base_json, check="agreement", code="bundle-base-differs", names="base.json"),
        )
    )
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_bundle_broken_in_one_way_is_found_and_named(
    case: Case, project: Project, sealed: Path, tmp_path: Path
) -> None:
    bundle = shutil.copytree(sealed, tmp_path / "bundle")
    case.breaks(bundle)
    sum_again(bundle)

    outcomes = {check.name: check.outcome for check in check_bundle(bundle, base=project.store.git_dir).checks}

    outcome = outcomes[case.check]
    assert isinstance(outcome, Failed), outcomes
    named = [(finding.code, finding.place.file) for finding in outcome.findings if finding.place]
    assert any(code == case.code and file.startswith(case.names) for code, file in named), named
