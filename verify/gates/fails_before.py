"""Fails before, passes after: a named test tells the block from the tree without it.

A test that also passes without the change proves nothing of the change. It is run on the build below the block (or on
the block's own with its switch off) and must fail there; on the block's build it must pass. A test that the tree below
does not have at all fails there only in a weak sense, so that this must be said: `absent_counts`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.exercise import no_such_arm, switch_arms
from verify.gates.kind import Kind, Scope
from verify.gates.own_tests import check_runner, need_of_tests, no_tree, reference_and_own, unsound, unusable_tests
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.test_set import End, Runner, TestSetArm, TestSetObservation, TestSetSettings
from verify.model.verdict import Failed, Outcome, Passed

_CHOOSING = ("model", "model_at", "operators", "cases", "program", "arguments")


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`test` is a test's whole name; for `backend-ops` `operators` choose what is run, for `junit` `program`.

    `model` is put where the test looks for one, `model_at` below the build folder.
    """

    test: str
    runner: Runner
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    switch: str = field(default="", metadata={"refers": "switch"})
    absent_counts: bool = field(default=False, metadata={"about": "a test that is not there before fails before"})
    model: ModelName = field(default=ModelName(""), metadata={"refers": "model"})
    model_at: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    cases: str = field(default="", metadata={"pattern": True, "about": "which cases of the operators"})
    backend: str = "CPU"
    program: str = ""
    arguments: tuple[str, ...] = ()
    threads: int = field(default=1, metadata={"min": 1, "max": 1024})
    seconds: int = field(default=600, metadata={"min": 1, "max": 86400})

    def __post_init__(self) -> None:
        check_runner(self.runner, {name: getattr(self, name) for name in _CHOOSING})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The test on both arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """It fails on the first arm and passes on the second."""
    need = _need(params, case)
    if need is None:
        return unmet(no_such_arm(case, params.switch) if params.switch else no_tree(case))
    if reasons := unusable_tests(need, case):
        return unmet(reasons)
    before, after = case.seen(need, TestSetObservation).arms
    findings = tuple(_after(params, after)) + tuple(_before(params, before))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    how = before.ends().get(params.test, "is not there")
    return Passed(summary=f"`{params.test}`: {how} with `{before.arm}`, passes with `{after.arm}`")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms: tuple[Arm, Arm] | None
    if params.switch:
        arms = switch_arms(case, params.switch, params.configuration)
    else:
        arms = reference_and_own(case, params.configuration)
    if arms is None:
        return None
    settings = TestSetSettings(
        runner=params.runner,
        names=f"^{re.escape(params.test)}$",
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


def _after(params: Params, arm: TestSetArm) -> Iterator[Finding]:
    yield from unsound(arm)
    end = arm.ends().get(params.test)
    if end is not End.PASS:
        why = "; ".join(why for name, why in arm.not_run if name in (params.test, params.program)) or "it is not there"
        said = next((test.said for test in arm.tests if test.name == params.test and test.said), "")
        yield Diagnostic(
            code="test-does-not-pass",
            message=f"`{params.test}` does not pass with `{arm.arm}`: {end or why}",
            notes=(said,) if said else (),
        )


def _before(params: Params, arm: TestSetArm) -> Iterator[Finding]:
    yield from unsound(arm)
    end = arm.ends().get(params.test)
    if end is None and not params.absent_counts:
        yield Diagnostic(
            code="test-not-there-before",
            message=f"`{params.test}` is not there with `{arm.arm}`, so it does not fail there for the change's want",
            help='run it with the switch off (`switch`), or say `"absent_counts": true`',
        )
    elif end is End.PASS:
        yield Diagnostic(
            code="test-passes-before",
            message=f"`{params.test}` passes with `{arm.arm}` as well, so it shows nothing of the change",
        )
    elif end is End.SKIP:
        yield Diagnostic(code="test-skipped-before", message=f"`{params.test}` is skipped with `{arm.arm}`")


KIND = Kind(
    name="fails-before",
    about="a named test fails without the block and passes with it",
    scope=Scope.BLOCK,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
