"""Judging paired times of two arms: shared by the kinds that measure, not a gate itself.

There are two clocks. The processor's counts what the engine computed, so that other load on the machine hardly touches
it: its whole interval must lie within the bound. The wall's counts what a user waits, sleep and locks included: it must
not lie beyond the bound with its whole interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from verify.model.diagnostic import Diagnostic
from verify.model.figure import Amount, Amounts, Reading
from verify.model.interval import LEAST_PAIRS, Interval, ratio_interval
from verify.model.observation import ArmObservation, RunObservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What the times say: nothing wrong, failures, or doubts, how to tell it, and the ratios that were judged."""

    summary: str
    failures: tuple[Diagnostic, ...] = ()
    doubts: tuple[Diagnostic, ...] = ()
    readings: tuple[Reading, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Seconds per round of two arms by one clock: the ratio is of `over` to `under`."""

    clock: str
    under: tuple[float, ...]
    over: tuple[float, ...]

    def notes(self, bound: float) -> tuple[str, ...]:
        """The bound and the times, for people."""
        return (f"allowed: at most {bound:.3f}", f"under: {_shown(self.under)}", f"over: {_shown(self.over)}")


def judge_times(
    *,
    what: str,
    run: RunObservation,
    requests: Sequence[str],
    bound: float,
    seed: int,
    arms: tuple[str, str] = ("off", "on"),
    wall_slack: float = 1.0,
) -> Timing:
    """The time to the first token of `requests`, summed in each round; the second arm over the first.

    The wall's clock may exceed one by `wall_slack` times as much as the processor's, where only a gross effect is
    looked for.
    """
    under, over = (run.arm(name) for name in arms)
    return judge_paired(
        what=what,
        ratio=f"{arms[1]}/{arms[0]}",
        clocks=tuple(
            Paired(clock=clock, under=_times(under, requests, clock), over=_times(over, requests, clock))
            for clock in ("processor", "wall")
        ),
        rounds=run.rounds,
        bound=bound,
        seed=seed,
        wall_bound=1 + wall_slack * (bound - 1),
    )


def judge_paired(
    *,
    what: str,
    ratio: str,
    clocks: Sequence[Paired],
    rounds: int,
    bound: float,
    seed: int,
    wall_bound: float | None = None,
) -> Timing:
    """The ratio by each clock against its bound; `ratio` names it, as in `on/off`."""
    if any(len(times.under) != rounds or len(times.over) != rounds for times in clocks):
        message = f"{what}: not every one of {rounds} rounds has its times"
        return Timing(summary=message, failures=(Diagnostic(code="rounds-missing", message=message),))
    if rounds < LEAST_PAIRS:
        message = f"{what}: {rounds} rounds show nothing about noise, {LEAST_PAIRS} are the least"
        return Timing(summary=message, failures=(Diagnostic(code="rounds-missing", message=message),))
    found = [(times, ratio_interval(tuple(zip(times.over, times.under, strict=True)), seed=seed)) for times in clocks]
    summary = f"{what} {ratio} " + "; ".join(f"{times.clock} {_ratio(interval)}" for times, interval in found)
    failures: list[Diagnostic] = []
    doubts: list[Diagnostic] = []
    readings: list[Reading] = []
    for times, interval in found:
        most = bound if times.clock == "processor" or wall_bound is None else wall_bound
        strict = times.clock == "processor"
        by = f"{times.clock} time"
        readings.append(Reading(what=what, of=ratio, by=by, interval=interval, bound=most, strict=strict))
        if interval is None:
            failures.append(_told("time-degenerate", f"{what}: {times.clock} clock: a time is zero", times, most))
        elif interval.low > most:
            failures.append(_told("ratio-too-large", f"{what} {ratio} {times.clock} {_ratio(interval)}", times, most))
        elif interval.high > most and times.clock == "processor":
            doubts.append(_told("noise-too-large", f"{what} {ratio} {_ratio(interval)}: too noisy", times, most))
    return Timing(summary=summary, failures=tuple(failures), doubts=tuple(doubts), readings=tuple(readings))


def first_token_amounts(what: str, run: RunObservation, requests: Sequence[str]) -> Amounts:
    """The time to the first token of `requests`, summed in each round: every arm's median by the wall's clock."""
    times = {arm.arm: _times(arm, requests, "wall") for arm in run.arms}
    return Amounts(
        what=f"{what}, median by the clock on the wall",
        unit="ms",
        amounts=tuple(Amount(name=name, value=1000 * median(each)) for name, each in times.items() if each),
    )


def _times(arm: ArmObservation | None, requests: Sequence[str], clock: str) -> tuple[float, ...]:
    answers = arm.answers if arm is not None else ()
    return tuple(
        sum(
            answer.first_token_cpu_seconds if clock == "processor" else answer.first_token_seconds
            for answer in answers
            if answer.round == number and answer.request in requests
        )
        for number in sorted({answer.round for answer in answers})
    )


def _ratio(interval: Interval | None) -> str:
    return "unknown" if interval is None else interval.show()


def _told(code: str, message: str, times: Paired, bound: float) -> Diagnostic:
    helps = {"noise-too-large": "measure again on a quieter machine, or with larger `rounds_max`"}
    return Diagnostic(code=code, message=message, notes=times.notes(bound), help=helps.get(code, ""))


def _shown(seconds: Sequence[float]) -> str:
    return ", ".join(f"{each * 1000:.1f}" for each in seconds[:20]) + " ms"
