"""Binary interfaces: no block breaks that of a library, against the block below it.

A block may add to an interface. What it takes away or changes breaks programs that were built before; where that is
meant, the block is named in `may_break`. The tip is also compared with upstream, so that two blocks that undo each
other are no break and one that hides behind another is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import AbiNeed, BuildNeed, Need
from verify.model.ids import BlockName, ConfigName, TreeId
from verify.model.release import Proof
from verify.model.stack import Stuck
from verify.model.verdict import Failed, Outcome, Passed, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`configurations`: which ones; `may_break`: blocks that are meant to break an interface."""

    configurations: tuple[str, ...] = field(
        default=(), metadata={"refers": "configuration", "about": "which ones; all that prove prefixes when empty"}
    )
    may_break: tuple[str, ...] = field(
        default=(), metadata={"refers": "block", "about": "blocks that are meant to break an interface"}
    )


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Each prefix with the one below, and the tip with the base."""
    return tuple(dict.fromkeys(need for _, need in _pairs(params, case)))


def check(params: Params, case: Case) -> Outcome:
    """No library of a build is incompatible with that of the build below."""
    pairs = tuple(_pairs(params, case))
    compared = [(block, need) for block, need in pairs if need in case.abi]
    findings = [
        finding
        for block, need in compared
        if block is not None and block not in params.may_break
        for finding in _breaks(block, need, case)
    ]
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    if isinstance(case.stack, Stuck):
        text = f"from block `{case.stack.block}` on there are no trees to build"
        return Undecided(summary=text, reasons=(Diagnostic(code="stack-stuck", message=text),))
    reasons = case.missing(need for _, need in pairs)
    if reasons or not pairs:
        return Undecided(summary="not every interface was compared", reasons=reasons or (_nothing(),))
    changed = {
        library.library for _, need in pairs for library in case.abi[need].observation.libraries if library.changed
    }
    broken = {
        library.library
        for block, need in pairs
        if block is None
        for library in case.abi[need].observation.libraries
        if library.incompatible
    }
    said = f"{len(pairs)} comparisons, {len(changed)} libraries changed"
    return Passed(summary=said + (f", {', '.join(sorted(broken))} not compatible with upstream's" if broken else ""))


def _pairs(params: Params, case: Case) -> Iterator[tuple[BlockName | None, AbiNeed]]:
    """The block whose step it is (None for the tip against upstream) and the comparison."""
    for name in _configurations(params, case):
        trees = case.prefix_trees()
        for (_, below), (block, tree) in pairwise(trees):
            yield block, _need(name, below, tree)
        if len(trees) > 1:
            yield None, _need(name, trees[0][1], trees[-1][1])


def _need(name: ConfigName, below: TreeId, tree: TreeId) -> AbiNeed:
    return AbiNeed(below=BuildNeed(tree=below, configuration=name), build=BuildNeed(tree=tree, configuration=name))


def _configurations(params: Params, case: Case) -> tuple[ConfigName, ...]:
    return tuple(
        each.name
        for each in case.release.configurations
        if (each.name in params.configurations if params.configurations else Proof.PREFIX in each.proofs)
    )


def _breaks(block: BlockName, need: AbiNeed, case: Case) -> Iterator[Finding]:
    for library in case.abi[need].observation.libraries:
        if library.incompatible:
            yield Diagnostic(
                code="abi-breaks",
                message=f"block `{block}` breaks the binary interface of `{library.library}` "
                f"in `{need.build.configuration}`",
                notes=library.report[:20],
                help=f"keep what was there, or name `{block}` in `may_break` of this gate in release.json",
            )


def _nothing() -> Diagnostic:
    return Diagnostic(code="no-proofs", message="no configuration proves prefixes, so there is nothing to compare")


KIND = Kind(
    name="abi",
    about="no block breaks the binary interface of a library",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
