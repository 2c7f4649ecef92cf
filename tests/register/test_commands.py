"""The register as text, and the commands that write it."""

from dataclasses import replace
from pathlib import Path

import pytest

from builder.register import Register, parse_until, render_register
from tests.register.given import accepted
from tests.whole.command import say
from verify.manifest.deviations import read_register
from verify.manifest.document import open_document
from verify.manifest.mistakes import Mistakes
from verify.model.deviation import REGISTER, Trigger, Until
from verify.model.ids import GateName

AWKWARD = 'a "quoted" word: {x}, # no comment\nsecond line – ünïcode'


def reread(register: Register) -> Register:
    mistakes = Mistakes()
    data = render_register(register).encode()
    found = read_register(open_document(REGISTER, data, mistakes), gates={"golden": True, "queue": True})
    mistakes.raise_if_any()
    return Register(accepted=found.accepted, ended=found.ended)


@pytest.mark.parametrize(
    "until",
    [
        Until(trigger=Trigger.PASSES, value=""),
        Until(trigger=Trigger.BASE, value="a" * 40),
        Until(trigger=Trigger.UPSTREAM, value="1" * 40),
        Until(trigger=Trigger.RELEASE, value="r-2"),
        Until(trigger=Trigger.DATE, value="2026-12-31"),
    ],
)
def test_the_register_is_read_as_it_is_printed(until: Until) -> None:
    register = Register(accepted=(), ended=())
    register = register.accepting(accepted(reason=AWKWARD, until=until, names=("src/a b.cpp", '"x"')))
    register = register.accepting(accepted(gate=GateName("queue")))
    over = register.ending(1, AWKWARD)
    assert over is not None
    assert reread(register) == register
    assert reread(over) == over
    assert over.accepting(accepted()).accepted[-1].number == 3


def test_what_does_not_stand_cannot_end() -> None:
    assert Register(accepted=(accepted(),), ended=()).ending(2, "x") is None


def test_an_end_is_read_from_words() -> None:
    def read(text: str) -> Until | None:
        return parse_until(text, base_tree="b" * 40, upstream=None)

    assert read("base") == Until(trigger=Trigger.BASE, value="b" * 40)
    assert read("date:2027-01-01") == Until(trigger=Trigger.DATE, value="2027-01-01")
    assert [read(word) for word in ("upstream", "base:x", "never", "release:")] == [None] * 4


def hygiene_project(root: Path) -> Path:
    """A project whose one fold adds white space at a line end: its gate fails by files alone."""
    from tests.mini_engine.blocks import SERVER, MiniBlock, MiniFold
    from tests.mini_engine.project import write_project

    change = (SERVER, "#include <cstdio>\n", "#include <cstdio>\n// a note \n")
    block = MiniBlock(
        name="notes", title="Notes", switch=None, folds=(MiniFold(id="note", subject="Note", changes=(change,)),)
    )
    gates = {"hygiene": {"kind": "patch-hygiene"}}
    return write_project(root / "project", root / "cache", blocks=(block,), gates=gates).root


def test_a_finding_is_accepted_waived_ended_and_all_of_it_can_be_undone(tmp_path: Path) -> None:
    root, cache = hygiene_project(tmp_path), tmp_path / "cache"
    assert say("pin", root=root, cache=cache).exit == 0
    accept = (
        *("deviations", "accept", "hygiene", "--finding", "added-trailing-space", "--reason", "It is a note."),
        *("--owner", "Grace Hopper <grace@navy.mil>", "--since", "2026-11-30"),
    )
    assert say(*accept, "--name", "elsewhere.c", root=root, cache=cache).codes() == {"deviation-covers-nothing"}
    said = say(*accept, "--name", "blocks/notes/folds/note/fold.patch", root=root, cache=cache)
    assert (said.exit, said.document["number"]) == (0, 1)
    assert say("check", root=root, cache=cache).outcomes()["hygiene"] == "waived"
    before = (root / REGISTER).read_bytes()
    assert say("deviations", "end", "1", "--reason", "gone", root=root, cache=cache).exit == 0
    assert b'ended: "gone"' in (root / REGISTER).read_bytes()
    assert say("undo", root=root, cache=cache).exit == 0
    assert (root / REGISTER).read_bytes() == before


def test_a_register_with_comments_is_not_written_anew(tmp_path: Path) -> None:
    register = Register(accepted=(replace(accepted(gate=GateName("hygiene")), number=1),), ended=())
    root, cache = hygiene_project(tmp_path), tmp_path / "cache"
    file = root / REGISTER
    file.write_text("# ours\n" + render_register(register))
    said = say("deviations", "end", "1", "--reason", "gone", root=root, cache=cache)
    assert (said.exit, said.codes()) == (2, {"register-by-hand"})
    assert file.read_text().startswith("# ours")
