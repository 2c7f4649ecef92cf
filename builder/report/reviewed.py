"""Who stands behind the folds: reviews, claims and conditions; what is accepted and owed; and everybody's share."""

import re
from collections.abc import Collection, Iterator, Mapping

from builder.report.facts import Facts
from builder.report.spelled import short
from builder.report.view import Cell, Table
from builder.report.words import debts_of
from verify.model.claim import Answer, claim_kind
from verify.model.deviation import Deviation
from verify.model.ids import BlockName, FoldId, show_path
from verify.model.review import ReviewPolicy
from verify.model.wording import count
from verify.review.packet import Packet
from verify.review.standing import State

_STANDING = {
    State.APPROVED: "passed",
    State.CARRIED: "passed",
    State.NEEDS_WORD: "undecided",
    State.NEEDS_REVIEW: "undecided",
    State.REJECTED: "failed",
    State.UNPROVEN: "undecided",
    State.UNREVIEWED: "undecided",
}
_ANSWER = {Answer.HOLDS: "passed", Answer.FAILS: "failed", Answer.UNDECIDED: "undecided"}
_CREDIT = re.compile(r"^([A-Z][a-z]+(?:-[a-z]+)*)-by: (\S.*)$", re.MULTILINE)


def standings_of(packet: Packet | None) -> dict[tuple[BlockName, FoldId], str]:
    """How each fold stands, in words."""
    return {(each.block, each.fold): each.state.value for each in packet.folds} if packet else {}


def reviews_of(facts: Facts) -> Iterator[Table]:
    """Folds with their standing and the lines owed, claims on the tip, conditions of approvals."""
    packet = facts.packet
    yield Table(
        caption="Reviews",
        note=policy_of(facts.case.release.review_policy),
        heads=("fold", "standing", "approved by", "lines to read", "why"),
        rows=tuple(
            (
                Cell(text=f"{each.block}/{each.fold}"),
                Cell(
                    text=each.state.value,
                    state=_state(each.state, facts),
                    more=(each.grade.value,) if each.grade else (),
                ),
                Cell(text=", ".join(each.approved_by) or "nobody"),
                Cell(text=f"{each.owed():,}", number=True),
                Cell(text=each.why),
            )
            for each in (packet.folds if packet else ())
        ),
        empty="The stack sticks, so nothing can be said of its folds." if packet is None else "There is no fold.",
    )
    yield Table(
        caption="Claims, run on the tip's syntax trees",
        heads=("claim", "block", "answer", "where"),
        rows=tuple(
            (
                Cell(text=each.claim.says, more=(claim_kind(each.claim).value,)),
                Cell(text=each.block),
                Cell(text=each.answer.value, state=_ANSWER[each.answer], more=(each.why,) if each.why else ()),
                Cell(text=", ".join(f"{show_path(m.file)}:{m.line}" for m in each.matches[:6])),
            )
            for each in facts.case.claims or ()
        ),
        empty="No claim is declared that can be run.",
    )
    in_words = [(block.name, text) for block in facts.case.release.blocks for text in block.claims]
    if in_words:
        yield Table(
            caption="Claims in words, which nobody can run",
            heads=("claim", "block"),
            rows=tuple((Cell(text=text), Cell(text=block)) for block, text in in_words),
        )
    if packet is not None and packet.conditions:
        yield Table(
            caption="Conditions of approvals",
            heads=("condition", "block", "state", "still missing"),
            rows=tuple(
                (
                    Cell(text=each.condition.says, more=(each.condition.kind.value,)),
                    Cell(text=each.block),
                    Cell(text="met" if each.holds() else "open", state="passed" if each.holds() else "undecided"),
                    Cell(text=", ".join(each.missing)),
                )
                for each in packet.conditions
            ),
        )


def _state(state: State, facts: Facts) -> str:
    """The sign of a standing; where no review is asked for, that there is none is no lack."""
    return "" if state is State.UNREVIEWED and not facts.case.release.review_policy.required else _STANDING[state]


def policy_of(policy: ReviewPolicy) -> str:
    """What the release asks of reviews."""
    if not policy.required:
        return "This release asks for none."
    signed = ", signed" if policy.signed else ""
    return f"This release asks for {count(policy.approvals, 'approval')} of every fold{signed}."


def accepted_of(facts: Facts, anchors: Mapping[str, str]) -> Iterator[Table]:
    """Accepted deviations, those that ended, and what the verdict leaves open."""
    release = facts.case.release
    evidence = {each.key.digest for each in facts.records}
    yield Table(
        caption="Accepted deviations",
        heads=("number", "gate", "what is accepted", "why", "by", "until"),
        rows=tuple(
            (
                Cell(text=str(each.number)),
                Cell(text=each.gate),
                Cell(text=each.finding, fixed=True, more=(", ".join(each.names),)),
                _reason(each, evidence),
                Cell(text=each.owner.name, more=(f"since {each.since}",)),
                Cell(text=f"{each.until.trigger.value} {_short(each.until.value)}".strip()),
            )
            for each in release.deviations
        ),
        empty="No deviation is accepted.",
    )
    if release.ended_deviations:
        yield Table(
            caption="Deviations that are over",
            heads=("number", "gate", "what ended it"),
            rows=tuple(
                (Cell(text=str(each.number)), Cell(text=each.gate), Cell(text=each.ended))
                for each in release.ended_deviations
            ),
        )
    about = {each.name: each.about for each in release.hardware}
    yield Table(
        caption="Debts: what the verdict leaves open",
        heads=("gate", "how", "to whom"),
        rows=tuple(
            (
                Cell(text=gate, href=anchors[gate]),
                Cell(text=end, state=end),
                Cell(text=to, more=(about[to],) if to in about else ()),
            )
            for gate, end, to in debts_of(facts.results)
        ),
        empty="Nothing is owed.",
    )


def _reason(each: Deviation, evidence: Collection[str]) -> Cell:
    """Why it is accepted; of its evidence the records are short, and links where the page has them."""
    keys = [one for one in each.evidence if re.fullmatch("[0-9a-f]{64}", one)]
    words = tuple(one for one in each.evidence if one not in keys)
    links = tuple((f"#e-{key}" if key in evidence else "", key[:8]) for key in keys)
    return Cell(text=each.reason, links=links, more=words)


def _short(value: str) -> str:
    return short(value) if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", value) else value


def contributors_of(facts: Facts) -> Table:
    """Everybody who wrote a fold or is named by a trailer, by name, with what for."""
    credit: dict[str, dict[str, dict[str, None]]] = {}
    for block in facts.case.release.blocks:
        for fold in block.folds:
            named = [("author", fold.author.name)]
            named += [
                (role.lower().replace("-", " "), who.split("<", 1)[0].strip() or who)
                for role, who in _CREDIT.findall(fold.body)
            ]
            for role, who in named:
                credit.setdefault(who, {}).setdefault(role, {})[f"{block.name}/{fold.id}"] = None
    return Table(
        caption="Contributors",
        heads=("who", "for what"),
        rows=tuple(
            (
                Cell(text=who),
                Cell(text="; ".join(f"{role} of {', '.join(folds)}" for role, folds in credit[who].items())),
            )
            for who in sorted(credit)
        ),
        empty="Nobody: there is no fold.",
        level=0,
    )
