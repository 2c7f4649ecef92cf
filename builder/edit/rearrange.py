"""Rearranges the stack: folds moved, reordered, split, squashed, dropped and renamed, blocks reordered and renamed.

What only changes the order must not change the result: a move, a reordering, a split or a squash that would leave
another tip tree is refused, even where every hunk found a place. A fold that cannot stand where it is put says which
of its hunks do not meet their files there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from builder.edit.change import Beside, Change, plan_change
from builder.edit.credit import with_credit
from builder.edit.desk import Desk
from builder.edit.folds_text import with_words
from builder.edit.left_out import both, check_stones, free_name, not_taken_file, recorded
from builder.edit.picks import Pick, check_picks, divide, pieces_of
from builder.edit.refresh import GIT, sections_of
from builder.edit.restack import BlockPlan, Conflict, Item, kept, moved, plan_of
from builder.exchange.lay_submission import Refused, Taken, lay_submission
from builder.tree import Overlay, Tree
from verify.diff.submission import Section
from verify.gates.tombstones import returns
from verify.manifest.block import block_file
from verify.manifest.mistakes import listed
from verify.model.block import Block, Disposition, Fold, NotTaken, Refusal, Tombstone
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, FoldId, is_name, show_path


def plan_move(desk: Desk, name: str, *, to: str, before: str = "", after: str = "") -> Change | Conflict:
    """A fold to another place: the end of a block, or beside one of its folds."""
    block, fold = desk.fold(name)
    target = desk.block(to) if to else block
    _refuse_emptied(block, [each for each in block.folds if each is not fold], stays=target.name == block.name)
    item = moved(desk, block, fold, fold)
    plans = _without(plan_of(desk), {(block.name, fold.id)})
    if any(each.fold.id == fold.id for plan in plans if plan.block.name == target.name for each in plan.items):
        raise _taken_name(target, fold.id)
    plans = _with_item(plans, target.name, item, before=before, after=after)
    summary = f"{block.name}/{fold.id} to {target.name}"
    return _same_tip(desk, plan_change(desk, plans, command="move", summary=summary), block.name, fold.id)


def plan_reorder(desk: Desk, names: Sequence[str], *, block: str) -> Change | Conflict:
    """The folds of a block, or the blocks themselves when none is named, in another order: all of them are named."""
    if block:
        target = desk.block(block)
        known = [fold.id for fold in target.folds]
        _refuse_other_names(f"folds of block `{target.name}`", known, names)
        folds = {fold.id: fold for fold in target.folds}
        items = tuple(kept(desk, target, folds[FoldId(name)]) for name in names)
        plans = tuple(replace(each, items=items) if each.block == target else each for each in plan_of(desk))
        first = next((one for one, other in zip(names, known, strict=True) if one != other), known[0])
        where, fold = target.name, FoldId(first)
    else:
        known_blocks = [each.name for each in desk.release.blocks]
        _refuse_other_names("blocks", known_blocks, names)
        by_name = {plan.block.name: plan for plan in plan_of(desk)}
        plans = tuple(by_name[BlockName(name)] for name in names)
        where = BlockName(next((one for one, other in zip(names, known_blocks, strict=True) if one != other), names[0]))
        fold = FoldId("")
    summary = f"{block or 'blocks'}: {', '.join(names)}"
    return _same_tip(desk, plan_change(desk, plans, command="reorder", summary=summary), where, fold)


def plan_drop(
    desk: Desk, names: Sequence[str], *, reason: str, buried: Sequence[str] = (), paths: tuple[str, ...] = ()
) -> Change | Conflict:
    """Folds out of the stack, recorded as dropped with their patches; `buried` are texts that must not come back."""
    found = [desk.fold(name) for name in names]
    gone = {(block.name, fold.id) for block, fold in found}
    for block in dict.fromkeys(block.name for block, _ in found):
        declared = desk.block(block)
        _refuse_emptied(declared, [fold for fold in declared.folds if (block, fold.id) not in gone], stays=False)
    stays = [fold for block in desk.release.blocks for fold in block.folds if (block.name, fold.id) not in gone]
    stones = _stones(found, buried, paths, reason, stays)
    beside = Beside()
    for name in dict.fromkeys(block.name for block, _ in found):
        mine = [fold for owner, fold in found if owner.name == name]
        own = [stone for stone in stones if stone.source.partition("/")[0] == name]
        taken = [each.id for each in desk.block(name).not_taken]
        beside = both(beside, _dropped(desk, name, mine, taken, reason, own))
    summary = ", ".join(f"{block.name}/{fold.id}" for block, fold in found)
    return plan_change(desk, _without(plan_of(desk), gone), command="drop", summary=summary, beside=beside)


def plan_drop_block(
    desk: Desk, name: str, *, reason: str, buried: Sequence[str] = (), paths: tuple[str, ...] = ()
) -> Change | Conflict:
    """A whole block out of the release; what it had on record goes on in release.json."""
    block = desk.block(name)
    stays = [fold for other in desk.release.blocks if other is not block for fold in other.folds]
    stones = _stones([(block, fold) for fold in block.folds], buried, paths, reason, stays)
    taken = [each.id for each in desk.release.not_taken]
    records: list[NotTaken] = []
    files: dict[str, bytes] = {}
    for record in block.not_taken:
        renamed = replace(record, id=free_name(record.id, taken))
        taken.append(renamed.id)
        records.append(renamed)
        path = desk.root / not_taken_file(block.name, record.id)
        if path.is_file():
            files[not_taken_file(None, renamed.id)] = path.read_bytes()
    old = recorded(None, records, block.tombstones, files)
    beside = both(old, _dropped(desk, None, block.folds, taken, reason, stones))
    plans = tuple(plan for plan in plan_of(desk) if plan.block != block)
    return plan_change(desk, plans, command="drop", summary=f"block {name}", beside=beside)


def _stones(
    dropped: Sequence[tuple[Block, Fold]],
    buried: Sequence[str],
    paths: tuple[str, ...],
    reason: str,
    stays: Sequence[Fold],
) -> tuple[Tombstone, ...]:
    """The tombstones for these texts, each with the first dropped fold that adds it."""
    stones = []
    for text in buried:
        stone = Tombstone(text=text, paths=paths, reason=reason, source="")
        block, fold = next((each for each in dropped if any(True for _ in returns(stone, each[1]))), dropped[0])
        stones.append(replace(stone, source=f"{block.name}/{fold.id}"))
    check_stones(stones, [fold for _, fold in dropped], stays)
    return tuple(stones)


def plan_rename_fold(desk: Desk, name: str, new: str) -> Change | Conflict:
    """A fold under another id."""
    block, fold = desk.fold(name)
    _refuse_bad_name(new)
    if any(each.id == new for each in block.folds):
        raise _taken_name(block, FoldId(new))
    item = moved(desk, block, fold, replace(fold, id=FoldId(new)))
    plans = _replaced(plan_of(desk), (block.name, fold.id), (item,))
    return plan_change(desk, plans, command="rename", summary=f"{block.name}/{fold.id} to {new}")


def plan_rename_block(desk: Desk, name: str, new: str) -> Change | Conflict:
    """A block under another name; blocks that require it follow."""
    block = desk.block(name)
    _refuse_bad_name(new)
    if any(each.name == new for each in desk.release.blocks):
        raise InputFault(Diagnostic(code="block-exists", message=f"there is a block `{new}` already"))
    renamed = replace(block, name=BlockName(new), file=block_file(new))
    plans = tuple(BlockPlan(block=renamed, items=plan.items) if plan.block == block else plan for plan in plan_of(desk))

    def follow(text: str, file: str) -> str:
        return with_words(text, file, "requires", {name: new})

    followers = {each.name: (follow,) for each in desk.release.blocks if block.name in each.requires}
    return plan_change(
        desk,
        plans,
        command="rename",
        summary=f"block {name} to {new}",
        beside=Beside(blocks=followers),
        renamed={BlockName(new): block.name},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOff:
    """A part of a fold that becomes a fold of its own, in its block or in another one."""

    block: str
    fold: str
    picks: tuple[Pick, ...]
    subject: str = ""


def plan_split(desk: Desk, name: str, parts: Sequence[SplitOff], *, reason: str = "") -> Change | Conflict:
    """A fold taken apart: what no part picks stays in it, and each part goes above it."""
    block, fold = desk.fold(name)
    met = desk.met((block.name, fold.id))
    whole = rest = sections_of(fold.patch, met)
    check_picks([pick for part in parts for pick in part.picks], whole, 1)
    pieces: list[tuple[SplitOff, Block, tuple[Section, ...]]] = []
    for part in parts:
        _refuse_bad_name(part.fold)
        mine, rest = divide(rest, part.picks, 1, whole=whole)
        target = desk.block(part.block) if part.block else block
        if any(each.id == part.fold for each in target.folds):
            raise _taken_name(target, FoldId(part.fold))
        pieces.append((part, target, mine))
    if not rest or not all(mine for _, _, mine in pieces):
        raise InputFault(
            Diagnostic(
                code="split-empty",
                message=f"one part of fold `{fold.id}` would have no change in it",
                notes=("what no part picks stays in the fold, so something must be left",),
                help="stackproof rename, if the whole fold is meant",
            )
        )
    where = {part.fold: f"{target.name}/{part.fold}" for part, target, _ in pieces}
    said = [reason] if reason else []

    def told(sections: Sequence[Section], place: str) -> str:
        return f"in {place}: {'; '.join(piece.shown() for piece in pieces_of(sections, whole, 1))}"

    others = [told(mine, where[part.fold]) for part, _, mine in pieces]
    kept_fold = replace(fold, disposition=Disposition.SPLIT, reason="\n".join([*_lines(fold.reason), *said, *others]))
    item = Item(fold=kept_fold, was=(block.name, fold.id), lay=_lay_sections(desk, rest, fold.patch_file))
    plans = _replaced(plan_of(desk), (block.name, fold.id), (item,))
    source = fold_source(desk, fold)
    behind = {block.name: fold.id}
    for number, (part, target, mine) in enumerate(pieces):
        away = [told(rest, f"{block.name}/{fold.id}"), *(each for at, each in enumerate(others) if at != number)]
        new = replace(
            fold,
            id=FoldId(part.fold),
            subject=part.subject or fold.subject,
            disposition=Disposition.SPLIT,
            reason="\n".join([*said, *away]),
        )
        made = Item(fold=new, was=None, lay=_lay_sections(desk, mine, fold.patch_file), source=source)
        plans = _with_item(plans, target.name, made, before="", after=behind.get(target.name, ""))
        behind[target.name] = new.id
    summary = f"{block.name}/{fold.id} into {', '.join([fold.id, *where.values()])}"
    return _same_tip(desk, plan_change(desk, plans, command="split", summary=summary), block.name, fold.id)


def plan_squash(desk: Desk, name: str, *, into: str) -> Change | Conflict:
    """A fold made part of one below it; both messages and both authors are kept."""
    upper_block, upper = desk.fold(name)
    lower_block, lower = desk.fold(into)
    order = [(layer.block, layer.fold) for layer in desk.stack.layers]
    key, into_key = (upper_block.name, upper.id), (lower_block.name, lower.id)
    if order.index(key) <= order.index(into_key):
        raise InputFault(
            Diagnostic(
                code="squash-order",
                message=f"fold `{upper.id}` does not stand above fold `{lower.id}`",
                notes=("a fold is squashed into one below it",),
                help=f"stackproof squash {into} --into {name}",
            )
        )
    _refuse_emptied(
        upper_block,
        [each for each in upper_block.folds if each is not upper],
        stays=upper_block.name == lower_block.name,
    )
    sections = [sections_of(lower.patch, desk.met(into_key)), sections_of(upper.patch, desk.met(key))]
    body = "\n\n".join(filter(None, [lower.body, upper.subject, upper.body]))
    body = with_credit(body, own=lower.author, authors=(upper.author,))
    sources = [one for one in (fold_source(desk, lower), fold_source(desk, upper)) if one is not None]
    joined = b"".join(one if one.endswith(b"\n") else one + b"\n" for one in sources)
    fold = replace(
        lower,
        body=body,
        source=lower.source if lower.source == upper.source else f"{lower.source}; {upper.source}",
        reason="\n".join(dict.fromkeys([*_lines(lower.reason), *_lines(upper.reason)])),
    )
    item = Item(
        fold=fold,
        was=into_key,
        lay=lambda tree: lay_submission(sections, tree, GIT, file=lower.patch_file, recorded=desk.blob),
        source=joined if len(sources) > 1 else sources[0] if sources else None,
    )
    plans = _replaced(_without(plan_of(desk), {key}), into_key, (item,))
    summary = f"{name} into {into}"
    return _same_tip(desk, plan_change(desk, plans, command="squash", summary=summary), upper_block.name, upper.id)


def fold_source(desk: Desk, fold: Fold) -> bytes | None:
    """The submitted patch of a fold."""
    path = desk.root / (fold.patch_file.removesuffix("fold.patch") + "source.patch")
    return path.read_bytes() if path.is_file() else None


def _dropped(
    desk: Desk,
    block: BlockName | None,
    folds: Sequence[Fold],
    taken: Sequence[str],
    reason: str,
    stones: Sequence[Tombstone],
) -> Beside:
    records: list[NotTaken] = []
    files: dict[str, bytes] = {}
    names = list(taken)
    for fold in folds:
        record = NotTaken(
            id=free_name(fold.id, names),
            subject=fold.subject,
            author=fold.author,
            date=fold.date,
            source=fold.source,
            disposition=Refusal.DROPPED,
            reason=reason,
            numbers="",
        )
        names.append(record.id)
        records.append(record)
        files[not_taken_file(block, record.id)] = fold_source(desk, fold) or fold.patch_bytes
    return recorded(block, records, stones, files)


def _lay_sections(desk: Desk, sections: tuple[Section, ...], file: str) -> Callable[[Tree], Taken | Refused]:
    return lambda tree: lay_submission([sections], tree, GIT, file=file, recorded=desk.blob)


def _same_tip(desk: Desk, change: Change | Conflict, block: BlockName, fold: FoldId) -> Change | Conflict:
    if isinstance(change, Conflict) or change.stack.tip_tree() == desk.stack.tip_tree():
        return change
    old = desk.tree(desk.stack.tip_tree())
    new = Tree.at(_with_objects(desk, change), change.stack.tip_tree())
    paths = [show_path(path) for path, _ in old.differences(new)]
    finding = Diagnostic(
        code="order-changes-tip",
        message=f"{change.command} of {change.summary} would leave another tip tree",
        notes=(*listed("files that would differ", paths), "the folds do not commute; nothing was written"),
        help="stackproof checkout DIR, rearrange and resolve there, then stackproof sync DIR",
    )
    return Conflict(block=block, fold=fold, findings=(finding,))


def _with_objects(desk: Desk, change: Change) -> Overlay:
    for new in change.objects:
        desk.overlay.add(new)
    return desk.overlay


def _without(plans: Sequence[BlockPlan], gone: set[tuple[BlockName, FoldId]]) -> tuple[BlockPlan, ...]:
    return tuple(replace(plan, items=tuple(item for item in plan.items if item.was not in gone)) for plan in plans)


def _replaced(
    plans: Sequence[BlockPlan], key: tuple[BlockName, FoldId], items: tuple[Item, ...]
) -> tuple[BlockPlan, ...]:
    return tuple(
        replace(
            plan,
            items=tuple(new for item in plan.items for new in (items if item.was == key else (item,))),
        )
        for plan in plans
    )


def _with_item(
    plans: Sequence[BlockPlan], block: BlockName, item: Item, *, before: str, after: str
) -> tuple[BlockPlan, ...]:
    """The item in a block: at its end, or beside the fold of that id."""
    made = []
    for plan in plans:
        if plan.block.name != block:
            made.append(plan)
            continue
        ids = [each.fold.id for each in plan.items]
        beside = (before or after).rpartition("/")[2]
        if beside and beside not in ids:
            raise InputFault(
                Diagnostic(
                    code="fold-unknown",
                    message=f"block `{block}` has no other fold `{beside}`",
                    notes=listed("its folds", ids),
                    help="stackproof status",
                )
            )
        place = len(ids) if not beside else ids.index(FoldId(beside)) + (not before)
        made.append(replace(plan, items=(*plan.items[:place], item, *plan.items[place:])))
    return tuple(made)


def _lines(text: str) -> list[str]:
    return [text] if text else []


def _refuse_other_names(what: str, known: Sequence[str], names: Sequence[str]) -> None:
    if sorted(known) != sorted(names):
        raise InputFault(
            Diagnostic(
                code="reorder-names",
                message=f"an order names all {what}, each once",
                notes=(f"met      {', '.join(names)}", f"expected {', '.join(known)}, in any order"),
                help=f"stackproof reorder {' '.join(known)}",
            )
        )


def _refuse_emptied(block: Block, left: Sequence[Fold], *, stays: bool) -> None:
    if not left and not stays:
        raise InputFault(
            Diagnostic(
                code="edit-block-emptied",
                message=f"block `{block.name}` would have no fold left",
                notes=("whether a block goes is a decision of its own",),
                help=f"stackproof drop --block {block.name} --reason TEXT",
            )
        )


def _refuse_bad_name(name: str) -> None:
    if not is_name(name):
        raise InputFault(
            Diagnostic(
                code="bad-new-name",
                message=f"`{name}` cannot name a fold or block",
                notes=("expected lower-case letters, digits, `.`, `+` and `-`",),
                help="stackproof explain bad-new-name",
            )
        )


def _taken_name(block: Block, name: FoldId) -> InputFault:
    return InputFault(
        Diagnostic(
            code="fold-exists",
            message=f"block `{block.name}` has a fold `{name}` already",
            help=f"stackproof rename {block.name}/{name} NEW",
        )
    )
