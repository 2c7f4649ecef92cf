"""Probe `trace`: every operation of the graph on two arms, and the first whose result differs.

The arms may be two builds, two switches, or one build that cuts the same tokens two ways. Being looked at costs the
engine its fused operations, so a difference that only they make is not seen here; the probe `logits` sees it.
"""

import time
from collections.abc import Iterator, Sequence

from verify.model.library import TraceArm, TraceObservation, TraceSettings, TraceSide
from verify.probe.bindings.operations import SHOWN, Compared, Graph, compare, digest_of, read_operations
from verify.probe.bindings.process import Ran, blamed_run
from verify.probe.bindings.script import Close, Decode, Open, Script, Step, Trace
from verify.probe.session import Bench

RECIPE = "1"


def run_trace(bench: Bench, settings: TraceSettings) -> TraceObservation:
    """One process an arm, each with its own side; graphs are compared from the first on."""
    started = time.monotonic()
    lengths = _lengths(bench, settings)
    ran = [
        blamed_run(bench, place, trace_script(settings, side, lengths), name=f"trace-{place}")
        for place, side in enumerate(settings.sides)
    ]
    graphs = [
        [
            [read_operations(each.traces / name) for name, _ in _parts(settings, side, index, length)]
            for index, length in enumerate(lengths)
        ]
        for side, each in zip(settings.sides, ran, strict=True)
    ]
    found = Compared()
    names = [arm.name for arm, _ in bench.arms]
    for index, length in enumerate(lengths):
        sizes = [[size for _, size in _parts(settings, side, index, length)] for side in settings.sides]
        for one, two in _together(sizes[0], sizes[1]):
            compare(
                settings.prompts[index].name,
                graphs[0][index][one],
                graphs[1][index][two],
                start=sum(sizes[0][: one.start]),
                arms=(names[0], names[1]),
                found=found,
            )
    return TraceObservation(
        arms=tuple(_arm(name, each, made) for name, each, made in zip(names, ran, graphs, strict=True)),
        compared=found.compared,
        differ=found.differ,
        first=tuple(found.first),
        lacking=tuple(found.lacking)[:SHOWN],
        seconds=round(time.monotonic() - started, 3),
    )


def trace_script(settings: TraceSettings, side: TraceSide, lengths: tuple[int, ...]) -> Script:
    """A traced context a prompt, a trace each time that tokens go through."""
    steps: list[Step] = []
    for index, (prompt, length) in enumerate(zip(settings.prompts, lengths, strict=True)):
        steps.append(Open(context=prompt.name, settings=side.context, traced=True))
        start = 0
        for name, size in _parts(settings, side, index, length):
            steps.append(Trace(context=prompt.name, name=name))
            steps.append(
                Decode(context=prompt.name, prompt=prompt.name, start=start, stop=start + size, width=size, keep=False)
            )
            start += size
        steps.append(Trace(context=prompt.name, name=""))
        steps.append(Close(context=prompt.name))
    return Script(prompts=settings.prompts, repack=settings.repack, steps=tuple(steps))


def _lengths(bench: Bench, settings: TraceSettings) -> tuple[int, ...]:
    """How many tokens each prompt has; the engine is asked where there is a text."""
    if all(prompt.ids for prompt in settings.prompts):
        return tuple(len(prompt.ids) for prompt in settings.prompts)
    asked = Script(prompts=settings.prompts, repack=settings.repack, steps=())
    return tuple(len(ids) for ids in blamed_run(bench, 0, asked, name="tokens").played.prompts)


def _parts(settings: TraceSettings, side: TraceSide, index: int, length: int) -> list[tuple[str, int]]:
    """Each piece of a prompt that goes through at a time: the name of its trace and its size."""
    read = min(settings.read or length, length)
    pieces = [*_cut(read, min(side.context.batch, side.context.microbatch)), *_cut(length - read, side.width)]
    return [(f"{index}-{number}", size) for number, size in enumerate(pieces)]


def _cut(count: int, size: int) -> Iterator[int]:
    for start in range(0, count, size):
        yield min(size, count - start)


def _together(one: list[int], two: list[int]) -> Iterator[tuple[slice, slice]]:
    """The fewest pieces of both sides that end at the same token, from the first to the last."""
    left = right = done_left = done_right = at_left = at_right = 0
    while left < len(one) or right < len(two):
        if at_left <= at_right:
            at_left += one[left]
            left += 1
        else:
            at_right += two[right]
            right += 1
        if at_left == at_right:
            yield slice(done_left, left), slice(done_right, right)
            done_left, done_right = left, right


def _arm(name: str, ran: Ran, prompts: Sequence[Sequence[Graph]]) -> TraceArm:
    graphs = [graph for each in prompts for graph in each]
    return TraceArm(
        arm=name,
        operations=sum(len(graph) for graph in graphs),
        sha256=digest_of(graphs),
        loaded=ran.loaded,
        peak_kib=ran.peak_kib,
    )
