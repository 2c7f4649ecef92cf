"""Judging a ratio of times by its interval: shared by the kinds that measure, not a gate itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from verify.model.diagnostic import Diagnostic
from verify.model.interval import ratio_interval
from verify.model.observation import ArmObservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """What a ratio says: nothing wrong, a failure, or a doubt, and how to tell it."""

    summary: str
    failures: tuple[Diagnostic, ...] = ()
    doubts: tuple[Diagnostic, ...] = ()


def first_token(arm: ArmObservation, request: str) -> tuple[float, ...]:
    """Seconds from sending to the first token, round by round."""
    return tuple(answer.first_token_seconds for answer in arm.named(request))


def judge_ratio(
    *, what: str, on: Sequence[float], off: Sequence[float], bound: float, rounds: int, seed: int
) -> Timing:
    """On over off against an upper bound: the whole interval below it holds, above it fails, across it is a doubt."""
    if len(on) != rounds or len(off) != rounds:
        message = f"{what}: {len(off)} times with the switch off and {len(on)} with it on, in {rounds} rounds"
        return Timing(summary=message, failures=(Diagnostic(code="rounds-missing", message=message),))
    interval = ratio_interval(tuple(zip(on, off, strict=True)), seed=seed)
    if interval is None:
        message = f"{what}: a time of zero or none at all was measured"
        return Timing(summary=message, failures=(Diagnostic(code="time-degenerate", message=message),))
    summary = f"{what} on/off {interval.show()}"
    notes = (f"allowed: at most {bound:.3f}", f"off: {_times(off)}", f"on: {_times(on)}")
    if interval.low > bound:
        return Timing(summary=summary, failures=(Diagnostic(code="ratio-too-large", message=summary, notes=notes),))
    if interval.high > bound:
        doubt = Diagnostic(
            code="noise-too-large",
            message=f"{summary}: its interval lies across {bound:.3f}",
            notes=notes,
            help="measure again on a quieter machine, or with more rounds",
        )
        return Timing(summary=summary, doubts=(doubt,))
    return Timing(summary=summary)


def _times(seconds: Sequence[float]) -> str:
    return ", ".join(f"{each * 1000:.1f}" for each in seconds[:20]) + " ms"
