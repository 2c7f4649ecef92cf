"""Changes a list of a block.yaml that is written as JSON, which is YAML too: only the list is written anew.

A list in brackets that is no JSON (bare words, comments) cannot be given items line by line, and is refused. Pure.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Listing, Source, Table
from verify.manifest.syntax import read_yaml
from verify.model.diagnostic import Diagnostic, InputFault, Place

Items = list[dict[str, Any]]


def with_flow_list(text: str, file: str, key: str, change: Callable[[Items], Items]) -> str | None:
    """The text with the list changed; None when it is not written in brackets, so that lines can be changed."""
    root = read_yaml(Source(file, text), Mistakes())
    if not isinstance(root, Table):
        return None
    value = next((entry.value for entry in root.entries if entry.key.text == key), None)
    braced = _at(text, root.spot.line, root.spot.column, "{")
    if isinstance(value, Listing):
        start = _offset(text, value.spot.line, value.spot.column)
        if text[start : start + 1] != "[" or not (braced or value.items):
            return None
        items, end = _decoded(text, start, file, key, value.spot.line)
        return text[:start] + _encoded(change(items), text) + text[end:]
    if not braced:
        return None
    _, end = _decoded(text, _offset(text, root.spot.line, root.spot.column), file, key, root.spot.line)
    kept = text[: end - 1].rstrip()
    newline = "\r\n" if "\r\n" in text else "\n"
    comma = "," if root.entries else ""
    return f'{kept}{comma}{newline}  "{key}": {_encoded(change([]), text)}{newline}{text[end - 1 :]}'


def changed_item(item: Mapping[str, Any], fields: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, Any]:
    """An item with these fields, empty ones left out; what else it says stays unless it is among the known."""
    kept = {name: value for name, value in item.items() if name in fields or name not in known}
    return {name: value for name, value in {**kept, **fields}.items() if value or name not in fields}


def _decoded(text: str, start: int, file: str, key: str, line: int) -> tuple[Any, int]:
    try:
        found: tuple[Any, int] = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        raise InputFault(
            Diagnostic(
                code="list-inline",
                message=f"`{key}` stands in brackets and is no JSON, so it cannot be changed in place",
                place=Place(file=file, line=line),
                notes=("expected JSON, or one item a line, each behind a `-`", "nothing was written"),
                help=f"write `{key}` of {file} as a list of lines",
            )
        ) from None
    return found


def _encoded(items: Items, text: str) -> str:
    written = json.dumps(items, indent=2, ensure_ascii=False).replace("\n", "\n  ")
    # A reader of YAML takes no bare control character, and no pair of surrogates for one character.
    escaped = "".join(
        each if each == "\n" or each.isprintable() or ord(each) > 0xFFFF else f"\\u{ord(each):04x}" for each in written
    )
    return escaped.replace("\n", "\r\n") if "\r\n" in text else escaped


def _offset(text: str, line: int, column: int) -> int:
    return sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1


def _at(text: str, line: int, column: int, mark: str) -> bool:
    start = _offset(text, line, column)
    return text[start : start + 1] == mark
