"""Changes a fold in place: an amendment by the maintainer, or a new revision of what was submitted.

An amendment is laid on top of the fold and becomes one change with it. A revision is compared with the revision that
was taken before (the interdiff), on the same files. Where the maintainer took the old one as it was, the new one
takes its place; where he resolved or left out something, the interdiff is laid on his fold, placed two ways, so that
his resolution stays, or the hunk that meets it is told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from builder.edit.change import Change, plan_change
from builder.edit.credit import coauthors, with_credit
from builder.edit.desk import Desk
from builder.edit.mapping import FoldKey
from builder.edit.offers import Offer, read_offers
from builder.edit.picks import Pick, check_picks, divide, path_of, pieces_of
from builder.edit.rearrange import fold_source
from builder.edit.refresh import GIT, paths_of, sections_of
from builder.edit.restack import BlockPlan, Conflict, Item, moved, plan_of
from builder.edit.take import described
from builder.exchange.lay_submission import Refused, Taken, lay_submission
from builder.exchange.stack_in import NOT_STATED
from builder.exchange.tree_diff import patch_between
from builder.tree import FileState, Obstructed, Tree, file_state
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.diff.submission import Section
from verify.diff.trailers import submitted_sign_offs
from verify.model.block import Block, Disposition, Fold, Person
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlobId, BlockName, RepoPath, show_path
from verify.model.patch import Mode

Blobs = Callable[[BlobId], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """New values of a fold's fields; None leaves one as it is."""

    subject: str | None = None
    body: str | None = None
    author: Person | None = None
    date: str | None = None
    source: str | None = None
    reason: str | None = None
    disposition: Disposition | None = None
    licence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What a new revision does: the change, the interdiff, and the commits and digests of what was and is submitted."""

    change: Change | Conflict
    interdiff: bytes
    old_head: str
    new_head: str
    old_sha256: str
    new_sha256: str
    replayed: bool


def plan_amend(desk: Desk, name: str, offers: Sequence[Offer], fields: Fields, blobs: Blobs) -> Change | Conflict:
    """A fold with a change laid on top of it, with other fields, or both."""
    block, fold = desk.fold(name)
    changed = with_fields(fold, fields)
    others = [message.author for offer in offers for message in offer.messages if message.author is not None]
    signed = [who for offer in offers for who in submitted_sign_offs(offer.data)]
    changed = replace(changed, body=with_credit(changed.body, own=changed.author, authors=others, sign_offs=signed))
    item = moved(desk, block, fold, changed)
    if offers:
        own = sections_of(fold.patch, desk.met((block.name, fold.id)))
        lists = [own, *(sections for offer in offers for sections in offer.sections)]
        rules, file = offers[0].rules, offers[0].file
        item = replace(item, lay=lambda tree: lay_submission(lists, tree, rules, file=file, recorded=blobs))
    plans = _replaced(desk, {(block.name, fold.id): item})
    return plan_change(desk, plans, command="amend", summary=f"{block.name}/{fold.id}")


def with_fields(fold: Fold, fields: Fields) -> Fold:
    """The fold with these fields."""
    return replace(
        fold,
        subject=fold.subject if fields.subject is None else fields.subject,
        body=fold.body if fields.body is None else fields.body.strip("\n"),
        author=fold.author if fields.author is None else fields.author,
        date=fold.date if fields.date is None else fields.date,
        source=fold.source if fields.source is None else fields.source,
        reason=fold.reason if fields.reason is None else fields.reason.strip("\n"),
        disposition=fold.disposition if fields.disposition is None else fields.disposition,
        licence=fold.licence if fields.licence is None else fields.licence,
    )


def plan_update(
    desk: Desk, name: str, offer: Offer, *, without: Sequence[Pick], reason: str, source: str, blobs: Blobs
) -> Revision:
    """A fold, or every part of a divided submission, at a new revision of what was submitted."""
    folds = _parts(desk, name)
    old_data = fold_source(desk, folds[0][1])
    if old_data is None:
        raise _fault(
            "update-no-source",
            f"fold `{name}` has no source.patch, so there is no old revision to compare with",
            (),
            f"stackproof amend {name} PATCH",
        )
    file = folds[0][1].patch_file.removesuffix("fold.patch") + "source.patch"
    old = read_offers(old_data, file=file, source="", rules=offer.rules, as_one=True)[0]
    touched = {path for _, fold in folds for path in paths_of(fold.patch)}
    known = {path_of(section, old.rules.strip) for section in old.all_sections()}
    items: dict[FoldKey, Item] = {}
    interdiffs: list[bytes] = []
    told: list[str] = []
    replayed = False
    for block, fold in folds:
        mine = _wanted(desk, block, fold, folds, known)
        new_sections = [tuple(s for s in each if mine(path_of(s, offer.rules.strip))) for each in offer.sections]
        old_sections = [tuple(s for s in each if mine(path_of(s, old.rules.strip))) for each in old.sections]
        made = _revise(desk, block, fold, old_sections, new_sections, offer, without, blobs)
        interdiffs.append(made.interdiff)
        replayed = replayed or made.replayed
        told += made.told
        items[(block.name, fold.id)] = Item(
            fold=_described_again(fold, offer, made.left_out, reason, source),
            was=(block.name, fold.id),
            lay=made.lay,
            source=offer.data,
        )
    new_ones = {path_of(section, offer.rules.strip) for section in offer.all_sections()} - known - touched
    for path in sorted(new_ones):
        if not any(_wanted(desk, block, fold, folds, known)(path) for block, fold in folds):
            told.append(f"{show_path(path)} is new in this revision, and no part takes it: no block of them owns it")
    summary = ", ".join(f"{block.name}/{fold.id}" for block, fold in folds)
    change = plan_change(
        desk, _replaced(desk, items), command="fold --update", summary=summary, told=tuple(dict.fromkeys(told))
    )
    return Revision(
        change=change,
        interdiff=b"".join(interdiffs),
        old_head=old.head,
        new_head=offer.head,
        old_sha256=sha256(old_data).hexdigest(),
        new_sha256=sha256(offer.data).hexdigest(),
        replayed=replayed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Revised:
    lay: Callable[[Tree], Taken | Refused]
    interdiff: bytes
    replayed: bool
    told: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def _revise(
    desk: Desk,
    block: Block,
    fold: Fold,
    old: Sequence[tuple[Section, ...]],
    new: Sequence[tuple[Section, ...]],
    offer: Offer,
    without: Sequence[Pick],
    blobs: Blobs,
) -> _Revised:
    met = desk.met((block.name, fold.id))
    ground = met
    old_tree = _lay(old, ground, offer, blobs)
    if isinstance(old_tree, Refused):
        # The maintainer resolved it by hand: go back to the files that the submission itself names.
        ground = _named_files(old, met, offer.rules.strip, blobs)
        old_tree = _lay(old, ground, offer, blobs)
    new_tree = _lay(new, ground, offer, blobs)
    if isinstance(old_tree, Refused) or isinstance(new_tree, Refused):
        which, findings = ("old", old_tree.findings) if isinstance(old_tree, Refused) else ("new", _found(new_tree))
        head = Diagnostic(
            code="update-stuck",
            message=f"the {which} revision of fold `{fold.id}` fits neither the files it meets nor those it names",
            notes=("so the two revisions cannot be compared", "nothing was written"),
            help=f"stackproof amend {block.name}/{fold.id} PATCH",
        )
        raise InputFault(head, *findings)
    shown = render_patch(patch_between(old_tree, new_tree))
    interdiff = parse_canonical(shown, file="interdiff")
    own_tree = desk.left((block.name, fold.id))
    changed = paths_of(fold.patch) | {path for path, _ in met.differences(own_tree)}
    as_it_was = ground.id == met.id and old_tree.id == own_tree.id
    if as_it_was and not without:
        return _Revised(
            lay=lambda tree: lay_submission(new, tree, offer.rules, file=offer.file, recorded=blobs),
            interdiff=shown,
            replayed=False,
        )
    sections = sections_of(interdiff, old_tree)
    left_out: tuple[str, ...] = ()
    if without:
        check_picks(without, sections, 1)
        away, sections = divide(sections, without, 1)
        left_out = tuple(piece.shown() for piece in pieces_of(away, sections_of(interdiff, old_tree), 1))
    lists = [sections_of(fold.patch, met), sections]
    beside = {path_of(section, 1) for section in sections} - changed
    told = tuple(f"{show_path(path)} comes with this revision" for path in sorted(beside))
    return _Revised(
        lay=lambda tree: lay_submission(lists, tree, GIT, file=f"interdiff of {fold.id}", recorded=desk.blob),
        interdiff=shown,
        replayed=True,
        told=told,
        left_out=left_out,
    )


def _found(result: Tree | Refused) -> tuple[Diagnostic, ...]:
    return result.findings if isinstance(result, Refused) else ()


def _lay(sections: Sequence[tuple[Section, ...]], tree: Tree, offer: Offer, blobs: Blobs) -> Tree | Refused:
    taken = lay_submission(sections, tree, offer.rules, file=offer.file, recorded=blobs)
    return taken if isinstance(taken, Refused) else taken.tree


def _named_files(sections: Sequence[tuple[Section, ...]], tree: Tree, strip: int, blobs: Blobs) -> Tree:
    """The tree with the files that a submission says it was made on, as far as they are to be had."""
    changes: dict[RepoPath, FileState | None] = {}
    for section in (each for one in sections for each in one):
        data = blobs(section.old_blob) if section.old_blob is not None else None
        path = path_of(section, strip)
        if data is not None and path not in changes:
            state = tree.entry(path)
            changes[path] = file_state(data, state.mode if state is not None else Mode.FILE)
    made = tree.with_changes(changes)
    return tree if isinstance(made, Obstructed) else made


def _parts(desk: Desk, name: str) -> list[tuple[Block, Fold]]:
    """The fold, or with a bare id every fold of that id that came from the same submission."""
    if "/" in name:
        return [desk.fold(name)]
    found = [(block, fold) for block in desk.release.blocks for fold in block.folds if fold.id == name]
    sources = {fold_source(desk, fold) for _, fold in found}
    return found if len(found) > 1 and len(sources) == 1 and None not in sources else [desk.fold(name)]


def _wanted(
    desk: Desk, block: Block, fold: Fold, folds: Sequence[tuple[Block, Fold]], known: set[RepoPath]
) -> Callable[[RepoPath], bool]:
    """Whether a file of a revision is this part's: one that it changes, or a new one that its block is to have."""
    own = paths_of(fold.patch)
    others = {path for _, other in folds if other is not fold for path in paths_of(other.patch)}
    divided = fold.disposition is Disposition.SPLIT or len(folds) > 1

    def wanted(path: RepoPath) -> bool:
        if path in own:
            return True
        if path in known or path in others:
            return False  # it was left out, or is another part's
        return not divided or block.name in desk.owners(path)

    return wanted


def _described_again(fold: Fold, offer: Offer, left_out: tuple[str, ...], reason: str, source: str) -> Fold:
    said = described(offer, BlockName("revision"), fold.id)
    stated = any(message.date is not None for message in offer.messages)
    reasons = [fold.reason, reason, f"not taken of the new revision: {'; '.join(left_out)}" if left_out else ""]
    taken_whole = fold.disposition is Disposition.FOLDED and not left_out
    titled = any(message.subject for message in offer.messages)
    author = fold.author if said.author == NOT_STATED else said.author
    return replace(
        fold,
        subject=said.subject if titled else fold.subject,
        body=with_credit(said.body if titled else fold.body, own=author, authors=coauthors(fold.body)),
        author=author,
        date=said.date if stated else fold.date,
        source=source or fold.source,
        disposition=fold.disposition
        if taken_whole or fold.disposition is not Disposition.FOLDED
        else Disposition.PARTLY_TAKEN,
        reason="\n".join(each for each in reasons if each),
    )


def _replaced(desk: Desk, items: dict[FoldKey, Item]) -> tuple[BlockPlan, ...]:
    return tuple(
        replace(plan, items=tuple(items.get(item.was, item) if item.was is not None else item for item in plan.items))
        for plan in plan_of(desk)
    )


def _fault(code: str, message: str, notes: tuple[str, ...], step: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, notes=notes, help=step))
