"""Probe `divergence`: how far the probabilities of every arm over a text are from those of the first arm.

The first arm writes a baseline (tens of megabytes, for the length of the session); then each arm, itself included, is
compared with it by the engine's own tool, and the calibration runs after them. A comparison takes its tokens from the
baseline, so each arm's tokenizer is also asked for the text's tokens: one that cuts it otherwise would not be seen.
"""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from verify.model.divergence import (
    Calibration,
    DivergenceArm,
    DivergenceObservation,
    DivergenceSettings,
    Fingerprint,
)
from verify.model.evidence import Arm
from verify.model.ids import Sha256
from verify.model.observation import LoadedFile
from verify.probe.blame import blamed
from verify.probe.engine import BuiltEngine
from verify.probe.llama_bench import Unreadable
from verify.probe.llama_perplexity import (
    PERPLEXITY,
    TOKENIZE,
    BaselineHead,
    comparing_options,
    perplexity_options,
    read_baseline_head,
    read_statistics,
    read_tokens,
    tokenize_options,
    writing_options,
)
from verify.probe.program import Program, Ran, run_program, unreadable
from verify.probe.session import Bench
from verify.probe.text import text_file

RECIPE = "1"
_MOST_BYTES = 1 << 30
_ATTEMPTS = 6
"""The tool prints from a thread of its own and may end before that is done: the end of its output, and so the last
figure, is then missing. What is missing is always seen, and only another run can give it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """What all runs of a session share."""

    bench: Bench
    settings: DivergenceSettings
    text: Path
    baseline: Path

    def run(
        self, arm: Arm, engine: BuiltEngine, program: str, options: tuple[str, ...], name: str
    ) -> tuple[Program, Ran]:
        """One program to its end, with what was run."""
        self.bench.stage.tell(name)
        asked = Program(arm=arm, engine=engine, program=program, options=options, folder=self.bench.scratch, name=name)
        limits = replace(self.bench.limits, log_bytes=_MOST_BYTES)
        return asked, run_program(asked, limits=limits, system=self.bench.system)

    def model(self) -> Path:
        """The model's file."""
        return self.bench.model_file().path


def run_divergence(bench: Bench, settings: DivergenceSettings) -> DivergenceObservation:
    """Baseline, arms, calibrations; the baseline is removed however this ends."""
    began = time.monotonic()
    session = _Session(
        bench=bench, settings=settings, text=text_file(settings.text), baseline=bench.scratch / "baseline.bin"
    )
    try:
        head = _write(session, *bench.arms[0])
        arms: list[DivergenceArm] = []
        for arm, engine in bench.arms:
            with blamed(arm, arms[0].arm if arms else None):
                arms.append(_compare(session, arm, engine, None))
        calibrations = tuple(_compare(session, *bench.arms[0], each) for each in settings.calibrations)
    finally:
        with suppress(OSError):
            session.baseline.unlink()
    return DivergenceObservation(
        baseline=Fingerprint(
            model=bench.model_file().sha256,
            text=settings.text,
            tokens=head.tokens,
            vocabulary=head.vocabulary,
            shape=replace(settings.shape, context=head.context, chunks=head.chunks),
        ),
        arms=tuple(arms),
        calibrations=calibrations,
        seconds=round(time.monotonic() - began, 3),
    )


def _write(session: _Session, arm: Arm, engine: BuiltEngine) -> BaselineHead:
    options = writing_options(session.model(), session.text, session.baseline)
    options += perplexity_options(session.settings.shape)
    program, _ = session.run(arm, engine, PERPLEXITY, options, f"{arm.name}-baseline")
    try:
        return read_baseline_head(session.baseline)
    except (Unreadable, OSError) as error:
        raise unreadable(program, str(error)) from error


def _compare(session: _Session, arm: Arm, engine: BuiltEngine, calibration: Calibration | None) -> DivergenceArm:
    tokens, used = _tokens(session, arm, engine)
    pinned = perplexity_options(session.settings.shape, calibration)
    options = comparing_options(session.model(), session.baseline) + pinned
    name = arm.name if calibration is None else f"{arm.name}-{calibration.name}"
    for attempt in range(_ATTEMPTS):
        program, ran = session.run(arm, engine, PERPLEXITY, options, f"{name}-compared-{attempt}")
        try:
            statistics = read_statistics(ran.out, chunks=session.settings.shape.chunks)
        except Unreadable as error:
            failure = unreadable(program, str(error))
        else:
            break
    else:
        raise failure
    return DivergenceArm(
        arm=arm.name if calibration is None else calibration.name,
        tokens=tokens,
        statistics=statistics,
        loaded=tuple(dict.fromkeys((*ran.loaded, *used))),
        command=pinned,
    )


def _tokens(session: _Session, arm: Arm, engine: BuiltEngine) -> tuple[Sha256, tuple[LoadedFile, ...]]:
    options = tokenize_options(session.model(), session.text)
    program, ran = session.run(arm, engine, TOKENIZE, options, f"{arm.name}-tokens")
    shape = session.settings.shape
    try:
        return read_tokens(ran.out, shape.context * shape.chunks), ran.loaded
    except Unreadable as error:
        raise unreadable(program, str(error)) from error
