"""Warnings: no block brings a compiler warning that the tree below it does not have.

Warnings are compared without line numbers, which move with every hunk above them, and with their count, so that a
second one of the same text in the same file is new. Upstream's own warnings are upstream's.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from verify.gates.blame import owner_of, place_of
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import BuildNeed, Need
from verify.model.ids import BlockName, ConfigName
from verify.model.observation import BuildObservation, CompilerMessage
from verify.model.release import Proof
from verify.model.stack import Stuck
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`configurations`: which ones; all that prove prefixes when empty."""

    configurations: tuple[str, ...] = field(
        default=(), metadata={"refers": "configuration", "about": "which ones; all that prove prefixes when empty"}
    )


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The builds of the base and of every prefix."""
    return tuple(
        dict.fromkeys(
            BuildNeed(tree=tree, configuration=name)
            for name in _configurations(params, case)
            for _, tree in case.prefix_trees()
        )
    )


def check(params: Params, case: Case) -> Outcome:
    """Each prefix against the one below."""
    wanted = needs(params, case)
    findings: list[Finding] = []
    for name in _configurations(params, case):
        for (_, below), (block, tree) in pairwise(case.prefix_trees()):
            lower = case.builds.get(BuildNeed(tree=below, configuration=name))
            upper = case.builds.get(BuildNeed(tree=tree, configuration=name))
            if block is not None and lower is not None and upper is not None:
                findings.extend(_brought(block, name, lower.observation, upper.observation, case))
    if findings:
        return Failed(summary=f"{len(findings)} new warnings", findings=tuple(findings))
    reasons = case.missing(wanted) + tuple(_broken(case))
    reasons += tuple(_not_built(need) for need in wanted if _failed(need, case))
    if reasons or not wanted:
        return Undecided(summary="not every prefix was built", reasons=reasons or (_nothing(),))
    return Passed(summary=f"no block brings a warning, {counted(len(wanted), 'build')} compared")


def _configurations(params: Params, case: Case) -> tuple[ConfigName, ...]:
    return tuple(
        each.name
        for each in case.release.configurations
        if (each.name in params.configurations if params.configurations else Proof.PREFIX in each.proofs)
    )


def _brought(
    block: BlockName, name: ConfigName, below: BuildObservation, build: BuildObservation, case: Case
) -> Iterator[Finding]:
    if not below.ok:
        return  # a build that stopped early has told only some of its warnings
    traced = case.trace(up_to=block) if build.warnings else None
    known = Counter(_identity(message) for message in set(below.warnings))
    for message in sorted(set(build.warnings), key=lambda each: (each.file, each.line, each.text)):
        identity = _identity(message)
        if known[identity] > 0:
            known[identity] -= 1
            continue
        whose = owner_of(message, traced, case)
        yield Diagnostic(
            code="new-warning",
            message=f"block `{block}` brings a warning in `{name}`: {message.text}",
            place=place_of(message),
            notes=(*((f"flag: {message.flag}",) if message.flag else ()), *((whose,) if whose else ())),
            help="mend the code in this block",
        )


def _identity(message: CompilerMessage) -> tuple[str, str, str]:
    return message.file, message.text, message.flag


def _failed(need: Need, case: Case) -> bool:
    return isinstance(need, BuildNeed) and need in case.builds and not case.builds[need].observation.ok


def _not_built(need: Need) -> Diagnostic:
    assert isinstance(need, BuildNeed)
    return Diagnostic(
        code="build-incomplete",
        message=f"the build of tree {need.tree} in `{need.configuration}` failed, so not all warnings are known",
    )


def _broken(case: Case) -> Iterator[Diagnostic]:
    if isinstance(case.stack, Stuck):
        yield Diagnostic(code="stack-stuck", message=f"from block `{case.stack.block}` on there are no trees to build")


def _nothing() -> Diagnostic:
    return Diagnostic(code="no-proofs", message="no configuration proves prefixes, so there is nothing to compare")


KIND = Kind(
    name="warnings",
    about="no block brings a compiler warning that the tree below does not have",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
