"""blocks/deviations.yaml: the register of accepted deviations to the model; the file need not be there.

Numbers run from 1 without a gap over `accepted` and `ended`, up to `last`, so that none can be taken out of the
register or given twice unseen. A deviation without a scope would waive a whole gate and is refused.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from verify.manifest.mistakes import listed
from verify.manifest.scalars import choice, integer, line, name, object_id, person, reference, text
from verify.manifest.value import Value, shorten
from verify.model.deviation import Deviation, EndedDeviation, Trigger, Until
from verify.model.ids import GateName

SCHEMA = "stackproof/deviations/1"

CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
DAY = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")
_MOST = 9999


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """The whole register."""

    accepted: tuple[Deviation, ...] = ()
    ended: tuple[EndedDeviation, ...] = ()


def read_register(value: Value, *, gates: Mapping[str, bool]) -> Register:
    """The register; `gates` are the gates that there are, and whether a finding of theirs may be waived."""
    fields = value.document(of="the register of deviations", schema=SCHEMA)
    last = fields.get("last", lambda field: integer(field, 0, _MOST))
    accepted = fields.optional(
        "accepted", lambda items: items.listing(lambda item: _accepted(item, gates), of="deviation", distinct=False), ()
    )
    ended = fields.optional("ended", lambda items: items.listing(_ended, of="ended deviation", distinct=False), ())
    fields.close()
    _check_numbers(
        (*((each.number, at) for each, at in accepted), *((each.number, at) for each, at in ended)), last, value
    )
    return Register(accepted=tuple(each for each, _ in accepted), ended=tuple(each for each, _ in ended))


def _accepted(value: Value, gates: Mapping[str, bool]) -> tuple[Deviation, Value]:
    fields = value.fields()
    at = fields.get("number", lambda field: field)
    deviation = Deviation(
        number=integer(at, 1, _MOST),
        gate=GateName(fields.get("gate", lambda field: _gate(field, gates))),
        finding=fields.optional("finding", _code, ""),
        names=fields.optional("names", lambda words: words.listing(line, of="name"), ()),
        reason=fields.get("reason", text),
        evidence=fields.get("evidence", lambda items: items.listing(text, of="piece of evidence", least=1)),
        owner=fields.get("owner", person),
        since=fields.get("since", _day),
        until=fields.get("until", _until),
    )
    fields.close()
    if not value.is_blind() and not (deviation.finding and deviation.names):
        lacking = "neither a code nor a name" if not deviation.finding and not deviation.names else ""
        value.wrong(
            "deviation-too-wide",
            f"{value.what} gives {lacking or ('no `finding`' if not deviation.finding else 'no `names`')}, "
            f"so it would cover findings that nobody has seen",
            notes=(
                "a deviation covers findings of one code that name all of `names`: a path, a prompt, a model, a case",
            ),
            step="give the finding's code as `finding`, and what it names as `names`",
        )
    return deviation, at


def _gate(value: Value, gates: Mapping[str, bool]) -> str:
    named = reference(value, gates, of="gate", code="unknown-gate")
    if not gates.get(named, True):
        value.wrong(
            "deviation-not-waivable",
            f"{value.what}: what gate `{named}` finds cannot be accepted",
            notes=("it says whether the release is what it promises to be, and a seal would refuse it all the same",),
            step="correct what it finds; `stackproof pin` records trees that are meant to differ",
        )
    return named


def _code(value: Value) -> str:
    written = value.written("a diagnostic code") or ""
    if written and CODE.fullmatch(written) is None:
        value.wrong("bad-name", f"{value.what} is not a diagnostic code: `{shorten(written)}`")
    return written


def _day(value: Value) -> str:
    written = value.written("a day")
    if written is not None and DAY.fullmatch(written) is None:
        value.wrong("bad-day", f"{value.what} is not a day: `{shorten(written)}`", notes=("expected YYYY-MM-DD",))
        return ""
    return written or ""


def _until(value: Value) -> Until:
    fields = value.fields(of="`until`")
    trigger = fields.get("trigger", lambda word: choice(word, Trigger))
    match trigger:
        case Trigger.RELEASE:
            ends = fields.get("release", name)
        case Trigger.BASE:
            ends = fields.get("tree", object_id)
        case Trigger.UPSTREAM:
            ends = fields.get("commit", object_id)
        case Trigger.DATE:
            ends = fields.get("day", _day)
        case Trigger.PASSES:
            ends = ""
    fields.close()
    return Until(trigger=trigger, value=ends)


def _ended(value: Value) -> tuple[EndedDeviation, Value]:
    fields = value.fields()
    at = fields.get("number", lambda field: field)
    # The gate may be gone with its block, so its name is not looked up.
    ended = EndedDeviation(
        number=integer(at, 1, _MOST), gate=GateName(fields.get("gate", name)), ended=fields.get("ended", text)
    )
    fields.close()
    return ended, at


def _check_numbers(numbers: Collection[tuple[int, Value]], last: int, value: Value) -> None:
    seen: dict[int, Value] = {}
    for number, at in numbers:
        first = seen.setdefault(number, at)
        if number and first is not at:
            at.wrong(
                "deviation-number-reused",
                f"the number {number} was given before",
                notes=(f"first given at {first.source.file}:{first.node.spot.line}",),
                step=f"give the later one the number {max(last, *seen) + 1}, and write that as `last`",
            )
    missing = [str(number) for number in range(1, last + 1) if number not in seen]
    beyond = [number for number in seen if number > last]
    if beyond and not value.is_blind():
        value.wrong(
            "deviation-numbers",
            f"`last` is {last}, and the number {max(beyond)} is given",
            step=f"write `last: {max(beyond)}`",
        )
    if missing and not value.is_blind():
        value.wrong(
            "deviation-numbers",
            f"the register does not say what became of {'a number' if len(missing) == 1 else 'some numbers'}",
            notes=listed("missing", missing),
            step="keep every number: what is over goes to `ended`, with what ended it",
        )
