"""Probe `logits`: the same prompts under each variant on each arm, every row of logits beside that of another run."""

import time
from pathlib import Path

from verify.model.library import Against, LogitsObservation, LogitsRun, LogitsSettings, PromptRows, Variant
from verify.probe.bindings.process import Ran, on_each_arm
from verify.probe.bindings.rows import described, rows_of_steps
from verify.probe.bindings.script import Close, Decode, Generate, Open, Script, Step
from verify.probe.session import Bench

RECIPE = "1"


def run_logits(bench: Bench, settings: LogitsSettings) -> LogitsObservation:
    """Each arm under each variant in a process of its own; rows are compared as soon as both are there."""
    started = time.monotonic()
    runs: list[LogitsRun] = []
    kept: dict[tuple[int, int], tuple[Path, Ran]] = {}
    vocabulary = 0
    for number, variant in enumerate(settings.variants):
        script = variant_script(settings, variant)
        for place, (arm, ran) in enumerate(on_each_arm(bench, script, name=f"{number}-{variant.name}")):
            kept[place, number] = (ran.rows, ran)
            reference = kept[(0, number) if settings.against is Against.ARM else (place, 0)][1]
            vocabulary = ran.played.vocabulary
            runs.append(
                LogitsRun(
                    arm=arm.name,
                    variant=variant.name,
                    prompts=_prompts(settings, ran, reference),
                    loaded=ran.loaded,
                    peak_kib=ran.peak_kib,
                )
            )
            if ran is not reference:
                ran.rows.unlink()
    order = {arm.name: place for place, (arm, _) in enumerate(bench.arms)}
    return LogitsObservation(
        vocabulary=vocabulary,
        runs=tuple(sorted(runs, key=lambda run: order[run.arm])),
        seconds=round(time.monotonic() - started, 3),
    )


def variant_script(settings: LogitsSettings, variant: Variant) -> Script:
    """Four or five steps a prompt, each prompt in a fresh context."""
    steps: list[Step] = []
    sequences = tuple(range(variant.beside))
    for prompt in settings.prompts:
        steps.append(Open(context=prompt.name, settings=variant.context))
        steps.append(
            Decode(
                context=prompt.name,
                prompt=prompt.name,
                stop=settings.read,
                sequences=sequences,
                width=max(1, variant.context.batch // variant.beside),
                keep=settings.keep_read,
            )
        )
        if settings.read:
            rest = Decode(
                context=prompt.name,
                prompt=prompt.name,
                start=settings.read,
                sequences=sequences,
                width=variant.width,
            )
            steps.append(rest)
        if settings.generate:
            steps.append(Generate(context=prompt.name, count=settings.generate, seed=variant.seed))
        steps.append(Close(context=prompt.name))
    return Script(prompts=settings.prompts, repack=settings.repack, steps=tuple(steps))


def _prompts(settings: LogitsSettings, ran: Ran, reference: Ran) -> tuple[PromptRows, ...]:
    import numpy as np

    each = len(ran.played.done) // len(settings.prompts)
    mine, theirs = rows_of_steps(ran.rows, ran.played), rows_of_steps(reference.rows, reference.played)
    found = []
    for index, prompt in enumerate(settings.prompts):
        part = slice(index * each, (index + 1) * each)
        generated = tuple(token for done in ran.played.done[part] for token in done.ids)
        rows = tuple(described(np.concatenate(mine[part]), np.concatenate(theirs[part])))
        ids = ran.played.prompts[index]
        found.append(PromptRows(prompt=prompt.name, ids=ids, generated=generated, rows=rows))
    return tuple(found)
