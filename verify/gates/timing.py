"""Judging times of one switch, on over off: shared by the kinds that measure, not a gate itself.

There are two clocks. The processor's counts what the engine computed until the first token, so that other load on the
machine hardly touches it: its whole interval must lie within the bound. The wall's counts what a user waits, sleep
and locks included: it must not lie beyond the bound with its whole interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from verify.model.diagnostic import Diagnostic
from verify.model.interval import LEAST_PAIRS, Interval, ratio_interval
from verify.model.observation import RunObservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What the times say: nothing wrong, failures, or doubts, and how to tell it."""

    summary: str
    failures: tuple[Diagnostic, ...] = ()
    doubts: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Times:
    """Seconds per round, off and on, by one clock."""

    clock: str
    off: tuple[float, ...]
    on: tuple[float, ...]

    def notes(self, bound: float) -> tuple[str, ...]:
        return (f"allowed: at most {bound:.3f}", f"off: {_shown(self.off)}", f"on: {_shown(self.on)}")


def judge_times(*, what: str, run: RunObservation, requests: Sequence[str], bound: float, seed: int) -> Timing:
    """The time to the first token of `requests`, summed in each round; the arms are off and on."""
    by_clock = (_times(run, requests, "processor"), _times(run, requests, "wall"))
    if any(len(times.off) != run.rounds or len(times.on) != run.rounds for times in by_clock):
        message = f"{what}: not every one of {run.rounds} rounds has its times"
        return Timing(summary=message, failures=(Diagnostic(code="rounds-missing", message=message),))
    if run.rounds < LEAST_PAIRS:
        message = f"{what}: {run.rounds} rounds show nothing about noise, {LEAST_PAIRS} are the least"
        return Timing(summary=message, failures=(Diagnostic(code="rounds-missing", message=message),))
    found = [(times, _interval(times, seed)) for times in by_clock]
    summary = f"{what} on/off " + "; ".join(f"{times.clock} {_ratio(interval)}" for times, interval in found)
    failures: list[Diagnostic] = []
    doubts: list[Diagnostic] = []
    for times, interval in found:
        if interval is None:
            failures.append(_told("time-degenerate", f"{what}: {times.clock} clock: a time is zero", times, bound))
        elif interval.low > bound:
            failures.append(_told("ratio-too-large", f"{what} on/off {times.clock} {_ratio(interval)}", times, bound))
        elif interval.high > bound and times.clock == "processor":
            doubts.append(_told("noise-too-large", f"{what} on/off {_ratio(interval)}: too noisy", times, bound))
    return Timing(summary=summary, failures=tuple(failures), doubts=tuple(doubts))


def _times(run: RunObservation, requests: Sequence[str], clock: str) -> _Times:
    off, on = (
        tuple(
            sum(
                answer.first_token_cpu_seconds if clock == "processor" else answer.first_token_seconds
                for answer in arm.answers
                if answer.round == number and answer.request in requests
            )
            for number in sorted({answer.round for answer in arm.answers})
        )
        for arm in run.arms
    )
    return _Times(clock=clock, off=off, on=on)


def _interval(times: _Times, seed: int) -> Interval | None:
    return ratio_interval(tuple(zip(times.on, times.off, strict=True)), seed=seed)


def _ratio(interval: Interval | None) -> str:
    return "unknown" if interval is None else interval.show()


def _told(code: str, message: str, times: _Times, bound: float) -> Diagnostic:
    helps = {"noise-too-large": "measure again on a quieter machine, or with larger `rounds_max`"}
    return Diagnostic(code=code, message=message, notes=times.notes(bound), help=helps.get(code, ""))


def _shown(seconds: Sequence[float]) -> str:
    return ", ".join(f"{each * 1000:.1f}" for each in seconds[:20]) + " ms"
