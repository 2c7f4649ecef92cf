"""Switches that do nothing, too much, or the wrong thing; scenarios that show nothing."""

from dataclasses import replace

from tests.gates.good import edit_answers, marked
from tests.sabotage.ways import (
    all_answers,
    answers,
    broken,
    other_probability,
    other_token,
    probed,
    timed,
    unknown,
    unprobed,
    without,
)

SABOTAGES = (
    broken(
        "the off arm gives another token",
        "queue-arm",
        "off-arm-differs",
        probed("queue-arm", edit_answers("below", other_token)),
    ),
    broken(
        "the off arm gives another probability",
        "queue-arm",
        "off-arm-differs",
        probed("queue-arm", edit_answers("off", other_probability)),
    ),
    broken(
        "the on arm gives another token",
        "queue-arm",
        "on-arm-differs",
        probed("queue-arm", edit_answers("on", other_token)),
    ),
    broken(
        "the switch does nothing",
        "queue-arm",
        "arm-without-effect",
        probed("queue-arm", marked("on", {"seen": 0}), at=1),
    ),
    broken(
        "the switch is not read",
        "queue-arm",
        "effect-without-switch",
        probed("queue-arm", marked("off", {"seen": 1}), at=1),
    ),
    broken(
        "no token comes on any arm", "queue-arm", "no-tokens", probed("queue-arm", all_answers(ids=(), candidates=()))
    ),
    unknown("the arms were not run", "queue-arm", "not-probed", unprobed("queue-arm")),
    broken(
        "the warm request is not sooner",
        "queue-fair",
        "ratio-too-large",
        probed("queue-fair", timed("on", "warm", lambda _: 24)),
    ),
    broken(
        "the cold request is later",
        "queue-fair",
        "ratio-too-large",
        probed("queue-fair", timed("on", "cold", lambda _: 1.15)),
    ),
    broken(
        "the warm request still waits for as many batches",
        "queue-fair",
        "warm-still-waits",
        probed("queue-fair", answers("on", "warm", waited_batches=11)),
    ),
    broken(
        "nothing waits at all",
        "queue-fair",
        "scenario-without-effect",
        probed("queue-fair", all_answers(waited_batches=0)),
    ),
    broken(
        "a scenario's text differs",
        "queue-fair",
        "on-arm-differs",
        probed("queue-fair", edit_answers("on", other_token, "cold")),
    ),
    broken(
        "the text differs with a unified cache",
        "queue-fair",
        "on-arm-differs",
        probed("queue-fair", edit_answers("on", other_token, "warm"), at=1),
    ),
    broken(
        "the feature acts with a unified cache",
        "queue-fair",
        "effect-with-unified-cache",
        probed("queue-fair", marked("on", {"seen": 2}), at=1),
    ),
    broken(
        "the feature is never seen", "queue-fair", "arm-without-effect", probed("queue-fair", marked("on", {"seen": 0}))
    ),
    broken(
        "the feature is seen with off",
        "queue-fair",
        "effect-without-switch",
        probed("queue-fair", marked("off", {"seen": 1})),
    ),
    broken("a time is zero", "queue-fair", "time-degenerate", probed("queue-fair", timed("off", "warm", lambda _: 0))),
    broken("an answer is cut short", "queue-fair", "answer-cut-short", probed("queue-fair", all_answers(generated=3))),
    broken(
        "a round is missing",
        "queue-fair",
        "rounds-missing",
        probed("queue-fair", lambda run: replace(run, rounds=run.rounds + 1)),
    ),
    broken(
        "off is slower than upstream",
        "queue-fair",
        "ratio-too-large",
        probed("queue-fair", timed("off", "cold", lambda _: 1.3)),
    ),
    broken(
        "off says something else than upstream",
        "queue-fair",
        "off-arm-differs",
        probed("queue-fair", edit_answers("upstream", other_token, "warm")),
    ),
    broken(
        "the feature is seen upstream",
        "queue-fair",
        "effect-without-switch",
        probed("queue-fair", marked("upstream", {"seen": 1})),
    ),
    unknown(
        "upstream's times are too noisy",
        "queue-fair",
        "noise-too-large",
        probed("queue-fair", timed("upstream", "cold", lambda each: 1.3 if each.round % 2 else 0.8)),
    ),
    unknown(
        "the machine is too noisy",
        "queue-fair",
        "noise-too-large",
        probed("queue-fair", timed("on", "cold", lambda each: 1.3 if each.round % 2 else 0.8)),
    ),
    broken(
        "no checkpoint is kept", "cache-resume", "arm-without-effect", probed("cache-resume", marked("on", {"kept": 2}))
    ),
    broken(
        "checkpoints are kept with off",
        "cache-resume",
        "effect-without-switch",
        probed("cache-resume", marked("off", {"kept": 1})),
    ),
    broken(
        "checkpoints are saved again with on",
        "cache-resume",
        "checkpoint-superseded",
        probed("cache-resume", marked("on", {"superseded": 1})),
    ),
    broken(
        "nothing is resumed",
        "cache-resume",
        "scenario-without-effect",
        probed("cache-resume", marked("off", {"superseded": 0})),
    ),
    broken(
        "a resumed text differs",
        "cache-resume",
        "on-arm-differs",
        probed("cache-resume", edit_answers("on", other_token, "resume-1")),
    ),
    broken(
        "resumed prompts are slower",
        "cache-resume",
        "ratio-too-large",
        probed("cache-resume", timed("on", None, lambda _: 2)),
    ),
    broken(
        "resumed prompts are slower than upstream's with off",
        "cache-resume",
        "ratio-too-large",
        probed("cache-resume", timed("off", None, lambda _: 1.4)),
    ),
    broken(
        "a resumed text is not upstream's",
        "cache-resume",
        "off-arm-differs",
        probed("cache-resume", edit_answers("upstream", other_token, "resume-0")),
    ),
    broken(
        "checkpoints are kept upstream",
        "cache-resume",
        "effect-without-switch",
        probed("cache-resume", marked("upstream", {"kept": 1})),
    ),
    broken("a resume is missing", "cache-resume", "answer-cut-short", probed("cache-resume", without("resume-2"))),
)
