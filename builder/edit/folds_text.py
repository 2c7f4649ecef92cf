"""Changes the lists of a block.yaml in place: what does not change keeps its bytes, comments and order.

The author's file stays the author's. Every other line of it is untouched; within the section an unchanged fold keeps
its lines, a changed one gets new lines for the fields that changed, and only a new one is written out. Where each
fold and field stands is told by the positions of the reader. Pure.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from builder.edit.flow_text import Items, changed_item, with_flow_list
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Entry, Listing, Scalar, Source, Table
from verify.manifest.syntax import read_yaml
from verify.model.ids import FoldId

Text = str | tuple[str, ...]
_FIELDS = ("id", "subject", "body", "author", "date", "source", "disposition", "reason")
_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _./()+<>'-]|@(?=\S))*")
_IDLE = re.compile(r"\s*(?:#.*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldText:
    """What a fold shall say: its fields by name; an empty body or reason is not written."""

    id: FoldId
    fields: tuple[tuple[str, str], ...]


def with_folds(text: str, file: str, folds: Sequence[FoldText | FoldId]) -> str:
    """The text with these folds, in this order; a bare id keeps its fold as written. `text` was read before."""
    flow = with_flow_list(text, file, "folds", lambda items: _flow_folds(items, folds))
    if flow is not None:
        return flow
    newline = "\r\n" if "\r\n" in text else "\n"
    section = _section(text, file, "folds")
    known = {item.id: item for item in section.items}
    lines: list[str] = []
    for fold in folds:
        if not isinstance(fold, FoldText):
            lines += known[fold].lines
        elif fold.id in known:
            lines += _changed(known[fold.id], fold, section.dash)
        else:
            lines += _new(fold, section.dash)
    head = ["folds:", *lines] if lines else ["folds: []"]
    if section.head is not None and lines:
        head = [*section.head, *lines]
    return newline.join([*section.before, *head, *section.after])


def _flow_folds(items: Items, folds: Sequence[FoldText | FoldId]) -> Items:
    known = {item["id"]: item for item in items}
    return [
        changed_item(known.get(fold.id, {}), dict(fold.fields), _FIELDS) if isinstance(fold, FoldText) else known[fold]
        for fold in folds
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """One fold as it stands: its lines, how many of them lead it (comments), and each field's lines within."""

    id: str
    lines: tuple[str, ...]
    lead: int
    fields: tuple[tuple[str, str, int, int], ...]
    indent: int
    flow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """The file around the folds. `head` is the `folds:` line as written, None when the list stands on it."""

    before: tuple[str, ...]
    head: tuple[str, ...] | None
    items: tuple[_Item, ...]
    after: tuple[str, ...]
    dash: int


def with_more(text: str, file: str, key: str, items: Sequence[Sequence[tuple[str, Text]]]) -> str:
    """The text with more items at the end of a list, which is made when it is missing; each is fields by name."""
    flow = with_flow_list(text, file, key, lambda old: [*old, *(changed_item({}, dict(new), ()) for new in items)])
    if flow is not None:
        return flow
    newline = "\r\n" if "\r\n" in text else "\n"
    section = _section(text, file, key)
    lines = [line for item in section.items for line in item.lines]
    for fields in items:
        lines += _written([(name, value) for name, value in fields if value], section.dash)
    return newline.join([*section.before, *(section.head or (f"{key}:",)), *lines, *section.after])


def without_items(text: str, file: str, key: str, ids: Collection[str]) -> str:
    """The text without some items of a list; a list that is left empty goes."""
    flow = with_flow_list(text, file, key, lambda old: [each for each in old if each.get("id") not in ids])
    if flow is not None:
        return flow
    newline = "\r\n" if "\r\n" in text else "\n"
    section = _section(text, file, key)
    lines = [line for item in section.items if item.id not in ids for line in item.lines]
    head = [*(section.head or (f"{key}:",)), *lines] if lines else []
    return newline.join([*section.before, *head, *section.after])


def with_words(text: str, file: str, key: str, renamed: Mapping[str, str]) -> str:
    """The text with words of a list replaced, wherever in the list they stand."""
    source = Source(file, text)
    root = read_yaml(source, Mistakes())
    entries = root.entries if isinstance(root, Table) else ()
    value = next((entry.value for entry in entries if entry.key.text == key), None)
    lines = text.split("\n")
    for item in reversed(value.items) if isinstance(value, Listing) else ():
        if isinstance(item, Scalar) and item.text in renamed:
            line, start = item.spot.line - 1, item.spot.column - 1
            is_quoted = lines[line][start : start + 1] == '"'
            new = (quoted if is_quoted else scalar)(renamed[item.text])
            lines[line] = lines[line][:start] + new + lines[line][start + item.spot.width :]
    return "\n".join(lines)


def _section(text: str, file: str, key: str) -> _Section:
    source = Source(file, text)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    root = read_yaml(source, Mistakes())
    entries = root.entries if isinstance(root, Table) else ()
    at = next((number for number, entry in enumerate(entries) if entry.key.text == key), None)
    if at is None:
        end = len(lines) - (lines[-1] == "")
        return _Section(before=tuple(lines[:end]), head=None, items=(), after=tuple(lines[end:]), dash=2)
    first = entries[at].key.spot.line - 1
    stop = entries[at + 1].key.spot.line - 1 if at + 1 < len(entries) else len(lines)
    stop = _before_comments(lines, stop, deepest=0)
    value = entries[at].value
    if not isinstance(value, Listing) or value.spot.line - 1 == first or not value.items:
        return _Section(before=tuple(lines[:first]), head=None, items=(), after=tuple(lines[stop:]), dash=2)
    starts = [_dash_line(lines, item.spot.line - 1) for item in value.items]
    dash = len(lines[starts[0]]) - len(lines[starts[0]].lstrip(" "))
    # A comment above a fold belongs to it, and so goes where it goes.
    leads = [first + 1, *(_before_comments(lines, start, deepest=dash) for start in starts[1:])]
    items = [
        _item(item, lines, lead, start, following)
        for item, lead, start, following in zip(value.items, leads, starts, [*leads[1:], stop], strict=True)
        if isinstance(item, Table)
    ]
    return _Section(
        before=tuple(lines[:first]),
        head=(lines[first],),
        items=tuple(items),
        after=tuple(lines[stop:]),
        dash=dash,
    )


def _item(table: Table, lines: list[str], lead: int, start: int, stop: int) -> _Item:
    indent = table.spot.column - 1
    flow = lines[table.spot.line - 1][indent] == "{"
    keys = [entry.key.spot.line - 1 for entry in table.entries]
    ends = [*keys[1:], stop]
    fields = tuple(
        (entry.key.text, _text(entry), begin - lead, _before_comments(lines, end, deepest=indent) - lead)
        for entry, begin, end in zip(table.entries, keys, ends, strict=True)
    )
    return _Item(
        id=next((value for key, value, _, _ in fields if key == "id"), ""),
        lines=tuple(lines[lead:stop]),
        lead=start - lead,
        fields=fields,
        indent=indent,
        flow=flow,
    )


def _changed(item: _Item, fold: FoldText, dash: int) -> Iterable[str]:
    wanted = {key: value for key, value in fold.fields if value}
    met = {key: value.strip("\n") for key, value, _, _ in item.fields}
    # What a branch cannot say of a fold, such as its licence, stays as the author wrote it.
    given = {key for key, _ in fold.fields}
    wanted |= {key: value for key, value in met.items() if key not in _FIELDS and key not in given}
    if met == wanted:
        return item.lines
    if item.flow:
        return [*item.lines[: item.lead], *_new(replace(fold, fields=tuple(wanted.items())), dash)]
    out: list[str] = []
    done = 0
    for key, _, begin, end in item.fields:
        out += item.lines[done:begin]
        done = end
        if key not in wanted:
            continue
        if met[key] == wanted[key]:
            out += item.lines[begin:end]
            continue
        new = _field(key, wanted[key], item.indent)
        # The first field stands behind the dash; what leads it there stays.
        new[0] = item.lines[begin][: item.indent] + new[0][item.indent :]
        out += new
    for key in (*_FIELDS, *(key for key in wanted if key not in _FIELDS)):
        if key in wanted and key not in met:
            out += _field(key, wanted[key], item.indent)
    return [*out, *item.lines[done:]]


def _new(fold: FoldText, dash: int) -> list[str]:
    values = dict(fold.fields)
    order = (*_FIELDS, *(key for key in values if key not in _FIELDS))
    return _written([(key, values[key]) for key in order if values.get(key)], dash)


def _written(fields: Iterable[tuple[str, Text]], dash: int) -> list[str]:
    lines: list[str] = []
    for key, value in fields:
        if isinstance(value, str):
            lines += _field(key, value, dash + 2)
        else:
            lines.append(f"{' ' * (dash + 2)}{key}: [{', '.join(quoted(each) for each in value)}]")
    lines[0] = " " * dash + "- " + lines[0][dash + 2 :]
    return lines


def _field(key: str, value: str, indent: int) -> list[str]:
    pad = " " * indent
    if "\n" in value and _fits_block(value):
        return [
            f"{pad}{key}: |-",
            *(f"{pad}  {line}".rstrip(" ") if not line else f"{pad}  {line}" for line in value.split("\n")),
        ]
    return [f"{pad}{key}: {scalar(value)}"]


def _fits_block(value: str) -> bool:
    lines = value.split("\n")
    return (
        all(line.isprintable() for line in lines)
        and not lines[0].startswith(" ")
        and bool(lines[0])
        and bool(lines[-1])
    )


def scalar(value: str) -> str:
    """A YAML scalar of one line that every reader takes as this text."""
    plain = _PLAIN.fullmatch(value) and not value.endswith(" ") and not value[0].isdigit()
    if plain and value.lower() not in {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}:
        return value
    return quoted(value)


def quoted(value: str) -> str:
    """A YAML scalar in double quotes."""
    return '"' + "".join(_escaped(character) for character in value) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character == "\n":
        return "\\n"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _text(entry: Entry) -> str:
    return entry.value.text if isinstance(entry.value, Scalar) else ""


def _dash_line(lines: list[str], at: int) -> int:
    while not lines[at].lstrip(" ").startswith("-"):
        at -= 1
    return at


def _before_comments(lines: list[str], at: int, *, deepest: int) -> int:
    """Go up from line `at` over blank lines and comments; a `#` that is indented deeper may be text of a block."""
    while at > 0 and _IDLE.fullmatch(lines[at - 1]):
        bare = lines[at - 1].lstrip(" ")
        if bare and len(lines[at - 1]) - len(bare) > deepest:
            break
        at -= 1
    return at
