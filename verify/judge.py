"""Every gate to its end, and all ends to the verdict; the only maker of `Holds`.

Takes the release and its case; measures nothing. A gate sees only the evidence that it asked for, and the digests of
that evidence are kept with its result. Any required gate failed: the release does not hold. Else any required one
undecided: nobody can say. A list without a required gate holds nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from verify.gates.battery import gates_of
from verify.gates.case import Case, Recorded
from verify.gates.kind import AnyKind
from verify.gates.kinds import KINDS
from verify.model.diagnostic import Diagnostic, ExitCode, Place
from verify.model.evidence import AbiNeed, BuildNeed, Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.ids import GateName, Sha256
from verify.model.release import Release
from verify.model.stack import Stack
from verify.model.trust import role_of
from verify.model.verdict import (
    CannotJudge,
    Deferred,
    DoesNotHold,
    Failed,
    GateResult,
    Holds,
    JudgeToken,
    Outcome,
    Passed,
    Subject,
    Undecided,
    Verdict,
    Waived,
    verdict_digest,
)
from verify.model.wording import count
from verify.waive import met_by, not_met, numbers_of, waived


def judge(*, release: Release, case: Case, kinds: Mapping[str, AnyKind] = KINDS) -> Verdict:
    """Rule on every gate that applies and give the verdict for this very release."""
    if case.release is not release and case.release != release:
        raise ValueError("the case is another release's")
    results = rulings(release, case, kinds)
    subject = subject_of(case)
    match exit_code(results):
        case ExitCode.HOLDS:
            return Holds(subject=subject, results=results, token=JudgeToken(verdict_digest(subject, results)))
        case ExitCode.DOES_NOT_HOLD:
            return DoesNotHold(subject=subject, results=results)
        case _:
            return CannotJudge(subject=subject, results=results)


def rulings(release: Release, case: Case, kinds: Mapping[str, AnyKind] = KINDS) -> tuple[GateResult, ...]:
    """Every gate's end, and that of what only all of them together can tell."""
    results = tuple(rule(gate, case, kinds) for gate in gates_of(release, kinds))
    results += _register(release, results)
    if not any(gate.required for gate in release.all_gates()):
        results += (_no_gates(),)
    return results


def rule(gate: GateDecl, case: Case, kinds: Mapping[str, AnyKind] = KINDS) -> GateResult:
    """One gate's end, on the evidence that it asks for and no other."""
    kind = kinds[gate.kind]
    if type(gate.params) is not kind.params:
        raise TypeError(f"gate `{gate.name}` of kind `{gate.kind}` has parameters of another kind")
    view = case.of(gate)
    needs = kind.needs(gate.params, view)
    seen = _narrowed(view, needs)
    outcome = _deferred(gate, seen, needs) or _uncounted(seen, needs) or kind.check(gate.params, seen)
    if kind.waivable:
        outcome = waived(gate.name, outcome, case.release.deviations, case.release.standing(case.base_tree))
    return GateResult(
        gate=gate.name,
        kind=gate.kind,
        block=gate.block,
        required=gate.required,
        outcome=outcome,
        evidence=_used(view, needs),
    )


def _deferred(gate: GateDecl, case: Case, needs: tuple[Need, ...]) -> Deferred | None:
    """A gate that needs other hardware waits for evidence from there; None where there is some, or it failed here."""
    if not gate.hardware:
        return None
    wanted = (*needs, *_builds(needs))
    if not _unmet(case, wanted) or any(case.faults.get(need) for need in wanted):
        return None
    about = next((each.about for each in case.release.hardware if each.name == gate.hardware), "")
    return Deferred(summary=f"to be measured on `{gate.hardware}`: {about}", hardware=gate.hardware)


def _uncounted(case: Case, needs: tuple[Need, ...]) -> Undecided | None:
    """Measurements by those whose figures are claims here: nothing is decided on them."""
    counts = case.release.policy.counts
    reasons = tuple(
        Diagnostic(
            code="evidence-not-counted",
            message=f"evidence {record.key} was made by `{record.made_by}`, whose measurements are claims here",
            notes=(f"roles that count: {', '.join(f'`{role}`' for role in counts)}",),
            help="measure it as one of these, or import it signed by one of these: stackproof evidence import --help",
        )
        for record in _records(case, needs)
        if role_of(record.made_by) not in counts
    )
    return Undecided(summary=reasons[0].message, reasons=reasons) if reasons else None


def _unmet(case: Case, needs: tuple[Need, ...]) -> bool:
    return any(need not in case.builds and need not in case.probes and need not in case.abi for need in needs)


def exit_code(results: tuple[GateResult, ...]) -> ExitCode:
    """What required gates say together; no required gate at all is no judgement."""
    said = ExitCode.HOLDS if any(result.required for result in results) else ExitCode.CANNOT_JUDGE
    for result in results:
        if not result.required:
            continue
        match result.outcome:
            case Passed() | Waived() | Deferred():
                pass
            case Failed():
                return ExitCode.DOES_NOT_HOLD
            case Undecided():
                said = ExitCode.CANNOT_JUDGE
            case _:
                assert_never(result.outcome)
    return said


def subject_of(case: Case) -> Subject:
    """What a verdict on this case is about."""
    stack = case.stack if isinstance(case.stack, Stack) else None
    return Subject(
        release=case.release.name,
        digest=case.release.digest,
        base_tree=case.base_tree,
        tip_tree=stack.tip_tree() if stack else None,
        tip_commit=stack.tip_commit() if stack else None,
    )


def _narrowed(case: Case, needs: tuple[Need, ...]) -> Case:
    """The case with nothing but what was asked for: the needs, and the builds that their arms ran on."""
    builds = _builds(needs)
    return replace(
        case,
        builds={need: case.builds[need] for need in builds if need in case.builds},
        probes={need: case.probes[need] for need in needs if isinstance(need, ProbeNeed) and need in case.probes},
        abi={need: case.abi[need] for need in needs if isinstance(need, AbiNeed) and need in case.abi},
    )


def _used(case: Case, needs: tuple[Need, ...]) -> tuple[Sha256, ...]:
    """The digests of the evidence that was there for the needs and their arms' builds, in the order of asking."""
    return tuple(dict.fromkeys(record.key for record in _records(case, needs)))


def _records(case: Case, needs: tuple[Need, ...]) -> Iterator[Recorded[object]]:
    yield from (case.builds[need] for need in _builds(needs) if need in case.builds)
    yield from (case.probes[need] for need in needs if isinstance(need, ProbeNeed) and need in case.probes)
    yield from (case.abi[need] for need in needs if isinstance(need, AbiNeed) and need in case.abi)


def _builds(needs: tuple[Need, ...]) -> tuple[BuildNeed, ...]:
    builds: dict[BuildNeed, None] = {}
    for need in needs:
        match need:
            case BuildNeed():
                builds[need] = None
            case ProbeNeed(arms=arms):
                builds.update(dict.fromkeys(arm.build for arm in arms))
            case AbiNeed(below=below, build=build):
                builds.update(dict.fromkeys((below, build)))
    return tuple(builds)


def _register(release: Release, results: tuple[GateResult, ...]) -> tuple[GateResult, ...]:
    """Whether every accepted deviation was met: one that was not is over, and stays in the register as ended."""
    if not release.deviations:
        return ()
    outcome: Outcome
    if findings := not_met(release.deviations, results):
        outcome = Failed(summary=findings[0].message, findings=findings)
    else:
        undecided = [each for each in release.deviations if met_by(each, results) is None]
        rest = f"; undecided: {numbers_of(undecided)}" if undecided else ""
        outcome = Passed(summary=f"{count(len(release.deviations), 'deviation')}, none of them needless{rest}")
    return (
        GateResult(
            gate=GateName("deviations-met"),
            kind="deviations-met",
            block=None,
            required=True,
            outcome=outcome,
            evidence=(),
        ),
    )


def _no_gates() -> GateResult:
    reason = Diagnostic(
        code="no-required-gates",
        message="the release declares no required gate, and an empty list holds nothing",
        place=Place(file="release.json"),
        help="declare at least one gate under `gates` in release.json",
    )
    return GateResult(
        gate=GateName("declared-gates"),
        kind="declared-gates",
        block=None,
        required=True,
        outcome=Undecided(summary=reason.message, reasons=(reason,)),
        evidence=(),
    )
