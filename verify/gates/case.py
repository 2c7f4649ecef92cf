"""What a check may look at: the declared release, the derived trees and what was measured; values only.

The case of a whole release is made once. A gate sees its own view of it (`case.of(gate)`): the block that declares
it is `block`. Whatever was not measured is simply not here, and a check says so by `missing`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from verify.diff.trace import Trace, trace
from verify.gates.alone import AloneTree
from verify.model.block import Block
from verify.model.claim import ClaimResult
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import AbiNeed, BuildNeed, Need, ProbeNeed
from verify.model.gate import GateDecl, Outlived
from verify.model.ids import BlobId, BlockName, RepoPath, Sha256, TreeId
from verify.model.observation import AbiObservation, BuildObservation, ProbeObservation
from verify.model.release import Release
from verify.model.stack import Layer, Stack, Stuck
from verify.review.standing import Standings

O_co = TypeVar("O_co", covariant=True)
"""An observation."""
S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded(Generic[O_co]):
    """An observation, the digest of the evidence key it is recorded under, and who made it (as in the record)."""

    key: Sha256
    observation: O_co
    made_by: str = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """What was measured on other hardware and imported, by need."""

    builds: Mapping[BuildNeed, Recorded[BuildObservation]] = field(default_factory=dict)
    probes: Mapping[ProbeNeed, Recorded[ProbeObservation]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rederived:
    """The trees after each fold as git itself made them from the same patch bytes, in stack order."""

    trees: tuple[TreeId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRederived:
    """Why git's own derivation is missing: it refused a patch, or it was not run."""

    reason: Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Everything a judgement rests on.

    `base_tree` is the tree that was really imported and `base_paths` every path in it. `faults` tells, per need, why
    it was not met. `block` is the block whose gate is being checked, None for a gate of the release. `line_counts`
    says how many lines the contents have that lines are traced through, `documents` are the project's own texts by
    name; both are None where nobody read them. `claims` are the blocks' claims as run on the tip, None where nobody ran
    them; `reviews` says how each fold stands, `review_faults` what is wrong with the records themselves. `alone` are
    the blocks' own trees, None where nobody made them.
    `hardware` names what the measuring machine is, `elsewhere` holds what was measured on other hardware; `outlived`
    is the block that the checked gate stands without.
    """

    release: Release
    base_tree: TreeId
    base_paths: tuple[RepoPath, ...]
    stack: Stack | Stuck
    rederived: Rederived | NotRederived
    builds: Mapping[BuildNeed, Recorded[BuildObservation]] = field(default_factory=dict)
    probes: Mapping[ProbeNeed, Recorded[ProbeObservation]] = field(default_factory=dict)
    faults: Mapping[Need, tuple[Diagnostic, ...]] = field(default_factory=dict)
    block: BlockName | None = None
    line_counts: Mapping[BlobId, int] | None = None
    documents: Mapping[str, str] | None = None
    alone: tuple[AloneTree, ...] | None = None
    claims: tuple[ClaimResult, ...] | None = None
    reviews: Standings | None = None
    review_faults: tuple[Diagnostic, ...] = ()
    abi: Mapping[AbiNeed, Recorded[AbiObservation]] = field(default_factory=dict)
    hardware: frozenset[str] = frozenset()
    elsewhere: Mapping[str, Elsewhere] = field(default_factory=dict)
    outlived: Outlived | None = None

    def of(self, gate: GateDecl) -> "Case":
        """The view of the block that declares `gate`, on the hardware that it needs."""
        view = replace(self, block=gate.block, outlived=gate.outlived)
        if not gate.hardware or gate.hardware in self.hardware:
            return view
        there = self.elsewhere.get(gate.hardware, Elsewhere())
        return replace(view, builds=there.builds, probes=there.probes, abi={}, faults={})

    def layers(self) -> tuple[Layer, ...]:
        """The layers that were derived; not all of them when the stack is stuck."""
        match self.stack:
            case Stack(layers=layers) | Stuck(done=layers):
                return layers

    def trace(self, up_to: BlockName | None = None) -> Trace | None:
        """Every line of the touched files followed to where it comes from; None where nobody counted lines.

        `up_to` is the last block of the prefix that is followed; all of them where none is named.
        """
        if self.line_counts is None:
            return None
        layers = self.layers()
        if up_to is not None:
            names = [block.name for block in self.release.blocks]
            below = set(names[: names.index(up_to) + 1])
            layers = tuple(layer for layer in layers if layer.block in below)
        return trace(self.release.blocks, layers, self.line_counts)

    def declared_block(self) -> Block | None:
        """The declaring block."""
        return next((block for block in self.release.blocks if block.name == self.block), None)

    def tip_tree(self) -> TreeId | None:
        """The derived tip; None when the stack is stuck."""
        return self.stack.tip_tree() if isinstance(self.stack, Stack) else None

    def prefix_trees(self) -> tuple[tuple[BlockName | None, TreeId], ...]:
        """The base (as None) and the tree after each block, in order, as far as the stack went."""
        after = {layer.block: layer.after for layer in self.layers()}
        trees: list[tuple[BlockName | None, TreeId]] = [(None, self.base_tree)]
        for block in self.release.blocks:
            if isinstance(self.stack, Stuck) and block.name == self.stack.block:
                break
            trees.append((block.name, after.get(block.name, trees[-1][1])))
        return tuple(trees)

    def block_tree(self, block: BlockName | None) -> TreeId | None:
        """The tree after `block` (the base for None)."""
        return dict(self.prefix_trees()).get(block)

    def below(self, block: BlockName) -> TreeId | None:
        """The tree that `block` stands on: after the block before it, the base below the first."""
        names: tuple[BlockName | None, ...] = (None, *(each.name for each in self.release.blocks))
        return self.block_tree(names[names.index(block) - 1]) if block in names else None

    def missing(self, needs: Iterable[Need]) -> tuple[Diagnostic, ...]:
        """Why needs are not met, each reason once: the faults met on the way, or that nothing was measured."""
        reasons: dict[Diagnostic, None] = {}
        for need in needs:
            match need:
                case BuildNeed() if need not in self.builds:
                    reasons.update(dict.fromkeys(self.faults.get(need) or (not_measured(need),)))
                case ProbeNeed() if need not in self.probes:
                    reasons.update(dict.fromkeys(self.faults.get(need) or self._unbuilt(need) or (not_measured(need),)))
                case AbiNeed() if need not in self.abi:
                    reasons.update(dict.fromkeys(self.faults.get(need) or self._unbuilt(need) or (not_measured(need),)))
                case _:
                    pass
        return tuple(reasons)

    def seen(self, need: ProbeNeed, kind: type[S]) -> S:
        """What a probe that was run saw, as the type that the probe gives; ask `missing` first."""
        observation: object = self.probes[need].observation
        if not isinstance(observation, kind):
            raise TypeError(f"probe `{need.probe}` gives {type(observation).__name__}, not {kind.__name__}")
        return observation

    def _unbuilt(self, need: ProbeNeed | AbiNeed) -> tuple[Diagnostic, ...]:
        """The builds of a probe's arms, or of a comparison's sides, that were not made or failed."""
        wanted = dict.fromkeys(
            (arm.build for arm in need.arms) if isinstance(need, ProbeNeed) else (need.below, need.build)
        )
        failed = [each for each in wanted if each in self.builds and not self.builds[each].observation.ok]
        return self.missing(wanted) + tuple(_build_failed(each) for each in failed)


def not_measured(need: Need) -> Diagnostic:
    """The reason for a need that nobody met and nobody reported a fault for."""
    match need:
        case BuildNeed(tree=tree, configuration=configuration):
            return Diagnostic(
                code="not-built",
                message=f"tree {tree} was not built in configuration `{configuration}`",
                help="stackproof build",
            )
        case ProbeNeed(probe=probe, model=model, arms=arms):
            names = ", ".join(f"`{arm.name}`" for arm in arms)
            with_model = f" with model `{model}`" if model is not None else ""
            return Diagnostic(
                code="not-probed",
                message=f"probe `{probe}` was not run{with_model} on {names}",
                help="stackproof gate",
            )
        case AbiNeed(below=below, build=build):
            return Diagnostic(
                code="not-compared",
                message=f"the binary interfaces of trees {below.tree} and {build.tree} in configuration "
                f"`{build.configuration}` were not compared",
                help="stackproof gate",
            )


def _build_failed(need: BuildNeed) -> Diagnostic:
    return Diagnostic(
        code="arm-not-built",
        message=f"the build of tree {need.tree} in configuration `{need.configuration}` failed, so nothing ran on it",
        help="stackproof build",
    )
