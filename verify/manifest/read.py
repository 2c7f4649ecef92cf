"""The project's declared files to a `Release`: the one way in.

Takes the folder of release.json. Reads every declared file once, collects every mistake over all of them, and raises
one `InputFault` with all, or gives the whole release. What a patch does to a tree is left to `builder.stack`; what a
gate asks for is checked against the registry of kinds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from verify.gates.kind import AnyKind
from verify.manifest.block import BlockFile, block_file, read_block
from verify.manifest.bump import BUMP_FILE, read_bump
from verify.manifest.deviations import Register, read_register
from verify.manifest.document import hole, open_document
from verify.manifest.files import DOCUMENT_LIMIT, LOCK_LIMIT, Files
from verify.manifest.lock import LOCK_FILE
from verify.manifest.mistakes import Mistakes, did_you_mean, guess, listed
from verify.manifest.order import check_requires, refuse_repeated_switches
from verify.manifest.params import Names, read_gate
from verify.manifest.pinned import read_pinned
from verify.manifest.release import RELEASE_FILE, Declared, read_declared
from verify.manifest.reviews import read_reviews
from verify.manifest.scalars import name
from verify.manifest.value import Value
from verify.model.bump import BumpRecord
from verify.model.deviation import REGISTER
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.digest import release_digest
from verify.model.gate import GateDecl
from verify.model.ids import BlockName, is_name
from verify.model.patch import Patch
from verify.model.release import Release


def read_release(root: Path, *, kinds: Mapping[str, AnyKind] | None = None, pinned: bool = True) -> Release:
    """The release that is declared in `root`; raises `InputFault` with every mistake.

    `kinds` are the known kinds of gates, all of ours when None. With `pinned=False` (for `pin` and its like, which
    write the lock) the lock need not fit the folds, one that cannot be read counts as none, and a block may have no
    fold yet.
    """
    mistakes = Mistakes()
    files = Files(root, mistakes)
    declared = _declared(files, mistakes, root)
    if declared.blocks is None:
        _read_what_lies_there(files, mistakes)
        mistakes.raise_if_any()
        raise AssertionError("a release without a list of blocks was read without a mistake")
    blocks = _blocks(declared.blocks, files, mistakes, least_folds=1 if pinned else 0)
    reviews = tuple((each.block.name, read_reviews(each.block.name, files, mistakes)) for each in blocks)
    names = _names(declared, blocks)
    known = _our_kinds() if kinds is None else kinds
    gates = _Gates(names=names, kinds=known, seen={})
    own_gates = gates.read(declared.gates, None)
    whole = tuple(replace(found.block, gates=gates.read(found.gates, found.block.name)) for found in blocks)
    check_requires(blocks)
    refuse_repeated_switches(blocks)
    declared_gates = (*own_gates, *(gate for block in whole for gate in block.gates))
    register = _register(files, mistakes, _waivable(declared_gates, known))
    lock = read_pinned(declared, whole, files, mistakes, pinned)
    bump = _bump(files, mistakes if pinned else Mistakes())
    mistakes.raise_if_any()
    return Release(
        name=declared.name,
        parent=declared.parent,
        engine=declared.engine,
        base=declared.base,
        blocks=whole,
        configurations=declared.configurations,
        models=declared.models,
        gates=own_gates,
        reference=declared.reference,
        lock=lock,
        digest=release_digest(files.read_so_far),
        not_taken=declared.not_taken,
        tombstones=declared.tombstones,
        deviations=register.accepted,
        ended_deviations=register.ended,
        hardware=declared.hardware,
        policy=declared.policies.evidence,
        review_policy=declared.policies.reviews,
        reviews=reviews,
        artifacts=declared.artifacts,
        bump=bump,
    )


def _bump(files: Files, mistakes: Mistakes) -> BumpRecord | None:
    """What the last bump left on record; None where there was none, or where it cannot be read."""
    before = len(mistakes)
    data = files.read(BUMP_FILE, limit=LOCK_LIMIT, mistakes=mistakes)
    record = read_bump(open_document(BUMP_FILE, data, mistakes)) if data is not None else None
    return record if before == len(mistakes) else None


def _our_kinds() -> Mapping[str, AnyKind]:
    from verify.gates.kinds import KINDS

    return KINDS


@lru_cache(maxsize=512)  # an edit reads the project again to see what it would write: few patches are other ones then
def _parse_patch(data: bytes, file: str) -> Patch:
    from verify.diff.parse import parse_canonical

    return parse_canonical(data, file=file)


def _declared(files: Files, mistakes: Mistakes, root: Path) -> Declared:
    data = files.read(RELEASE_FILE, limit=DOCUMENT_LIMIT)
    mistakes.raise_if_any()
    if data is None:
        raise InputFault(
            Diagnostic(
                code="release-missing",
                message=f"there is no release.json in {root}",
                place=Place(file=RELEASE_FILE),
                help="run this in the project's folder, or name it with `-C DIR`",
            )
        )
    return read_declared(open_document(RELEASE_FILE, data, mistakes))


def _read_what_lies_there(files: Files, mistakes: Mistakes) -> None:
    """Without a list of blocks, read every block's folder for the mistakes in it; references cannot be checked."""
    for folder in files.folders("blocks"):
        data = files.read(block_file(folder), limit=DOCUMENT_LIMIT)
        if data is not None and is_name(folder):
            read_block(BlockName(folder), open_document(block_file(folder), data, mistakes), files, _parse_patch)


def _blocks(values: tuple[Value, ...], files: Files, mistakes: Mistakes, *, least_folds: int) -> tuple[BlockFile, ...]:
    """Every listed block, and a mistake for each folder that is neither listed nor probably meant by a listed name."""
    folders = files.folders("blocks")
    listed_names = [value.word() for value in values]
    found: list[BlockFile] = []
    for value in values:
        title = BlockName(name(value))
        if not title or any(other.block.name == title for other in found):
            continue
        found.append(_block(title, value, folders, listed_names, files, mistakes, least_folds))
    strays = [folder for folder in folders if folder not in listed_names and f"blocks/{folder}" != LOCK_FILE]
    meant = {guess(word, strays) for word in listed_names if word not in folders}
    for stray in strays:
        if stray not in meant:
            mistakes.add(
                "block-unlisted",
                f"the folder `blocks/{stray}` is not listed in `blocks` of release.json",
                Place(file=f"blocks/{stray}"),
                step=f"add `{stray}` to `blocks` in release.json where it belongs, or remove the folder",
            )
    return tuple(found)


def _block(
    title: BlockName,
    value: Value,
    folders: tuple[str, ...],
    listed_names: list[str],
    files: Files,
    mistakes: Mistakes,
    least_folds: int,
) -> BlockFile:
    file = block_file(title)
    before = len(mistakes)
    data = files.read(file, limit=DOCUMENT_LIMIT)
    if data is None and before == len(mistakes):
        there = title in folders
        free = [folder for folder in folders if folder not in listed_names]
        value.wrong(
            "block-file-missing" if there else "unknown-block",
            f"block `{title}` has no block.yaml: {file}" if there else f"there is no block `{title}`",
            notes=() if there else listed("folders in blocks/", folders),
            step=f"git checkout -- {file}"
            if there
            else did_you_mean(title, free) or f"remove `{title}` from `blocks`, or make {file}",
        )
    value = hole(file, mistakes) if data is None else open_document(file, data, mistakes)
    return read_block(title, value, files, _parse_patch, least_folds=least_folds)


def _register(files: Files, mistakes: Mistakes, gates: Mapping[str, bool]) -> Register:
    data = files.read(REGISTER, limit=DOCUMENT_LIMIT)
    if data is None:
        return Register()
    return read_register(open_document(REGISTER, data, mistakes), gates=gates)


def _waivable(gates: tuple[GateDecl, ...], kinds: Mapping[str, AnyKind]) -> dict[str, bool]:
    """Every gate that will be judged, standing ones too, and whether what it finds can be accepted."""
    by_name = {kind.name: kind for kind in kinds.values() if kind.standing}
    by_name |= {gate.name: kinds[gate.kind] for gate in gates if gate.kind in kinds}
    return {name: kind.waivable for name, kind in by_name.items()}


def _names(declared: Declared, blocks: tuple[BlockFile, ...]) -> Names:
    return Names(
        models=tuple(model.name for model in declared.models),
        configurations=tuple(configuration.name for configuration in declared.configurations),
        switches=tuple(switch.name for found in blocks for switch in found.block.switches),
        hardware=tuple(each.name for each in declared.hardware),
        blocks=tuple(found.block.name for found in blocks),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gates:
    """Reads tables of gates; a gate's name is its own over the whole release, so that reports can go by it."""

    names: Names
    kinds: Mapping[str, AnyKind]
    seen: dict[str, Value]

    def read(self, table: Value | None, block: BlockName | None) -> tuple[GateDecl, ...]:
        if table is None:
            return ()
        return table.named(lambda gate, value: self._gate(gate, value, block), of="gate")

    def _gate(self, gate: str, value: Value, block: BlockName | None) -> GateDecl:
        first = self.seen.setdefault(gate, value)
        if first is not value:
            value.mistakes.add(
                "duplicate-name",
                f"a second gate is named `{gate}`",
                value.key_place(),
                notes=(f"first named at {first.source.file}:{first.key.line}",),
                step="give each gate of the release its own name",
            )
        return read_gate(gate, value, block=block, names=self.names, kinds=self.kinds)
