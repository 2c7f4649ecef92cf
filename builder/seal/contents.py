"""What a bundle holds: the bytes of every member, from values alone; pure.

Nothing here depends on a clock, a machine, a user or a folder: two seals of the same release, stack and evidence are
the same bytes.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from builder.commit import BLOCK_TRAILER, FOLD_TRAILER, message
from builder.seal.reviews import bundle_reviews
from builder.seal.sbom import render_sbom
from builder.seal.system import SystemFile
from verify.bundle.base import render_base
from verify.bundle.deviations import render_deviations
from verify.bundle.document import render_document
from verify.bundle.documents import ReleaseDocument, read_release_document
from verify.bundle.layout import (
    BASE,
    COMBINED,
    DEVIATIONS,
    MAILBOX,
    NOTES,
    RELEASE,
    REVIEWS,
    SBOM,
    SERIES,
    SINCE,
    STACK,
    SUMS,
    VERDICT,
    evidence_member,
    patch_member,
    series,
    signature_member,
)
from verify.bundle.line import Line, read_line
from verify.bundle.notes import Since, render_notes
from verify.bundle.reviews import render_reviews
from verify.bundle.stack import SCHEMA, BundleBlock, BundleFold, BundleGate, BundleStack, DeclaredFile, Point
from verify.bundle.statements import Stated, is_stated, statements
from verify.bundle.sums import render_sums
from verify.bundle.verdict import SealedVerdict, Support, read_verdict, render_verdict
from verify.diff.identity import change_identity
from verify.evidence import render_evidence
from verify.model.block import Block, Fold
from verify.model.evidence import Evidence
from verify.model.gate import GateDecl
from verify.model.ids import RepoPath, Sha256
from verify.model.release import Release
from verify.model.stack import Layer, Stack
from verify.model.verdict import Holds, verdict_digest
from verify.review.standing import Standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What is made of the tip and given away: sources, binaries, image by their members' names, and how to sign.

    `licences` are those of the sources, `system` the libraries in the image; `since` is what the parent held; `carried`
    are the members of the releases that this one stands on.
    """

    members: Mapping[str, bytes]
    licences: Mapping[RepoPath, bytes]
    system: tuple[SystemFile, ...] = ()
    since: Since | None = None
    sign: Callable[[bytes], bytes] | None = None
    carried: Mapping[str, bytes] = field(default_factory=dict)


def bundle_contents(
    *,
    holds: Holds,
    release: Release,
    stack: Stack,
    declared: Sequence[tuple[str, bytes]],
    evidence: Sequence[Evidence],
    combined: bytes,
    mailbox: bytes,
    given: Given,
    standings: Standings | None = None,
) -> dict[str, bytes]:
    """Every member by name, SHA256SUMS among them."""
    rendered = bundle_stack(release, stack, declared)
    folds = [fold for block in release.blocks for fold in block.folds]
    records = {evidence_member(each.key.kind, each.key.digest): render_evidence(each) for each in evidence}
    members = dict(declared) | dict(given.carried)
    members[STACK] = render_document(rendered)
    line = read_line(members.get, read_release_document(members[RELEASE]))
    members[BASE] = render_base(read_release_document(members[RELEASE]), rendered.base, line)
    members[COMBINED] = combined
    for (_, place), fold in zip(rendered.folds(), folds, strict=True):
        members[place.patch] = fold.patch_bytes
    members[SERIES] = series(place.patch for _, place in rendered.folds())
    members |= records
    members[REVIEWS] = render_reviews(bundle_reviews(release, rendered, standings))
    if release.deviations:
        members[DEVIATIONS] = render_deviations(release.deviations)
    rests_on = [name for name in (STACK, REVIEWS, DEVIATIONS, *records) if name in members]
    members[VERDICT] = render_verdict(
        SealedVerdict(
            verdict="holds",
            subject=holds.subject,
            results=holds.results,
            digest=verdict_digest(holds.subject, holds.results),
            rests_on=tuple(Support(file=name, sha256=_sha256(members[name])) for name in rests_on),
        )
    )
    members[MAILBOX] = mailbox
    members |= given.members
    members |= _told(read_release_document(members[RELEASE]), rendered, release, members, given, line)
    made = statements(
        Stated(
            release=read_release_document(members[RELEASE]),
            stack=rendered,
            verdict=read_verdict(members[VERDICT]),
            records=tuple(evidence),
            reviews=bundle_reviews(release, rendered, standings),
            digests={name: _sha256(data) for name, data in members.items() if is_stated(name)},
        )
    )
    members |= made
    if given.sign is not None:
        members |= {signature_member(name): given.sign(statement) for name, statement in made.items()}
    members[SUMS] = render_sums({name: _sha256(data) for name, data in members.items()})
    return members


def _told(
    document: ReleaseDocument,
    stack: BundleStack,
    release: Release,
    members: Mapping[str, bytes],
    given: Given,
    line: Line,
) -> dict[str, bytes]:
    """The notes with what they rest on, and the SBOM."""
    changes = {(block.name, fold.id): change_identity(fold.patch) for block in release.blocks for fold in block.folds}
    notes = render_notes(stack=stack, verdict=read_verdict(members[VERDICT]), since=given.since, changes=changes)
    sbom = render_sbom(release=document, stack=stack, licences=given.licences, system=given.system, line=line)
    since = {} if given.since is None else {SINCE: render_document(given.since)}
    return {NOTES: notes, SBOM: sbom, **since}


def bundle_stack(release: Release, stack: Stack, declared: Sequence[tuple[str, bytes]]) -> BundleStack:
    """stack.json: the blocks as declared and their layers as derived."""
    layers = iter(stack.layers)
    number = iter(range(1, len(stack.layers) + 1))
    blocks: list[BundleBlock] = []
    tree = stack.base_tree
    for block in release.blocks:
        folds = tuple(_fold(block, fold, next(layers), next(number)) for fold in block.folds)
        tree = folds[-1].tree if folds else tree
        blocks.append(
            BundleBlock(
                name=block.name,
                title=block.title,
                why=block.why,
                until=block.until,
                owns=block.owns,
                requires=block.requires,
                switches=block.switches,
                claims=block.all_claims(),
                gates=_gates(block.gates),
                folds=folds,
                tree=tree,
            )
        )
    return BundleStack(
        schema=SCHEMA,
        release=release.name,
        parent=release.parent,
        engine=release.engine,
        digest=release.digest,
        declared=tuple(DeclaredFile(file=name, sha256=_sha256(data)) for name, data in declared),
        base=Point(tree=stack.base_tree, commit=stack.base_commit),
        gates=_gates(release.gates),
        blocks=tuple(blocks),
        tip=Point(tree=stack.tip_tree(), commit=stack.tip_commit()),
    )


def _fold(block: Block, fold: Fold, layer: Layer, number: int) -> BundleFold:
    trailers = ((BLOCK_TRAILER, block.name), (FOLD_TRAILER, fold.id))
    return BundleFold(
        id=fold.id,
        author=fold.author,
        date=fold.date,
        message=message(subject=fold.subject, body=fold.body, trailers=trailers),
        source=fold.source,
        disposition=fold.disposition,
        reason=fold.reason,
        patch=patch_member(number, block.name, fold.id),
        patch_sha256=_sha256(fold.patch_bytes),
        tree=layer.after,
        commit=layer.commit,
    )


def _gates(gates: Sequence[GateDecl]) -> tuple[BundleGate, ...]:
    return tuple(BundleGate(name=gate.name, kind=gate.kind, required=gate.required) for gate in gates)


def _sha256(data: bytes) -> Sha256:
    return Sha256(hashlib.sha256(data).hexdigest())
