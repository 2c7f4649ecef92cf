"""What one block says about another: needs must stand before, and no two blocks share a switch."""

from verify.manifest.block import BlockFile
from verify.manifest.mistakes import did_you_mean, listed
from verify.manifest.value import Value
from verify.model.ids import is_name


def check_requires(blocks: tuple[BlockFile, ...]) -> None:
    """Blocks own their code: a block may need what stands before it, never what a later one brings."""
    order: list[str] = [found.block.name for found in blocks]
    for place, found in enumerate(blocks):
        for value in found.requires:
            needed = value.word()
            if not is_name(needed):
                continue
            if needed not in order:
                value.wrong(
                    "unknown-block",
                    f"block `{found.block.name}` requires `{needed}`, which is no block of this release",
                    notes=listed("blocks", order),
                    step=did_you_mean(needed, order[:place]),
                )
            elif order.index(needed) >= place:
                itself = needed == found.block.name
                value.wrong(
                    "requires-later",
                    f"block `{found.block.name}` requires {'itself' if itself else f'the later block `{needed}`'}",
                    notes=(f"order in release.json: {', '.join(order)}",),
                    step=f"remove it from `requires` in {found.block.file}"
                    if itself
                    else f"move `{needed}` before `{found.block.name}` in `blocks` of release.json",
                )


def refuse_repeated_switches(blocks: tuple[BlockFile, ...]) -> None:
    """A variable that two blocks read would turn both off, and neither arm would show one of them."""
    seen: dict[str, Value] = {}
    for found in blocks:
        for value in found.switches:
            first = seen.setdefault(value.word(), value)
            if value.word() and first is not value:
                value.wrong(
                    "duplicate-name",
                    f"a second switch is named `{value.word()}`",
                    notes=(f"first named at {first.source.file}:{first.node.spot.line}",),
                    step="give each switch its own variable",
                )
