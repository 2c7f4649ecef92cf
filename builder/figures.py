"""What a record says in a few lines: the figures for people, and where two records differ.

Pure. A record's observation is a JSON value; `leaves` makes it a list of places and values, so that two can be
compared whatever kind they are of.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verify.model.evidence import Evidence

_MOST_TEXT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place at which two records differ; None where a side has nothing there."""

    place: str
    one: object
    other: object


def leaves(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Every number, text or truth value in a JSON value, with its place (`arms[0].answers[2].text`)."""
    if isinstance(value, Mapping):
        for name in value:
            yield from leaves(value[name], f"{place}.{name}" if place else str(name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, f"{place}[{_name_of(item, index)}]")
    else:
        yield place, value


def _name_of(item: object, index: int) -> str:
    """An item by what it calls itself, so that lists of other lengths are compared item by item."""
    if isinstance(item, Mapping):
        for name in ("arm", "name"):
            if isinstance(item.get(name), str) and item[name]:
                return str(item[name])
        if isinstance(item.get("request"), str):
            return f"{item['request']}.{item.get('round', 0)}"
    return str(index)


def differences(one: Evidence, other: Evidence) -> tuple[Difference, ...]:
    """Where keys and observations differ: the key's parts first."""
    found = []
    for name, left, right in (
        ("key", dict(one.key.parts), dict(other.key.parts)),
        ("observation", one.observation, other.observation),
    ):
        ours, theirs = dict(leaves(left)), dict(leaves(right))
        found += [
            Difference(place=f"{name}: {place}", one=ours.get(place), other=theirs.get(place))
            for place in dict.fromkeys((*ours, *theirs))
            if ours.get(place) != theirs.get(place)
        ]
    return tuple(found)


def figures(record: Evidence) -> tuple[tuple[str, str], ...]:
    """What an observation comes to: plain fields as they are, longer things by how many there are."""
    found: list[tuple[str, str]] = []
    for name, value in record.observation.items():
        match value:
            case list() if all(isinstance(each, Mapping) for each in value) and value:
                found += _of_items(name, value)
            case list():
                found.append((name, f"{len(value)} items"))
            case Mapping():
                found += [(f"{name}.{inner}", shown(each)) for inner, each in value.items()]
            case _:
                found.append((name, shown(value)))
    return tuple(found)


def _of_items(name: str, items: list[Mapping[str, object]]) -> Iterator[tuple[str, str]]:
    """Items that have a name by their plain numbers, others by their number."""
    named = [each for each in items if isinstance(each.get("arm"), str)]
    if not named:
        yield name, f"{len(items)} items"
    for each in named:
        parts = [f"{len(inner)} {field}" for field, inner in each.items() if isinstance(inner, list) and inner]
        parts += [f"{field} {shown(inner)}" for field, inner in each.items() if isinstance(inner, int | float)]
        yield f"{name} {each['arm']}", ", ".join(parts)


def shown(value: object) -> str:
    """A value in one line."""
    text = f"{value:.6g}" if isinstance(value, float) else "none" if value is None else str(value)
    text = text.replace("\n", "\\n")
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"
