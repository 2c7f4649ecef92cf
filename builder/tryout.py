"""A gate tried on programs that were built by hand, while a block is still being written.

Takes a gate (declared in the release, or written on the spot as block.yaml would have it) and one or two folders of
built programs; gives the gate's result. The stack is made up for it: one block between the build below and this one.
What comes of it says nothing about a release: trees and configurations have no part in it.
"""

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from builder.compile.build import Built
from builder.measure import Bench
from builder.pipeline import Stacked, Workshop
from verify.evidence import make_key
from verify.gates.case import Case, NotRederived, Recorded
from verify.gates.kinds import KINDS
from verify.judge import rule
from verify.manifest.json_syntax import read_json
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Source
from verify.manifest.params import Names, read_gate
from verify.manifest.value import Value
from verify.model.block import Block, Switch
from verify.model.codec import canonical_json
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.evidence import BuildNeed, Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.ids import BlockName, CommitId, FoldId, TreeId
from verify.model.observation import Artifact, BuildObservation
from verify.model.release import Release
from verify.model.stack import Layer, Stack
from verify.model.verdict import GateResult
from verify.probe.engine import file_sha256

HERE = BlockName("here")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Programs:
    """A folder of built programs under a tree id made of their bytes."""

    folder: Path
    tree: TreeId
    artifacts: tuple[Artifact, ...]


def asked_gate(text: str, release: Release, switch: Switch | None) -> tuple[GateDecl, Block]:
    """The gate and the block it is tried as: a declared gate by name, or one written as JSON.

    One with a `switch` needs the switch's declaration where no block of the release has it.
    """
    if not text.lstrip().startswith("{"):
        return _declared(text, release)
    mistakes = Mistakes()
    source = Source("GATE", text)
    node = read_json(source, mistakes)
    names = Names(
        models=tuple(model.name for model in release.models),
        configurations=tuple(each.name for each in release.configurations),
        switches=(switch.name,) if switch else (),
        blocks=(HERE,),
    )
    value = Value(node, what="the gate", source=source, mistakes=mistakes)
    gate = read_gate("tried", value, block=HERE if switch else None, names=names, kinds=KINDS)
    mistakes.raise_if_any()
    return gate, _block((switch,) if switch else (), gate)


def _declared(name: str, release: Release) -> tuple[GateDecl, Block]:
    for gate in release.all_gates():
        if name in (gate.name, f"{gate.block}/{gate.name}"):
            owner = next((block for block in release.blocks if block.name == gate.block), None)
            return replace(gate, block=HERE if owner else None), _block(owner.switches if owner else (), gate)
    raise InputFault(
        Diagnostic(code="unknown-gate", message=f"there is no gate `{name}`", help="stackproof gate --list")
    )


def _block(switches: tuple[Switch, ...], gate: GateDecl) -> Block:
    return Block(
        name=HERE,
        title="tried",
        why="",
        until="",
        owns=("**",),
        requires=(),
        switches=switches,
        claims=(),
        gates=(gate,),
        folds=(),
        file="GATE",
    )


def try_gate(
    gate: GateDecl, block: Block, *, below: Path, here: Path, stacked: Stacked, workshop: Workshop
) -> GateResult:
    """Measure what the gate needs on the two folders, afresh, and rule on it."""
    bench, case, needs = prepared(gate, block, below=below, here=here, stacked=stacked, workshop=workshop)
    steps, case = bench.plan_probes(case, needs)
    case = bench.probe(case, steps)
    return rule(gate, case)


def prepared(
    gate: GateDecl, block: Block, *, below: Path, here: Path, stacked: Stacked, workshop: Workshop
) -> tuple[Bench, Case, tuple[Need, ...]]:
    """The two folders as the builds of a made-up stack, and what the gate needs on them."""
    lower, upper = _programs(below), _programs(here)
    layer = Layer(
        block=HERE,
        fold=FoldId("tried"),
        before=lower.tree,
        after=upper.tree,
        commit=CommitId("0" * 40),
        files=(),
    )
    release = replace(stacked.release, blocks=(block,), gates=(gate,), deviations=(), lock=None, reference=None)
    case = Case(
        release=release,
        base_tree=lower.tree,
        base_paths=(),
        stack=Stack(base_tree=lower.tree, base_commit=CommitId("0" * 40), layers=(layer,)),
        rederived=NotRederived(reason=Diagnostic(code="only-tried", message="there is no stack, only programs")),
    )
    bench = Bench(stacked=replace(stacked, release=release), workshop=workshop, fresh=True)
    needs = KINDS[gate.kind].needs(gate.params, case.of(gate))
    for need in needs:
        if not isinstance(need, ProbeNeed):
            raise InputFault(_needs_more(gate))
        for arm in need.arms:
            case = _with_build(case, bench, arm.build, upper if arm.build.tree == upper.tree else lower)
    if not needs:
        raise InputFault(_needs_more(gate))
    return bench, case, needs


def _with_build(case: Case, bench: Bench, need: BuildNeed, programs: _Programs) -> Case:
    observation = _as_built(programs)
    key = make_key("build", {"tried": str(programs.tree)})
    built = Built(need=need, key=key, observation=observation, folder=programs.folder, reused=True)
    bench.built[need] = built
    return replace(case, builds={**case.builds, need: Recorded(key=key.digest, observation=observation)})


def _programs(folder: Path) -> _Programs:
    folder = folder.resolve()
    files = (
        sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink()) if folder.is_dir() else []
    )
    if folder.name != "bin" or not files:
        raise InputFault(
            Diagnostic(
                code="not-a-bin-folder",
                message="programs are tried in a folder `bin` that holds them and their libraries",
                place=Place(file=str(folder)),
                help="name the folder `bin` of a build",
            )
        )
    artifacts = tuple(Artifact(name=path.name, sha256=file_sha256(path), size=path.stat().st_size) for path in files)
    digest = sha256(canonical_json([[each.name, each.sha256] for each in artifacts])).hexdigest()
    return _Programs(folder=folder.parent, tree=TreeId(digest[:40]), artifacts=artifacts)


def _as_built(programs: _Programs) -> BuildObservation:
    return BuildObservation(
        ok=True,
        failed_step="",
        errors=(),
        warnings=(),
        steps=0,
        compiled=0,
        cache_hits=0,
        cpu_seconds=0.0,
        wall_seconds=0.0,
        peak_kib=0,
        artifacts=programs.artifacts,
        log="",
        tail=(),
    )


def _needs_more(gate: GateDecl) -> Diagnostic:
    return Diagnostic(
        code="gate-not-triable",
        message=f"a gate of kind `{gate.kind}` is not decided by running programs alone",
        help="stackproof gate --only " + gate.name,
    )
