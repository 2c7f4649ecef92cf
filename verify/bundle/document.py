"""The JSON documents of a bundle: one spelling each, read strictly.

A document that could be spelled two ways could be changed without changing what it says, and one that is read
loosely could say two things. So keys are sorted and known, none stands twice, and what was read is printed again and
compared.
"""

import json
from typing import TypeVar

from verify.model.codec import CodecError, from_json, to_json

T = TypeVar("T")

_DEEPEST = 40


def print_document(value: object) -> bytes:
    """A JSON value in its one spelling: sorted keys, two spaces, ASCII, one final line end."""
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def render_document(value: object) -> bytes:
    """A dataclass as a document."""
    return print_document(to_json(value))


def read_document(kind: type[T], data: bytes) -> T:
    """The document that `render_document` made; `CodecError` says what else it is."""
    value = load_document(data)
    if print_document(value) != data:
        raise CodecError("it is not in the one spelling that it has")
    return from_json(kind, value)


def load_document(data: bytes) -> object:
    """Any JSON document, as long as no key stands twice in one object and every number and text is a real one."""
    try:
        text = data.decode("utf-8")
        value: object = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
        _refuse_depth(value)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # refuses half characters
    except CodecError:
        raise
    except (ValueError, RecursionError) as error:
        raise CodecError(f"it is not JSON: {error}") from error
    return value


def _refuse_depth(value: object) -> None:
    """Nesting without end would be met again wherever something recurses."""
    level: list[object] = [value]
    for _ in range(_DEEPEST):
        inner = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list))]
        level = [part for each in inner for part in each]
        if not level:
            return
    raise CodecError(f"it is nested deeper than {_DEEPEST} levels")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise CodecError("a key stands twice in one object")
    return found


def _constant(name: str) -> object:
    raise CodecError(f"{name} is not a number")
