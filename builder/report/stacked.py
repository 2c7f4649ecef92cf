"""The stack with its trees: every block and fold, what became of what was submitted, and what is not in it."""

from collections.abc import Iterator, Mapping

from builder.report.facts import Facts
from builder.report.spelled import day, short
from builder.report.view import BlockView, Cell, FoldView, Table
from verify.model.block import Block, Fold
from verify.model.ids import BlockName, FoldId
from verify.model.stack import Layer, Stack, Stuck
from verify.model.wording import count


def blocks_of(facts: Facts, standings: Mapping[tuple[BlockName, FoldId], str]) -> Iterator[BlockView]:
    """Every block in stack order."""
    case = facts.case
    layers = {(each.block, each.fold): each for each in case.layers()}
    for block in case.release.blocks:
        last = next(
            (layers[block.name, fold.id] for fold in reversed(block.folds) if (block.name, fold.id) in layers), None
        )
        whole = all((block.name, fold.id) in layers for fold in block.folds)
        yield BlockView(
            anchor=f"block-{block.name}",
            name=block.name,
            title=block.title,
            why=block.why,
            until=block.until,
            state="" if whole else "failed",
            tree=(last.after if last else case.base_tree) if whole else "",
            facts=tuple(_facts(block)),
            folds=tuple(_fold(block, fold, layers.get((block.name, fold.id)), standings) for fold in block.folds),
        )


def stuck_at(facts: Facts) -> str:
    """Where the stack sticks; empty where it does not."""
    match facts.case.stack:
        case Stuck(block=block, fold=fold):
            return f"The stack sticks at fold {fold} of block {block}: what follows has no tree."
        case Stack():
            return ""


def not_taken_of(facts: Facts) -> Table:
    """What was submitted or tried and is not in the stack."""
    release = facts.case.release
    whole = [("", each) for each in release.not_taken]
    own = [(block.name, each) for block in release.blocks for each in block.not_taken]
    return Table(
        caption="Not taken",
        heads=("change", "of block", "by", "what became of it", "why"),
        rows=tuple(
            (
                Cell(text=each.subject, more=(f"from {each.source}",) if each.source else ()),
                Cell(text=block or "the release"),
                Cell(text=each.author.name if each.author else "not stated"),
                Cell(text=each.disposition.value),
                Cell(text=each.reason, more=(each.numbers,) if each.numbers else ()),
            )
            for block, each in (*whole, *own)
        ),
        empty="Nothing that was submitted is left out.",
        level=0,
    )


def _facts(block: Block) -> Iterator[tuple[str, str]]:
    yield "until", block.until
    for switch in block.switches:
        yield "switch", f"{switch.name}={switch.off} turns it off. {switch.about}"
    yield "requires", ", ".join(block.requires) or "no other block"
    yield "owns", ", ".join(block.owns)
    for stone in block.tombstones:
        yield "must not come back", f"{stone.text}: {stone.reason}"


def _fold(block: Block, fold: Fold, layer: Layer | None, standings: Mapping[tuple[BlockName, FoldId], str]) -> FoldView:
    return FoldView(
        id=fold.id,
        subject=fold.subject,
        author=fold.author.name,
        day=day(fold.date),
        source=fold.source,
        disposition=fold.disposition.value.replace("-", " "),
        reason=fold.reason,
        size=size_of(fold),
        tree=layer.after if layer else "",
        commit=short(layer.commit) if layer else "",
        standing=standings.get((block.name, fold.id), ""),
    )


def size_of(fold: Fold) -> str:
    """How much a fold changes."""
    signs = [sign for file in fold.patch.files for hunk in file.hunks for sign, _ in hunk.lines]
    return f"{count(len(fold.patch.files), 'file')}, +{signs.count(b'+')}\u00a0−{signs.count(b'-')}"
