"""What is asked of runs of the engine's own tests, shared by the kinds that judge them; not a gate itself.

A run is believed only when its output adds up: no test twice, nothing unreadable, at least one test, and every chosen
test really run. Whatever falls short is a finding and not a doubt: the engine's tests are part of what is judged.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from verify.gates.case import Case
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, BuildNeed, ProbeNeed
from verify.model.ids import ConfigName, ModelName, TreeId
from verify.model.session import settings_of
from verify.model.test_set import Runner, TestSetArm, TestSetObservation, TestSetSettings

_TAKES = {
    Runner.CTEST: ("names", "labels", "exclude", "model", "model_at"),
    Runner.BACKEND_OPS: ("operators", "cases"),
    Runner.JUNIT: ("program", "arguments"),
}


def check_runner(runner: Runner, given: Mapping[str, str | tuple[str, ...]]) -> None:
    """Raise ValueError where a runner lacks what it needs, or is given what it would pass over in silence."""
    if foreign := [name for name, value in given.items() if value and name not in _TAKES[runner]]:
        raise ValueError(f"`{runner}` does not use `{foreign[0]}`")
    if runner is Runner.BACKEND_OPS and not given["operators"]:
        raise ValueError("`backend-ops` needs `operators`")
    if bool(given["model"]) != bool(given["model_at"]):
        raise ValueError("`model` and `model_at` go together: which model, and where the tests look for one")
    if stray := [place for place in given["model_at"] if not _inside(place)]:
        raise ValueError(f"`{stray[0]}` is no place inside the build folder")
    if runner is Runner.JUNIT and not (given["program"] and any("{out}" in word for word in given["arguments"])):
        raise ValueError("`junit` needs a `program`, and `arguments` with `{out}` for the report's file")


def _inside(place: str) -> bool:
    return not place.startswith("/") and not {"", ".", ".."} & set(place.split("/"))


def reference_and_own(case: Case, configuration: ConfigName) -> tuple[Arm, Arm] | None:
    """Upstream and the tip for a gate of the release; the build below and the block's own for a block's gate."""
    before: TreeId | None
    if case.block is None:
        one, two = "upstream", "tip"
        before, after = case.base_tree, case.tip_tree()
    else:
        one, two = "below", "block"
        before, after = case.below(case.block), case.block_tree(case.block)
    if before is None or after is None:
        return None
    return (
        Arm(name=one, build=BuildNeed(tree=before, configuration=configuration)),
        Arm(name=two, build=BuildNeed(tree=after, configuration=configuration)),
    )


def no_tree(case: Case) -> tuple[Diagnostic, ...]:
    """The reason where there are no arms."""
    message = "there is no tip to run" if case.block is None else f"there is no tree of block `{case.block}` to run"
    return (Diagnostic(code="stack-stuck", message=f"{message}: the stack is stuck"),)


def need_of_tests(arms: tuple[Arm, ...], settings: TestSetSettings, model: ModelName | None = None) -> ProbeNeed:
    """The run of chosen tests on these arms."""
    return ProbeNeed(probe="test-set", model=model, arms=arms, settings=settings_of(settings))


def unusable_tests(need: ProbeNeed, case: Case) -> tuple[Diagnostic, ...]:
    """Why the run cannot be used; empty when it is there, whole, and ran on the builds it names."""
    if reasons := case.missing((need,)):
        return reasons
    seen = case.seen(need, TestSetObservation).arms
    if tuple(arm.arm for arm in seen) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    reasons = ()
    for asked, arm in zip(need.arms, seen, strict=True):
        if arm.tests:
            reasons += foreign_libraries(need, asked, arm.loaded, case)
    return reasons


def unsound(arm: TestSetArm) -> Iterator[Finding]:
    """What keeps an arm's output from being believed."""
    for trouble in arm.trouble:
        yield Diagnostic(code="tests-unreadable", message=f"arm `{arm.arm}`: {trouble}")
    for name, times in Counter(test.name for test in arm.tests).items():
        if times > 1:
            yield Diagnostic(code="test-twice", message=f"arm `{arm.arm}`: `{name}` is there {times} times")


def show_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names as notes, the first of many."""
    most = 20
    more = (f"and {len(names) - most} more",) if len(names) > most else ()
    return (*(name[:200] for name in names[:most]), *more)
