"""Readers of single values: text, names, ids, dates, people, numbers. Each states its rule once."""

import math
import re
from collections.abc import Collection
from enum import StrEnum
from typing import TypeVar

from verify.manifest.mistakes import did_you_mean, listed
from verify.manifest.node import Form, Scalar
from verify.manifest.value import NAME_RULE, Value, one_of, shorten
from verify.model.block import Person
from verify.model.ids import Sha256, is_name, is_object_id, is_sha256

E = TypeVar("E", bound=StrEnum)

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HEX = re.compile(r"[0-9a-fA-F]+")
_DATE = re.compile(r"@(?:0|[1-9][0-9]{0,10}) [+-](?:0[0-9]|1[0-4])[0-5][0-9]")
_PERSON = re.compile(r"([^<>\s](?:[^<>\n\t]*[^<>\s])?) <([^<>\s@]+@[^<>\s@]+)>")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,3})?")
_SWITCH = re.compile(r"[A-Z][A-Z0-9_]{1,79}")
_NOT_A_SWITCH = re.compile(r"LD_.*|DYLD_.*|PATH|HOME|SHELL|IFS|ENV|BASH_ENV|USER|TMPDIR|LANG|LC_.*|PYTHON.*|GIT_.*")
_NOBODY = {
    "your name",
    "name",
    "author",
    "unknown",
    "nobody",
    "anonymous",
    "root",
    "user",
    "test",
    "john doe",
    "jane doe",
}
_NOWHERE = (
    "localhost",
    "local",
    "localdomain",
    "example",
    "example.com",
    "example.net",
    "example.org",
    "invalid",
    "test",
)


def text(value: Value) -> str:
    """Text that says something, of any number of lines; line ends at its ends are dropped."""
    written = value.written()
    if written is None:
        return ""
    if not written.strip():
        value.wrong("text-empty", f"{value.what} says nothing")
    elif _UNSEEN.search(written):
        value.wrong("control-character", f"{value.what} holds a control character", step="remove the escape")
    return written.strip("\n")


def line(value: Value) -> str:
    """Text of one line without white space at its ends."""
    written = text(value)
    if "\n" in written or "\t" in written:
        value.wrong("not-one-line", f"{value.what} must be one line, without tabs")
    elif written.strip() and written != written.strip():
        value.wrong("outer-space", f"{value.what} has white space at its start or end")
    return written


def setting(value: Value) -> str:
    """One line that may be empty, as the value of a switch or an option may be."""
    if isinstance(value.node, Scalar) and value.node.form is Form.QUOTED and not value.node.text:
        return ""
    return line(value)


def name(value: Value) -> str:
    """A name as blocks, folds, gates, models, configurations and releases have."""
    written = value.written("a name")
    if written is None:
        return ""
    if not is_name(written):
        value.wrong("bad-name", f"{value.what} is not a name: `{shorten(written)}`", notes=(NAME_RULE,))
        return ""
    return written


def switch_name(value: Value) -> str:
    """The name of an environment variable that turns something off."""
    written = value.written("the name of an environment variable")
    if written is None:
        return ""
    if _SWITCH.fullmatch(written) is None:
        value.wrong(
            "bad-switch",
            f"{value.what} cannot name an environment variable: `{shorten(written)}`",
            notes=("expected upper-case letters, digits and `_`, a letter first",),
        )
    elif _NOT_A_SWITCH.fullmatch(written):
        value.wrong(
            "bad-switch",
            f"{value.what} is a variable that the system reads: `{written}`",
            step="give the switch a name with the engine's prefix",
        )
    return written


def sha256(value: Value) -> Sha256:
    """A whole SHA-256 digest."""
    written = value.written("a SHA-256 digest")
    if written is not None and not is_sha256(written):
        value.wrong("bad-sha256", f"{value.what} is not a SHA-256 digest", notes=_hex_notes(written, 64))
    return Sha256(written or "")


def object_id(value: Value) -> str:
    """A whole object id of git."""
    written = value.written("an object id")
    if written is not None and not is_object_id(written):
        value.wrong(
            "bad-object-id",
            f"{value.what} is not a whole object id",
            notes=_hex_notes(written, 40),
            step=f"git rev-parse {written} in the upstream repository gives the whole id" if _is_short(written) else "",
        )
    return written or ""


def _is_short(written: str) -> bool:
    return 4 <= len(written) < 40 and _HEX.fullmatch(written) is not None


def _hex_notes(written: str, digits: int) -> tuple[str, ...]:
    met = (
        f"{len(written)} hexadecimal digits"
        if len(written) > 12 and _HEX.fullmatch(written)
        else f"`{shorten(written)}`"
    )
    if _HEX.fullmatch(written) and written != written.lower():
        met += ", some of them upper-case"
    return (f"expected {digits} lower-case hexadecimal digits, met {met}",)


def date(value: Value) -> str:
    """A date as git takes it without guessing: seconds since 1970 and the zone."""
    written = value.written("a date")
    if written is not None and _DATE.fullmatch(written) is None:
        value.wrong(
            "bad-date",
            f"{value.what} is not a date: `{shorten(written)}`",
            notes=("expected seconds since 1970 and a zone, as in `@1790000000 +0000`",),
            step="git log -1 --format='@%at %ad' --date=format:%z COMMIT prints a commit's",
        )
    return written or ""


def person(value: Value) -> Person:
    """Who made a change: a real name and address, since credit rests on it."""
    written = value.written("a name and an address")
    match = _PERSON.fullmatch(written) if written is not None else None
    if written is None:
        return Person(name="", email="")
    if match is None or _UNSEEN.search(written):
        value.wrong(
            "bad-author",
            f"{value.what} is not a name and an address: `{shorten(written)}`",
            notes=("expected `Name <address>`",),
        )
        return Person(name="", email="")
    who = Person(name=match[1], email=match[2])
    if _is_placeholder(who):
        value.wrong(
            "placeholder-author",
            f"{value.what} is a placeholder, not a person: `{shorten(written)}`",
            step="name who wrote the change, as `git log -1 --format='%an <%ae>'` shows it",
        )
    return who


def is_credit(who: Person) -> bool:
    """Whether `person` would take this name and address."""
    written = f"{who.name} <{who.email}>"
    return _PERSON.fullmatch(written) is not None and not _UNSEEN.search(written) and not _is_placeholder(who)


def _is_placeholder(who: Person) -> bool:
    local, _, domain = who.email.casefold().rpartition("@")
    nowhere = any(domain == word or domain.endswith("." + word) for word in _NOWHERE)
    return nowhere or who.name.casefold() in _NOBODY or (local, domain) == ("you", "domain.com")


def choice(value: Value, among: type[E]) -> E:
    """One of an enumeration's words."""
    words = [member.value for member in among]
    written = one_of(value, words)
    return among(written) if written in words else next(iter(among))


def flag(value: Value) -> bool:
    """True or false, in these words alone."""
    scalar = value.scalar("true or false")
    if scalar is None:
        return False
    if scalar.form is Form.QUOTED or scalar.text not in {"true", "false"}:
        hint = "write true or false without quotes" if scalar.text.casefold() in {"true", "false"} else ""
        value.wrong("wrong-type", f"{value.what} must be true or false, not `{shorten(scalar.text)}`", step=hint)
    return scalar.text == "true"


def integer(value: Value, least: float | None = None, most: float | None = None) -> int:
    """A whole number within bounds."""
    scalar = value.scalar("a whole number")
    if scalar is None:
        return 0
    if scalar.form is Form.QUOTED or _INTEGER.fullmatch(scalar.text) is None:
        value.wrong("wrong-type", f"{value.what} must be a whole number, not `{shorten(scalar.text)}`")
        return 0
    _within(value, int(scalar.text), least, most)
    return int(scalar.text)


def number(value: Value, least: float | None = None, most: float | None = None) -> float:
    """A number within bounds."""
    scalar = value.scalar("a number")
    if scalar is None:
        return 0.0
    met = float(scalar.text) if scalar.form is not Form.QUOTED and _NUMBER.fullmatch(scalar.text) else math.inf
    if not math.isfinite(met):
        value.wrong("wrong-type", f"{value.what} must be a number, not `{shorten(scalar.text)}`")
        return 0.0
    _within(value, met, least, most)
    return met


def _within(value: Value, met: float, least: float | None, most: float | None) -> None:
    low, high = least is not None and met < least, most is not None and met > most
    if low or high:
        bound = f"at least {least}" if low else f"at most {most}"
        value.wrong("out-of-range", f"{value.what} must be {bound}, and is {met}")


def matching(value: Value, rule: re.Pattern[str], *, wanted: str, code: str) -> str:
    """Text of a spelling that `wanted` describes."""
    written = value.written(wanted)
    if written is not None and rule.fullmatch(written) is None:
        value.wrong(code, f"{value.what} is not {wanted}: `{shorten(written)}`")
    return written or ""


def reference(value: Value, known: Collection[str], *, of: str, code: str) -> str:
    """The name of something that is declared elsewhere."""
    written = value.written(f"the name of a {of}")
    if written is not None and written not in known:
        value.wrong(
            code,
            f"{value.what} names no {of}: `{shorten(written)}`",
            notes=listed("declared", known),
            step=did_you_mean(written, known),
        )
    return written or ""


def inner_path(value: Value) -> str:
    """A path inside an archive or wheel: relative, `/`-separated, going nowhere but down."""
    written = line(value)
    parts = written.split("/")
    if written and (written.startswith("/") or "\\" in written or any(part in {"", ".", ".."} for part in parts)):
        value.wrong(
            "unsafe-path",
            f"{value.what} is not a path inside an archive: `{shorten(written)}`",
            notes=("expected components joined by `/`, none of them empty, `.` or `..`",),
        )
    return written


def inner_folder(value: Value) -> str:
    """A folder inside an archive; `.` is its top."""
    return "." if isinstance(value.node, Scalar) and value.node.text == "." else inner_path(value)
