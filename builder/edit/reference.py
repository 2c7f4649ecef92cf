"""Puts values into the text of release.json and leaves every other byte as the author wrote it. Pure."""

import json
import re

from verify.model.release import Reference

_SPACE = re.compile(r"[ \t\r\n]*")
_FIRST_KEY = re.compile(r"\{[ \t\r]*\n([ \t]+)\"")


def with_reference(text: str, reference: Reference) -> str:
    """The text with this reference; it was read before, so it is one sound JSON object."""
    values = {
        "base_tree": reference.base_tree,
        "tip_tree": reference.tip_tree,
        "tip_commit": reference.tip_commit,
    }
    return with_value(text, "reference", values)


def with_value(text: str, key: str, value: object) -> str:
    """The text with this value of a key of the outermost object, which is added at the end when it is missing."""
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = found[1] if (found := _FIRST_KEY.search(text)) else "  "
    spelled = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline + indent)
    start, end, last = _find(text, key)
    if start is None:
        return f'{text[:last]},{newline}{indent}"{key}": {spelled}{text[last:]}'
    return text[:start] + spelled + text[end:]


def value_of(text: str, key: str) -> object:
    """The value of a key of the outermost object; None when it is missing."""
    start, _, _ = _find(text, key)
    return None if start is None else json.JSONDecoder().raw_decode(text, start)[0]


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
