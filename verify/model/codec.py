"""Frozen dataclasses to JSON values and back, by their types alone; strict on reading.

What is read must have exactly the declared fields with exactly the declared types: no missing field is filled in,
no unknown one is dropped, no number stands for text, and not-a-number is refused both ways. A record that does not
read is never used, so leniency here would only hide damage.
"""

import json
import math
import types
import typing
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import TypeVar

T = TypeVar("T")
Reader = Callable[[object, str], object]


class CodecError(ValueError):
    """A JSON value that is not of the declared type; the text says where and what was met."""


def canonical_json(value: object) -> bytes:
    """The one byte form of a JSON value: sorted keys, no spaces, UTF-8, one final newline."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"


def to_json(value: object) -> object:
    """A value made of dataclasses, tuples, enums and scalars as a JSON value."""
    if isinstance(value, Enum):
        return to_json(value.value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CodecError(f"{value} has no JSON form")
        return value
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    raise CodecError(f"a {type(value).__name__} has no JSON form")


def from_json(kind: type[T], value: object) -> T:
    """Read a JSON value as `kind`, a dataclass, and nothing else."""
    result = _reader(typing.cast(Hashable, kind))(value, "$")
    assert isinstance(result, kind)
    return result


def shape_of(kind: object) -> object:
    """How values of a type are written, as a JSON value: field names and types, all the way down.

    Two versions of a type with the same shape read each other's values; part of a key, it keeps a record from being
    asked for by a version that cannot read it.
    """
    kind = _plain(kind)
    arguments = typing.get_args(kind)
    if arguments:
        return [str(typing.get_origin(kind)), *(shape_of(each) for each in arguments)]
    if isinstance(kind, type) and is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return {field.name: shape_of(hints[field.name]) for field in fields(kind)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(member.value) for member in kind]
    return getattr(kind, "__name__", str(kind))


@cache
def _reader(kind: Hashable) -> Reader:
    kind = _plain(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _sequence(_reader(arguments[0]))
    if origin is tuple:
        return _record(tuple(_reader(argument) for argument in arguments))
    if origin in (types.UnionType, typing.Union):
        return _optional(arguments)
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum(kind)
    if kind in (str, int, float, bool):
        return _scalar(kind)
    raise TypeError(f"no codec for {kind!r}")


def _plain(kind: Hashable) -> Hashable:
    """The type behind a NewType."""
    while isinstance(kind, typing.NewType):
        kind = kind.__supertype__
    return kind


def _scalar(kind: object) -> Reader:
    def read(value: object, at: str) -> object:
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
            raise CodecError(f"{at}: expected {getattr(kind, '__name__', kind)}, met {value!r:.80}")
        return value

    return read


def _enum(kind: type[Enum]) -> Reader:
    def read(value: object, at: str) -> object:
        for member in kind:
            if type(member.value) is type(value) and member.value == value:
                return member
        raise CodecError(f"{at}: expected one of {', '.join(str(member.value) for member in kind)}, met {value!r:.80}")

    return read


def _optional(arguments: tuple[object, ...]) -> Reader:
    inner = [argument for argument in arguments if argument is not type(None)]
    if len(inner) != 1 or len(inner) == len(arguments):
        raise TypeError(f"no codec for a union of {arguments!r}")
    reader = _reader(inner[0])
    return lambda value, at: None if value is None else reader(value, at)


def _sequence(item: Reader) -> Reader:
    def read(value: object, at: str) -> object:
        if not isinstance(value, list):
            raise CodecError(f"{at}: expected a list, met {value!r:.80}")
        return tuple(item(part, f"{at}[{index}]") for index, part in enumerate(value))

    return read


def _record(items: tuple[Reader, ...]) -> Reader:
    def read(value: object, at: str) -> object:
        if not isinstance(value, list) or len(value) != len(items):
            raise CodecError(f"{at}: expected a list of {len(items)}, met {value!r:.80}")
        return tuple(item(part, f"{at}[{index}]") for index, (item, part) in enumerate(zip(items, value, strict=True)))

    return read


def _dataclass(kind: type) -> Reader:
    hints = typing.get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}

    def read(value: object, at: str) -> object:
        if not isinstance(value, Mapping):
            raise CodecError(f"{at}: expected an object, met {value!r:.80}")
        missing = readers.keys() - value.keys()
        unknown = value.keys() - readers.keys()
        if missing or unknown:
            raise CodecError(f"{at}: missing {sorted(missing)}, unknown {sorted(map(str, unknown))}")
        return kind(**{name: reader(value[name], f"{at}.{name}") for name, reader in readers.items()})

    return read
