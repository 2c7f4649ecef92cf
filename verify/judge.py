"""Every gate to its end, and all ends to the verdict; the only maker of `Holds`.

Takes the release and its case; measures nothing. A gate sees only the evidence that it asked for, and the digests of
that evidence are kept with its result. Any required gate failed: the release does not hold. Else any required one
undecided: nobody can say. A list without a required gate holds nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from verify.gates.battery import gates_of
from verify.gates.case import Case
from verify.gates.kind import AnyKind
from verify.gates.kinds import KINDS
from verify.model.diagnostic import Diagnostic, ExitCode, Place
from verify.model.evidence import AbiNeed, BuildNeed, Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.ids import GateName, Sha256
from verify.model.release import Release
from verify.model.stack import Stack
from verify.model.verdict import (
    CannotJudge,
    Deferred,
    DoesNotHold,
    Failed,
    GateResult,
    Holds,
    JudgeToken,
    Passed,
    Subject,
    Undecided,
    Verdict,
    Waived,
    verdict_digest,
)


def judge(*, release: Release, case: Case, kinds: Mapping[str, AnyKind] = KINDS) -> Verdict:
    """Rule on every gate that applies and give the verdict for this very release."""
    if case.release is not release and case.release != release:
        raise ValueError("the case is another release's")
    results = tuple(rule(gate, case, kinds) for gate in gates_of(release, kinds))
    if not any(gate.required for gate in release.all_gates()):
        results += (_no_gates(),)
    subject = subject_of(case)
    match exit_code(results):
        case ExitCode.HOLDS:
            return Holds(subject=subject, results=results, token=JudgeToken(verdict_digest(subject, results)))
        case ExitCode.DOES_NOT_HOLD:
            return DoesNotHold(subject=subject, results=results)
        case _:
            return CannotJudge(subject=subject, results=results)


def rule(gate: GateDecl, case: Case, kinds: Mapping[str, AnyKind] = KINDS) -> GateResult:
    """One gate's end, on the evidence that it asks for and no other."""
    kind = kinds[gate.kind]
    if type(gate.params) is not kind.params:
        raise TypeError(f"gate `{gate.name}` of kind `{gate.kind}` has parameters of another kind")
    view = case.of(gate)
    needs = kind.needs(gate.params, view)
    return GateResult(
        gate=gate.name,
        kind=gate.kind,
        block=gate.block,
        required=gate.required,
        outcome=kind.check(gate.params, _narrowed(view, needs)),
        evidence=_used(view, needs),
    )


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
    found = [case.builds[need].key for need in _builds(needs) if need in case.builds]
    found += [case.probes[need].key for need in needs if isinstance(need, ProbeNeed) and need in case.probes]
    found += [case.abi[need].key for need in needs if isinstance(need, AbiNeed) and need in case.abi]
    return tuple(dict.fromkeys(found))


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
