"""blocks/history.json: which content each release name stands for, in the order of the releases; written by `pin`.

A name is bound to its trees and its tip commit. The newest release may be pinned again while nobody has it; an older
one never, and a new one follows the newest, so that no two releases are made from the same parent. Pure, but for
`sealed_reference`, which looks at the bundle that `seal` left.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import CommitId, ReleaseName, TreeId, is_name, is_object_id
from verify.model.release import Reference

HISTORY_FILE = "blocks/history.json"
SCHEMA = "stackproof/history/1"
_TREES = ("base_tree", "tip_tree", "tip_commit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One release: its name, the one before it, and what the name stands for."""

    name: ReleaseName
    parent: ReleaseName | None
    reference: Reference


def read_history(data: bytes | None) -> tuple[Named, ...]:
    """Every release in order; none without a file. Raises `InputFault` when it is not what `pin` wrote."""
    if data is None:
        return ()
    try:
        return _history(json.loads(data))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputFault(
            Diagnostic(
                code="history-unreadable",
                message=f"{HISTORY_FILE} is not what `stackproof pin` writes",
                place=Place(file=HISTORY_FILE),
                notes=(str(error),),
                help=f"git checkout -- {HISTORY_FILE}",
            )
        ) from error


def render_history(history: Sequence[Named]) -> bytes:
    """The file's bytes."""
    releases = [
        {
            "name": each.name,
            "parent": each.parent,
            "base_tree": each.reference.base_tree,
            "tip_tree": each.reference.tip_tree,
            "tip_commit": each.reference.tip_commit,
        }
        for each in history
    ]
    return (json.dumps({"schema": SCHEMA, "releases": releases}, indent=2, sort_keys=True) + "\n").encode()


def next_history(history: Sequence[Named], new: Named, *, sealed: Reference | None) -> tuple[Named, ...]:
    """The history with this release pinned; raises `InputFault` when its name or its parent is taken.

    `sealed` is what a bundle of that name holds, None when there is none or it does not count.
    """
    at = next((number for number, each in enumerate(history) if each.name == new.name), None)
    if at is not None and at < len(history) - 1:
        if history[at] != new:
            raise InputFault(_bound(new, history[at].reference, f"`{history[at + 1].name}` follows it"))
        return tuple(history)
    if sealed is not None and sealed != new.reference:
        why = f"sealed in dist/{new.name}; where nobody has that bundle, `stackproof pin --rebind` uses the name again"
        raise InputFault(_bound(new, sealed, why))
    older = history[:at] if at is not None else history
    if older and new.parent != older[-1].name:
        raise InputFault(_parent(new, older[-1].name))
    return (*older, new)


def sealed_reference(folder: Path) -> Reference | None:
    """What the bundle in `folder` holds; None where there is none that can be read."""
    try:
        document = json.loads((folder / "release.json").read_bytes())
        return _reference(document["reference"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _history(document: dict[str, Any]) -> tuple[Named, ...]:
    if document["schema"] != SCHEMA or set(document) != {"schema", "releases"}:
        raise ValueError(f"expected schema {SCHEMA} and `releases`")
    return tuple(_named(each) for each in document["releases"])


def _named(value: dict[str, str | None]) -> Named:
    name, parent = value["name"], value["parent"]
    if not isinstance(name, str) or not is_name(name) or (parent is not None and not is_name(parent)):
        raise ValueError(f"{name!r} or {parent!r} cannot name a release")
    return Named(name=ReleaseName(name), parent=ReleaseName(parent) if parent else None, reference=_reference(value))


def _reference(value: dict[str, str | None]) -> Reference:
    ids = [value[key] for key in _TREES]
    for each in ids:
        if not isinstance(each, str) or not is_object_id(each):
            raise ValueError(f"{each!r} is no full object id")
    base, tip, commit = (str(each) for each in ids)
    return Reference(base_tree=TreeId(base), tip_tree=TreeId(tip), tip_commit=CommitId(commit))


def _bound(new: Named, old: Reference, why: str) -> Diagnostic:
    return Diagnostic(
        code="release-name-bound",
        message=f"the name `{new.name}` stands for other content already",
        place=Place(file="release.json"),
        notes=(why, *_differing(old, new.reference)),
        help=f'set `name` in release.json to the next one and `parent` to "{new.name}", then stackproof pin',
    )


def _differing(old: Reference, new: Reference) -> tuple[str, ...]:
    if old.tip_tree != new.tip_tree:
        return (f"bound to tip tree {old.tip_tree}", f"derived tip tree  {new.tip_tree}")
    return (
        f"bound to tip commit {old.tip_commit}",
        f"derived tip commit  {new.tip_commit}",
        "the files are the same: the name, message, author or date of a fold or block differs, or the commit below",
    )


def _parent(new: Named, head: ReleaseName) -> Diagnostic:
    return Diagnostic(
        code="parent-not-head",
        message=f"release `{new.name}` has the parent `{new.parent or 'none'}`, and the newest release is `{head}`",
        place=Place(file="release.json"),
        notes=("two releases from one parent would leave out what the other brought",),
        help=f'set `parent` in release.json to "{head}", then stackproof pin',
    )
