"""What a bundle holds: the bytes of every member, from values alone; pure.

Nothing here depends on a clock, a machine, a user or a folder: two seals of the same release, stack and evidence are
the same bytes.
"""

import hashlib
from collections.abc import Sequence

from builder.commit import BLOCK_TRAILER, FOLD_TRAILER, message
from verify.bundle.base import render_base
from verify.bundle.deviations import render_deviations
from verify.bundle.document import render_document
from verify.bundle.documents import read_release_document
from verify.bundle.layout import (
    BASE,
    COMBINED,
    DEVIATIONS,
    RELEASE,
    SERIES,
    STACK,
    SUMS,
    VERDICT,
    evidence_member,
    patch_member,
    series,
)
from verify.bundle.stack import SCHEMA, BundleBlock, BundleFold, BundleGate, BundleStack, DeclaredFile, Point
from verify.bundle.sums import render_sums
from verify.bundle.verdict import SealedVerdict, Support, render_verdict
from verify.evidence import render_evidence
from verify.model.block import Block, Fold
from verify.model.evidence import Evidence
from verify.model.gate import GateDecl
from verify.model.ids import Sha256
from verify.model.release import Release
from verify.model.stack import Layer, Stack
from verify.model.verdict import Holds, verdict_digest


def bundle_contents(
    *,
    holds: Holds,
    release: Release,
    stack: Stack,
    declared: Sequence[tuple[str, bytes]],
    evidence: Sequence[Evidence],
    combined: bytes,
) -> dict[str, bytes]:
    """Every member by name, SHA256SUMS among them."""
    rendered = bundle_stack(release, stack, declared)
    folds = [fold for block in release.blocks for fold in block.folds]
    records = {evidence_member(each.key.kind, each.key.digest): render_evidence(each) for each in evidence}
    members = dict(declared)
    members[STACK] = render_document(rendered)
    members[BASE] = render_base(read_release_document(members[RELEASE]), rendered.base)
    members[COMBINED] = combined
    for (_, place), fold in zip(rendered.folds(), folds, strict=True):
        members[place.patch] = fold.patch_bytes
    members[SERIES] = series(place.patch for _, place in rendered.folds())
    members |= records
    if release.deviations:
        members[DEVIATIONS] = render_deviations(release.deviations)
    rests_on = [name for name in (STACK, DEVIATIONS, *records) if name in members]
    members[VERDICT] = render_verdict(
        SealedVerdict(
            verdict="holds",
            subject=holds.subject,
            results=holds.results,
            digest=verdict_digest(holds.subject, holds.results),
            rests_on=tuple(Support(file=name, sha256=_sha256(members[name])) for name in rests_on),
        )
    )
    members[SUMS] = render_sums({name: _sha256(data) for name, data in members.items()})
    return members


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
