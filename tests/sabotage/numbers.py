"""A tip that is slower or less exact than upstream, and figures that prove nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.gates.good import AFTER_CACHE, built_digest, edit_answers
from tests.gates.good_numbers import EXACT, WRONG
from tests.sabotage.library import seen
from tests.sabotage.ways import Way, all_answers, broken, other_probability, probed, rebuilt, regated, unknown, unprobed
from verify.gates.case import Case
from verify.model.diagnostic import Diagnostic
from verify.model.divergence import DivergenceArm, DivergenceObservation, Fingerprint, Shape, Statistics
from verify.model.ids import Sha256
from verify.model.observation import Artifact
from verify.model.speed import Count, CountArm, CountObservation, Part, SpeedArm, SpeedObservation, Timed

NO_VALGRIND = Diagnostic(code="valgrind-missing", message="valgrind is not installed")
UNREADABLE = Diagnostic(code="output-unreadable", message="`llama-perplexity` of arm `upstream` gave nothing")
BROKEN = Diagnostic(code="arm-broken", message="arm `upstream` served and arm `tip` broke down")
FOREIGN = Sha256("e" * 64)
SAME_BYTES = (Artifact(name="llama-server", sha256=built_digest(AFTER_CACHE), size=10),)


def counts(part: Part, edit: Callable[[Count], Count], *arms: str) -> Way:
    """The counts of a part are others, on arms (the tip where none is named)."""

    def edited(arm: CountArm) -> CountArm:
        changed = tuple(edit(each) if each.part is part else each for each in arm.counts)
        return replace(arm, counts=changed) if arm.arm in (arms or ("tip",)) else arm

    return seen("counts", CountObservation, lambda run: replace(run, arms=tuple(map(edited, run.arms))))


def times_more(factor: float) -> Callable[[Count], Count]:
    return lambda each: replace(each, instructions=tuple(int(figure * factor) for figure in each.instructions))


def timed(edit: Callable[[Timed], Timed], *arms: str) -> Way:
    """The times of arms (the tip where none is named) are others."""

    def edited(arm: SpeedArm) -> SpeedArm:
        return replace(arm, times=tuple(map(edit, arm.times))) if arm.arm in (arms or ("tip",)) else arm

    return seen("speed", SpeedObservation, lambda run: replace(run, arms=tuple(map(edited, run.arms))))


def slower(factor: Callable[[Timed], float], *parts: Part) -> Way:
    """Both clocks say that the tip takes longer for some parts."""

    def edit(each: Timed) -> Timed:
        by = factor(each) if each.part in parts else 1.0
        return replace(each, seconds=each.seconds * by, cpu_seconds=each.cpu_seconds * by)

    return timed(edit)


def slept(factor: float) -> Way:
    """Only the wall's clock says that the tip takes longer."""
    return timed(lambda each: replace(each, seconds=each.seconds * factor))


def diverged(arm: str, **fields: Any) -> Way:
    """An arm or a calibration run has other fields."""

    def edit(each: DivergenceArm) -> DivergenceArm:
        return replace(each, **fields) if each.arm == arm else each

    return seen(
        "kld",
        DivergenceObservation,
        lambda run: replace(run, arms=tuple(map(edit, run.arms)), calibrations=tuple(map(edit, run.calibrations))),
    )


def baseline(edit: Callable[[Fingerprint], Fingerprint]) -> Way:
    """The baseline is of something else."""
    return seen("kld", DivergenceObservation, lambda run: replace(run, baseline=edit(run.baseline)))


def shaped(**fields: Any) -> Way:
    """The baseline has another shape."""

    def edit(known: Fingerprint) -> Fingerprint:
        shape: Shape = replace(known.shape, **fields)
        return replace(known, shape=shape)

    return baseline(edit)


def loosely(way: Way, **bounds: float) -> Way:
    """The gate has bounds instead of the exact rule."""
    before = regated("kld", exact=False, **bounds)
    return lambda case: way(before(case))


def foreign(gate: str, kind: type[Any]) -> Way:
    """The tip ran with other files than its build's."""

    def edit(arm: Any) -> Any:
        return replace(arm, loaded=tuple(replace(file, sha256=FOREIGN) for file in arm.loaded))

    return seen(gate, kind, lambda run: replace(run, arms=(run.arms[0], edit(run.arms[1]))))


def one_arm(gate: str, kind: type[Any]) -> Way:
    """One arm is missing."""
    return seen(gate, kind, lambda run: replace(run, arms=run.arms[:1]))


def one_build(gate: str) -> Way:
    """Both builds hold the same bytes; what was loaded is theirs."""

    def way(case: Case) -> Case:
        for build in (case.base_tree, AFTER_CACHE):
            case = rebuilt(build, lambda each: replace(each, artifacts=SAME_BYTES))(case)
        probes = dict(case.probes)
        for need, record in probes.items():
            seen_there: Any = record.observation
            if need.probe in ("counts", "speed", "tokens") and need.arms[0].name == "upstream":
                arms = tuple(
                    replace(
                        arm,
                        loaded=tuple(
                            replace(file, sha256=SAME_BYTES[0].sha256) if file.built else file for file in arm.loaded
                        ),
                    )
                    for arm in seen_there.arms
                )
                probes[need] = replace(record, observation=replace(seen_there, arms=arms))
        return replace(case, probes=probes)

    return way


def figures(**fields: Any) -> Statistics:
    return replace(EXACT, **fields)


SABOTAGES = (
    broken(
        "reading a prompt takes five per cent more instructions",
        "counts",
        "count-ratio-too-large",
        counts(Part.PREFILL, times_more(1.05)),
    ),
    broken(
        "writing takes five per cent more instructions",
        "counts",
        "count-ratio-too-large",
        counts(Part.DECODE, times_more(1.05)),
    ),
    broken("loading takes longer", "counts", "count-ratio-too-large", counts(Part.LOAD, times_more(1.05))),
    broken(
        "nothing was counted",
        "counts",
        "count-degenerate",
        counts(Part.DECODE, lambda each: replace(each, instructions=(0, 0)), "upstream", "tip"),
    ),
    broken(
        "no token was run",
        "counts",
        "count-degenerate",
        counts(Part.DECODE, lambda each: replace(each, tokens=0), "upstream", "tip"),
    ),
    broken(
        "a repeat is missing",
        "counts",
        "count-degenerate",
        counts(Part.PREFILL, lambda each: replace(each, instructions=each.instructions[:1])),
    ),
    broken(
        "a part is missing",
        "counts",
        "count-degenerate",
        counts(Part.PREFILL, lambda each: replace(each, part=Part.LOAD), "upstream", "tip"),
    ),
    broken("both builds are one and counted", "counts", "arms-are-one-build", one_build("counts")),
    broken(
        "the output of what was counted is wrong",
        "counts",
        "speed-of-wrong-output",
        probed("counts", edit_answers("tip", other_probability), at=1),
    ),
    broken(
        "both arms of what was counted say nothing",
        "counts",
        "text-degenerate",
        probed("counts", all_answers(ids=(5,) * 32), at=1),
    ),
    unknown(
        "counts of one arm spread",
        "counts",
        "counts-not-repeatable",
        counts(Part.DECODE, lambda each: replace(each, instructions=(50_000_000, 50_400_000))),
    ),
    unknown(
        "counts lie on both sides of the bound",
        "counts",
        "counts-not-repeatable",
        counts(Part.DECODE, lambda each: replace(each, instructions=(51_499_990, 51_500_090))),
    ),
    unknown("valgrind is missing", "counts", "valgrind-missing", unprobed("counts", NO_VALGRIND)),
    unknown("what was counted is not what was built", "counts", "foreign-library", foreign("counts", CountObservation)),
    unknown("one arm was counted", "counts", "session-incomplete", one_arm("counts", CountObservation)),
    broken("only the tip cannot be counted", "counts", "arm-broken", unprobed("counts", BROKEN)),
    unknown(
        "the output of what was counted is not known",
        "counts",
        "not-probed",
        lambda case: replace(case, probes={need: each for need, each in case.probes.items() if need.probe != "tokens"}),
    ),
    broken("prompts are read slower", "speed", "ratio-too-large", slower(lambda _: 1.3, Part.PREFILL)),
    broken("tokens are written slower", "speed", "ratio-too-large", slower(lambda _: 1.3, Part.DECODE)),
    broken("the tip only waits longer", "speed", "ratio-too-large", slept(1.3)),
    unknown(
        "rounds are too noisy",
        "speed",
        "noise-too-large",
        slower(lambda each: 1.4 if each.round % 2 else 0.8, Part.DECODE),
    ),
    broken("times are zero", "speed", "time-degenerate", timed(lambda each: replace(each, cpu_seconds=0.0))),
    broken(
        "no token was timed",
        "speed",
        "time-degenerate",
        timed(lambda each: replace(each, tokens=0), "upstream", "tip"),
    ),
    broken(
        "a round has no time",
        "speed",
        "rounds-missing",
        seen("speed", SpeedObservation, lambda run: replace(run, rounds=run.rounds + 1)),
    ),
    broken(
        "a timed request gave other tokens",
        "speed",
        "speed-of-wrong-output",
        timed(lambda each: replace(each, output=FOREIGN) if each.round == 3 else each),
    ),
    broken(
        "nobody knows what timed requests gave",
        "speed",
        "speed-of-wrong-output",
        timed(lambda each: replace(each, output=None), "upstream", "tip"),
    ),
    broken(
        "the output of what was timed is wrong",
        "speed",
        "speed-of-wrong-output",
        probed("speed", edit_answers("tip", other_probability), at=1),
    ),
    broken("both builds are one and timed", "speed", "arms-are-one-build", one_build("speed")),
    unknown("what was timed is not what was built", "speed", "foreign-library", foreign("speed", SpeedObservation)),
    unknown("nothing was timed", "speed", "not-probed", unprobed("speed")),
    broken("the tip diverges", "kld", "divergence-too-large", diverged("tip", statistics=figures(mean=0.001))),
    broken(
        "one token's top differs", "kld", "divergence-too-large", diverged("tip", statistics=figures(same_top=99.8))
    ),
    broken(
        "the last digit of one more figure differs",
        "kld",
        "divergence-too-large",
        diverged("tip", statistics=figures(others=(("median kld", 1e-06),))),
    ),
    broken("a figure is missing", "kld", "divergence-too-large", diverged("tip", statistics=figures(others=()))),
    broken("the tip is as bad as a wrong term", "kld", "divergence-too-large", diverged("tip", statistics=WRONG)),
    broken("the tip cuts the text otherwise", "kld", "tokenizer-differs", diverged("tip", tokens=FOREIGN)),
    broken("fewer windows were compared", "kld", "windows-missing", diverged("tip", statistics=figures(chunks=5))),
    broken(
        "the mean is beyond its bound",
        "kld",
        "divergence-too-large",
        loosely(diverged("tip", statistics=figures(mean=0.006))),
    ),
    broken(
        "the maximum is beyond its bound",
        "kld",
        "divergence-too-large",
        loosely(diverged("tip", statistics=figures(maximum=1.5))),
    ),
    broken(
        "the same top is below its bound",
        "kld",
        "divergence-too-large",
        loosely(diverged("tip", statistics=figures(same_top=97.9))),
    ),
    unknown("a wrong term passes", "kld", "known-bad-passes", diverged("wrong-term", statistics=EXACT)),
    unknown(
        "a wrong term passes wide bounds",
        "kld",
        "known-bad-passes",
        loosely(diverged("wrong-term", statistics=figures(mean=0.004))),
    ),
    unknown(
        "the calibration was not run",
        "kld",
        "known-bad-passes",
        seen("kld", DivergenceObservation, lambda run: replace(run, calibrations=())),
    ),
    unknown(
        "another attention is not seen",
        "kld",
        "known-bad-passes",
        lambda case: diverged("other-attention", statistics=EXACT)(regated("kld", other_attention=True)(case)),
    ),
    unknown(
        "upstream diverges from itself",
        "kld",
        "known-good-fails",
        lambda case: diverged("upstream", statistics=figures(mean=0.001))(
            diverged("tip", statistics=figures(mean=0.001))(case)
        ),
    ),
    unknown(
        "upstream diverges from itself beyond wide bounds",
        "kld",
        "known-good-fails",
        loosely(diverged("upstream", statistics=figures(same_top=90.0))),
    ),
    unknown(
        "the baseline is of another model",
        "kld",
        "foreign-baseline",
        baseline(lambda known: replace(known, model=FOREIGN)),
    ),
    unknown(
        "the baseline is of another text",
        "kld",
        "foreign-baseline",
        baseline(lambda known: replace(known, text=FOREIGN)),
    ),
    unknown(
        "the baseline is of another tokenizer",
        "kld",
        "foreign-baseline",
        baseline(lambda known: replace(known, tokens=FOREIGN)),
    ),
    unknown("the baseline has other windows", "kld", "foreign-baseline", shaped(context=256)),
    unknown("the baseline was made with other batches", "kld", "foreign-baseline", shaped(microbatch=16)),
    unknown("the baseline was made with another attention", "kld", "foreign-baseline", shaped(flash_attention=True)),
    unknown("what was compared is not what was built", "kld", "foreign-library", foreign("kld", DivergenceObservation)),
    unknown("the comparison says nothing", "kld", "output-unreadable", unprobed("kld", UNREADABLE)),
    broken("only the tip says nothing", "kld", "arm-broken", unprobed("kld", BROKEN)),
)
