"""Takes submissions into the stack: whole, in part, or divided over blocks; or records that they are not taken.

Author, date and message come from the mail, the submitted bytes are kept, and the fold's patch is made on the tree
where it goes: above the last fold of its block, or behind a named one. What was left out stands in the fold's reason.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from builder.commit import BLOCK_TRAILER, FOLD_TRAILER
from builder.edit.change import Beside, Change, plan_change
from builder.edit.credit import with_credit
from builder.edit.desk import Desk, owners_told
from builder.edit.left_out import both, forgotten, free_name, not_taken_file, recorded
from builder.edit.offers import Offer
from builder.edit.picks import Pick, Piece, check_picks, divide, path_of, pieces_of
from builder.edit.restack import BlockPlan, Conflict, Item, plan_of
from builder.exchange.lay_submission import Refused, Taken, lay_submission
from builder.exchange.stack_in import NOT_STATED, Submission, slug, take_in
from builder.tree import Tree
from verify.diff.submission import Section
from verify.model.block import Block, Disposition, Fold, NotTaken, Person, Refusal
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import EMPTY_TREE, BlobId, BlockName, CommitId, FoldId

_OWN_TRAILERS = re.compile(rf"^(?:{BLOCK_TRAILER}|{FOLD_TRAILER}): .*\n?", re.MULTILINE)

Blobs = Callable[[BlobId], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the maintainer says beside the submission; empty where it is left to the submission.

    `only` and `without` pick the part that is taken, `split` gives parts to blocks, `by_owner` each file to the block
    that owns it. `after` is the fold that it goes behind. `date` is for a submission that states none.
    """

    block: str = ""
    fold: str = ""
    only: tuple[Pick, ...] = ()
    without: tuple[Pick, ...] = ()
    split: tuple[tuple[str, Pick], ...] = ()
    by_owner: bool = False
    after: str = ""
    reason: str = ""
    subject: str = ""
    author: Person | None = None
    date: str = ""
    numbers: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What one block takes of one message sequence."""

    block: Block
    sections: tuple[tuple[Section, ...], ...]


def plan_fold(desk: Desk, offers: Sequence[Offer], asked: Asked, blobs: Blobs) -> Change | Conflict:
    """Every offer as a fold, or as a fold in each of several blocks."""
    if asked.fold and len(offers) > 1:
        raise _fault(
            "fold-id-many",
            f"{len(offers)} messages cannot all be fold `{asked.fold}`",
            ("each message becomes a fold named by its subject",),
            "leave --id out, or make one fold of all with --as-one",
        )
    plans = list(plan_of(desk))
    told: list[str] = []
    beside = Beside()
    for offer in offers:
        parts, rest = _parts(desk, offer, asked, told)
        if not parts:
            raise _nothing_taken(offer)
        for part in parts:
            fold = _fold(offer, asked, part, parts, rest, _plan(plans, part.block.name))
            item = Item(fold=fold, was=None, lay=_layer(offer, part, blobs), source=offer.data)
            _insert(desk, plans, part.block.name, item, asked.after)
            told += _strays(desk, part, offer.rules.strip)
            if any(each.id == fold.id and each.disposition is Refusal.DEFERRED for each in part.block.not_taken):
                beside = both(beside, forgotten(part.block, fold.id))
                told.append(f"`{fold.id}` was deferred, and is taken now: its record is gone")
    names = ", ".join(dict.fromkeys(offer.source for offer in offers))
    return plan_change(desk, plans, command="fold", summary=names, beside=beside, told=tuple(told))


def plan_refusal(desk: Desk, offers: Sequence[Offer], asked: Asked, refusal: Refusal, source: str) -> Change | Conflict:
    """A record of each offer that is not taken; of what `asked` says alone where nothing was sent."""
    if not asked.reason:
        raise _fault("reason-needed", f"why is it {refusal.value}?", (), "say it with --reason TEXT")
    block = desk.block(asked.block) if asked.block else None
    taken = [each.id for each in (block.not_taken if block is not None else desk.release.not_taken)]
    records: list[NotTaken] = []
    files: dict[str, bytes] = {}
    for offer in offers or (None,):
        record = _record(offer, asked, refusal, source)
        record = replace(record, id=free_name(record.id, taken))
        taken.append(record.id)
        records.append(record)
        if offer is not None:
            files[not_taken_file(block.name if block is not None else None, record.id)] = offer.data
    beside = recorded(block.name if block is not None else None, records, (), files)
    summary = ", ".join(f"{record.id} {refusal.value}" for record in records)
    return plan_change(desk, plan_of(desk), command="fold", summary=summary, beside=beside)


def described(offer: Offer, block: BlockName, name: str) -> Fold:
    """A fold with all that the submission's headers say, and no patch yet."""
    messages = tuple(replace(message, text=b"") for message in offer.messages)
    submission = Submission(
        block=block,
        fold=name or next((each.subject for each in messages if each.subject), "") or offer.source,
        data=offer.data,
        messages=messages,
        rules=offer.rules,
        file=offer.file,
        source=offer.source,
        subject=offer.source,
    )
    nothing = Tree.at(_Empty(), EMPTY_TREE)
    fold = take_in([submission], nothing, CommitId("0" * 40), titles={}).blocks[0].folds[0]
    others = [each.author for each in offer.messages if each.author is not None]
    # A commit of a checkout names its block and fold; the fold's own commit will do so again.
    body = _OWN_TRAILERS.sub("", fold.body).strip("\n")
    return replace(fold, body=with_credit(body, own=fold.author, authors=others))


class _Empty:
    def tree(self, id: str) -> bytes:  # noqa: A002
        raise KeyError(id)

    def blob(self, id: str) -> bytes:  # noqa: A002
        raise KeyError(id)


def _parts(desk: Desk, offer: Offer, asked: Asked, told: list[str]) -> tuple[list[_Part], list[Piece]]:
    """What each block takes, and what nobody does."""
    strip = offer.rules.strip
    whole = offer.all_sections()
    picks = (*asked.only, *asked.without, *(pick for _, pick in asked.split))
    check_picks(picks, whole, strip)
    found: dict[BlockName, list[tuple[Section, ...]]] = {}
    left: list[Section] = []
    for sections in offer.sections:
        open_, away = divide(sections, asked.only, strip, whole=whole) if asked.only else (sections, ())
        left += away
        if asked.without:
            away, open_ = divide(open_, asked.without, strip, whole=whole)
            left += away
        given, unassigned = _given(desk, open_, asked, strip, whole)
        left += unassigned
        for block in given:
            found.setdefault(block, [])
        for block, lists in found.items():
            lists.append(given.get(block, ()))
    if not asked.block and not asked.split and not asked.by_owner:
        told += [f"block {block}: it owns every file of the patch" for block in found]
    pieces = list(pieces_of(left, whole, strip))
    if pieces and not asked.reason:
        raise _fault(
            "reason-needed",
            "a part of the submission is not taken, and no reason is given",
            tuple(f"not taken: {piece.shown()}" for piece in pieces),
            "say it with --reason TEXT",
        )
    order = [block.name for block in desk.release.blocks]
    names = sorted((name for name, lists in found.items() if any(lists)), key=order.index)
    return [_Part(block=desk.block(name), sections=tuple(found[name])) for name in names], pieces


def _given(
    desk: Desk, sections: tuple[Section, ...], asked: Asked, strip: int, whole: Sequence[Section]
) -> tuple[dict[BlockName, tuple[Section, ...]], tuple[Section, ...]]:
    if asked.split:
        given: dict[BlockName, tuple[Section, ...]] = {}
        rest = sections
        for name in dict.fromkeys(name for name, _ in asked.split):
            mine, rest = divide(rest, [pick for other, pick in asked.split if other == name], strip, whole=whole)
            given[desk.block(name).name] = mine
        return given, rest
    if asked.block:
        return {desk.block(asked.block).name: sections}, ()
    return _by_owner(desk, sections, strip, several=asked.by_owner), ()


def _by_owner(
    desk: Desk, sections: tuple[Section, ...], strip: int, *, several: bool
) -> dict[BlockName, tuple[Section, ...]]:
    owners = {path_of(section, strip): desk.owners(path_of(section, strip)) for section in sections}
    blocks = {names[0] for names in owners.values() if len(names) == 1}
    if any(len(names) != 1 for names in owners.values()) or (len(blocks) > 1 and not several):
        common = set.intersection(*(set(names) for names in owners.values())) if owners else set()
        divided = len(blocks) > 1 and all(len(names) == 1 for names in owners.values())
        raise _fault(
            "fold-block-unclear",
            "the files of the patch do not say which block takes it",
            owners_told(desk, owners),
            "stackproof fold … --split owners"
            if divided
            else f"stackproof fold … --block {min(common or blocks or {desk.release.blocks[0].name})}",
        )
    return {
        name: tuple(section for section in sections if owners[path_of(section, strip)] == (name,)) for name in blocks
    }


def _fold(
    offer: Offer, asked: Asked, part: _Part, parts: Sequence[_Part], rest: Sequence[Piece], plan: BlockPlan
) -> Fold:
    fold = described(offer, part.block.name, asked.fold)
    if fold.author == NOT_STATED and asked.author is None:
        raise _fault(
            "fold-author-missing",
            f"{offer.file} does not say who wrote it",
            ("a fold always names its author",),
            "say it with --author 'Name <email>'",
        )
    whole, strip = offer.all_sections(), offer.rules.strip
    reasons = [asked.reason] if asked.reason else []
    disposition = Disposition.FOLDED
    if len(parts) > 1:
        disposition = Disposition.SPLIT
        for other in parts:
            if other is not part:
                pieces = pieces_of((each for one in other.sections for each in one), whole, strip)
                reasons.append(f"in block {other.block.name}: {'; '.join(piece.shown() for piece in pieces)}")
    if rest:
        disposition = Disposition.PARTLY_TAKEN
        reasons.append(f"not taken: {'; '.join(piece.shown() for piece in rest)}")
    stated = any(message.date is not None for message in offer.messages)
    return replace(
        fold,
        id=free_name(fold.id, [item.fold.id for item in plan.items]) if not asked.fold else _unused(fold.id, plan),
        subject=asked.subject or fold.subject,
        author=asked.author or fold.author,
        date=fold.date if stated else asked.date or fold.date,
        source=offer.source,
        disposition=disposition,
        reason="\n".join(reasons),
        licence=asked.licence,
    )


def _unused(name: FoldId, plan: BlockPlan) -> FoldId:
    if any(item.fold.id == name for item in plan.items):
        raise _fault(
            "fold-exists",
            f"block `{plan.block.name}` has a fold `{name}` already",
            (),
            f"stackproof fold --update {plan.block.name}/{name} PATCH, or choose another --id",
        )
    return name


def _layer(offer: Offer, part: _Part, blobs: Blobs) -> Callable[[Tree], Taken | Refused]:
    return lambda tree: lay_submission(part.sections, tree, offer.rules, file=offer.file, recorded=blobs)


def _plan(plans: Sequence[BlockPlan], block: BlockName) -> BlockPlan:
    return next(plan for plan in plans if plan.block.name == block)


def _insert(desk: Desk, plans: list[BlockPlan], block: BlockName, item: Item, after: str) -> None:
    at = next(number for number, plan in enumerate(plans) if plan.block.name == block)
    items = list(plans[at].items)
    place = len(items)
    if after:
        owner, fold = desk.fold(after if "/" in after else f"{block}/{after}")
        if owner.name == block:
            place = next(number for number, each in enumerate(items, 1) if each.was == (owner.name, fold.id))
    items.insert(place, item)
    plans[at] = replace(plans[at], items=tuple(items))


def _strays(desk: Desk, part: _Part, strip: int) -> list[str]:
    paths = dict.fromkeys(path_of(section, strip) for sections in part.sections for section in sections)
    return [
        f"{path.decode('utf-8', 'backslashreplace')} is not owned by {part.block.name}: add it to `owns`, or split"
        for path in paths
        if part.block.name not in desk.owners(path)
    ]


def _record(offer: Offer | None, asked: Asked, refusal: Refusal, source: str) -> NotTaken:
    if offer is None:
        if not asked.subject or not source:
            raise _fault(
                "record-nameless",
                "a record without a patch needs a subject and a source",
                (),
                "say them with --subject TEXT and --source TEXT",
            )
        return NotTaken(
            id=FoldId(slug(asked.fold or asked.subject)),
            subject=asked.subject,
            author=asked.author,
            date=asked.date,
            source=source,
            disposition=refusal,
            reason=asked.reason,
            numbers=asked.numbers,
        )
    fold = described(offer, BlockName("none"), asked.fold)
    author = asked.author or fold.author
    stated = any(message.date is not None for message in offer.messages)
    return NotTaken(
        id=fold.id,
        subject=asked.subject or fold.subject,
        author=None if author == NOT_STATED else author,
        date=fold.date if stated else asked.date,
        source=offer.source,
        disposition=refusal,
        reason=asked.reason,
        numbers=asked.numbers,
    )


def _nothing_taken(offer: Offer) -> InputFault:
    return _fault(
        "offer-untaken",
        f"nothing of {offer.source} would be taken",
        (),
        "record it instead: --disposition dropped --reason TEXT",
    )


def _fault(code: str, message: str, notes: tuple[str, ...], step: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, notes=notes, help=step))
