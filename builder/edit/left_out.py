"""Records of what is not in the stack: submissions deferred, dropped or rejected with their numbers, and tombstones.

They stand in the block that they are about, or in release.json for those of no block. The patch as it was submitted
lies beside them and is no part of the release.
"""

from collections.abc import Mapping, Sequence

from builder.edit.change import Beside, TextEdit
from builder.edit.folds_text import with_more, without_items
from builder.edit.reference import value_of, with_value
from verify.gates.tombstones import returns
from verify.model.block import Block, Fold, NotTaken, Tombstone
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, FoldId, show_path

Fields = Sequence[tuple[str, str | tuple[str, ...]]]


def not_taken_file(block: BlockName | None, record: FoldId) -> str:
    """Where the submitted patch of a record lies."""
    return f"blocks/{block}/not-taken/{record}.patch" if block is not None else f"not-taken/{record}.patch"


def recorded(
    block: BlockName | None, records: Sequence[NotTaken], stones: Sequence[Tombstone], files: Mapping[str, bytes]
) -> Beside:
    """What writes these records; `block` None is for release.json."""
    additions = [("not_taken", [_record_fields(record) for record in records])]
    additions.append(("tombstones", [_stone_fields(stone) for stone in stones]))
    edits = tuple(_more(key, items, in_release=block is None) for key, items in additions if items)
    return Beside(
        blocks={block: edits} if block is not None else {},
        release=edits if block is None else (),
        files=dict(files),
    )


def forgotten(block: Block, record: FoldId) -> Beside:
    """What takes a record away whose submission is taken after all."""
    file = not_taken_file(block.name, record)

    def edit(text: str, name: str) -> str:
        return without_items(text, name, "not_taken", {record})

    return Beside(blocks={block.name: (edit,)}, files={file: None})


def both(first: Beside, second: Beside) -> Beside:
    """Both, the first one first."""
    blocks = {
        name: (*first.blocks.get(name, ()), *second.blocks.get(name, ())) for name in (*first.blocks, *second.blocks)
    }
    return Beside(blocks=blocks, release=(*first.release, *second.release), files={**first.files, **second.files})


def free_name(name: str, taken: Sequence[str]) -> FoldId:
    """The name, with a number when it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return FoldId(found)


def check_stones(stones: Sequence[Tombstone], dropped: Sequence[Fold], stays: Sequence[Fold]) -> None:
    """A tombstone must be about what is dropped, and nothing that stays may hold it."""
    problems = []
    for stone in stones:
        if not any(True for fold in dropped for _ in returns(stone, fold)):
            names = ", ".join(f"`{fold.id}`" for fold in dropped)
            problems.append(
                Diagnostic(
                    code="tombstone-unmet",
                    message=f"no line that {names} adds holds `{stone.text}` as a whole word",
                    notes=("a tombstone with a typing error would never catch anything",),
                    help="name a word, function or variable that the dropped fold added",
                )
            )
        for fold in stays:
            for path, line in returns(stone, fold):
                problems.append(
                    Diagnostic(
                        code="tombstone-alive",
                        message=f"fold `{fold.id}` still adds `{stone.text}` to {show_path(path)}",
                        notes=(f"{fold.patch_file}:{line}", "the release would not hold from now on"),
                        help="choose a text that goes with the dropped fold alone, or drop that fold too",
                    )
                )
    if problems:
        raise InputFault(*problems)


def _more(key: str, items: Sequence[Fields], *, in_release: bool) -> TextEdit:
    def in_yaml(text: str, file: str) -> str:
        return with_more(text, file, key, items)

    def in_json(text: str, file: str) -> str:
        del file
        present = value_of(text, key)
        known = list(present) if isinstance(present, list) else []
        new = [
            {name: list(value) if isinstance(value, tuple) else value for name, value in each if value}
            for each in items
        ]
        return with_value(text, key, [*known, *new])

    return in_json if in_release else in_yaml


def _record_fields(record: NotTaken) -> Fields:
    author = f"{record.author.name} <{record.author.email}>" if record.author is not None else ""
    return (
        ("id", record.id),
        ("subject", record.subject),
        ("author", author),
        ("date", record.date),
        ("source", record.source),
        ("disposition", record.disposition.value),
        ("reason", record.reason),
        ("numbers", record.numbers),
    )


def _stone_fields(stone: Tombstone) -> Fields:
    return (("text", stone.text), ("paths", stone.paths), ("reason", stone.reason), ("source", stone.source))
