"""Command: a program of the build, run in the sandbox, ends as declared and says what is declared.

The command is run on the reference and on the tip, so that one that fails upstream too is told from one that the stack
broke. Its exit status alone is not believed: at least one count of lines, or output equal to upstream's, must be asked
for. Standard output and standard error are kept apart where outputs are compared.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.gates.kind import Kind, Scope
from verify.gates.own_tests import no_tree, reference_and_own
from verify.model.command import CommandArm, CommandObservation, CommandSettings
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.session import Mark, settings_of
from verify.model.verdict import Failed, Outcome, Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """The first word of `command` is a program of the build, `{model}` in the others the model's file.

    `lines` are `COUNT: PATTERN`: so many lines of both streams together match, `COUNT+` as many or more.
    """

    configuration: ConfigName = field(metadata={"refers": "configuration"})
    command: tuple[str, ...]
    lines: tuple[str, ...] = ()
    status: int = field(default=0, metadata={"min": 0, "max": 255})
    same_output: bool = field(default=False, metadata={"about": "both streams equal upstream's, byte for byte"})
    model: ModelName = field(default=ModelName(""), metadata={"refers": "model"})
    threads: int = field(default=1, metadata={"min": 1, "max": 1024})
    seconds: int = field(default=60, metadata={"min": 1, "max": 86400})

    def __post_init__(self) -> None:
        if "/" in self.command[0]:
            raise ValueError(f"`{self.command[0]}` is no program of the build; name it without folders")
        if any("{model}" in word for word in self.command[1:]) != bool(self.model):
            raise ValueError("`model` and `{model}` among the arguments go together")
        if not self.lines and not self.same_output:
            raise ValueError("an exit status alone shows little; ask for `lines`, or for `same_output`")
        for each in self.lines:
            asked = _read(each)
            if asked is None:
                raise ValueError(f"`{each}` is no count of lines; write `COUNT: PATTERN` or `COUNT+: PATTERN`")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """So many lines must match."""

    least: int
    more: bool
    pattern: str

    def told(self) -> str:
        """In words."""
        return f"{self.least} or more" if self.more else str(self.least)

    def holds(self, count: int) -> bool:
        """Whether this count is what was asked for."""
        return count >= self.least if self.more else count == self.least


def _read(text: str) -> _Lines | None:
    count, colon, pattern = text.partition(": ")
    number = count.removesuffix("+")
    if not (colon and pattern and number.isascii() and number.isdigit()):
        return None
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    return _Lines(least=int(number), more=count.endswith("+"), pattern=pattern)


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The command on both arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """It ends as declared on the last arm, and says what is declared."""
    need = _need(params, case)
    if need is None:
        return unmet(no_tree(case))
    if reasons := _unusable(need, case):
        return unmet(reasons)
    first, last = case.seen(need, CommandObservation).arms
    findings = (*_ended(params, first, last), *_said(params, last), *_equal(params, first, last))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    return Passed(summary=f"`{' '.join(params.command)}` ended with status {last.status}, {last.lines} lines")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = reference_and_own(case, params.configuration)
    if arms is None:
        return None
    asked = [each for each in map(_read, params.lines) if each is not None]
    settings = CommandSettings(
        program=params.command[0],
        arguments=params.command[1:],
        marks=tuple(Mark(name=str(number), pattern=each.pattern) for number, each in enumerate(asked)),
        threads=params.threads,
        seconds=params.seconds,
    )
    return ProbeNeed(probe="command", model=params.model or None, arms=arms, settings=settings_of(settings))


def _unusable(need: ProbeNeed, case: Case) -> tuple[Diagnostic, ...]:
    if reasons := case.missing((need,)):
        return reasons
    seen = case.seen(need, CommandObservation).arms
    if tuple(arm.arm for arm in seen) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    reasons = ()
    for asked, arm in zip(need.arms, seen, strict=True):
        reasons += foreign_libraries(need, asked, arm.loaded, case)
    return reasons


def _ended(params: Params, first: CommandArm, last: CommandArm) -> Iterator[Finding]:
    if last.status != params.status:
        yield Diagnostic(
            code="command-status",
            message=f"arm `{last.arm}`: `{' '.join(params.command)}` ended with status {last.status}, "
            f"expected {params.status}",
            notes=(f"with `{first.arm}`: {first.status}", *(f"| {line}" for line in last.tail)),
        )
    if not last.lines:
        yield Diagnostic(
            code="command-silent", message=f"arm `{last.arm}`: `{' '.join(params.command)}` printed nothing at all"
        )


def _said(params: Params, last: CommandArm) -> Iterator[Finding]:
    counts = dict(last.counts)
    for number, text in enumerate(params.lines):
        asked = _read(text)
        if asked is not None and not asked.holds(counts.get(str(number), 0)):
            yield Diagnostic(
                code="command-lines",
                message=f"arm `{last.arm}`: {counts.get(str(number), 0)} lines match `{asked.pattern}`, "
                f"expected {asked.told()}",
                notes=tuple(f"| {line}" for line in last.tail),
            )


def _equal(params: Params, first: CommandArm, last: CommandArm) -> Iterator[Finding]:
    if not params.same_output:
        return
    for stream, one, two in (("standard output", first.out, last.out), ("standard error", first.err, last.err)):
        if one != two:
            yield Diagnostic(
                code="command-output-differs",
                message=f"`{' '.join(params.command)}`: the {stream} of arms `{first.arm}` and `{last.arm}` differ",
                notes=(f"`{first.arm}`: SHA-256 {one}", f"`{last.arm}`: SHA-256 {two}"),
            )


KIND = Kind(
    name="command",
    about="a program of the build, run in the sandbox, ends and prints as declared",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
