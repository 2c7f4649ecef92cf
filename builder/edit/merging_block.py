"""Two versions of a block.yaml made one: fold by fold, and the rest of the file as a whole. Pure.

Both maintainers of a block append folds at its end, where a merge of lines always stops. Here each fold's fields are
taken from the side that changed them; what both changed to different values is a conflict, named by block and fold.
Of everything but the folds only one side may have changed something.
"""

from collections.abc import Callable

from builder.edit.folds_text import FoldText, with_folds
from builder.edit.keeping import in_order
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Listing, Scalar, Source, Table
from verify.manifest.syntax import read_yaml
from verify.model.diagnostic import Diagnostic
from verify.model.ids import FoldId

Fields = tuple[tuple[str, str], ...]


def merge_block(
    base: str, ours: str, theirs: str, name: str, conflict: Callable[[str], Diagnostic]
) -> str | Diagnostic:
    """The merged text, or the conflict; `conflict` makes one of the name of a file."""
    mistakes = Mistakes()
    sides = [_folds(text, name, mistakes) for text in (base, ours, theirs)]
    if len(mistakes):
        return conflict(name)
    plain = [with_folds(text, name, []) for text in (base, ours, theirs)]
    if plain[1] != plain[2] and plain[0] not in (plain[1], plain[2]):
        return conflict(name)
    text = theirs if plain[1] == plain[0] != plain[2] else ours
    merged: list[FoldText] = []
    for fold in in_order(list(sides[1]), list(sides[2])):
        was, mine, other = (side.get(fold) for side in sides)
        if mine != other and was not in (mine, other):
            return conflict(f"{name.rpartition('/')[0]}/folds/{fold}/fold.patch")
        chosen = other if mine == was else mine
        if chosen is not None:
            merged.append(FoldText(id=FoldId(fold), fields=chosen))
    if not _same_order(sides):
        return conflict(name)
    return with_folds(text, name, merged)


def _same_order(sides: list[dict[str, Fields]]) -> bool:
    """Whether at most one side put the folds of all in another order."""
    shared = [fold for fold in sides[0] if fold in sides[1] and fold in sides[2]]
    ours, theirs = ([fold for fold in side if fold in shared] for side in sides[1:])
    return ours == theirs


def _folds(text: str, name: str, mistakes: Mistakes) -> dict[str, Fields]:
    """Each fold's fields by its id, in the order of the file."""
    root = read_yaml(Source(name, text), mistakes)
    listed = next((e.value for e in root.entries if e.key.text == "folds"), None) if isinstance(root, Table) else None
    found: dict[str, Fields] = {}
    for item in listed.items if isinstance(listed, Listing) else ():
        if isinstance(item, Table):
            fields = tuple(
                (entry.key.text, entry.value.text.strip("\n"))
                for entry in item.entries
                if isinstance(entry.value, Scalar)
            )
            found[dict(fields).get("id", "")] = fields
    return found
