"""How every fold of a derived stack stands with its reviews: the edge that fetches what grades look at.

A change that was reviewed on other trees can be graded as long as the object store has them; where it does not, that
is said, and nothing is concluded.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from builder.edit.desk import overlay_of
from builder.review.changes import change_between, grade_between
from builder.review.receipt import statement_fault
from builder.stack import Derived
from builder.store import Store
from builder.tree import Overlay, Tree
from verify.diff.parse import parse_canonical
from verify.model.block import Block, Fold, Person
from verify.model.diagnostic import Diagnostic, Fault, Place
from verify.model.ids import BlockName, FoldId
from verify.model.patch import Patch
from verify.model.release import Release
from verify.model.review import ChangeId, Receipt, Record, ReviewedFold
from verify.model.stack import Layer, Stack
from verify.review.grades import Graded
from verify.review.identity import Change, change_id, message_of
from verify.review.standing import Standings, Unproven, standings
from verify.signature import REVIEW_NAMESPACE, check_signature
from verify.syntax.outlines import Outlines


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """How the folds stand, and what is wrong with the records themselves."""

    standings: Standings
    faults: tuple[Diagnostic, ...]


class Reviewed:
    """The stack with its records, ready to be asked."""

    def __init__(self, release: Release, stack: Stack, store: Store, derived: Derived) -> None:
        self.release, self.stack = release, stack
        self.overlay: Overlay = overlay_of(store, derived.objects)
        self.outlines = Outlines(self.overlay.blob)
        self._layers = {(each.block, each.fold): each for each in stack.layers}
        self._folds = {(block.name, fold.id): (block, fold) for block in release.blocks for fold in block.folds}
        self._graded: dict[tuple[ChangeId, ChangeId], Graded] = {}

    def survey(self) -> Survey:
        """How every fold stands."""
        return Survey(
            standings=standings(self.release, self.stack, self.present, self.grade),
            faults=tuple(signature_faults(self.release)),
        )

    def fold(self, block: BlockName, fold: FoldId) -> tuple[Block, Fold]:
        """A fold of the release."""
        return self._folds[block, fold]

    def layer(self, block: BlockName, fold: FoldId) -> Layer:
        """The step that a fold makes."""
        return self._layers[block, fold]

    def present(self, block: BlockName, fold: FoldId) -> ChangeId:
        """A fold's change as it is now."""
        layer, (_, declared) = self.layer(block, fold), self.fold(block, fold)
        return change_id(declared.patch, declared.patch_bytes, message_of(declared), layer.before, layer.after)

    def present_change(self, block: BlockName, fold: FoldId) -> Change:
        """The same with its trees."""
        layer, (_, declared) = self.layer(block, fold), self.fold(block, fold)
        return change_between(
            patch=declared.patch,
            data=declared.patch_bytes,
            message=message_of(declared),
            before=Tree.at(self.overlay, layer.before),
            after=Tree.at(self.overlay, layer.after),
            outlines=self.outlines,
        )

    def reviewed_patch(self, block: BlockName, entry: ReviewedFold) -> tuple[Patch, bytes] | None:
        """The patch that a record is about; None where it was not kept."""
        _, declared = self.fold(block, entry.fold)
        kept = dict(self.release.reviews_of(block).patches).get(entry.change.patch)
        if kept is not None:
            return parse_canonical(kept, file=f"{entry.change.patch}.patch"), kept
        if self.present(block, entry.fold).patch == entry.change.patch:
            return declared.patch, declared.patch_bytes
        return None

    def grade(self, block: BlockName, fold: FoldId, record: Record, entry: ReviewedFold) -> Graded | Unproven:
        """How a fold grades against one record."""
        kept = self.reviewed_patch(block, entry)
        if kept is None:
            return Unproven(why=f"{record.file}: the reviewed patch {entry.change.patch[:16]} was not kept")
        key = entry.change, self.present(block, fold)
        if key in self._graded:
            return self._graded[key]
        patch, data = kept
        try:
            before, after = Tree.at(self.overlay, entry.change.before), Tree.at(self.overlay, entry.change.after)
            reviewed = change_between(
                patch=patch, data=data, message=b"", before=before, after=after, outlines=self.outlines
            )
            reviewed = Change(
                id=entry.change,
                patch=reviewed.patch,
                files=reviewed.files,
                before=reviewed.before,
                after=reviewed.after,
            )
            present = self.present_change(block, fold)
            met = Tree.at(self.overlay, present.id.before)
            made = grade_between(reviewed, present, reviewed_text=data, trees=(before, met))
        except Fault as fault:
            told = fault.diagnostics[0].message
            return Unproven(why=f"{record.file}: the trees that were reviewed are not here: {told}")
        self._graded[key] = made
        return made


def signature_faults(release: Release) -> Iterator[Diagnostic]:
    """What is wrong with the signatures of records and receipts, by the release's policy."""
    policy = release.review_policy
    for _, reviews in release.reviews:
        for receipt in reviews.receipts:
            if (wrong := statement_fault(receipt, policy.signers)) is not None:
                yield wrong
        signed: tuple[Record | Receipt, ...] = (*reviews.records, *reviews.receipts)
        for each in signed:
            if each.signature is None:
                if policy.signed:
                    yield _unsigned(each)
                continue
            if not policy.signers:
                continue
            found: list[Diagnostic] = []
            for signer in policy.signers:
                try:
                    check_signature(each.data, each.signature, signer, file=each.file, namespace=REVIEW_NAMESPACE)
                except Fault as fault:
                    found += fault.diagnostics
                else:
                    if isinstance(each, Record) and not _is(each.reviewer, signer.name):
                        yield _signed_by_other(each, signer.name)
                    break
            else:
                yield next((one for one in found if one.code != "signature-other-key"), found[0])


def _is(who: Person, signer: str) -> bool:
    """Whether a signer's name in release.json is somebody's: the part of the address before `@`, or the name."""
    return signer in {who.email.partition("@")[0].casefold(), "-".join(who.name.casefold().split())}


def _signed_by_other(each: Record, signer: str) -> Diagnostic:
    return Diagnostic(
        code="review-signer-other",
        message=f"{each.file} is {each.reviewer.name}'s word, and `{signer}` signed it",
        place=Place(file=each.file, line=1),
        notes=("a signer is named in release.json by the address before `@`, or by the name with `-` between",),
        help=f"let {each.reviewer.email} sign it",
    )


def _unsigned(each: Record | Receipt) -> Diagnostic:
    return Diagnostic(
        code="review-unsigned",
        message=f"{each.file} is not signed, and `policy.reviews` of release.json asks for signatures",
        place=Place(file=each.file, line=1),
        help=f"ssh-keygen -Y sign -n {REVIEW_NAMESPACE} -f KEY {each.file}",
    )
