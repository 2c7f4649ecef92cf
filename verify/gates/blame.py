"""Whose a compiler's message is: the line in the tree, the line in a fold's patch, the block; and who brings what it
misses. Shared by the kinds that judge builds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verify.diff.symbols import Bringer, bringer_of, missing_names
from verify.diff.trace import Added, Trace, Upstream
from verify.gates.case import Case
from verify.model.block import Block
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.ids import BlockName, RepoPath, show_path
from verify.model.observation import BuildObservation, CompilerMessage


def place_of(message: CompilerMessage) -> Place | None:
    """Where the tree has it."""
    return Place(file=message.file, line=message.line or None) if message.file else None


def owner_of(message: CompilerMessage, traced: Trace | None, case: Case) -> str:
    """Whose the line is, with its line in the fold's patch; empty where that is not known."""
    if traced is None or not message.file or message.line < 1:
        return ""
    path = RepoPath(message.file.encode("utf-8", "surrogateescape"))
    if path not in traced.files:
        return "that line is upstream's: no fold touches the file"
    found = traced.at(path, message.line)
    match found:
        case (Added() as added, at):
            fold = _fold_file(case, added)
            line = f":{added.patch_line + at}" if added.patch_line and added.texts else ""
            return f"that line is of block `{added.block}`, fold `{added.fold}`: {fold}{line}"
        case (Upstream() as piece, at):
            return f"that line is upstream's: {show_path(piece.path)}:{piece.start + at} in the base"
        case _:
            return ""


def _fold_file(case: Case, added: Added) -> str:
    folds = (fold for block in case.release.blocks if block.name == added.block for fold in block.folds)
    return next((fold.patch_file for fold in folds if fold.id == added.fold), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A name that an error misses, and the fold of an absent block that brings it."""

    symbol: str
    message: CompilerMessage
    bringer: Bringer


def missed(build: BuildObservation, there: Iterable[BlockName], blocks: Iterable[Block]) -> Iterator[Missed]:
    """Each name once that the errors miss, that no block of the tree (`there`) brings and some other block does."""
    present = set(there)
    blocks = tuple(blocks)
    absent = [each for each in blocks if each.name not in present]
    told: set[str] = set()
    for message in build.errors:
        for symbol in missing_names(message.text):
            bringer = bringer_of(symbol, absent)
            if bringer is None or symbol in told or _brought(symbol, present, blocks):
                continue
            told.add(symbol)
            yield Missed(symbol=symbol, message=message, bringer=bringer)


def named_needs(block: BlockName, build: BuildObservation, there: Iterable[BlockName], case: Case) -> Iterator[Finding]:
    """What the errors miss and an absent block brings, told: a forward reference, or a missing requirement."""
    names = [each.name for each in case.release.blocks]
    for each in missed(build, there, case.release.blocks):
        brings, message = each.bringer, each.message
        later = names.index(brings.block) > names.index(block)
        where = f"{brings.fold.patch_file}:{brings.line}"
        verb = "is brought" if brings.defines else "is first written"
        yield Diagnostic(
            code="forward-reference" if later else "requires-missing",
            message=f"block `{block}` uses `{each.symbol}`, which {verb} by "
            + (f"the later block `{brings.block}`" if later else f"block `{brings.block}`, not in its `requires`"),
            place=place_of(message),
            notes=(
                f"used: {message.file}:{message.line}: {message.text}",
                f"brought: fold `{brings.fold.id}` of block `{brings.block}`, {where}",
            ),
            help=f"move that change to block `{block}` or below it"
            if later
            else f"add `{brings.block}` to `requires` in blocks/{block}/block.yaml",
        )


def _brought(symbol: str, present: set[BlockName], blocks: Iterable[Block]) -> bool:
    """Whether a block of the tree defines it itself: then something else about it is wrong."""
    found = bringer_of(symbol, [each for each in blocks if each.name in present])
    return found is not None and found.defines
