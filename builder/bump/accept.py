"""A bump becomes the release: refreshed exact patches, the new base, its pin and its record, in one operation.

`plan_accept` makes every file, reads a copy of the project with them, derives it on the new base and has git derive it
too; only what gives the proposed trees is offered. source.patch files are never touched. `apply_accept` writes all of
it in one transaction with its record in the operation log, so that one `undo` gives the very bytes back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from builder.bump.analysis import Analysis
from builder.bump.deletions import SilentDeletion
from builder.bump.memory import Wanted, make_resolution
from builder.bump.memory_files import render_resolution, resolution_files
from builder.bump.outcome import OPEN, BumpedFold, FoldKey, Outcome
from builder.bump.outliving import with_outliving
from builder.bump.proposal import Proposal, base_value
from builder.disk import DISK, Disk
from builder.edit.change import text_of
from builder.edit.desk import Desk
from builder.edit.folds_text import FoldText, with_folds, with_words
from builder.edit.history import sealed_reference
from builder.edit.left_out import free_name, not_taken_file, recorded
from builder.edit.operations import Operation, record
from builder.edit.pin import with_pin
from builder.edit.rearrange import fold_source
from builder.edit.reference import with_value
from builder.edit.rehearse import rehearse
from builder.stack import derive
from builder.tree import NewObject
from builder.write import project_lock
from verify.manifest.bump import BUMP_FILE, render_bump
from verify.manifest.read import read_release
from verify.manifest.release import RELEASE_FILE
from verify.model.block import Block, Disposition, Fold, NotTaken, Refusal
from verify.model.bump import BumpRecord
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, CommitId, FoldId, ReleaseName, Sha256, TreeId, show_path
from verify.model.release import ReleaseSource, SdistSource
from verify.model.stack import Stack
from verify.model.wording import count as counted
from verify.rederive import rederive

_SHORTEST_ID = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the maintainer decided: the release's new name (empty: it stays) and why folds are dropped.

    `upstreamed` are dropped folds of which upstream has everything; `deletions` says that lines which upstream has
    added since may go. `keep_gates` are gates of dropped blocks, as `BLOCK/GATE`, that stay.
    """

    name: str = ""
    reason: str = ""
    upstreamed: frozenset[FoldKey] = frozenset()
    deletions: bool = False
    keep_gates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What would be written, and the stack that it gives."""

    contents: Mapping[str, bytes | None]
    stack: Stack
    objects: tuple[NewObject, ...]
    told: tuple[str, ...]
    digest: Sha256


def plan_accept(
    desk: Desk, proposal: Proposal, base: tuple[TreeId, CommitId], analysis: Analysis, asked: Asked
) -> Accepted:
    """Every file of the accepted bump; raises `InputFault` where something is still to be decided."""
    _refuse_open(analysis, asked)
    files = _Files(desk, proposal, analysis, asked)
    contents = files.made()
    release = rehearse(desk.root, contents, near=desk.store.git_dir)
    derived = derive(blocks=release.blocks, lock=None, base_tree=base[0], base_commit=base[1], source=desk.overlay)
    if not isinstance(derived.result, Stack):
        raise InputFault(*derived.findings)
    stack = derived.result
    if stack.tip_tree() != analysis.bumped.tip.id:
        raise AssertionError(f"the files give {stack.tip_tree()}, proposed was {analysis.bumped.tip.id}")
    patches = [fold.patch_bytes for block in release.blocks for fold in block.folds]
    by_git = rederive(git_dir=desk.store.git_dir, base_tree=base[0], patches=patches)
    if by_git != tuple(layer.after for layer in stack.layers):
        raise AssertionError("git derives other trees from the refreshed patches")
    sealed = sealed_reference(desk.root / "dist" / release.name)
    return Accepted(
        contents=with_pin(desk.root, contents, release, stack, sealed=sealed),
        stack=stack,
        objects=derived.objects,
        told=tuple(files.told),
        digest=desk.release.digest,
    )


def apply_accept(
    *, root: Path, plan: Accepted, asked: str, at: int, tell: Callable[[str], None], disk: Disk = DISK
) -> Operation | None:
    """Write it; raises `InputFault` when the project changed after it was planned."""
    with project_lock(root, tell=tell, disk=disk):
        if read_release(root, pinned=False).digest != plan.digest:
            raise InputFault(
                Diagnostic(
                    code="edit-outdated",
                    message="the project changed while the bump was worked out",
                    notes=("nothing was written",),
                    help="run the same command again",
                )
            )
        if not plan.contents:
            return None
        summary = f"to {asked}, tip tree {plan.stack.tip_tree()[:12]}"
        return record(root, command="bump accept", summary=summary, contents=plan.contents, at=at, disk=disk)


def _refuse_open(analysis: Analysis, asked: Asked) -> None:
    problems: list[Diagnostic] = []
    for fold in analysis.bumped.folds:
        if fold.outcome in OPEN:
            problems.append(_open(fold))
    if not problems:
        problems += (_stray(analysis),) if analysis.drift.strays else ()
        problems += (_deletes(analysis),) if _undecided(analysis) and not asked.deletions else ()
    if problems:
        raise InputFault(*problems)


def _open(fold: BumpedFold) -> Diagnostic:
    pieces = fold.open_pieces()
    return Diagnostic(
        code="bump-open",
        message=f"fold `{fold.fold}` of block `{fold.block}` is {fold.outcome.value}",
        notes=tuple(f"{show_path(piece.path)}, hunk {piece.hunk}: {piece.cause.value}" for piece in pieces),
        help=f"stackproof bump resolve DIR, or stackproof bump accept --drop {fold.block}/{fold.fold} --reason TEXT",
    )


def _stray(analysis: Analysis) -> Diagnostic:
    strays = analysis.drift.strays
    notes = [
        f"{show_path(path)}: {item.block}/{item.fold}: {item.sign.decode()}{_shown(item.text)}"
        for path, item in strays[:12]
    ]
    return Diagnostic(
        code="bump-drift",
        message=f"{counted(len(strays), 'line')} would not be changed as before, and nobody decided so",
        notes=tuple(notes),
        help="stackproof bump show --json  # and report it: the carried stack must not differ by itself",
    )


def _undecided(analysis: Analysis) -> tuple[SilentDeletion, ...]:
    return tuple(each for each in analysis.deletions if not each.decided)


def _deletes(analysis: Analysis) -> Diagnostic:
    notes = [
        f"{each.block}/{each.fold} removes {counted(len(each.texts), 'line')} from line {each.line} of "
        f"{show_path(each.path)}: {_shown(each.texts[0])}"
        for each in _undecided(analysis)
    ]
    return Diagnostic(
        code="bump-deletes-new-lines",
        message=f"lines that upstream has added since would be removed, at {counted(len(notes), 'place')}",
        notes=tuple(notes[:12]),
        help="stackproof bump resolve DIR; or, where they are to go: stackproof bump accept --deletions",
    )


class _Files:
    """The files of an accepted bump but for what is pinned."""

    def __init__(self, desk: Desk, proposal: Proposal, analysis: Analysis, asked: Asked) -> None:
        self.desk = desk
        self.proposal = proposal
        self.analysis = analysis
        self.asked = asked
        self.told: list[str] = []
        self.contents: dict[str, bytes | None] = {}
        self.done = {fold.key(): fold for fold in analysis.bumped.folds}

    def made(self) -> dict[str, bytes | None]:
        """Their contents."""
        release = self.desk.release
        gone = [block for block in release.blocks if not any((block.name, f.id) in self.done for f in block.folds)]
        text = (self.desk.root / RELEASE_FILE).read_bytes().decode("utf-8")
        taken = [each.id for each in release.not_taken]
        for block in release.blocks:
            if block in gone and block.folds:
                text = self._drop_block(block, text, taken)
            else:
                self._block(block)
        if gone:
            text = with_value(text, "blocks", [block.name for block in release.blocks if block not in gone])
        self.contents[RELEASE_FILE] = self._release(text).encode("utf-8")
        self.contents[BUMP_FILE] = render_bump(self._record())
        return self.contents

    def _block(self, block: Block) -> None:
        text = met = (self.desk.root / block.file).read_bytes().decode("utf-8")
        wanted: list[FoldText | FoldId] = []
        dropped: list[Fold] = []
        for fold in block.folds:
            now = self.done.get((block.name, fold.id))
            if now is None:
                dropped.append(fold)
                self._remove(fold)
                continue
            self.contents[fold.patch_file] = now.text
            self._remember_the_way_back(now)
            if now.outcome is Outcome.UPSTREAMED and fold.disposition is not Disposition.UPSTREAMED:
                said = "\n".join(filter(None, [fold.reason, f"Upstream has it in {self._where()}."]))
                wanted.append(text_of(replace(fold, disposition=Disposition.UPSTREAMED, reason=said)))
                self.told.append(f"{block.name}/{fold.id}: empty now, upstream has it")
            else:
                wanted.append(fold.id)
        if any(isinstance(each, FoldText) for each in wanted) or dropped:
            text = with_folds(text, block.file, wanted)
        for old, new in self.proposal.follow:
            text = with_words(text, block.file, "owns", {show_path(old): show_path(new)})
        if dropped:
            records, files = self._records(block, dropped, [each.id for each in block.not_taken], block.name)
            beside = recorded(block.name, records, (), files)
            for edit in beside.blocks.get(block.name, ()):
                text = edit(text, block.file)
            self.contents.update(beside.files)
        if text != met:
            self.contents[block.file] = text.encode("utf-8")

    def _remember_the_way_back(self, fold: BumpedFold) -> None:
        """What was resolved by hand has its answer on the old base already: the files that stood there."""
        met, left = self.desk.met(fold.key()), self.desk.left(fold.key())
        back = {new: old for old, new in self.analysis.bumped.follow.items()}
        for used in fold.resolutions:
            before, after = self.desk.tree(fold.before).entry(used.path), fold.tree.entry(used.path)
            old = met.entry(used.path)
            if used.path in back or old is None:
                continue
            wanted = Wanted(
                block=fold.block,
                path=used.path,
                preimage=before.blob if before is not None else None,
                postimage=after.blob if after is not None else None,
                met=old.blob,
            )
            state = left.entry(used.path)
            result = (left.content(state), state.mode) if state is not None else None
            file = resolution_files(fold.block, wanted.key())[0]
            made = make_resolution(wanted, fold.fold, result, source=self.desk.overlay, file=file)
            self.contents.update(render_resolution(made))

    def _drop_block(self, block: Block, text: str, taken: list[FoldId]) -> str:
        old: list[NotTaken] = []
        files: dict[str, bytes] = {}
        for each in block.not_taken:
            moved = replace(each, id=free_name(each.id, taken))
            taken.append(moved.id)
            old.append(moved)
            patch = _bytes(self.desk.root / not_taken_file(block.name, each.id))
            if patch is not None:
                files[not_taken_file(None, moved.id)] = patch
        records, patches = self._records(block, block.folds, taken, None)
        taken += (each.id for each in records)
        beside = recorded(None, [*old, *records], block.tombstones, files | patches)
        for edit in beside.release:
            text = edit(text, RELEASE_FILE)
        kept = [name.partition("/")[2] for name in self.asked.keep_gates if name.partition("/")[0] == block.name]
        if kept:
            text = with_outliving(text, block, (self.desk.root / block.file).read_bytes().decode("utf-8"), kept)
            self.told.append(f"gates that outlive block {block.name}: {', '.join(kept)}")
        folder = self.desk.root / "blocks" / block.name
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.contents[path.relative_to(self.desk.root).as_posix()] = None
        self.contents.update(beside.files)
        self.told.append(f"block {block.name}: dropped")
        return text

    def _records(
        self, block: Block, folds: Sequence[Fold], taken: Sequence[FoldId], home: BlockName | None
    ) -> tuple[list[NotTaken], dict[str, bytes]]:
        """Dropped folds on record, with the patches that were submitted."""
        names = list(taken)
        records: list[NotTaken] = []
        files: dict[str, bytes] = {}
        for fold in folds:
            upstreamed = (block.name, fold.id) in self.asked.upstreamed
            said = self.asked.reason or f"Upstream has it in {self._where()}."
            made = NotTaken(
                id=free_name(fold.id, names),
                subject=fold.subject,
                author=fold.author,
                date=fold.date,
                source=fold.source,
                disposition=Refusal.UPSTREAMED if upstreamed else Refusal.DROPPED,
                reason=said,
                numbers="",
            )
            names.append(made.id)
            records.append(made)
            files[not_taken_file(home, made.id)] = fold_source(self.desk, fold) or fold.patch_bytes
        return records, files

    def _remove(self, fold: Fold) -> None:
        for name in (fold.patch_file, fold.patch_file.removesuffix("fold.patch") + "source.patch"):
            if (self.desk.root / name).is_file():
                self.contents[name] = None

    def _release(self, text: str) -> str:
        release, base = self.desk.release, self.proposal.base
        was, now = release.base.upstream_commit, base.upstream_commit
        for configuration in release.configurations:
            for option, value in configuration.options:
                if was is not None and len(value) >= _SHORTEST_ID and was.startswith(value):
                    if now is None:
                        self.told.append(f"option {option} of `{configuration.name}` still names {value}")
                        continue
                    text = text.replace(f'"{value}"', f'"{now[: len(value)]}"')
                    self.told.append(f"option {option} of `{configuration.name}`: {value} -> {now[: len(value)]}")
        text = with_value(text, "base", base_value(base))
        if self.asked.name and self.asked.name != release.name:
            text = with_value(text, "name", self.asked.name)
            text = with_value(text, "parent", release.name)
        return text

    def _where(self) -> str:
        base = self.proposal.base
        if base.upstream_commit is not None:
            return base.upstream_commit[:12]
        match base.source:
            case SdistSource(package=package, version=version):
                return f"{package} {version}"
            case ReleaseSource(release=name):
                return f"release {name}"
            case _:
                return self.proposal.asked

    def _record(self) -> BumpRecord:
        stack, bumped = self.desk.stack, self.analysis.bumped
        return BumpRecord(
            from_release=ReleaseName(self.desk.release.name),
            from_base=stack.base_tree,
            from_tip=stack.tip_tree(),
            to_base=bumped.base,
            to_tip=bumped.tip.id,
            folds=self.analysis.drift.folds,
            rows=self.analysis.drift.rows,
        )


def _shown(text: bytes) -> str:
    return text.rstrip(b"\r\n")[:100].decode("utf-8", "backslashreplace")


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
