"""The packet of a surveyed stack: what each fold's standing comes to in lines, for `review` and for the report."""

from builder.review.survey import Reviewed, Survey
from verify.model.claim import ClaimResult
from verify.model.ids import BlockName, FoldId
from verify.review.packet import Packet, make_packet


def packet_of(
    reviewed: Reviewed,
    surveyed: Survey,
    claims: tuple[ClaimResult, ...],
    only: frozenset[tuple[BlockName, FoldId]] = frozenset(),
) -> Packet:
    """What is to be read of every fold, or of those in `only`."""
    subjects, patches = {}, {}
    for standing in surveyed.standings.folds:
        key = standing.block, standing.fold
        _, fold = reviewed.fold(*key)
        subjects[key] = fold.subject
        approved = reviewed.reviewed_patch(standing.block, standing.approvals[0].entry) if standing.approvals else None
        patches[key] = (None if approved is None else approved[0], fold.patch)
    return make_packet(surveyed.standings, claims, subjects=subjects, patches=patches, only=only)
