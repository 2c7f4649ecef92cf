"""Two branches of a project made one: release.json, block.yaml and what `pin` writes, merged by their meaning. Pure.

What is derived is not merged but made again: reference and lock keep a side's values until `stackproof pin`. What was
declared on one side alone is taken; what both sides changed differently is a conflict, named by block and fold. A
patch is never merged as text, since what comes out could apply and mean something that nobody wrote.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from builder.edit.history import HISTORY_FILE, Named, read_history, render_history
from builder.edit.keeping import in_order
from builder.edit.merging_block import merge_block
from builder.edit.reference import with_value
from verify.manifest.lock import LOCK_FILE
from verify.manifest.release import RELEASE_FILE
from verify.model.diagnostic import Diagnostic, InputFault, Place

_ABSENT = object()
_DERIVED = ("reference",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """One file in the common ancestor and on both branches; None where it is not there."""

    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The file as it shall stand, and every conflict; with conflicts `data` is our side's."""

    data: bytes
    conflicts: tuple[Diagnostic, ...]


def merge_file(name: str, sides: Sides) -> Merged:
    """Merge one file of a project by its name; of anything but our own files both changes are a conflict."""
    mergers: Mapping[str, Callable[[Sides], Merged]] = {
        LOCK_FILE: merge_lock,
        RELEASE_FILE: merge_release,
        HISTORY_FILE: merge_history,
    }
    if sides.ours is not None and sides.theirs is not None and sides.ours != sides.theirs:
        for file, merger in mergers.items():
            if name == file:
                return merger(sides)
        if name.startswith("blocks/") and name.endswith("/block.yaml"):
            return _merge_block(name, sides)
    if sides.ours == sides.theirs or sides.theirs == sides.base:
        return Merged(data=sides.ours or b"", conflicts=())
    if sides.ours == sides.base:
        return Merged(data=sides.theirs or b"", conflicts=())
    return Merged(data=sides.ours or b"", conflicts=(both_changed(name),))


def both_changed(name: str) -> Diagnostic:
    """Both sides changed a file that is not merged, told by its block and fold."""
    parts = name.split("/")
    what = f"`{name}`"
    if len(parts) >= 3 and parts[0] == "blocks":
        what = f"block `{parts[1]}`"
        if len(parts) == 5 and parts[2] == "folds":
            what = f"fold `{parts[3]}` of {what}"
    return Diagnostic(
        code="merge-both-changed",
        message=f"both branches changed {what}",
        place=Place(file=name),
        help=f"git checkout --ours -- {name}  # or --theirs; then stackproof pin",
    )


def _merge_block(name: str, sides: Sides) -> Merged:
    ours = sides.ours or b""
    try:
        texts = [(side or b"").decode("utf-8") for side in (sides.base, sides.ours, sides.theirs)]
    except UnicodeDecodeError:
        return Merged(data=ours, conflicts=(both_changed(name),))
    made = merge_block(texts[0], texts[1], texts[2], name, both_changed)
    if isinstance(made, Diagnostic):
        return Merged(data=ours, conflicts=(made,))
    return Merged(data=made.encode(), conflicts=())


def merge_lock(sides: Sides) -> Merged:
    """Fold by fold: the side that changed a fold's patch has its record; all is derived again by `pin`."""
    base, ours, theirs = (_folds(side) for side in (sides.base, sides.ours, sides.theirs))
    conflicts: list[Diagnostic] = []
    kept: dict[tuple[str, str], object] = {}
    for key in in_order(list(ours), list(theirs)):
        values = [side.get(key) for side in (base, ours, theirs)]
        patches = [_patch(value) for value in values]
        if patches[1] != patches[2] and patches[0] not in (patches[1], patches[2]):
            conflicts.append(both_changed(f"blocks/{key[0]}/folds/{key[1]}/fold.patch"))
        chosen = values[2] if patches[1] == patches[0] and patches[2] != patches[0] else values[1]
        if chosen is not None:
            kept[key] = chosen
    if conflicts:
        return Merged(data=sides.ours or b"", conflicts=tuple(conflicts))
    document = _object(sides.ours, LOCK_FILE)
    document["folds"] = list(kept.values())
    return Merged(
        data=(json.dumps(document, indent=2, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii"), conflicts=()
    )


def merge_release(sides: Sides) -> Merged:
    """Key by key; the reference is left to `pin`, blocks keep both sides' order."""
    documents = [_object(side, RELEASE_FILE) for side in (sides.base, sides.ours, sides.theirs)]
    for document in documents:
        for key in _DERIVED:
            document[key] = documents[1].get(key)
    conflicts: list[Diagnostic] = []
    merged = _merge(documents[0], documents[1], documents[2], (), conflicts)
    assert isinstance(merged, dict)
    text = (sides.ours or b"").decode("utf-8")
    if conflicts:
        return Merged(data=text.encode(), conflicts=tuple(conflicts))
    for key, value in merged.items():
        if documents[1].get(key, _ABSENT) != value:
            text = with_value(text, key, value)
    if set(documents[1]) - set(merged):
        text = json.dumps(merged, indent=2, ensure_ascii=False) + "\n"
    return Merged(data=text.encode(), conflicts=())


def merge_history(sides: Sides) -> Merged:
    """Releases of both sides; two new ones from one parent are a conflict, since one would leave out the other."""
    base, ours, theirs = (read_history(side) for side in (sides.base, sides.ours, sides.theirs))
    known = {each.name for each in base}
    new_ours = [each for each in ours if each.name not in known]
    new_theirs = [each for each in theirs if each.name not in known]
    if new_ours and new_theirs and [each.name for each in new_ours] != [each.name for each in new_theirs]:
        return Merged(data=sides.ours or b"", conflicts=(_two_releases(new_ours[0], new_theirs[0]),))
    longer = theirs if len(theirs) > len(ours) else ours
    return Merged(data=render_history(longer), conflicts=())


def _merge(base: object, ours: object, theirs: object, path: tuple[str, ...], conflicts: list[Diagnostic]) -> object:
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if isinstance(ours, dict) and isinstance(theirs, dict):
        old = base if isinstance(base, dict) else {}
        merged: dict[str, object] = {}
        for key in in_order(list(ours), list(theirs)):
            was, mine, other = (side.get(key, _ABSENT) for side in (old, ours, theirs))
            value = _merge(was, mine, other, (*path, key), conflicts)
            if value is not _ABSENT:
                merged[key] = value
        return merged
    if path == ("blocks",) and _are_names(ours) and _are_names(theirs):
        assert isinstance(ours, list)
        assert isinstance(theirs, list)
        return _blocks(base if isinstance(base, list) and _are_names(base) else [], ours, theirs, conflicts)
    conflicts.append(_both(path, ours, theirs))
    return ours


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _blocks(base: list[str], ours: list[str], theirs: list[str], conflicts: list[Diagnostic]) -> list[str]:
    """Blocks of both sides in an order that agrees with both; removed on one side is removed."""
    gone = {name for name in base if name not in ours or name not in theirs}
    mine, others = [n for n in ours if n not in gone], [n for n in theirs if n not in gone]
    shared = [name for name in base if name not in gone]
    orders = [[name for name in side if name in shared] for side in (mine, others)]
    if orders[0] != orders[1]:
        if shared not in orders:
            names = ", ".join(f"`{name}`" for name in shared)
            conflicts.append(_conflict("merge-order", f"both branches put the blocks {names} in another order"))
            return ours
        if orders[0] == shared:
            mine, others = others, mine
    return in_order(mine, others)


def _folds(data: bytes | None) -> dict[tuple[str, str], dict[str, object]]:
    document = _object(data, LOCK_FILE)
    folds = document.get("folds", [])
    if not isinstance(folds, list):
        return {}
    return {(str(each.get("block")), str(each.get("fold"))): each for each in folds if isinstance(each, dict)}


def _patch(value: dict[str, object] | None) -> object:
    return None if value is None else value.get("patch_sha256")


def _object(data: bytes | None, file: str) -> dict[str, object]:
    why = "it is no JSON object"
    try:
        document = json.loads(data) if data else {}
        if isinstance(document, dict):
            return document
    except (ValueError, RecursionError) as error:
        why = str(error)
    raise InputFault(
        Diagnostic(
            code="merge-unreadable",
            message=f"{file} cannot be read on one of the branches",
            place=Place(file=file),
            notes=(why,),
            help=f"git show :3:{file}",
        )
    )


def _both(path: tuple[str, ...], ours: object, theirs: object) -> Diagnostic:
    if path in (("name",), ("parent",)):
        text = f"both branches gave the release another {path[0]}: `{ours}` and `{theirs}`"
        return _conflict("merge-release-name", text)
    return _conflict("merge-both-declared", f"both branches changed `{'.'.join(path)}` of release.json")


def _two_releases(ours: Named, theirs: Named) -> Diagnostic:
    text = f"both branches made a release after `{ours.parent or 'none'}`: `{ours.name}` and `{theirs.name}`"
    return _conflict("merge-release-name", text)


def _conflict(code: str, message: str) -> Diagnostic:
    return Diagnostic(
        code=code,
        message=message,
        place=Place(file=RELEASE_FILE),
        help="settle it in release.json, then stackproof pin",
    )
