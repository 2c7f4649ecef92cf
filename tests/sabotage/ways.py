"""Ways to break the good case: each takes what to change and gives case → broken case."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.gates.good import QUEUE, edit_answers, edit_arm, fold, measured, probe_of, with_build, with_probe
from verify.gates.case import Case
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic
from verify.model.gate import GateDecl
from verify.model.ids import TreeId
from verify.model.observation import Answer, ArmObservation, BuildObservation, RunObservation
from verify.model.patch import FileChange
from verify.model.release import Lock, Reference, Release
from verify.model.stack import Stack

Way = Callable[[Case], Case]
Run = Callable[[RunObservation], RunObservation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sabotage:
    """One way to break the good case, and which gate must tell it by which code."""

    name: str
    gate: str
    code: str
    way: Way
    undecided: bool = False


def broken(name: str, gate: str, code: str, way: Way) -> Sabotage:
    """The gate must fail."""
    return Sabotage(name=name, gate=gate, code=code, way=way)


def unknown(name: str, gate: str, code: str, way: Way) -> Sabotage:
    """The gate must be undecided."""
    return Sabotage(name=name, gate=gate, code=code, way=way, undecided=True)


def redeclared(edit: Callable[[Release], Release]) -> Way:
    """Another release, everything measured as before."""
    return lambda case: replace(case, release=edit(case.release))


def promised(edit: Callable[[Reference], Reference]) -> Way:
    """Other promised trees."""

    def edited(release: Release) -> Release:
        assert release.reference is not None
        return replace(release, reference=edit(release.reference))

    return redeclared(edited)


def patched(*changes: FileChange) -> Way:
    """The first block's fold changes other things; the trees stay, so that only what looks at patches can tell."""

    def edit(block: Block) -> Block:
        return replace(block, folds=(fold("queue", "rotate", *changes),)) if block.name == QUEUE else block

    return redeclared(lambda release: replace(release, blocks=tuple(map(edit, release.blocks))))


def in_first_fold(edit: Callable[[Fold], Fold]) -> Way:
    """The first block's fold has other fields; its changes stay."""

    def edited(block: Block) -> Block:
        return replace(block, folds=tuple(map(edit, block.folds))) if block.name == QUEUE else block

    return redeclared(lambda release: replace(release, blocks=tuple(map(edited, release.blocks))))


def layered(at: int, **fields: Any) -> Way:
    """One layer of the stack has other fields."""

    def way(case: Case) -> Case:
        assert isinstance(case.stack, Stack)
        layers = list(case.stack.layers)
        layers[at] = replace(layers[at], **fields)
        return replace(case, stack=replace(case.stack, layers=tuple(layers)))

    return way


def locked(at: int, **fields: Any) -> Way:
    """One fold of the lock has other fields."""

    def edit(release: Release) -> Release:
        assert release.lock is not None
        folds = list(release.lock.folds)
        folds[at] = replace(folds[at], **fields)
        return replace(release, lock=Lock(folds=tuple(folds)))

    return redeclared(edit)


def rebuilt(tree: TreeId, edit: Callable[[BuildObservation], BuildObservation]) -> Way:
    """The build of a tree went otherwise."""
    return lambda case: with_build(case, tree, edit)


def unbuilt(tree: TreeId) -> Way:
    """The build of a tree was not made."""
    return lambda case: replace(case, builds={need: each for need, each in case.builds.items() if need.tree != tree})


def probed(gate: str, edit: Run, at: int = 0) -> Way:
    """A session of a gate went otherwise."""
    return lambda case: with_probe(case, gate, edit, at)


def unprobed(gate: str, *reasons: Diagnostic) -> Way:
    """The first session of a gate was not made, for these reasons."""

    def way(case: Case) -> Case:
        asked = probe_of(case, gate)
        probes = {need: each for need, each in case.probes.items() if need != asked}
        return replace(case, probes=probes, faults={asked: reasons} if reasons else {})

    return way


def regated(gate: str, **params: Any) -> Way:
    """A gate of the release has other parameters, and everything is measured for them."""

    def edit(each: GateDecl) -> GateDecl:
        known: Any = each.params
        return replace(each, params=replace(known, **params)) if each.name == gate else each

    def way(case: Case) -> Case:
        release = replace(case.release, gates=tuple(map(edit, case.release.gates)))
        return measured(replace(case, release=release))

    return way


def all_arms(edit: Callable[[ArmObservation], ArmObservation]) -> Run:
    """Every arm of a session alike, so that comparing arms alone could not tell."""
    return lambda run: replace(run, arms=tuple(map(edit, run.arms)))


def all_answers(**fields: Any) -> Run:
    """Every answer of every arm has other fields."""
    return all_arms(lambda arm: replace(arm, answers=tuple(replace(each, **fields) for each in arm.answers)))


def without(request: str, *arms: str) -> Run:
    """Arms (all when none is named) lack the answers to a request."""

    def edit(arm: ArmObservation) -> ArmObservation:
        kept = tuple(each for each in arm.answers if each.request != request)
        return replace(arm, answers=kept) if not arms or arm.arm in arms else arm

    return all_arms(edit)


def answers(arm: str, request: str | None = None, **fields: Any) -> Run:
    """Answers of one arm (to one request) have other fields."""
    return edit_answers(arm, lambda each: replace(each, **fields), request)


def arm(name: str, **fields: Any) -> Run:
    """One arm has other fields."""
    return edit_arm(name, lambda each: replace(each, **fields))


def timed(arm: str, request: str | None, factor: Callable[[Answer], float]) -> Run:
    """The first tokens of one arm come by another factor of time, by both clocks."""

    def edit(each: Answer) -> Answer:
        return replace(
            each,
            first_token_seconds=each.first_token_seconds * factor(each),
            first_token_cpu_seconds=each.first_token_cpu_seconds * factor(each),
        )

    return edit_answers(arm, edit, request)


def other_token(each: Answer) -> Answer:
    """The fourth token is another one."""
    return replace(each, ids=(*each.ids[:3], 96 - each.ids[3], *each.ids[4:])) if len(each.ids) > 3 else each


def other_probability(each: Answer) -> Answer:
    """The first token's candidates have slightly other probabilities."""
    first = tuple(replace(choice, logprob=choice.logprob - 1e-6) for choice in each.candidates[0])
    return replace(each, candidates=(first, *each.candidates[1:]))
