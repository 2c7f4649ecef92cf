"""A tip that does not say what upstream says, says nothing, or was not asked."""

from dataclasses import replace
from typing import Any

from tests.gates.good import edit_answers, edit_arm
from tests.sabotage.ways import (
    Run,
    Way,
    all_answers,
    all_arms,
    answers,
    arm,
    broken,
    other_probability,
    other_token,
    probed,
    regated,
    unknown,
    unprobed,
    without,
)
from verify.model.diagnostic import Diagnostic
from verify.model.ids import Sha256

DIED = Diagnostic(code="server-died", message="the server of arm `upstream` ended by signal SIGSEGV")
BROKEN = Diagnostic(code="arm-broken", message="arm `upstream` served and arm `tip` broke down")
MISSING = Diagnostic(code="model-missing", message="there is no such file")


def nonsense(**fields: Any) -> Way:
    """Both arms give the same nonsense, so that equality alone would pass it."""
    return probed("golden", all_answers(**fields))


def foreign(name: str) -> Run:
    """One arm ran with other files than its build's."""
    other = Sha256("e" * 64)
    return edit_arm(name, lambda each: replace(each, loaded=tuple(replace(file, sha256=other) for file in each.loaded)))


SABOTAGES = (
    broken(
        "the tip gives another token", "golden", "golden-differs", probed("golden", edit_answers("tip", other_token))
    ),
    broken(
        "the tip gives another probability",
        "golden",
        "golden-differs",
        probed("golden", edit_answers("tip", other_probability)),
    ),
    broken(
        "the tip gives other text for equal ids",
        "golden",
        "golden-differs",
        probed("golden", answers("tip", text="other")),
    ),
    broken("the tip answers one prompt less", "golden", "golden-differs", probed("golden", without("prompt-1", "tip"))),
    broken("both arms miss a prompt", "golden", "text-degenerate", probed("golden", without("prompt-1"))),
    broken("no token comes", "golden", "text-degenerate", nonsense(ids=(), text="", candidates=())),
    broken("one token comes over and over", "golden", "text-degenerate", nonsense(ids=(5,) * 16)),
    broken("two tokens come in turn", "golden", "text-degenerate", nonsense(ids=(5, 6) * 8)),
    broken("one token comes in a long row", "golden", "text-degenerate", nonsense(ids=(*range(7), *((5,) * 9)))),
    broken("the text is empty", "golden", "text-degenerate", nonsense(text=" \n")),
    broken("the text is not UTF-8", "golden", "text-degenerate", nonsense(text="\ufffd" * 9)),
    broken("too few tokens come", "golden", "text-degenerate", nonsense(generated=15)),
    broken("there is no prompt", "golden", "no-cases", regated("golden", prompts=())),
    broken("all prompts are empty", "golden", "no-cases", regated("golden", prompts=("", " "))),
    unknown("the golden session was not run", "golden", "not-probed", unprobed("golden")),
    unknown("the model is missing", "golden", "model-missing", unprobed("golden", MISSING)),
    unknown("the reference arm died", "golden", "server-died", unprobed("golden", DIED)),
    broken("only the tip died", "golden", "arm-broken", unprobed("golden", BROKEN)),
    unknown("the tip ran with another program", "golden", "foreign-library", probed("golden", foreign("tip"))),
    unknown(
        "nobody knows what the tip had loaded", "golden", "session-incomplete", probed("golden", arm("tip", loaded=()))
    ),
    unknown(
        "the session has one arm",
        "golden",
        "session-incomplete",
        probed("golden", lambda run: replace(run, arms=run.arms[1:])),
    ),
    unknown(
        "the session has no answers",
        "golden",
        "session-incomplete",
        probed("golden", all_arms(lambda arm: replace(arm, answers=()))),
    ),
)
