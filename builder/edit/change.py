"""An edit from its plan to its files: what would be written, what that does to every fold and tree, and the writing.

`plan_change` lays the planned stack, renders the files that differ, reads a copy of the project with them and derives
it: only what reads back to the very same trees is offered. `apply_change` writes it in one transaction with its
record in the operation log. Nothing is written where a fold does not go on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from builder.disk import DISK, Disk
from builder.edit.desk import Desk
from builder.edit.folds_text import FoldText, with_folds
from builder.edit.mapping import FoldKey
from builder.edit.operations import Operation, record
from builder.edit.reference import with_value
from builder.edit.rehearse import rehearse
from builder.edit.restack import BlockPlan, Conflict, How, Placed, restack
from builder.stack import derive
from builder.tree import NewObject
from builder.write import project_lock
from verify.manifest.block import block_file
from verify.manifest.read import read_release
from verify.manifest.release import RELEASE_FILE
from verify.model.block import Fold
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, FoldId, Sha256, TreeId
from verify.model.release import Proof
from verify.model.stack import Stack

TextEdit = Callable[[str, str], str]  # text and file name → text


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What an edit writes beside the folds: changes of block.yaml by block, of release.json, and whole files."""

    blocks: Mapping[BlockName, tuple[TextEdit, ...]] = field(default_factory=dict)
    release: tuple[TextEdit, ...] = ()
    files: Mapping[str, bytes | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldEffect:
    """What an edit does to one fold; `was` is the fold that it comes from, `tree` the tree after it, None when gone."""

    block: BlockName
    fold: FoldId
    was: FoldKey | None
    how: How
    tree: TreeId | None
    tree_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockEffect:
    """The tree after a block, before the edit (None for a block that was not there) and after it."""

    block: BlockName
    before: TreeId | None
    after: TreeId

    def changed(self) -> bool:
        """Whether everything proven of the block has to be built and measured again."""
        return self.before != self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an edit would write and do. `digest` names the very project that it was made for."""

    command: str
    summary: str
    contents: tuple[tuple[str, bytes | None], ...]
    placed: tuple[Placed, ...]
    folds: tuple[FoldEffect, ...]
    blocks: tuple[BlockEffect, ...]
    stack: Stack
    objects: tuple[NewObject, ...]
    digest: Sha256
    told: tuple[str, ...] = ()

    def rebuild(self) -> tuple[BlockName, ...]:
        """The blocks whose tree is another one: they must be built and measured again."""
        return tuple(each.block for each in self.blocks if each.changed())


def plan_change(
    desk: Desk,
    plans: Sequence[BlockPlan],
    *,
    command: str,
    summary: str,
    beside: Beside | None = None,
    renamed: Mapping[BlockName, BlockName] | None = None,
    told: tuple[str, ...] = (),
) -> Change | Conflict:
    """What the planned stack means; `renamed` maps new names of blocks to their old ones."""
    placed = restack(desk, plans)
    if isinstance(placed, Conflict):
        return placed
    files = _Files(desk, plans, placed, beside or Beside(), renamed or {})
    contents = files.made()
    stack, objects = _prove(desk, contents, placed)
    return Change(
        command=command,
        summary=summary,
        contents=tuple(sorted(contents.items())),
        placed=placed,
        folds=_fold_effects(desk, placed),
        blocks=_block_effects(desk, plans, placed, renamed or {}),
        stack=stack,
        objects=objects,
        digest=desk.release.digest,
        told=told,
    )


def apply_change(
    *, root: Path, change: Change, at: int, tell: Callable[[str], None], disk: Disk = DISK
) -> Operation | None:
    """Write it; raises `InputFault` when the project changed after it was planned. None when there is nothing."""
    with project_lock(root, tell=tell, disk=disk):
        if read_release(root, pinned=False).digest != change.digest:
            raise InputFault(
                Diagnostic(
                    code="edit-outdated",
                    message="the project changed while the edit was worked out",
                    notes=("nothing was written",),
                    help="run the same command again",
                )
            )
        if not change.contents:
            return None
        return record(
            root, command=change.command, summary=change.summary, contents=dict(change.contents), at=at, disk=disk
        )


def text_of(fold: Fold) -> FoldText:
    """A fold as block.yaml spells it."""
    return FoldText(
        id=fold.id,
        fields=(
            ("id", fold.id),
            ("subject", fold.subject),
            ("body", fold.body),
            ("author", f"{fold.author.name} <{fold.author.email}>"),
            ("date", fold.date),
            ("source", fold.source),
            ("disposition", fold.disposition.value),
            ("reason", fold.reason),
            ("licence", fold.licence),
        ),
    )


def source_file(patch_file: str) -> str:
    """Where the submitted patch of a fold lies."""
    return patch_file.removesuffix("fold.patch") + "source.patch"


class _Files:
    """The files that an edit changes."""

    def __init__(
        self,
        desk: Desk,
        plans: Sequence[BlockPlan],
        placed: Sequence[Placed],
        beside: Beside,
        renamed: Mapping[BlockName, BlockName],
    ) -> None:
        self.desk = desk
        self.plans = plans
        self.placed = placed
        self.beside = beside
        self.renamed = renamed
        self.contents: dict[str, bytes | None] = {}
        self.declared = {(block.name, fold.id): fold for block in desk.release.blocks for fold in block.folds}

    def made(self) -> dict[str, bytes | None]:
        """Every file that is not as it stands."""
        self._remove_gone()
        for plan in self.plans:
            self._block(plan)
        for each in self.placed:
            self._patches(each)
        self._release()
        self.contents.update(self.beside.files)
        return {name: data for name, data in self.contents.items() if data != self._now(name)}

    def _remove_gone(self) -> None:
        stays = {each.item.was for each in self.placed}
        for key, fold in self.declared.items():
            if key not in stays:
                self._drop(fold.patch_file)
        wanted = {self.renamed.get(plan.block.name, plan.block.name) for plan in self.plans}
        moved = {old: new for new, old in self.renamed.items()}
        for block in self.desk.release.blocks:
            if block.name in wanted and block.name not in moved:
                continue
            folder = f"blocks/{block.name}"
            for path in sorted((self.desk.root / folder).rglob("*")):
                name = path.relative_to(self.desk.root).as_posix()
                if path.is_file():
                    self.contents[name] = None
                    if block.name in moved:
                        self.contents[f"blocks/{moved[block.name]}{name.removeprefix(folder)}"] = path.read_bytes()

    def _patches(self, each: Placed) -> None:
        was = self.declared[each.item.was] if each.item.was is not None else None
        file = each.fold.patch_file
        source = each.item.source
        if was is not None and was.patch_file != file:
            source = self._now(source_file(was.patch_file)) if source is None else source
            self._drop_unless_taken(was.patch_file)
        self.contents[file] = each.fold.patch_bytes
        if source is not None:
            self.contents[source_file(file)] = source

    def _drop_unless_taken(self, file: str) -> None:
        if file not in {each.fold.patch_file for each in self.placed}:
            self._drop(file)

    def _drop(self, file: str) -> None:
        for name in (file, source_file(file)):
            if self._now(name) is not None:
                self.contents[name] = None

    def _block(self, plan: BlockPlan) -> None:
        old = self.renamed.get(plan.block.name, plan.block.name)
        declared = self.desk.block(old)
        file = block_file(plan.block.name)
        text = met = (self.desk.root / declared.file).read_bytes().decode("utf-8")
        wanted: list[FoldText | FoldId] = []
        for each in (one for one in self.placed if one.block == plan.block.name):
            was = self.declared[each.item.was] if each.item.was is not None else None
            same_place = each.item.was is not None and each.item.was == (old, each.fold.id)
            same = same_place and was is not None and text_of(was) == text_of(each.fold)
            wanted.append(each.fold.id if same else text_of(each.fold))
        ids = [each if isinstance(each, str) else each.id for each in wanted]
        if ids != [fold.id for fold in declared.folds] or any(not isinstance(each, str) for each in wanted):
            text = with_folds(text, declared.file, wanted)
        for edit in self.beside.blocks.get(plan.block.name, ()):
            text = edit(text, file)
        if text != met or old != plan.block.name:
            self.contents[file] = text.encode("utf-8")

    def _release(self) -> None:
        text = met = (self.desk.root / RELEASE_FILE).read_bytes().decode("utf-8")
        names = [plan.block.name for plan in self.plans]
        if names != [block.name for block in self.desk.release.blocks]:
            text = with_value(text, "blocks", names)
        for edit in self.beside.release:
            text = edit(text, RELEASE_FILE)
        if text != met:
            self.contents[RELEASE_FILE] = text.encode("utf-8")

    def _now(self, name: str) -> bytes | None:
        try:
            return (self.desk.root / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None


def _prove(
    desk: Desk, contents: Mapping[str, bytes | None], placed: Sequence[Placed]
) -> tuple[Stack, tuple[NewObject, ...]]:
    """What is written must read back to the trees that were planned."""
    release = rehearse(desk.root, contents, near=desk.store.git_dir)
    derived = derive(
        blocks=release.blocks,
        lock=None,
        base_tree=desk.stack.base_tree,
        base_commit=desk.stack.base_commit,
        source=desk.overlay,
    )
    if not isinstance(derived.result, Stack):
        raise InputFault(*derived.findings)
    met = [(layer.block, layer.fold, layer.after) for layer in derived.result.layers]
    expected = [(each.block, each.fold.id, each.after) for each in placed]
    if met != expected:
        raise AssertionError(f"the files of the edit do not give its trees: {met} is not {expected}")
    return derived.result, derived.objects


def _fold_effects(desk: Desk, placed: Sequence[Placed]) -> tuple[FoldEffect, ...]:
    trees = {(layer.block, layer.fold): layer.after for layer in desk.stack.layers}
    effects = [
        FoldEffect(
            block=each.block,
            fold=each.fold.id,
            was=each.item.was,
            how=each.how,
            tree=each.after,
            tree_changed=each.item.was is None or trees[each.item.was] != each.after,
        )
        for each in placed
    ]
    stays = {each.item.was for each in placed}
    effects += [
        FoldEffect(block=key[0], fold=key[1], was=key, how=How.GONE, tree=None, tree_changed=True)
        for key in trees
        if key not in stays
    ]
    return tuple(effects)


def _block_effects(
    desk: Desk, plans: Sequence[BlockPlan], placed: Sequence[Placed], renamed: Mapping[BlockName, BlockName]
) -> tuple[BlockEffect, ...]:
    before: dict[BlockName, TreeId] = {}
    tree = desk.stack.base_tree
    for block in desk.release.blocks:
        tree = desk.stack.block_tree(block.name) or tree
        before[block.name] = tree
    effects = []
    tree = desk.stack.base_tree
    for plan in plans:
        tree = next((each.after for each in reversed(placed) if each.block == plan.block.name), tree)
        old = renamed.get(plan.block.name, plan.block.name)
        effects.append(BlockEffect(block=plan.block.name, before=before.get(old), after=tree))
    return tuple(effects)


def builds_again(desk: Desk, change: Change) -> tuple[tuple[str, TreeId], ...]:
    """Each configuration and tree that has to be built and that was not a tree of the stack before."""
    known = {desk.stack.base_tree, *(layer.after for layer in desk.stack.layers)}
    wanted: dict[tuple[str, TreeId], None] = {}
    for configuration in desk.release.configurations:
        trees = [each.after for each in change.blocks if Proof.PREFIX in configuration.proofs]
        trees += [change.stack.tip_tree()] if Proof.TIP in configuration.proofs else []
        wanted.update(dict.fromkeys((configuration.name, tree) for tree in trees if tree not in known))
    return tuple(wanted)
