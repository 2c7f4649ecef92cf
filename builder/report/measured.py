"""Measurements as pictures: intervals against their bounds, and the same thing of several arms side by side.

Takes what a kind of gate gives as its figures; gives places in per cent of a picture's width, with everything that a
picture shows in words beside it.
"""

from collections.abc import Iterator, Mapping, Sequence

from builder.report.facts import Facts
from builder.report.spelled import amount
from builder.report.view import Bar, Bars, Drawn, Family, Interval
from builder.report.words import title_of
from verify.gates.battery import gates_of
from verify.gates.kinds import KINDS
from verify.model.figure import Amounts, Figure, Reading
from verify.model.gate import GateDecl
from verify.model.verdict import GateResult
from verify.report.json import outcome_word

_EDGE = 4.0
"""Per cent of the width that stay free on either side, so that no mark is cut off."""
_BAR = 98.0
"""Per cent of the width that the largest amount has, so that a bound at its end is seen whole."""


def families_of(facts: Facts, anchors: Mapping[str, str]) -> Iterator[Family]:
    """The figures of every gate that has some, by kind, in the order of the kinds."""
    declared = {(gate.block, gate.name): gate for gate in gates_of(facts.case.release)}
    shown: dict[str, list[Drawn]] = {}
    for result in facts.results:
        gate = declared.get((result.block, result.gate))
        figures = figures_of(gate, facts) if gate is not None else ()
        if figures:
            shown.setdefault(result.kind, []).append(_drawn(result, figures, anchors[title_of(result)]))
    for kind in KINDS.values():
        if kind.name in shown:
            yield Family(title=kind.name, about=kind.about, drawn=tuple(shown[kind.name]))


def figures_of(gate: GateDecl, facts: Facts) -> tuple[Figure, ...]:
    """What a gate measured; nothing where something that it needs is missing."""
    kind, view = KINDS[gate.kind], facts.case.of(gate)
    needs = kind.needs(gate.params, view)
    return kind.figures(gate.params, view) if needs and not view.missing(needs) else ()


def _drawn(result: GateResult, figures: Sequence[Figure], href: str) -> Drawn:
    readings = [each for each in figures if isinstance(each, Reading)]
    amounts = [each for each in figures if isinstance(each, Amounts) and each.amounts]
    return Drawn(
        gate=title_of(result),
        href=href,
        state=outcome_word(result.outcome),
        intervals=tuple(_intervals(readings)),
        bars=tuple(map(_bars, amounts)),
    )


def _intervals(readings: Sequence[Reading]) -> Iterator[Interval]:
    """All on one scale, which reaches from the least to the greatest of intervals, bounds and 1."""
    marks = [1.0, *(each.bound for each in readings)]
    marks += [side for each in readings if each.interval for side in (each.interval.low, each.interval.high)]
    low, high = min(marks), max(marks)
    room = (high - low) or 1.0

    def at(value: float) -> float:
        return round(_EDGE + (100 - 2 * _EDGE) * (value - low) / room, 2)

    for each in readings:
        met = each.interval
        title = f"{each.what}, {each.of}, by {each.by}"
        if met is None:
            yield Interval(
                title=title,
                words=f"no ratio; at most {each.bound:.3f}",
                state="failed",
                low=0.0,
                middle=0.0,
                high=0.0,
                bound=at(each.bound),
                one=at(1.0),
            )
            continue
        state, lies = _lies(each, met.low, met.high)
        times = "repeats" if each.by == "count" else "pairs"
        digits = 5 if met.high - met.low < 0.002 else 3
        yield Interval(
            title=title,
            words=f"{met.middle:.{digits}f}, from {met.low:.{digits}f} to {met.high:.{digits}f} "
            f"in {met.pairs} {times}; at most {each.bound:.3f}: {lies}",
            state=state,
            low=at(met.low),
            middle=at(met.middle),
            high=at(met.high),
            bound=at(each.bound),
            one=at(1.0),
        )


def _lies(reading: Reading, low: float, high: float) -> tuple[str, str]:
    """How an interval lies to its bound, by the rule that it is judged by."""
    if low > reading.bound:
        return "failed", "beyond the bound"
    if high <= reading.bound:
        return "passed", "within the bound"
    return ("undecided", "across the bound") if reading.strict else ("passed", "not wholly beyond the bound")


def _bars(figure: Amounts) -> Bars:
    largest = max((*(abs(each.value) for each in figure.amounts), figure.most or 0.0, figure.least or 0.0), default=0.0)
    bars = []
    for number, each in enumerate(figure.amounts, start=1):
        last = number == len(figure.amounts)
        bound = (figure.most if figure.most is not None else figure.least) if last else None
        notes = ["known to be wrong"] if each.bad else []
        if last and figure.most is not None:
            notes.append(f"at most {amount(figure.most, figure.unit)}")
        if last and figure.least is not None:
            notes.append(f"at least {amount(figure.least, figure.unit)}")
        if last and figure.equals:
            notes.append(f"must be that of {figure.equals}")
        bars.append(
            Bar(
                name=each.name,
                value=amount(each.value, figure.unit),
                note=", ".join(notes),
                width=_share(each.value, largest),
                bound=None if bound is None else _share(bound, largest),
                bad=each.bad,
            )
        )
    return Bars(title=figure.what, bars=tuple(bars))


def _share(value: float, largest: float) -> float:
    return round(_BAR * max(value, 0.0) / largest, 2) if largest > 0 else 0.0
