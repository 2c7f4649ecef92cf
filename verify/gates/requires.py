"""Requirements: what a block requires is what it needs; each one that is left out must be seen to be missed.

That a block's requirements are enough is shown by the proof `alone`, which the gate `build` judges. Here each is taken
away in turn: the block then has no place for its text, or does not build, or the requirement is needless.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.alone import AloneTree
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import BuildNeed, Need
from verify.model.ids import ConfigName
from verify.model.release import Proof
from verify.model.stack import Stuck
from verify.model.verdict import Failed, Outcome, Passed, Undecided

_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`configurations`: which ones; all that prove `alone` when empty."""

    configurations: tuple[str, ...] = field(
        default=(), metadata={"refers": "configuration", "about": "which ones; all that prove `alone` when empty"}
    )


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The block's own tree, and the tree without a requirement wherever its text still has a place there."""
    return tuple(
        dict.fromkeys(
            BuildNeed(tree=each.tree, configuration=name)
            for name in _configurations(params, case)
            for each in case.alone or ()
            if each.without is None or not _holds_on(each)
        )
    )


def check(params: Params, case: Case) -> Outcome:
    """Every requirement that was left out was missed."""
    names = _configurations(params, case)
    if isinstance(case.stack, Stuck):
        text = f"from block `{case.stack.block}` on there are no trees to build"
        return Undecided(summary=text, reasons=(Diagnostic(code="stack-stuck", message=text),))
    if case.alone is None or not names:
        return Undecided(summary="no block was laid alone", reasons=(_no_configuration(),))
    left_out = [each for each in case.alone if each.without is not None]
    findings = [finding for each in left_out for finding in _judge(each, names, case)]
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    reasons = case.missing(needs(params, case))
    if reasons:
        return Undecided(summary="not every tree was built", reasons=reasons)
    shown = [each for each in (_shown(one, names, case) for one in left_out) if each]
    more = f"; and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
    return Passed(
        summary=f"{len(left_out)} requirements, each missed when it is left out"
        + (f": {'; '.join(shown[:_MOST_SHOWN])}{more}" if shown else "")
    )


def _shown(each: AloneTree, names: tuple[ConfigName, ...], case: Case) -> str:
    """How a requirement is missed: the compiler's own first error, or that the text has no place."""
    what = f"`{each.block}` without `{each.without}`"
    if _holds_on(each):
        return f"{what}: no place for its text"
    for name in names:
        build = case.builds[BuildNeed(tree=each.tree, configuration=name)].observation
        if not build.ok:
            first = build.errors[0] if build.errors else None
            said = f"{first.file}:{first.line}: {first.text}" if first else f"fails at {build.failed_step}"
            return f"{what}: {said}"
    return ""


def _configurations(params: Params, case: Case) -> tuple[ConfigName, ...]:
    return tuple(
        each.name
        for each in case.release.configurations
        if (each.name in params.configurations if params.configurations else Proof.ALONE in each.proofs)
    )


def _holds_on(each: AloneTree) -> bool:
    """Whether the requirement is in the tree all the same: for its text, or since another one requires it."""
    return each.without in each.below


def _judge(each: AloneTree, names: tuple[ConfigName, ...], case: Case) -> Iterator[Finding]:
    if _holds_on(each):
        if not any(need.on == each.without for need in each.textual):
            yield _unneeded(each, "another of its requirements requires it already", case)
        return
    seen = [case.builds.get(BuildNeed(tree=each.tree, configuration=name)) for name in names]
    if all(build is not None and build.observation.ok for build in seen):
        yield _unneeded(each, f"without it the block builds in {', '.join(f'`{name}`' for name in names)}", case)


def _unneeded(each: AloneTree, why: str, case: Case) -> Finding:
    block = next(block for block in case.release.blocks if block.name == each.block)
    return Diagnostic(
        code="requires-unneeded",
        message=f"block `{each.block}` requires `{each.without}` and does not need it",
        place=Place(file=block.file),
        notes=(why, f"tree: {each.tree}"),
        help=f"remove `{each.without}` from its `requires`; if it is needed when it runs, say so in `claims`",
    )


def _no_configuration() -> Diagnostic:
    return Diagnostic(
        code="proof-not-made",
        message="no configuration proves blocks alone, so nothing tells what a block needs",
        place=Place(file="release.json"),
        help='give a configuration `"proofs": ["alone"]`',
    )


KIND = Kind(
    name="requires",
    about="each requirement of a block is missed when it is left out",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
