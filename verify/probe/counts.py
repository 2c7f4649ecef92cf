"""Probe `counts`: how many instructions the engine's bench takes to load, to read a prompt and to write tokens.

Each arm runs on one thread behind callgrind, `repeats` times. Loading is kept apart from the tests, since it is by far
the largest part on a small model and would hide what a slower kernel costs.
"""

import time

from verify.model.evidence import Arm
from verify.model.observation import LoadedFile
from verify.model.speed import Count, CountArm, CountObservation, CountSettings, Part
from verify.probe.blame import blamed
from verify.probe.callgrind import Counter, count_command, find_counter, phases, processor_flags, read_counts
from verify.probe.engine import BuiltEngine
from verify.probe.llama_bench import (
    BENCH,
    LOAD_ENDS,
    TEST_BEGINS,
    TEST_ENDS,
    Unreadable,
    bench_options,
    model_options,
    parts_of,
    read_bench,
)
from verify.probe.program import Program, Ran, run_program, unreadable
from verify.probe.session import Bench

RECIPE = "1"


def counting_tool() -> str:
    """What counts here, and as which processor: part of every key, since another tool counts otherwise."""
    return find_counter().about(processor_flags())


def run_counts(bench: Bench, settings: CountSettings) -> CountObservation:
    """Every arm in turn; the first one that was counted is the reference for whose fault a breakdown is."""
    counter, began = find_counter(), time.monotonic()
    arms: list[CountArm] = []
    for arm, engine in bench.arms:
        with blamed(arm, arms[0].arm if arms else None):
            arms.append(_count(bench, settings, counter, arm, engine))
    return CountObservation(
        tool=counter.about(processor_flags()), arms=tuple(arms), seconds=round(time.monotonic() - began, 3)
    )


def _count(bench: Bench, settings: CountSettings, counter: Counter, arm: Arm, engine: BuiltEngine) -> CountArm:
    workload = settings.workload
    options = bench_options(workload, repetitions=1)
    tokens = {Part.LOAD: 0, Part.PREFILL: workload.prompt, Part.DECODE: workload.generate}
    figures: dict[Part, list[int]] = {part: [] for part in (Part.LOAD, *parts_of(workload))}
    loaded: dict[LoadedFile, None] = {}
    for number in range(settings.repeats):
        bench.stage.tell(f"arm `{arm.name}`, {number + 1} of {settings.repeats}")
        folder = bench.scratch / f"{arm.name}-{number}"
        folder.mkdir()
        program = Program(
            arm=arm,
            engine=engine,
            program=BENCH,
            options=(*model_options(bench.model_file().path), *options),
            folder=folder,
            name="bench",
            behind=count_command(counter, folder, (LOAD_ENDS, TEST_BEGINS, TEST_ENDS)),
        )
        ran = run_program(program, limits=bench.limits, system=(*bench.system, *counter.folders))
        for part, figure in _figures(program, ran, settings).items():
            figures[part].append(figure)
        loaded |= dict.fromkeys(ran.loaded)
    return CountArm(
        arm=arm.name,
        counts=tuple(Count(part=part, tokens=tokens[part], instructions=tuple(each)) for part, each in figures.items()),
        loaded=tuple(loaded),
        command=options,
    )


def _figures(program: Program, ran: Ran, settings: CountSettings) -> dict[Part, int]:
    try:
        tests = read_bench(ran.out, settings.workload, repetitions=1)
        load, counts = phases(
            read_counts(program.folder), loaded=LOAD_ENDS, begins=TEST_BEGINS, ends=TEST_ENDS, tests=len(tests)
        )
    except Unreadable as error:
        raise unreadable(program, str(error)) from error
    return {Part.LOAD: load, **{test.part: count for test, count in zip(tests, counts, strict=True)}}
