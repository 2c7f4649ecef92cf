"""The packet shows a line once, however many folds owe it."""

from tests.pairs.generate import pairs
from tests.pairs.pair import Kind
from tests.review.pairs import both_changes, graded
from verify.model.ids import BlockName, FoldId
from verify.review.packet import make_packet, packet_markdown, packet_text
from verify.review.standing import Approval, FoldStanding, Standings, State


def test_what_two_folds_owe_is_shown_with_the_first() -> None:
    pair = next(each for each in pairs() if each.kind is Kind.ENCLOSING)
    made, both = graded(pair), both_changes(pair)
    assert made.reasons[0].delta
    folds = tuple(
        FoldStanding(
            block=BlockName("b"),
            fold=FoldId(name),
            author="A <a@b.org>",
            present=both.present.id,
            state=State.NEEDS_WORD,
            approvals=(
                Approval(chain=(), entry=None, state=State.NEEDS_WORD, graded=made, why="x"),  # type: ignore[arg-type]
            ),
        )
        for name in ("one", "two")
    )
    keys = [(each.block, each.fold) for each in folds]
    packet = make_packet(
        Standings(folds=folds, conditions=()),
        (),
        subjects=dict.fromkeys(keys, "A fold"),
        patches=dict.fromkeys(keys, (both.reviewed.patch, both.present.patch)),
    )
    first, second = packet.folds
    assert first.owed() > 0
    assert second.owed() == 0
    assert packet.owed() == first.owed()
    assert all("the lines are shown with b/one" in each.why for each in second.reasons if made.reasons[0].delta)
    line = next(each for each in made.reasons[0].delta if each[:1] == b"+").decode()
    assert packet_text(packet).count(line) == packet_markdown(packet).count(line) == 1
    alone = make_packet(
        Standings(folds=folds, conditions=()),
        (),
        subjects=dict.fromkeys(keys, "A fold"),
        patches=dict.fromkeys(keys, (both.reviewed.patch, both.present.patch)),
        only=frozenset({keys[1]}),
    )
    assert alone.owed() == first.owed()
