"""What a well-behaved engine shows where instructions are counted, requests timed and probabilities compared."""

from hashlib import sha256

from verify.model.divergence import (
    DivergenceArm,
    DivergenceObservation,
    DivergenceSettings,
    Fingerprint,
    Statistics,
)
from verify.model.evidence import Arm, ProbeNeed
from verify.model.ids import Sha256
from verify.model.observation import LoadedFile
from verify.model.session import read_settings
from verify.model.speed import (
    Count,
    CountArm,
    CountObservation,
    CountSettings,
    Part,
    SpeedArm,
    SpeedObservation,
    SpeedSettings,
    Timed,
)

TOKENS = Sha256("7" * 64)
EXACT = Statistics(chunks=6, mean=0.0, maximum=3.4e-05, same_top=100.0, perplexity=23.8, others=(("median kld", 0.0),))
WRONG = Statistics(chunks=6, mean=0.4, maximum=2.5, same_top=71.0, perplexity=31.0, others=(("median kld", 0.2),))


def loaded(arm: Arm) -> tuple[LoadedFile, ...]:
    """The program of the arm's own build."""
    digest = Sha256(sha256(f"program of {arm.build.tree}".encode()).hexdigest())
    return (LoadedFile(name="llama-server", sha256=digest, built=True),)


def good_counts(need: ProbeNeed) -> CountObservation:
    """Counts that repeat to a millionth, the tip's a little lower."""
    asked = read_settings(CountSettings, need.settings)
    tokens = {Part.LOAD: 0, Part.PREFILL: asked.workload.prompt, Part.DECODE: asked.workload.generate}

    def counts(arm: Arm) -> tuple[Count, ...]:
        first = 50_000_000 - (100_000 if arm.name == "tip" else 0)
        figures = tuple(first + 40 * number for number in range(asked.repeats))
        return tuple(Count(part=part, tokens=tokens[part], instructions=figures) for part in Part)

    arms = tuple(
        CountArm(arm=arm.name, counts=counts(arm), loaded=loaded(arm), command=("-t", "1")) for arm in need.arms
    )
    return CountObservation(tool="valgrind-3", arms=arms, seconds=1.0)


def good_speed(need: ProbeNeed) -> SpeedObservation:
    """Times that differ by a thousandth."""
    asked = read_settings(SpeedSettings, need.settings)
    tokens = {Part.PREFILL: asked.workload.prompt, Part.DECODE: asked.workload.generate}

    def times(arm: Arm) -> tuple[Timed, ...]:
        slower = 1.001 if arm.name == "tip" else 1.0
        return tuple(
            Timed(
                part=part,
                round=number,
                tokens=count,
                seconds=0.5 * slower * (1 + number / 1000),
                cpu_seconds=0.4 * slower * (1 + number / 1000),
                output=Sha256(str(number) * 64),
            )
            for number in range(asked.rounds.least)
            for part, count in tokens.items()
        )

    return SpeedObservation(
        arms=tuple(
            SpeedArm(arm=arm.name, times=times(arm), loaded=loaded(arm), command=("-t", "1"), peak_kib=1)
            for arm in need.arms
        ),
        rounds=asked.rounds.least,
        seconds=1.0,
    )


def good_divergence(need: ProbeNeed) -> DivergenceObservation:
    """Every arm agrees with the baseline, and a wrong term does not."""
    asked = read_settings(DivergenceSettings, need.settings)

    def compared(name: str, arm: Arm, figures: Statistics) -> DivergenceArm:
        return DivergenceArm(arm=name, tokens=TOKENS, statistics=figures, loaded=loaded(arm), command=("-t", "1"))

    first = need.arms[0]
    return DivergenceObservation(
        baseline=Fingerprint(
            model=Sha256("0" * 64), text=asked.text, tokens=TOKENS, vocabulary=2048, shape=asked.shape
        ),
        arms=tuple(compared(arm.name, arm, EXACT) for arm in need.arms),
        calibrations=tuple(compared(each.name, first, WRONG) for each in asked.calibrations),
        seconds=1.0,
    )
