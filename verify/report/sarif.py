"""Findings as SARIF 2.1.0, for code hosts and editors that show them at their lines.

Each diagnostic is a result with its code as the rule, at its place relative to the project. What is about a line of the
engine is placed at the line of the fold's patch that brought it, where a note names that. A finding that an accepted
deviation covers is suppressed, and what could not be decided is `open`: it is neither found nor ruled out.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from verify.model.diagnostic import Diagnostic, Place, Severity
from verify.model.verdict import Failed, GateResult, Undecided, Waived

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "PROJECT"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One diagnostic as a result: which gate it is of, and how that ended (`fail`, `open` or `waived`).

    `declared` is where the gate is declared: there stands what has no place of its own, since code hosts want one.
    """

    found: Diagnostic
    gate: str
    end: str
    why: str = ""
    declared: Place | None = None


def told_by(results: Iterable[GateResult]) -> Iterator[Told]:
    """Everything that gates have to tell, in their order."""
    for result in results:
        gate = f"{result.block}/{result.gate}" if result.block else result.gate
        match result.outcome:
            case Failed(findings=findings, accepted=accepted):
                yield from (Told(found=each, gate=gate, end="fail") for each in findings)
                yield from (Told(found=each, gate=gate, end="waived") for each in accepted)
            case Waived(findings=findings, summary=summary):
                yield from (Told(found=each, gate=gate, end="waived", why=summary) for each in findings)
            case Undecided(reasons=reasons):
                yield from (Told(found=each, gate=gate, end="open") for each in reasons)
            case _:
                pass


def sarif(
    told: Sequence[Told],
    *,
    patches: frozenset[str],
    explained: Mapping[str, str],
    version: str,
    about: Mapping[str, str],
) -> bytes:
    """The log's bytes.

    `patches` are the project's patch files, `explained` what a code means, `about` facts of the whole run.
    """
    codes = list(dict.fromkeys(each.found.code for each in told))
    rules = [_rule(code, explained.get(code, "")) for code in codes]
    run: dict[str, object] = {
        "tool": {"driver": {"name": "stackproof", "semanticVersion": version, "rules": rules}},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the project: where release.json lies"}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, codes.index(each.found.code), patches) for each in told],
        "properties": dict(about),
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    # text that is no Unicode is spelled out, since no JSON reader takes half a surrogate pair
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _rule(code: str, meaning: str) -> dict[str, object]:
    text = meaning or code
    first = re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]
    return {
        "id": code,
        "shortDescription": {"text": first},
        "fullDescription": {"text": text},
        "help": {"text": f"stackproof explain {code}"},
    }


def _result(told: Told, rule: int, patches: frozenset[str]) -> dict[str, object]:
    found = told.found
    near = list(_named(found, patches))
    own = [found.place] if found.place is not None and _in_project(found.place, patches) else []
    places = own or near[:1] or ([told.declared] if told.declared is not None else [])
    related = [place for place in near if place not in places]
    value: dict[str, object] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "kind": "open" if told.end == "open" else "fail",
        "level": "none" if told.end == "open" else _LEVELS[found.severity],
        "message": {"text": _message(found, shown=bool(own))},
        "partialFingerprints": {"stackproof/1": _fingerprint(told)},
        "properties": {"gate": told.gate, "help": found.help},
    }
    if places:
        value["locations"] = [{"physicalLocation": _physical(place)} for place in places]
    if related:
        value["relatedLocations"] = [
            {"id": number, "physicalLocation": _physical(place), "message": {"text": place.label or "named in a note"}}
            for number, place in enumerate(related)
        ]
    if told.end == "waived":
        value["suppressions"] = [{"kind": "external", "justification": told.why or "accepted as a deviation"}]
    return value


def _message(found: Diagnostic, *, shown: bool) -> str:
    lines = [found.message]
    if found.place is not None and not shown:
        lines.append(f"at {':'.join([found.place.file, *([str(found.place.line)] if found.place.line else [])])}")
    lines += found.notes
    if found.help:
        lines.append(f"next step: {found.help}")
    return "\n".join(lines)


def _in_project(place: Place, patches: frozenset[str]) -> bool:
    """Whether a place is a file of the project, and not one of the engine's or of the machine."""
    name = place.file
    return name in patches or name.startswith("blocks/") or name in ("release.json", "WORKLOG.md", "README.md")


def _named(found: Diagnostic, patches: frozenset[str]) -> Iterator[Place]:
    """Places in patch files that the notes name, as `FILE:LINE`."""
    for note in found.notes:
        for word in re.findall(r"\S+?:[0-9]{1,9}(?![0-9])", note):
            file, _, line = word.rpartition(":")
            if file in patches and int(line) > 0:
                yield Place(file=file, line=int(line), label=note)


def _physical(place: Place) -> dict[str, object]:
    value: dict[str, object] = {"artifactLocation": {"uri": quote(place.file, errors="replace"), "uriBaseId": _ROOT}}
    if place.line is not None:
        region: dict[str, object] = {"startLine": place.line}
        if place.column is not None:
            region |= {"startColumn": place.column, "endColumn": place.column + max(place.width, 1)}
        if place.excerpt is not None:
            region["snippet"] = {"text": place.excerpt}
        value["region"] = region
    return value


def _fingerprint(told: Told) -> str:
    """The same for the same finding, wherever its line has moved to."""
    found = told.found
    parts = (told.gate, found.code, found.message, found.place.file if found.place else "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]
