"""How far the probabilities of two builds are apart over a text: settings and observation of the probe `kld`.

The first arm writes a baseline, its probabilities over the text; every arm is then compared with that. A baseline is
worth something only for what it was made of, so its fingerprint is part of what is observed.
"""

from dataclasses import dataclass

from verify.model.ids import Sha256
from verify.model.observation import LoadedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How the text is cut and read: `chunks` windows of `context` tokens, and what decides the arithmetic."""

    context: int
    chunks: int
    batch: int
    microbatch: int
    threads: int = 1
    flash_attention: bool = False
    repack: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One more run of the first arm, whose side of the bound is known beforehand.

    It differs by the other way of computing attention, by metadata of the model that is overridden (as
    `key=type:value`, a wrong term in every layer), or by nothing.
    """

    name: str
    other_attention: bool = False
    override: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergenceSettings:
    """The text by its SHA-256, how it is read, and the runs that calibrate the comparison."""

    text: Sha256
    shape: Shape
    calibrations: tuple[Calibration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What a baseline was made of: the model, the text, its tokens as the engine cut them, and the shape.

    `tokens` is the digest of the token ids that the windows hold, `vocabulary` how many different ones there can be.
    """

    model: Sha256
    text: Sha256
    tokens: Sha256
    vocabulary: int
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """What the engine's own comparison says of `chunks` windows: divergence from the baseline in nats.

    `same_top` is the share of tokens (in per cent) for which the most probable one is the same. `others` are all
    further figures that are printed, by name; uncertainties are left out, since they depend on the order of sums.
    """

    chunks: int
    mean: float
    maximum: float
    same_top: float
    perplexity: float
    others: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergenceArm:
    """One arm (or one calibration run) against the baseline.

    `tokens` is the digest of the text's token ids as this arm's own tokenizer gives them, cut to the windows.
    """

    arm: str
    tokens: Sha256
    statistics: Statistics
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DivergenceObservation:
    """The baseline, every arm in the order of the need, and the calibration runs in the order of the settings."""

    baseline: Fingerprint
    arms: tuple[DivergenceArm, ...]
    calibrations: tuple[DivergenceArm, ...]
    seconds: float
