"""Builds: every tree that a configuration promises to prove was built without error.

`prefix` proves the base and the tree after each block, `tip` the base and the tip: a block that breaks the build is
named even when a later one mends it. The base is always built, so that a broken toolchain or upstream is told from a
broken block.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import BuildNeed, Need
from verify.model.ids import BlockName, TreeId
from verify.model.observation import BuildObservation, CompilerMessage
from verify.model.release import Configuration, Proof
from verify.model.stack import Stuck
from verify.model.verdict import Failed, Outcome, Passed, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`configurations`: which ones, all declared ones when empty."""

    configurations: tuple[str, ...] = field(
        default=(), metadata={"refers": "configuration", "about": "which ones; all when empty"}
    )


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One build per proof tree and configuration."""
    return tuple(dict.fromkeys(need for _, need in _proofs(params, case)))


def check(params: Params, case: Case) -> Outcome:
    """Every proof tree was built and built well."""
    proofs = tuple(_proofs(params, case))
    if not proofs:
        return Failed(summary="nothing is to be built", findings=(_nothing(),))
    broken: dict[str, str] = {}
    findings: list[Finding] = []
    for block, need in proofs:
        if need in case.builds:
            findings.extend(_judge(block, need, case.builds[need].observation, broken))
    undecided = _unproven(params, case) + case.missing(need for _, need in proofs)
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    if undecided:
        return Undecided(summary="not every proof tree was built", reasons=undecided)
    trees = len({need.tree for _, need in proofs})
    names = {need.configuration for _, need in proofs}
    return Passed(summary=f"{trees} trees build in {', '.join(sorted(names))}")


def _configurations(params: Params, case: Case) -> tuple[Configuration, ...]:
    declared = case.release.configurations
    return tuple(each for each in declared if not params.configurations or each.name in params.configurations)


def _proofs(params: Params, case: Case) -> Iterator[tuple[BlockName | None, BuildNeed]]:
    """Whose tree it is (None for the base) and the build that proves it, in stack order."""
    for configuration in _configurations(params, case):
        for block, tree in _trees(configuration, case):
            yield block, BuildNeed(tree=tree, configuration=configuration.name)


def _trees(configuration: Configuration, case: Case) -> tuple[tuple[BlockName | None, TreeId], ...]:
    prefixes = case.prefix_trees()
    if Proof.PREFIX in configuration.proofs:
        return prefixes
    if Proof.TIP in configuration.proofs:
        return prefixes[:1] if isinstance(case.stack, Stuck) else (prefixes[0], prefixes[-1])
    return ()


def _unproven(params: Params, case: Case) -> tuple[Diagnostic, ...]:
    """What the configurations promise and nobody can prove."""
    reasons = [
        Diagnostic(
            code="proof-not-made",
            message=f"configuration `{configuration.name}` asks for the proof `alone`, which is not made",
            help="remove `alone` from its `proofs` in release.json",
        )
        for configuration in _configurations(params, case)
        if Proof.ALONE in configuration.proofs
    ]
    if isinstance(case.stack, Stuck):
        reasons.append(
            Diagnostic(code="stack-stuck", message=f"from block `{case.stack.block}` on there are no trees to build")
        )
    return tuple(reasons)


def _judge(
    block: BlockName | None, need: BuildNeed, build: BuildObservation, broken: dict[str, str]
) -> Iterator[Finding]:
    """Findings about one build; `broken` keeps the last failure told per configuration, so each is told once."""
    if build.ok:
        broken.pop(need.configuration, None)
        if not build.artifacts:
            yield Diagnostic(
                code="build-made-nothing",
                message=f"the build of {_of(block)} in `{need.configuration}` says ok and left no program or library",
                notes=(f"tree: {need.tree}", f"log: {build.log}"),
            )
        return
    told = f"{build.failed_step}\n{build.errors[0].text if build.errors else ''}"
    if broken.get(need.configuration) == told:
        return  # the same failure as on the tree below: the block that brought it is already named
    broken[need.configuration] = told
    yield _failure(block, need, build)


def _failure(block: BlockName | None, need: BuildNeed, build: BuildObservation) -> Finding:
    first = build.errors[0] if build.errors else None
    owner = "upstream or the toolchain: no block is applied here" if block is None else f"block `{block}`"
    said = f": {first.text}" if first else f" at {build.failed_step or 'an unnamed step'}"
    tail = tuple(f"| {line}" for line in build.tail[-12:]) if first is None else ()
    return Diagnostic(
        code="base-does-not-build" if block is None else "block-does-not-build",
        message=f"{_of(block)} does not build in `{need.configuration}`{said}",
        place=_place(first),
        notes=(f"owner: {owner}", f"tree: {need.tree}", f"step: {build.failed_step}", f"log: {build.log}", *tail),
        help=f"less {build.log}" if build.log else "",
    )


def _place(message: CompilerMessage | None) -> Place | None:
    return Place(file=message.file, line=message.line) if message is not None and message.file else None


def _of(block: BlockName | None) -> str:
    return "the base" if block is None else f"the stack up to block `{block}`"


def _nothing() -> Finding:
    return Diagnostic(
        code="no-proofs",
        message="no configuration asks for a proof, so no build was ever made",
        place=Place(file="release.json"),
        help='give a configuration `"proofs": ["prefix"]`',
    )


KIND = Kind(
    name="build",
    about="every proof tree of every configuration builds",
    scope=Scope.RELEASE,
    standing=True,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
