"""Gates: the fields that every gate has, and a kind's own parameters read from its `Params` dataclass.

The parameters' types and metadata say all that is needed, so a new kind of gate needs no reader. `refers` in the
metadata (or a type that is a name of something) asks for the name of a declared thing.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from enum import StrEnum
from typing import Any, get_args, get_origin, get_type_hints

from verify.gates.kind import AnyKind, Scope
from verify.manifest.scalars import choice, flag, integer, name, number, reference, setting, switch_name, text
from verify.manifest.value import Fields, Value
from verify.model.gate import GateDecl, Outlived
from verify.model.ids import BlockName, ConfigName, GateName, ModelName

NAMES_OF = {ModelName: "model", ConfigName: "configuration", BlockName: "block"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What is declared, for references to it."""

    models: tuple[str, ...]
    configurations: tuple[str, ...]
    switches: tuple[str, ...]
    blocks: tuple[str, ...]
    hardware: tuple[str, ...] = ()

    def of(self, what: str) -> Collection[str]:
        """The names of one sort, in `refers`' words."""
        return {
            "model": self.models,
            "configuration": self.configurations,
            "switch": self.switches,
            "block": self.blocks,
        }[what]


def read_gate(
    gate: str, value: Value, *, block: BlockName | None, names: Names, kinds: Mapping[str, AnyKind]
) -> GateDecl:
    """One declared gate; a kind that is not known has no parameters that could be checked."""
    asked = value.fields()
    kind_name = asked.get("kind", lambda field: reference(field, kinds, of="gate kind", code="unknown-kind"))
    required = asked.optional("required", flag, True)
    hardware = asked.optional(
        "hardware", lambda field: reference(field, names.hardware, of="hardware", code="unknown-hardware"), ""
    )
    outlived = asked.optional("outlives", lambda field: _outlived(field, names), None) if block is None else None
    kind = kinds.get(kind_name)
    params: object = None
    if kind is not None:
        _check_scope(value, kind, block, outlived)
        own = replace(names, switches=(outlived.switch,)) if outlived and outlived.switch else names
        params = _read_params(asked, kind, own)
        asked.close()
    return GateDecl(
        name=GateName(gate),
        kind=kind_name,
        required=required,
        block=block,
        params=params,
        place=value.key_place(),
        hardware=hardware,
        outlived=outlived,
    )


def _outlived(value: Value, names: Names) -> Outlived:
    """The block that is gone and whose gate stays; its switch need not be declared by anybody any more."""
    fields = value.fields(of="`outlives`")
    gone = fields.get("block", name)
    switch = fields.optional("switch", switch_name, "")
    off = fields.get("off", setting) if switch else fields.optional("off", setting, "")
    fields.close()
    if gone in names.blocks:
        value.wrong(
            "gate-outlives-nothing",
            f"block `{gone}` is not gone",
            notes=("`outlives` is for a gate of release.json whose block upstream took",),
            step="declare the gate without `outlives` in the block's block.yaml",
        )
    return Outlived(block=BlockName(gone), switch=switch, off=off)


def _check_scope(value: Value, kind: AnyKind, block: BlockName | None, outlived: Outlived | None) -> None:
    if kind.scope is Scope.RELEASE and block is not None:
        value.wrong(
            "gate-scope",
            f"{value.what} is of the kind `{kind.name}`, which judges the whole release",
            step="move it to `gates` in release.json",
        )
    if kind.scope is Scope.BLOCK and block is None and outlived is None:
        value.wrong(
            "gate-scope",
            f"{value.what} is of the kind `{kind.name}`, which judges one block",
            step="move it to `gates` in that block's block.yaml; where upstream took the block, say so by `outlives`",
        )


def _read_params(asked: Fields, kind: AnyKind, names: Names) -> object:
    hints = get_type_hints(kind.params)
    found: dict[str, object] = {}
    before = len(asked.value.mistakes)
    for field in fields(kind.params):
        reader = _reader(hints[field.name], field, names)
        if field.default is MISSING and field.default_factory is MISSING:
            found[field.name] = asked.get(field.name, reader)
        else:
            given = asked.optional(field.name, reader, None)
            if given is not None:
                found[field.name] = given
    try:
        return kind.params(**found)
    except ValueError as problem:
        # Stand-ins may break a rule of the dataclass; then the mistake behind them is already told.
        if before == len(asked.value.mistakes):
            asked.value.wrong("gate-params", f"{asked.value.what}: {problem}")
        return None


def _reader(hint: Any, field: "Field[Any]", names: Names) -> Callable[[Value], object]:
    """The reader of a parameter's type; a type that is not foreseen is our defect."""
    low, high = field.metadata.get("min"), field.metadata.get("max")
    if get_origin(hint) is tuple:
        item = _reader(get_args(hint)[0], field, names)
        least = 1 if field.default is MISSING and field.default_factory is MISSING else 0
        return lambda value: value.listing(item, of="item", least=least)
    refers = field.metadata.get("refers") or NAMES_OF.get(hint)
    if refers is not None:
        return lambda value: reference(value, names.of(refers), of=refers, code=f"unknown-{refers}")
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return lambda value: choice(value, hint)
    if hint is bool:
        return flag
    if hint is int:
        return lambda value: integer(value, low, high)
    if hint is float:
        return lambda value: number(value, low, high)
    if getattr(hint, "__supertype__", hint) is not str:
        raise TypeError(f"a gate parameter cannot be a {hint}")
    return _pattern if field.metadata.get("pattern") else text


def _pattern(value: Value) -> str:
    """A regular expression that the engine's log lines are held against."""
    written = text(value)
    try:
        re.compile(written)
    except (re.error, RecursionError, OverflowError) as problem:
        value.wrong("bad-pattern", f"{value.what} is not a regular expression: {problem}")
    return written
