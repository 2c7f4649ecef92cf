"""What gates ask of answers: are they all there, are they equal, are they text at all.

Shared by the kinds that run the engine; not a gate itself. Whatever is degenerate (no answers, no tokens, one token
over and over) is a finding, since two equal nothings prove nothing.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from verify.gates.case import Case
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import ProbeNeed
from verify.model.observation import Answer, ArmObservation, RunObservation
from verify.model.verdict import Failed, Undecided


def unmet(reasons: tuple[Diagnostic, ...]) -> Failed | Undecided:
    """The end of a gate whose evidence is missing.

    Undecided, with one exception: where the reference arm served under the same settings and another arm's engine
    broke down (`arm-broken`), the engine is at fault and not the harness.
    """
    broken = tuple(reason for reason in reasons if reason.code == "arm-broken")
    if broken:
        return Failed(summary=broken[0].message, findings=broken)
    return Undecided(summary=reasons[0].message if reasons else "nothing was measured", reasons=reasons)


def unusable(need: ProbeNeed, case: Case) -> tuple[Diagnostic, ...]:
    """Why the session of a need cannot be used; empty when it is there, whole, and ran on the builds it names."""
    if reasons := case.missing((need,)):
        return reasons
    run = case.seen(need, RunObservation)
    if tuple(arm.arm for arm in run.arms) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    reasons = ()
    for asked, arm in zip(need.arms, run.arms, strict=True):
        if not arm.answers:
            reasons += (session_incomplete(need, f"arm `{arm.arm}` has no answers"),)
        reasons += foreign_libraries(need, asked, arm.loaded, case)
    return reasons


def differences(code: str, reference: ArmObservation, other: ArmObservation, *, who: str) -> tuple[Finding, ...]:
    """Every request whose answers differ between two arms: token ids first, then probabilities, then text."""
    theirs = {(answer.round, answer.request): answer for answer in other.answers}
    ours = {(answer.round, answer.request): answer for answer in reference.answers}
    findings: list[Finding] = []
    for at in sorted(ours.keys() | theirs.keys()):
        one, two = ours.get(at), theirs.get(at)
        if one is None or two is None:
            lacking = reference.arm if one is None else other.arm
            findings.append(Diagnostic(code=code, message=f"{who}: arm `{lacking}` has no answer to `{at[1]}`"))
        elif why := answer_difference(one, two):
            what, *notes = why
            shown = (f"round {at[0]}, `{reference.arm}`: {one.text!r:.120}", f"`{other.arm}`: {two.text!r:.120}")
            message = f"{who}: `{at[1]}` differs between arms `{reference.arm}` and `{other.arm}`: {what}"
            findings.append(Diagnostic(code=code, message=message, notes=(*notes, *shown)))
    return tuple(findings)


def answer_difference(one: Answer, two: Answer) -> tuple[str, ...]:
    """What differs first between two answers to one request, then notes; nothing when they are equal."""
    if one.generated != two.generated:
        return (f"{one.generated} tokens against {two.generated}",)
    if one.ids != two.ids:
        at = next((i for i, (a, b) in enumerate(zip(one.ids, two.ids, strict=False)) if a != b), None)
        if at is None:
            return (f"{len(one.ids)} tokens against {len(two.ids)}",)
        return (f"first at token {at}", f"token ids there: {one.ids[at]} against {two.ids[at]}")
    if one.candidates != two.candidates:
        pairs = zip(one.candidates, two.candidates, strict=False)
        at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one.candidates), len(two.candidates)))
        return (f"equal token ids, other probabilities from token {at} on", *_candidates(one, two, at))
    if one.text != two.text:
        return ("equal token ids, other text",)
    return ()


def moved_difference(one: Answer, two: Answer) -> float | None:
    """How far the log-probabilities of two answers lie apart that give the same tokens; None when they do not.

    A candidate that one of them does not list may be as near as the last one that it lists.
    """
    if (one.ids, one.text, one.generated) != (two.ids, two.text, two.generated):
        return None
    if len(one.candidates) != len(two.candidates):
        return None
    far = 0.0
    for ours, theirs in zip(one.candidates, two.candidates, strict=True):
        for some, others in ((ours, theirs), (theirs, ours)):
            listed = {each.id: each.logprob for each in others}
            last = min(listed.values(), default=0.0)
            far = max((far, *(abs(each.logprob - listed.get(each.id, last)) for each in some)))
    return far


def _candidates(one: Answer, two: Answer, at: int) -> Iterator[str]:
    for answer in (one, two):
        if at < len(answer.candidates):
            yield "candidates: " + ", ".join(f"{each.id} {each.logprob:.6f}" for each in answer.candidates[at][:3])


def degenerate(arm: ArmObservation, requests: Iterable[str], *, tokens: int, distinct: int) -> tuple[Finding, ...]:
    """The coherence digest: every request is answered, with as many tokens as asked for, by something like text."""
    findings: list[Finding] = []
    for request in requests:
        answers = arm.named(request)
        if not answers:
            findings.append(_degenerate(arm, request, "there is no answer"))
        for answer in answers:
            if why := _not_text(answer, tokens, distinct):
                findings.append(_degenerate(arm, request, why, f"text: {answer.text!r:.160}"))
    return tuple(findings)


def _not_text(answer: Answer, tokens: int, distinct: int) -> str:
    ids = answer.ids
    if not ids:
        return "no token came"
    if len(ids) != tokens or answer.generated != tokens:
        return f"{len(ids)} tokens came where {tokens} were asked for"
    if not answer.text.strip():
        return "the text is empty"
    if "\ufffd" * 4 in answer.text:
        return "the text is not UTF-8"
    if len(set(ids)) < min(distinct, tokens):
        return f"only {len(set(ids))} different tokens in {tokens}, fewer than {distinct}"
    if tokens >= 8 and _longest_run(ids) * 2 > tokens:
        return f"one token comes {_longest_run(ids)} times in a row"
    return ""


def _longest_run(ids: tuple[int, ...]) -> int:
    longest = run = 1
    for before, after in pairwise(ids):
        run = run + 1 if before == after else 1
        longest = max(longest, run)
    return longest


def _degenerate(arm: ArmObservation, request: str, why: str, *notes: str) -> Finding:
    return Diagnostic(
        code="text-degenerate", message=f"arm `{arm.arm}`: the answer to `{request}` is degenerate: {why}", notes=notes
    )
