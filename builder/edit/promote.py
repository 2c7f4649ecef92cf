"""Blocks of an overlay become blocks of the release that it stands on; the gate is that the tip stays what it was.

All of them: the release's new tip tree must be the overlay's tip tree. Some of them: the overlay is laid again with
these first, must end at its very tip, and the tree between is the release's new tip. Every file in the blocks' folders
comes along as it is; only a patch that stands on other lines now is written anew. Git derives the new stack, too, and
what is written is pinned and is one operation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

from builder.disk import DISK, Disk
from builder.edit.desk import Desk
from builder.edit.history import sealed_reference
from builder.edit.operations import Operation, record
from builder.edit.pin import with_pin
from builder.edit.reference import value_of, with_value
from builder.edit.rehearse import rehearse
from builder.edit.restack import BlockPlan, Conflict, How, Placed, plan_of, restack
from builder.stack import derive
from builder.tree import NewObject
from builder.write import project_lock
from verify.manifest.mistakes import listed
from verify.manifest.read import read_release
from verify.manifest.release import RELEASE_FILE
from verify.model.block import Block
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.gate import GateDecl
from verify.model.ids import BlockName, FoldId, Sha256, TreeId
from verify.model.release import Proof, Release, ReleaseSource
from verify.model.stack import Stack
from verify.rederive import rederive


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """What would be written; `builds` are configurations and trees that nobody has built for either release."""

    contents: Mapping[str, bytes | None]
    stack: Stack
    objects: tuple[NewObject, ...]
    blocks: tuple[BlockName, ...]
    rest: tuple[BlockName, ...]
    builds: tuple[tuple[str, TreeId], ...]
    told: tuple[str, ...]
    digest: Sha256


def plan_promote(desk: Desk, above: Desk, names: Sequence[str], *, name: str) -> Promotion | Conflict:
    """Move blocks of the overlay on the desk `above` into the release; all of them where no `names` are given.

    `name` is the release's new name, empty where it keeps the one that it has. Both desks share one store. Raises
    `InputFault` where the overlay stands on something else, or blocks do not fit beside those of the release.
    """
    _refuse_other_base(desk, above)
    wanted = {above.block(each).name for each in names} if names else {block.name for block in above.release.blocks}
    plans = plan_of(above)
    first = tuple(plan for plan in plans if plan.block.name in wanted)
    rest = tuple(plan for plan in plans if plan.block.name not in wanted)
    _refuse_unfit(desk, first)
    placed = restack(above, (*first, *rest))
    if isinstance(placed, Conflict):
        return placed
    taken = tuple(each for each in placed if each.block in wanted)
    tip = taken[-1].after if taken else above.stack.base_tree
    if (placed[-1].after if placed else tip) != above.stack.tip_tree():
        notes = (f"its tip   {above.stack.tip_tree()}", f"would be  {placed[-1].after}")
        return _other_tip(first, "the overlay with these blocks first would end at another tip", notes)
    contents = _files(desk, above, first, taken, name)
    release = rehearse(desk.root, contents, near=desk.store.git_dir)
    stack, objects = _derived(desk, release)
    if stack.tip_tree() != tip or _by_git(desk, release) != tuple(layer.after for layer in stack.layers):
        notes = (f"expected {tip}", f"derived  {stack.tip_tree()}")
        return _other_tip(first, "the release with these blocks would end at another tip", notes)
    sealed = sealed_reference(desk.root / "dist" / release.name)
    contents = with_pin(desk.root, contents, release, stack, sealed=sealed)
    return Promotion(
        contents=contents,
        stack=stack,
        objects=objects,
        blocks=tuple(plan.block.name for plan in first),
        rest=tuple(plan.block.name for plan in rest),
        builds=_builds(desk, above, release, stack),
        told=tuple(_told(above, first, taken)),
        digest=desk.release.digest,
    )


def apply_promote(
    *, root: Path, plan: Promotion, overlay: str, at: int, tell: Callable[[str], None], disk: Disk = DISK
) -> Operation:
    """Write it in one operation; raises `InputFault` when the project changed after it was planned."""
    with project_lock(root, tell=tell, disk=disk):
        if read_release(root, pinned=False).digest != plan.digest:
            raise InputFault(
                Diagnostic(
                    code="edit-outdated",
                    message="the project changed while the promotion was worked out",
                    notes=("nothing was written",),
                    help="run the same command again",
                )
            )
        summary = f"{', '.join(plan.blocks)} of {overlay}, tip tree {plan.stack.tip_tree()[:12]}"
        return record(root, command="promote", summary=summary, contents=plan.contents, at=at, disk=disk)


def _refuse_other_base(desk: Desk, above: Desk) -> None:
    source = above.release.base.source
    if not isinstance(source, ReleaseSource):
        raise InputFault(
            Diagnostic(
                code="promote-no-overlay",
                message=f"release `{above.release.name}` stands on no other release, so nothing of it can be promoted",
                help="stackproof promote OVERLAY, in the project of the release that it stands on",
            )
        )
    promised = above.release.reference
    if promised is None or promised.tip_commit != above.stack.tip_commit():
        raise InputFault(
            Diagnostic(
                code="promote-not-pinned",
                message=f"`{above.release.name}` is not pinned as it stands, so its tip is not settled",
                place=Place(file=str(above.root / RELEASE_FILE)),
                help="in the overlay: stackproof pin",
            )
        )
    if above.stack.base_tree != desk.stack.tip_tree():
        raise InputFault(
            Diagnostic(
                code="promote-other-base",
                message=f"`{above.release.name}` stands on another tip than that of this project",
                notes=(
                    f"it stands on `{source.release}`, tip tree {above.stack.base_tree}",
                    f"this is       `{desk.release.name}`, tip tree {desk.stack.tip_tree()}",
                ),
                help=f"seal this release, then in the overlay: stackproof bump --to dist/{desk.release.name}",
            )
        )


def _refuse_unfit(desk: Desk, first: Sequence[BlockPlan]) -> None:
    """Names that are taken, and needs that are left behind."""
    there = {block.name for block in desk.release.blocks}
    coming = [plan.block.name for plan in first]
    problems: list[Diagnostic] = []
    for plan in first:
        block = plan.block
        if block.name in there:
            problems.append(
                Diagnostic(
                    code="promote-name-taken",
                    message=f"the release has a block `{block.name}` already",
                    place=Place(file=block.file),
                    help=f"in the overlay: stackproof rename {block.name} NEW-NAME",
                )
            )
        left = [needed for needed in block.requires if needed not in coming]
        if left:
            problems.append(
                Diagnostic(
                    code="promote-requires",
                    message=f"block `{block.name}` requires what is not promoted: {', '.join(left)}",
                    place=Place(file=block.file),
                    help=f"stackproof promote OVERLAY {' '.join((*left, *coming))}",
                )
            )
    if problems:
        raise InputFault(*problems)


def _files(
    desk: Desk, above: Desk, first: Sequence[BlockPlan], taken: Sequence[Placed], name: str
) -> dict[str, bytes | None]:
    contents: dict[str, bytes | None] = {}
    for plan in first:
        folder = above.root / "blocks" / plan.block.name
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                contents[path.relative_to(above.root).as_posix()] = path.read_bytes()
    contents |= {each.fold.patch_file: each.fold.patch_bytes for each in taken}
    text = (desk.root / RELEASE_FILE).read_bytes().decode("utf-8")
    names = [block.name for block in desk.release.blocks]
    text = with_value(text, "blocks", [*names, *(plan.block.name for plan in first)])
    models = _models(text, (above.root / RELEASE_FILE).read_bytes().decode("utf-8"), [plan.block for plan in first])
    text = with_value(text, "models", models) if models else text
    if name and name != desk.release.name:
        text = with_value(text, "name", name)
        text = with_value(text, "parent", desk.release.name)
    contents[RELEASE_FILE] = text.encode("utf-8")
    return contents


def _models(text: str, overlay: str, blocks: Sequence[Block]) -> dict[str, object] | None:
    """The models that the release has with those that the blocks' gates bring; None where they bring none."""
    ours, theirs = _table(value_of(text, "models")), _table(value_of(overlay, "models"))
    used = {word for block in blocks for gate in block.gates for word in _words(gate)} & theirs.keys()
    for model in sorted(used & ours.keys()):
        if ours[model] != theirs[model]:
            raise InputFault(
                Diagnostic(
                    code="promote-model-differs",
                    message=f"model `{model}` is another file in the overlay than in this release",
                    place=Place(file=RELEASE_FILE),
                    notes=("a gate of the promoted blocks uses it, and would judge something else",),
                    help="give the overlay's model another name there, and pin",
                )
            )
    new = {model: theirs[model] for model in theirs if model in used - ours.keys()}
    return {**ours, **new} if new else None


def _table(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _words(gate: GateDecl) -> Iterator[str]:
    """Every text among a gate's parameters: names of models are some of them."""
    params: object = gate.params
    values = [getattr(params, each.name) for each in fields(params)] if is_dataclass(params) else []
    for value in values:
        yield from (each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, str))


def _derived(desk: Desk, release: Release) -> tuple[Stack, tuple[NewObject, ...]]:
    base = desk.stack
    derived = derive(
        blocks=release.blocks, lock=None, base_tree=base.base_tree, base_commit=base.base_commit, source=desk.overlay
    )
    if not isinstance(derived.result, Stack):
        raise InputFault(*derived.findings)
    return derived.result, derived.objects


def _by_git(desk: Desk, release: Release) -> tuple[TreeId, ...]:
    patches = [fold.patch_bytes for block in release.blocks for fold in block.folds]
    return rederive(git_dir=desk.store.git_dir, base_tree=desk.stack.base_tree, patches=patches)


def _builds(desk: Desk, above: Desk, release: Release, stack: Stack) -> tuple[tuple[str, TreeId], ...]:
    """Prefixes and tips that neither the release nor the overlay has."""
    known = {each.base_tree for each in (desk.stack, above.stack)}
    known |= {layer.after for each in (desk.stack, above.stack) for layer in each.layers}
    trees = [tree for block in release.blocks if (tree := stack.block_tree(block.name)) is not None]
    wanted: dict[tuple[str, TreeId], None] = {}
    for configuration in release.configurations:
        asked = trees if Proof.PREFIX in configuration.proofs else []
        asked = [*asked, stack.tip_tree()] if Proof.TIP in configuration.proofs else asked
        wanted.update(dict.fromkeys((configuration.name, tree) for tree in asked if tree not in known))
    return tuple(wanted)


def _told(above: Desk, first: Sequence[BlockPlan], taken: Sequence[Placed]) -> Iterator[str]:
    for each in taken:
        if each.how is not How.IDENTICAL:
            yield f"{each.block}/{each.fold.id}: {each.how.value}"
    gates = {gate.name for plan in first for gate in plan.block.gates}
    for deviation in above.release.deviations:
        if deviation.gate in gates:
            yield f"deviation {deviation.number} of gate {deviation.gate} is the overlay's: accept it again here"


def _other_tip(first: Sequence[BlockPlan], message: str, notes: tuple[str, ...]) -> Conflict:
    block = first[0].block
    finding = Diagnostic(
        code="promote-changes-tip",
        message=message,
        notes=(*listed("promoted", [plan.block.name for plan in first]), *notes, "nothing was written"),
        help="promote the blocks that they stand on, too, or reorder them in the overlay first",
    )
    return Conflict(block=block.name, fold=block.folds[0].id if block.folds else FoldId(""), findings=(finding,))
