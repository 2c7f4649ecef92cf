"""Probe `logits`: the same prompts under each variant on each arm, every row of logits beside that of another run."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.model.library import Against, LogitsObservation, LogitsRun, LogitsSettings, PromptRows, Variant
from verify.probe.bindings.process import Ran, on_each_arm
from verify.probe.bindings.rows import described, rows_of_steps
from verify.probe.bindings.script import Close, Decode, Done, Generate, Open, Script, Step
from verify.probe.session import Bench

if TYPE_CHECKING:
    from verify.probe.bindings.rows import Numbers

RECIPE = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What a process gave under one variant: per prompt its steps' answers and its rows."""

    ran: Ran
    done: tuple[Sequence[Done], ...]
    rows: tuple["Numbers", ...]


def run_logits(bench: Bench, settings: LogitsSettings) -> LogitsObservation:
    """A process an arm, or one for each variant where they are to be apart; rows are compared and then dropped."""
    started = time.monotonic()
    parts: dict[tuple[str, str], _Part] = {}
    groups = [(each,) for each in settings.variants] if settings.apart else [settings.variants]
    for number, group in enumerate(groups):
        for arm, ran in on_each_arm(bench, variants_script(settings, group), name=f"logits-{number}"):
            for variant, part in zip(group, _parts(settings, group, ran), strict=True):
                parts[arm.name, variant.name] = part
            ran.rows.unlink()
    first_arm, first_variant = bench.arms[0][0].name, settings.variants[0].name
    runs = []
    for (arm_name, variant_name), part in parts.items():
        at = (first_arm, variant_name) if settings.against is Against.ARM else (arm_name, first_variant)
        runs.append(_run(arm_name, variant_name, settings, part, parts[at]))
    order = {arm.name: place for place, (arm, _) in enumerate(bench.arms)}
    return LogitsObservation(
        vocabulary=next(iter(parts.values())).ran.played.vocabulary,
        runs=tuple(sorted(runs, key=lambda run: order[run.arm])),
        seconds=round(time.monotonic() - started, 3),
    )


def variants_script(settings: LogitsSettings, variants: Sequence[Variant]) -> Script:
    """Each prompt in a fresh context, under one variant after the other."""
    steps = [step for variant in variants for step in _steps(settings, variant)]
    return Script(prompts=settings.prompts, repack=settings.repack, steps=tuple(steps))


def _steps(settings: LogitsSettings, variant: Variant) -> Iterator[Step]:
    sequences = tuple(range(variant.beside))
    for prompt in settings.prompts:
        name = prompt.name
        yield Open(context=name, settings=variant.context)
        yield Decode(
            context=name,
            prompt=name,
            stop=settings.read,
            sequences=sequences,
            width=max(1, variant.context.batch // variant.beside),
            keep=settings.keep_read,
        )
        if settings.read:
            yield Decode(context=name, prompt=name, start=settings.read, sequences=sequences, width=variant.width)
        if settings.generate:
            yield Generate(context=name, count=settings.generate, seed=variant.seed)
        yield Close(context=name)


def _parts(settings: LogitsSettings, variants: Sequence[Variant], ran: Ran) -> Iterator[_Part]:
    """A process's answers and rows, cut by variant and prompt."""
    import numpy as np

    done, rows = ran.played.done, rows_of_steps(ran.rows, ran.played)
    each = len(done) // (len(variants) * len(settings.prompts))
    pieces = [slice(start, start + each) for start in range(0, len(done), each)]
    for number in range(len(variants)):
        mine = pieces[number * len(settings.prompts) : (number + 1) * len(settings.prompts)]
        yield _Part(
            ran=ran,
            done=tuple(done[piece] for piece in mine),
            rows=tuple(np.concatenate(rows[piece]) for piece in mine),
        )


def _run(arm: str, variant: str, settings: LogitsSettings, part: _Part, reference: _Part) -> LogitsRun:
    prompts = tuple(
        PromptRows(
            prompt=prompt.name,
            ids=part.ran.played.prompts[index],
            generated=tuple(token for done in part.done[index] for token in done.ids),
            rows=tuple(described(part.rows[index], reference.rows[index])),
        )
        for index, prompt in enumerate(settings.prompts)
    )
    return LogitsRun(arm=arm, variant=variant, prompts=prompts, loaded=part.ran.loaded, peak_kib=part.ran.peak_kib)
