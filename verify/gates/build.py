"""Builds: every tree that a configuration promises to prove was built without error.

`prefix` proves the base and the tree after each block, `tip` the base and the tip, `alone` the base and each block on
it with what it requires: a block that breaks the build is named even when a later one mends it, and one that uses what
it does not require even when an earlier one happens to bring it. The base is always built, so that a broken toolchain
or upstream is told from a broken block.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.diff.trace import Trace
from verify.gates.blame import named_needs, owner_of, place_of
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import BuildNeed, Need
from verify.model.ids import BlockName, TreeId
from verify.model.observation import BuildObservation
from verify.model.release import Configuration, Proof
from verify.model.stack import Stuck
from verify.model.verdict import Failed, Outcome, Passed, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`configurations`: which ones, all declared ones when empty."""

    configurations: tuple[str, ...] = field(
        default=(), metadata={"refers": "configuration", "about": "which ones; all when empty"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proof:
    """One tree that is to be built: whose it is (None for the base) and which blocks are in it."""

    block: BlockName | None
    alone: bool
    blocks: tuple[BlockName, ...]
    need: BuildNeed


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One build per proof tree and configuration."""
    return tuple(dict.fromkeys(proof.need for proof in _proofs(params, case)))


def check(params: Params, case: Case) -> Outcome:
    """Every proof tree was built and built well."""
    proofs = tuple(_proofs(params, case))
    if not proofs:
        return Failed(summary="nothing is to be built", findings=(_nothing(),))
    broken: dict[str, str] = {}
    findings: list[Finding] = []
    for proof in proofs:
        if proof.need in case.builds:
            findings.extend(_judge(proof, case, broken))
    undecided = _unproven(params, case) + case.missing(proof.need for proof in proofs)
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    if undecided:
        return Undecided(summary="not every proof tree was built", reasons=undecided)
    trees = len({proof.need.tree for proof in proofs})
    names = {proof.need.configuration for proof in proofs}
    return Passed(summary=f"{trees} trees build in {', '.join(sorted(names))}{_by_text(proofs, case)}")


def _by_text(proofs: tuple[_Proof, ...], case: Case) -> str:
    """How many blocks stand alone only beside others that they do not require."""
    alone = {proof.block for proof in proofs if proof.alone}
    held = {each.block for each in case.alone or () if each.block in alone and each.textual and each.without is None}
    return f"; {len(held)} blocks need others for their text" if held else ""


def _configurations(params: Params, case: Case) -> tuple[Configuration, ...]:
    declared = case.release.configurations
    return tuple(each for each in declared if not params.configurations or each.name in params.configurations)


def _proofs(params: Params, case: Case) -> Iterator[_Proof]:
    """Every proof tree in each configuration: prefixes in stack order, then the blocks alone."""
    for configuration in _configurations(params, case):
        blocks: tuple[BlockName, ...] = ()
        wanted = dict(_trees(configuration, case))
        for block, tree in case.prefix_trees():
            blocks += () if block is None else (block,)
            if block in wanted:
                need = BuildNeed(tree=tree, configuration=configuration.name)
                yield _Proof(block=block, alone=False, blocks=blocks, need=need)
        if Proof.ALONE in configuration.proofs:
            for each in case.alone or ():
                if each.without is None:
                    need = BuildNeed(tree=each.tree, configuration=configuration.name)
                    yield _Proof(block=each.block, alone=True, blocks=each.blocks(), need=need)


def _trees(configuration: Configuration, case: Case) -> tuple[tuple[BlockName | None, TreeId], ...]:
    prefixes = case.prefix_trees()
    if Proof.PREFIX in configuration.proofs:
        return prefixes
    if Proof.TIP in configuration.proofs:
        return prefixes[:1] if isinstance(case.stack, Stuck) else (prefixes[0], prefixes[-1])
    return prefixes[:1] if Proof.ALONE in configuration.proofs else ()


def _unproven(params: Params, case: Case) -> tuple[Diagnostic, ...]:
    """What the configurations promise and nobody can prove."""
    if isinstance(case.stack, Stuck):
        text = f"from block `{case.stack.block}` on there are no trees to build"
        return (Diagnostic(code="stack-stuck", message=text),)
    made = {each.block for each in case.alone or () if each.without is None}
    lacking = [block.name for block in case.release.blocks if block.name not in made]
    return tuple(
        Diagnostic(
            code="proof-not-made",
            message=f"configuration `{configuration.name}` asks for the proof `alone`, and it was not made for "
            + ", ".join(f"`{name}`" for name in lacking),
            help="stackproof build",
        )
        for configuration in _configurations(params, case)
        if Proof.ALONE in configuration.proofs and lacking
    )


def _judge(proof: _Proof, case: Case, broken: dict[str, str]) -> Iterator[Finding]:
    """Findings about one build; `broken` keeps the last failure told per configuration, so each is told once."""
    build = case.builds[proof.need].observation
    configuration = proof.need.configuration
    if build.ok:
        if not proof.alone:
            broken.pop(configuration, None)
        if not build.artifacts:
            yield Diagnostic(
                code="build-made-nothing",
                message=f"the build of {_of(proof)} in `{configuration}` says ok and left no program or library",
                notes=(f"tree: {proof.need.tree}", f"log: {build.log}"),
            )
        return
    # the same failure as on the tree below, or on the base: whoever brought it is already named
    key = f"{configuration} base" if proof.alone else configuration
    told = f"{build.failed_step}\n{build.errors[0].text if build.errors else ''}"
    if broken.get(key) == told:
        return
    if not proof.alone:
        broken[configuration] = told
    if proof.block is None:
        broken[f"{configuration} base"] = told
    yield _failure(proof, build, case)
    if proof.block is not None:
        yield from named_needs(proof.block, build, proof.blocks, case)


def _failure(proof: _Proof, build: BuildObservation, case: Case) -> Finding:
    first = build.errors[0] if build.errors else None
    owner = "upstream or the toolchain: no block is applied here" if proof.block is None else f"block `{proof.block}`"
    said = f": {first.text}" if first else f" at {build.failed_step or 'an unnamed step'}"
    tail = tuple(f"| {line}" for line in build.tail[-12:]) if first is None else ()
    line = owner_of(first, _traced(proof, case), case) if first is not None and proof.block is not None else ""
    return Diagnostic(
        code="base-does-not-build"
        if proof.block is None
        else "block-does-not-stand-alone"
        if proof.alone
        else "block-does-not-build",
        message=f"{_of(proof)} does not build in `{proof.need.configuration}`{said}",
        place=place_of(first) if first is not None else None,
        notes=(
            f"owner: {owner}",
            *((line,) if line else ()),
            f"tree: {proof.need.tree}",
            f"step: {build.failed_step}",
            f"log: {build.log}",
            *tail,
        ),
        help=f"less {build.log}" if build.log else "",
    )


def _traced(proof: _Proof, case: Case) -> Trace | None:
    if proof.alone:
        return next((each.trace for each in case.alone or () if each.tree == proof.need.tree), None)
    return case.trace(up_to=proof.block)


def _of(proof: _Proof) -> str:
    if proof.block is None:
        return "the base"
    if not proof.alone:
        return f"the stack up to block `{proof.block}`"
    others = [f"`{name}`" for name in proof.blocks if name != proof.block]
    return f"block `{proof.block}` on the base with {', '.join(others) or 'nothing else'}"


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
    waivable=False,
)
