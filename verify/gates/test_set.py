"""Test set: the engine's own tests pass, fail and are skipped as they are upstream at the same base.

Never a count alone: each test by name. One that vanished is a finding, also when all that are left pass; so is one
that was skipped instead of run. New tests may come with a block where the gate says so, and must pass. Without any
test, or with fewer passing than `minimum`, nothing was shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.gates.own_tests import (
    check_runner,
    need_of_tests,
    no_tree,
    reference_and_own,
    show_names,
    unsound,
    unusable_tests,
)
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.test_set import End, Runner, TestSetArm, TestSetObservation, TestSetSettings
from verify.model.verdict import Failed, Outcome, Passed

_CHOOSING = ("names", "labels", "exclude", "model", "model_at", "operators", "cases", "program", "arguments")


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Which tests: `names` and `labels` for `ctest`, `operators` for `backend-ops`, `program` for `junit`.

    `model_at` are places below the build folder where tests look for a model; `model` is put there. `exclude` leaves
    tests out, each as `NAME: reason`. `may_bring` are patterns of names that only the second arm has.
    """

    runner: Runner
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    minimum: int = field(metadata={"min": 1, "max": 1000000, "about": "so many must pass"})
    names: str = field(default="", metadata={"pattern": True, "about": "every name matches the empty one"})
    labels: tuple[str, ...] = ()
    exclude: tuple[str, ...] = field(default=(), metadata={"about": "`NAME: reason` of each"})
    model: ModelName = field(default=ModelName(""), metadata={"refers": "model"})
    model_at: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    cases: str = field(default="", metadata={"pattern": True, "about": "which cases of the operators"})
    backend: str = "CPU"
    program: str = ""
    arguments: tuple[str, ...] = ()
    may_bring: tuple[str, ...] = ()
    threads: int = field(default=1, metadata={"min": 1, "max": 1024})
    seconds: int = field(default=600, metadata={"min": 1, "max": 86400})

    def __post_init__(self) -> None:
        if without := [each for each in self.exclude if not all(part.strip() for part in _split(each))]:
            raise ValueError(f"`{without[0]}` is left out without a reason; write `NAME: reason`")
        check_runner(self.runner, {name: getattr(self, name) for name in _CHOOSING})

    def excluded(self) -> tuple[str, ...]:
        """The names that are left out."""
        return tuple(_split(each)[0].strip() for each in self.exclude)


def _split(text: str) -> tuple[str, str]:
    name, _, reason = text.partition(": ")
    return name, reason


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The run on both arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """The same tests, with the same ends."""
    need = _need(params, case)
    if need is None:
        return unmet(no_tree(case))
    if reasons := unusable_tests(need, case):
        return unmet(reasons)
    reference, own = case.seen(need, TestSetObservation).arms
    findings = (
        *unsound(reference),
        *unsound(own),
        *_run(params, own),
        *_vanished(reference, own),
        *_changed(reference, own),
        *_new(params, reference, own),
    )
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    ends = list(own.ends().values())
    counts = ", ".join(f"{ends.count(end)} {end}" for end in End if end in ends)
    return Passed(summary=f"{len(ends)} tests as with `{reference.arm}`: {counts}")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = reference_and_own(case, params.configuration)
    if arms is None:
        return None
    settings = TestSetSettings(
        runner=params.runner,
        names=params.names,
        labels=params.labels,
        exclude=params.excluded(),
        model_at=params.model_at,
        operators=params.operators,
        cases=params.cases,
        backend=params.backend,
        program=params.program,
        arguments=params.arguments,
        threads=params.threads,
        seconds=params.seconds,
    )
    return need_of_tests(arms, settings, params.model or None)


def _run(params: Params, arm: TestSetArm) -> Iterator[Finding]:
    for name, why in arm.not_run:
        yield Diagnostic(
            code="test-not-run",
            message=f"arm `{arm.arm}`: `{name}` was chosen and cannot be run: {why}",
            help=f'build its program, or leave it out with the reason: "exclude": ["{name}: {why}"]',
        )
    if not arm.tests:
        yield Diagnostic(
            code="no-cases",
            message=f"arm `{arm.arm}`: not one test was run (exit status {arm.status})",
            help="choose tests that there are",
        )
        return
    passed = sum(test.end is End.PASS for test in arm.tests)
    if passed < params.minimum:
        yield Diagnostic(
            code="too-few-tests",
            message=f"arm `{arm.arm}`: {passed} tests pass, {params.minimum} are the least",
            notes=show_names(tuple(f"{test.name}: {test.end}" for test in arm.tests if test.end is not End.PASS)),
        )


def _vanished(reference: TestSetArm, own: TestSetArm) -> Iterator[Finding]:
    gone = tuple(name for name in reference.ends() if name not in own.ends())
    if gone:
        yield Diagnostic(
            code="tests-vanished",
            message=f"{len(gone)} tests of arm `{reference.arm}` are not there with `{own.arm}`: `{gone[0][:200]}`",
            notes=show_names(gone),
        )


def _changed(reference: TestSetArm, own: TestSetArm) -> Iterator[Finding]:
    said = {test.name: test.said for test in own.tests}
    now = own.ends()
    for name, end in reference.ends().items():
        if name in now and now[name] is not end:
            yield Diagnostic(
                code="test-end-differs",
                message=f"`{name[:200]}`: {end} with `{reference.arm}`, {now[name]} with `{own.arm}`",
                notes=(said[name],) if said[name] else (),
            )


def _new(params: Params, reference: TestSetArm, own: TestSetArm) -> Iterator[Finding]:
    for name, end in own.ends().items():
        if name in reference.ends():
            continue
        if not any(fnmatchcase(name, pattern) for pattern in params.may_bring):
            yield Diagnostic(
                code="test-not-declared",
                message=f"`{name[:200]}` is new with `{own.arm}`",
                help="say so in the gate's `may_bring`",
            )
        elif end is not End.PASS:
            yield Diagnostic(code="new-test-fails", message=f"`{name[:200]}` is new and does not pass: {end}")


KIND = Kind(
    name="test-set",
    about="the engine's own tests end as upstream's at the same base, each by name, and none vanished",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
