"""block.yaml: a block's fields and its folds to the model, with the patches that lie beside it.

As in `release.py`, gates are left as they stand. A fold's patch is parsed here, so that a patch that is not
canonical is told with every other mistake.
"""

from collections.abc import Callable
from dataclasses import dataclass

from verify.manifest.claims import NO_CLAIMS, read_claims
from verify.manifest.files import PATCH_LIMIT, Files
from verify.manifest.left_out import glob, read_not_taken, read_tombstones, subject
from verify.manifest.mistakes import did_you_mean, listed
from verify.manifest.scalars import choice, date, line, name, person, setting, switch_name, text
from verify.manifest.value import Value
from verify.model.block import Block, Disposition, Fold, Switch
from verify.model.diagnostic import InputFault, Place
from verify.model.ids import BlockName, FoldId
from verify.model.patch import Patch

SCHEMA = "stackproof/block/1"

_NO_PATCH: tuple[bytes, Patch, bytes | None] = (b"", Patch(files=()), None)

ParsePatch = Callable[[bytes, str], Patch]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockFile:
    """A block as read, without its gates; values keep the places of what other files are checked against."""

    block: Block
    requires: tuple[Value, ...]
    switches: tuple[Value, ...]
    gates: Value | None


def block_file(block: str) -> str:
    """Where a block is declared, relative to the project."""
    return f"blocks/{block}/block.yaml"


def patch_file(block: str, fold: str) -> str:
    """Where a fold's canonical patch lies, relative to the project."""
    return f"blocks/{block}/folds/{fold}/fold.patch"


def read_block(
    block: BlockName, value: Value, files: Files, parse_patch: ParsePatch, *, least_folds: int = 1
) -> BlockFile:
    """One block.yaml and its folds' patches; a block that is about to get its first fold has none yet."""
    fields = value.document(of=f"block `{block}`", schema=SCHEMA)
    title, why, until = fields.get("title", line), fields.get("why", text), fields.get("until", text)
    owns = fields.get("owns", lambda globs: globs.listing(glob, of="glob", least=1))
    requires = fields.optional("requires", lambda blocks: blocks.listing(_as_it_is, of="block"), ())
    switches = fields.optional("switches", lambda items: items.listing(_switch, of="switch"), ())
    claims = fields.optional("claims", read_claims, NO_CLAIMS)
    gates = fields.optional("gates", _as_table, None)
    folds = fields.get(
        "folds",
        lambda items: items.listing(lambda fold: _fold(fold, block, files, parse_patch), of="fold", least=least_folds),
    )
    not_taken = fields.optional("not_taken", read_not_taken, ())
    tombstones = fields.optional("tombstones", read_tombstones, ())
    fields.close()
    _refuse_repeated_folds(folds)
    if fields.is_list("folds"):
        _tell_strays(block, tuple(fold.id for fold, _ in folds), files, value)
    return BlockFile(
        block=Block(
            name=block,
            title=title,
            why=why,
            until=until,
            owns=owns,
            requires=tuple(BlockName(required.word()) for required in requires),
            switches=tuple(switch for switch, _ in switches),
            claims=claims.words,
            gates=(),
            folds=tuple(fold for fold, _ in folds),
            file=value.source.file,
            not_taken=not_taken,
            tombstones=tombstones,
            runnable_claims=claims.runnable,
        ),
        requires=requires,
        switches=tuple(place for _, place in switches),
        gates=gates,
    )


def _as_it_is(value: Value) -> Value:
    name(value)
    return value


def _as_table(value: Value) -> Value | None:
    return value


def _switch(value: Value) -> tuple[Switch, Value]:
    fields = value.fields()
    place = fields.get("name", lambda field: field)
    switch = Switch(name=switch_name(place), off=fields.get("off", setting), about=fields.get("about", line))
    fields.close()
    return switch, place


def _fold(value: Value, block: BlockName, files: Files, parse_patch: ParsePatch) -> tuple[Fold, Value]:
    fields = value.fields()
    identity = fields.get("id", lambda field: field)
    fold_id = FoldId(name(identity))
    disposition = fields.get("disposition", lambda word: choice(word, Disposition))
    file = patch_file(block, fold_id)
    patch_bytes, patch, source = _NO_PATCH if not fold_id else _patch(file, identity, files, parse_patch)
    fold = Fold(
        id=fold_id,
        subject=fields.get("subject", subject),
        body=fields.optional("body", text, ""),
        author=fields.get("author", person),
        date=fields.get("date", date),
        source=fields.get("source", line),
        disposition=disposition,
        reason=fields.optional("reason", text, ""),
        patch=patch,
        patch_bytes=patch_bytes,
        patch_file=file,
        licence=fields.optional("licence", line, ""),
        source_bytes=source,
    )
    fields.close()
    if disposition is not Disposition.FOLDED and not fold.reason:
        value.wrong(
            "reason-missing",
            f"{value.what} is {disposition.value} and gives no `reason`",
            step="say in `reason` what was not taken, and why",
        )
    return fold, identity


def _patch(file: str, identity: Value, files: Files, parse_patch: ParsePatch) -> tuple[bytes, Patch, bytes | None]:
    """The fold's patch, read and parsed, and the submitted one beside it, which the release's digest covers too."""
    before = len(identity.mistakes)
    data = files.read(file, limit=PATCH_LIMIT)
    source = files.read(file.removesuffix("fold.patch") + "source.patch", limit=PATCH_LIMIT)
    if data is None:
        if before == len(identity.mistakes):
            identity.wrong(
                "patch-missing",
                f"the patch of fold `{identity.word()}` is missing: {file}",
                label="no fold.patch for this fold",
                step=f"git checkout -- {file}",
            )
        return b"", Patch(files=()), source
    try:
        return data, parse_patch(data, file), source
    except InputFault as fault:
        identity.mistakes.take(fault.diagnostics)
        return data, Patch(files=()), source


def _refuse_repeated_folds(folds: tuple[tuple[Fold, Value], ...]) -> None:
    seen: dict[str, Value] = {}
    for fold, identity in folds:
        first = seen.setdefault(fold.id, identity)
        if fold.id and first is not identity:
            identity.wrong(
                "duplicate-name",
                f"a second fold is named `{fold.id}`",
                notes=(f"first named at {first.source.file}:{first.node.spot.line}",),
                step="give each fold its own id",
            )


def _tell_strays(block: BlockName, declared: tuple[str, ...], files: Files, value: Value) -> None:
    """A folder under folds/ that block.yaml does not list is a change that nobody would notice is left out."""
    for stray in files.folders(f"blocks/{block}/folds"):
        if stray not in declared:
            folder = f"blocks/{block}/folds/{stray}"
            value.mistakes.add(
                "fold-unlisted",
                f"the folder `{folder}` belongs to no fold of block `{block}`",
                Place(file=folder),
                notes=listed("declared folds", declared),
                step=did_you_mean(stray, declared) or f"list it under `folds` in {value.source.file}, or remove it",
            )
