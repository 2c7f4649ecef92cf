"""Bisect: the first fold that turns a gate red. Evidence is asked first, then builds and sessions are made.

A gate of the release is judged on the stack up to each fold. A gate of a block is judged on the block itself, laid on
the folds below it as far as they go; where the block alone is red already, its own folds are searched. A state whose
folds have no place, or whose engine does not build, is dark: nothing can be said there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from builder.first_red import Light, NeverGreen, Turn, first_red
from builder.laying import FoldName, Laying, NoPlace
from builder.measure import Bench
from builder.part import on_part
from verify.gates.case import Case
from verify.judge import rule
from verify.model.gate import GateDecl
from verify.model.ids import BlockName
from verify.model.stack import Stack
from verify.model.verdict import Deferred, Failed, GateResult, Passed, Undecided, Waived


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A stack that was looked at: the folds in it, what the gate said, and whether evidence alone said it."""

    folds: tuple[FoldName, ...]
    light: Light
    result: GateResult | None
    measured: bool
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprit:
    """The fold that turned the gate red; `between` are all that may have where some states are dark.

    `green` is the state below, None where nothing below could be judged. `earlier` are the folds at which the gate
    was red before it was green again.
    """

    between: tuple[FoldName, ...]
    green: State | None
    red: State
    earlier: tuple[FoldName, ...]
    looked: tuple[State, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRed:
    """The gate is not red on the whole stack, so there is nothing to find."""

    state: State


def bisect(bench: Bench, case: Case, gate: GateDecl, *, only_known: bool) -> Culprit | NotRed:
    """The first fold that turns `gate` red; with `only_known` nothing is built or run."""
    assert isinstance(case.stack, Stack)
    search = _Search(bench, case, gate, only_known=only_known)
    whole = search.look(search.laying.order)
    if whole.light is not Light.RED:
        return NotRed(state=whole)
    first, *rest = _ways(search.laying.order, gate.block)
    found = search.along(first)
    for way in rest:  # red with nothing of the folds below: it is the block's own
        if found.green is None and found.red.folds == first[0]:
            found = search.along(way)
    return replace(found, looked=tuple(search.seen.values()))


def _ways(order: Sequence[FoldName], block: BlockName | None) -> list[tuple[tuple[FoldName, ...], ...]]:
    """Rows of states to search, each from the fewest folds to the most."""
    if block is None:
        return [tuple(tuple(order[:end]) for end in range(len(order) + 1))]
    below = tuple(name for name in order[: _first(order, block)])
    own = tuple(name for name in order if name[0] == block)
    return [
        tuple((*below[:end], *own) for end in range(len(below) + 1)),
        tuple((*below, *own[:end]) for end in range(1, len(own) + 1)),
    ]


def _first(order: Sequence[FoldName], block: BlockName) -> int:
    return next(index for index, (name, _) in enumerate(order) if name == block)


class _Search:
    """Judges states, each once."""

    def __init__(self, bench: Bench, case: Case, gate: GateDecl, *, only_known: bool) -> None:
        assert isinstance(case.stack, Stack)
        self.laying = Laying(case.release.blocks, case.stack, bench.stacked.store, bench.stacked.derived.objects)
        self.seen: dict[tuple[FoldName, ...], State] = {}
        self._bench, self._case, self._gate, self._only_known = bench, case, gate, only_known

    def along(self, states: Sequence[tuple[FoldName, ...]]) -> Culprit:
        """The turn in a row of states whose last one is red."""
        known = dict(self._known(states))
        found = first_red(len(states) - 1, lambda step: self.look(states[step]).light, known)
        match found:
            case Turn(green=green, red=red, earlier=earlier):
                return Culprit(
                    between=_added(states[green], states[red]),
                    green=self.look(states[green]),
                    red=self.look(states[red]),
                    earlier=tuple(states[step][-1] for step in earlier if states[step]),
                    looked=(),
                )
            case NeverGreen(red=red):
                return Culprit(between=states[red], green=None, red=self.look(states[red]), earlier=(), looked=())
            case _:
                assert_never(found)

    def _known(self, states: Sequence[tuple[FoldName, ...]]) -> Iterator[tuple[int, Light]]:
        """What evidence says without anything being made: as much as there is of it."""
        if self._bench.fresh:
            return
        for step, folds in enumerate(states[:-1]):
            state = self._by_evidence(folds)
            if state is not None and state.light is not Light.DARK:
                self.seen[folds] = state
                yield step, state.light

    def _by_evidence(self, folds: tuple[FoldName, ...]) -> State | None:
        if folds in self.seen:
            return self.seen[folds]
        case = self._on(folds)
        return case if isinstance(case, State) else self._state(folds, case, self._bench.known_steps, measured=False)

    def look(self, folds: Sequence[FoldName]) -> State:
        """What the gate says of these folds, measured where it must be."""
        folds = tuple(folds)
        if folds not in self.seen:
            case = self._on(folds)
            if isinstance(case, State):
                self.seen[folds] = case
            else:
                steps = self._bench.known_steps if self._only_known else self._bench.all_steps
                self.seen[folds] = self._state(folds, case, steps, measured=not self._only_known)
        return self.seen[folds]

    def _state(
        self,
        folds: tuple[FoldName, ...],
        case: Case,
        steps: Callable[[Case, Sequence[GateDecl]], Case],
        *,
        measured: bool,
    ) -> State:
        result = rule(self._gate, steps(case, [self._gate]))
        light = _light(result)
        reasons = result.outcome.reasons if isinstance(result.outcome, Undecided) else ()
        why = reasons[0].message if reasons else result.outcome.summary
        return State(folds=folds, light=light, result=result, measured=measured, why=why)

    def _on(self, folds: tuple[FoldName, ...]) -> Case | State:
        """The case of the release on these folds alone, or the dark state where one of them has no place."""
        laid = self.laying.lay(folds)
        if isinstance(laid, NoPlace):
            block, fold = laid.fold
            why = f"fold `{fold}` of block `{block}` has no place"
            return State(folds=folds, light=Light.DARK, result=None, measured=False, why=why)
        self._bench.stacked.store.write(self.laying.objects())
        return on_part(self._case, laid)


def _light(result: GateResult) -> Light:
    match result.outcome:
        case Passed() | Waived():
            return Light.GREEN
        case Failed():
            return Light.RED
        case Undecided() | Deferred():
            return Light.DARK
        case _:
            assert_never(result.outcome)


def _added(before: Sequence[FoldName], after: Sequence[FoldName]) -> tuple[FoldName, ...]:
    known = set(before)
    return tuple(name for name in after if name not in known)
