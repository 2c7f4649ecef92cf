"""Accepted deviations at work: what they make of a gate's findings, and which of them nobody met any more.

Pure. Exactly the findings that a standing deviation covers are waived; one finding more and the gate fails by it.
"""

from collections.abc import Iterable, Sequence

from verify.model.deviation import REGISTER, Deviation, Standing, ended_by
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.ids import GateName
from verify.model.verdict import Deferred, Failed, GateResult, Outcome, Passed, Waived
from verify.model.wording import count


def waived(gate: GateName, outcome: Outcome, deviations: Iterable[Deviation], standing: Standing) -> Outcome:
    """The outcome with the accepted findings waived; whatever else was found still fails."""
    if not isinstance(outcome, Failed):
        return outcome
    by: dict[Finding, Deviation] = {}
    for deviation in deviations:
        if not ended_by(deviation, standing):
            for finding in outcome.findings:
                if deviation.covers(gate, finding):
                    by.setdefault(finding, deviation)
    left = tuple(finding for finding in outcome.findings if finding not in by)
    if not by:
        return outcome
    used = tuple(dict.fromkeys(by.values()))
    said = f"{count(len(by), 'finding')} accepted by deviation {numbers_of(used)}"
    if left:
        accepted = tuple(by)
        return Failed(summary=f"{left[0].message} (beside {said})", findings=left, accepted=accepted)
    owners = ", ".join(dict.fromkeys(each.owner.name for each in used))
    return Waived(summary=f"{said}, {owners}", deviation=numbers_of(used), findings=outcome.findings)


def numbers_of(deviations: Iterable[Deviation]) -> str:
    """Their numbers as text."""
    return ", ".join(str(number) for number in sorted({each.number for each in deviations}))


def debts(results: Iterable[GateResult]) -> str:
    """What a verdict leaves open, in words: what is waived by which deviation, what is owed to which hardware."""
    said = []
    for result in results:
        match result.outcome:
            case Waived(deviation=deviation):
                said.append(f"`{result.gate}` is waived by deviation {deviation}")
            case Deferred(hardware=hardware):
                said.append(f"`{result.gate}` is owed to `{hardware}`")
            case _:
                pass
    return ", ".join(said)


def met_by(deviation: Deviation, results: Iterable[GateResult]) -> bool | None:
    """Whether a judgement met what the deviation covers; None where its gate did not decide."""
    decided: bool | None = None
    for result in results:
        if result.gate != deviation.gate:
            continue
        match result.outcome:
            case Passed():
                decided = False
            case Waived(findings=found) | Failed(accepted=found):
                if any(deviation.covers(result.gate, each) for each in found):
                    return True
                decided = False
            case _:
                pass
    return decided


def not_met(deviations: Sequence[Deviation], results: Sequence[GateResult]) -> tuple[Finding, ...]:
    """A finding for each deviation whose gate decided and found nothing that it covers."""
    return tuple(
        Diagnostic(
            code="deviation-not-met",
            message=f"deviation {each.number} of gate `{each.gate}` was not met: nothing has `{each.finding}` with "
            + ", ".join(f"`{name}`" for name in each.names),
            place=Place(file=REGISTER),
            notes=(f"accepted by {each.owner.name} since {each.since}: {each.reason}",),
            help=f"move number {each.number} from `accepted` to `ended` in {REGISTER}, with what ended it",
        )
        for each in deviations
        if met_by(each, results) is False
    )
