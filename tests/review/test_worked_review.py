"""A review from its beginning to a release two bases later, as its people would do it."""

from pathlib import Path

import pytest

from tests.review.project import BASE, FOLDED, GRACE, LIMITS, Project, junit, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return make_project(tmp_path, monkeypatch, {"required": True})


def standing(project: Project) -> tuple[object, object]:
    fold = project.say("review", "status").fold()
    return fold["state"], fold["owed"]


def test_a_worked_review(project: Project) -> None:
    # Nobody has reviewed it: the gate fails, and all of it is to be read.
    assert standing(project) == ("unreviewed", 2)
    assert "review-owed" in project.say("review", "status").codes()

    # Approve, on the condition that two legs are green at the exact head.
    said = project.say(
        "review", "add", "bound", "--by", GRACE, "--scope", "all of it", "--condition", "ci=x86,arm",
        "--after-release", "speed=measure it on the big machine", "--non-claim", "negative numbers",
    )  # fmt: skip
    assert said.exit == 0, said.document
    assert standing(project) == ("approved", 0)
    assert project.say("review", "status").codes() == ["condition-unmet"]

    # A second revision: what was approved is not what is there. The packet shows one line.
    second = FOLDED.replace("clamp(i)", "clamp(i + 1)")
    project.lay(folded=second)
    assert standing(project) == ("needs review", 1)
    packet = project.say("review", "packet").fold()
    assert packet["files"] == [
        {
            "path": "src/queue.cpp",
            "lines": ["+        push(q, clamp(i + 1));"],
            "gone": ["+        push(q, clamp(i));"],
        }
    ]

    # The delta is reviewed; the approval stands on the chain.
    said = project.say("review", "add", "bound", "--delta", "--by", GRACE, "--scope", "the second revision")
    assert said.exit == 0, said.document
    assert standing(project) == ("approved", 0)

    # A new base: upstream changed another function. It carries by itself, and the certificate goes on record.
    moved = ("int last(", "int first(const queue & q) {\n    return q.items[0];\n}\n\nint last(")
    project.lay(base=BASE.replace(*moved), folded=second.replace(*moved))
    assert standing(project) == ("carried", 0)
    said = project.say("review", "carry")
    assert said.exit == 0, said.document
    assert len(list((project.root / "blocks/bound/reviews").glob("carry-*.yaml"))) == 1
    assert standing(project) == ("carried", 0)

    # Receipts: for the wrong head, for the wrong leg, red, and then for this very head on both legs.
    tree, commit = project.head()
    wrong_head = project.file("head.xml", junit(tree, "0" * 40, "x86"))
    assert project.say("review", "receipt", wrong_head, "--condition", "ci", "--by", GRACE).codes() == [
        "receipt-wrong-head"
    ]
    wrong_leg = project.file("leg.xml", junit(tree, commit, "riscv"))
    assert project.say("review", "receipt", wrong_leg, "--condition", "ci", "--by", GRACE).codes() == [
        "receipt-wrong-leg"
    ]
    other_leg = project.file("other.xml", junit(tree, commit, "arm"))
    assert project.say("review", "receipt", other_leg, "--condition", "ci", "--leg", "x86", "--by", GRACE).codes() == [
        "receipt-wrong-leg"
    ]
    red = project.file("red.xml", junit(tree, commit, "x86", failures=1))
    assert project.say("review", "receipt", red, "--condition", "ci", "--by", GRACE).codes() == ["receipt-not-green"]
    for leg in ("x86", "arm"):
        green = project.file(f"{leg}.xml", junit(tree, commit, leg))
        said = project.say("review", "receipt", green, "--condition", "bound/ci", "--by", GRACE)
        assert said.exit == 0, said.document
    status = project.say("review", "status")
    assert status.exit == 0, status.document
    conditions = status.document["conditions"]
    assert isinstance(conditions, list)
    assert [(each["id"], each["missing"]) for each in conditions] == [("ci", []), ("speed", ["after the release"])]

    # Another base: a macro that the fold's function reaches for is defined otherwise, and a claim breaks.
    project.lay(
        base=BASE.replace(*moved).replace("    finish(q);\n", "    push(q, n);\n    finish(q);\n"),
        folded=second.replace(*moved).replace("    finish(q);\n", "    push(q, n);\n    finish(q);\n"),
        limits=LIMITS.replace("64", "32"),
    )
    status = project.say("review", "status")
    assert status.fold()["state"] == "needs a word"
    claims = status.document["claims"]
    assert isinstance(claims, list)
    assert [each["answer"] for each in claims] == ["fails"]
    conditions = status.document["conditions"]
    assert conditions == []  # no approval stands here, and the receipts were for another head
    assert "claim-fails" in project.say("check").codes()
    # The word is given, and recorded as one.
    said = project.say("review", "carry", "--by", GRACE, "--word", "the second push is bounded by n")
    assert said.exit == 0, said.document
    assert standing(project) == ("carried", 0)
