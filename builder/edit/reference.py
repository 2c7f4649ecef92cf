"""Puts a new reference into the text of release.json and leaves every other byte as the author wrote it. Pure."""

import json
import re

from verify.model.release import Reference

_SPACE = re.compile(r"[ \t\r\n]*")
_FIRST_KEY = re.compile(r"\{[ \t\r]*\n([ \t]+)\"")


def with_reference(text: str, reference: Reference) -> str:
    """The text with this reference; it was read before, so it is one sound JSON object."""
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = found[1] if (found := _FIRST_KEY.search(text)) else "  "
    values = {
        "base_tree": reference.base_tree,
        "tip_tree": reference.tip_tree,
        "tip_commit": reference.tip_commit,
    }
    inner = f",{newline}".join(f'{indent}{indent}"{key}": "{value}"' for key, value in values.items())
    value = f"{{{newline}{inner}{newline}{indent}}}"
    start, end, last = _find(text, "reference")
    if start is None:
        return f'{text[:last]},{newline}{indent}"reference": {value}{text[last:]}'
    return text[:start] + value + text[end:]


def _find(text: str, wanted: str) -> tuple[int | None, int, int]:
    """Where the value of a key of the outermost object starts and ends, and where the last value ends."""
    decoder = json.JSONDecoder()
    at = _skip(text, 0) + 1
    start, end, last = None, 0, at
    while text[_skip(text, at)] != "}":
        key, at = decoder.raw_decode(text, _skip(text, at))
        value_at = _skip(text, _skip(text, at) + 1)
        _, last = decoder.raw_decode(text, value_at)
        if key == wanted:
            start, end = value_at, last
        at = _skip(text, last)
        if text[at] == ",":
            at += 1
    return start, end, last


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
