"""KLD: over a text the tip's probabilities are those of upstream at the same base.

Upstream writes the baseline and is compared with it like every arm: that is the known good build, whose figures are
zero up to the rounding of a baseline to 16 bits. A run of upstream with a wrong term (metadata of the model that is
overridden) is the known bad one. Where either lands on the wrong side of the bound, the comparison cannot tell good
from bad, and the gate is undecided whatever the tip's figures say.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import stuck
from verify.gates.fingerprint import foreign_baseline
from verify.gates.kind import Kind, Scope
from verify.gates.versus import arms_unusable, shared_files, versus_arms
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.divergence import (
    Calibration,
    DivergenceObservation,
    DivergenceSettings,
    Fingerprint,
    Shape,
    Statistics,
)
from verify.model.evidence import Need, ProbeNeed
from verify.model.figure import Amount, Amounts, Figure
from verify.model.ids import ConfigName, ModelName, Sha256
from verify.model.session import settings_of
from verify.model.text import TEXTS, Text
from verify.model.verdict import Failed, Outcome, Passed

ROUNDING_MEAN, ROUNDING_MAXIMUM = 2e-6, 1e-4
"""What a baseline's rounding to 16 bits leaves of zero; 0.000000 and 0.00005 were met on all models."""

WRONG, REORDERED = "wrong-term", "other-attention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`exact` asks for the very figures that upstream gives against itself: no bit of any probability differs.

    Without it `mean_max` and `maximum_max` (in nats) and `same_top_min` (in per cent) bound the difference.
    `wrong_term` is the known bad run: metadata of the model that is overridden, as `key=type:value`. With
    `other_attention` a run with the other way of computing attention must be seen too; `exact` alone can.
    """

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    wrong_term: str
    text: Text = Text.HARBOUR
    context: int = field(default=128, metadata={"min": 16, "max": 4096})
    chunks: int = field(default=6, metadata={"min": 1, "max": 1000})
    batch: int = field(default=128, metadata={"min": 16, "max": 4096})
    exact: bool = True
    other_attention: bool = False
    mean_max: float = field(default=0.005, metadata={"min": 0.0, "max": 10.0})
    maximum_max: float = field(default=1.0, metadata={"min": 0.0, "max": 100.0})
    same_top_min: float = field(default=98.0, metadata={"min": 0.0, "max": 100.0})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session: the baseline, both arms, and the calibration."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """A baseline of what was asked for, a comparison that can tell, and the tip within the bound."""
    need = _need(params, case)
    if need is None:
        return unmet(stuck())
    if reasons := case.missing((need,)):
        return unmet(reasons)
    seen = case.seen(need, DivergenceObservation)
    reasons = arms_unusable(need, ((arm.arm, arm.loaded) for arm in seen.arms), case)
    reasons += foreign_baseline(seen.baseline, _asked(params, seen, case))
    reasons = reasons or tuple(_uncalibrated(params, seen))
    if reasons:
        return unmet(reasons)
    upstream, tip = seen.arms
    findings = (*_windows(params, seen), *_tokenizer(seen))
    findings += tuple(_beyond(params, tip.statistics, upstream.statistics, "the tip"))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    bad = next(each for each in seen.calibrations if each.arm == WRONG)
    shown = _show(tip.statistics)
    rule = "exactly upstream's figures" if params.exact else "within its bounds"
    return Passed(
        summary=f"{shown}: {rule}; a wrong term gives {_show(bad.statistics)}; "
        f"{shared_files(upstream.loaded, tip.loaded)}"
    )


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """Mean, maximum and agreement of the runs that calibrate, and of the tip."""
    need = _need(params, case)
    if need is None:
        return ()
    seen = case.seen(need, DivergenceObservation)
    if len(seen.arms) != len(need.arms):
        return ()
    upstream, tip = seen.arms
    runs = (
        *((f"upstream, {each.arm}", each.statistics, True) for each in seen.calibrations),
        ("upstream again", upstream.statistics, False),
        ("tip", tip.statistics, False),
    )
    equals = "upstream again" if params.exact else ""
    most_mean, most, least = (
        (None, None, None) if params.exact else (params.mean_max, params.maximum_max, params.same_top_min)
    )
    mean, maximum, same = (
        tuple(Amount(name=name, value=read(figures), bad=bad) for name, figures, bad in runs)
        for read in (_mean, _maximum, _same_top)
    )
    return (
        Amounts(what="KLD, mean", unit="nats", amounts=mean, most=most_mean, equals=equals),
        Amounts(what="KLD, maximum", unit="nats", amounts=maximum, most=most, equals=equals),
        Amounts(what="same top token", unit="%", amounts=same, least=least, equals=equals),
    )


def _mean(figures: Statistics) -> float:
    return figures.mean


def _maximum(figures: Statistics) -> float:
    return figures.maximum


def _same_top(figures: Statistics) -> float:
    return figures.same_top


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = versus_arms(case, params.configuration)
    if arms is None:
        return None
    calibrations: tuple[Calibration, ...] = (Calibration(name=WRONG, override=params.wrong_term),)
    if params.other_attention and params.exact:
        calibrations += (Calibration(name=REORDERED, other_attention=True),)
    settings = DivergenceSettings(text=TEXTS[params.text], shape=_shape(params), calibrations=calibrations)
    return ProbeNeed(probe="divergence", model=params.model, arms=arms, settings=settings_of(settings))


def _shape(params: Params) -> Shape:
    return Shape(context=params.context, chunks=params.chunks, batch=params.batch, microbatch=min(params.batch, 512))


def _asked(params: Params, seen: DivergenceObservation, case: Case) -> Fingerprint:
    """What the baseline must be of: the pinned model, the text, and the tokens of upstream's own tokenizer."""
    pin = next((pin.sha256 for pin in case.release.models if pin.name == params.model), Sha256(""))
    return Fingerprint(
        model=pin,
        text=TEXTS[params.text],
        tokens=seen.arms[0].tokens if seen.arms else Sha256(""),
        vocabulary=seen.baseline.vocabulary,
        shape=_shape(params),
    )


def _uncalibrated(params: Params, seen: DivergenceObservation) -> Iterator[Diagnostic]:
    """Why the comparison cannot tell good from bad: a run whose side is known lands on the other."""
    good = seen.arms[0].statistics
    if not params.exact:
        wrong_side = tuple(_beyond(params, good, good, "upstream against itself"))
    else:
        wrong_side = tuple(_not_zero(good))
    for finding in wrong_side:
        yield Diagnostic(
            code="known-good-fails",
            message=f"upstream against itself is not within the bound: {finding.message}",
            notes=finding.notes,
            help="look for what differs from run to run; a build must agree with itself first",
        )
    met = {each.arm: each.statistics for each in seen.calibrations}
    for name in (WRONG, *((REORDERED,) if params.other_attention and params.exact else ())):
        if name not in met or met[name].chunks != params.chunks or not any(_beyond(params, met[name], good, name)):
            shown = _show(met[name]) if name in met else "it was not run"
            yield Diagnostic(
                code="known-bad-passes",
                message=f"upstream with {name} is within the bound, so the comparison cannot tell bad from good",
                notes=(shown, f"wrong_term: {params.wrong_term}"),
                help="choose a `wrong_term` that this model uses, more `chunks`, or a narrower bound",
            )


def _not_zero(good: Statistics) -> Iterator[Finding]:
    if abs(good.mean) > ROUNDING_MEAN or not 0 <= good.maximum <= ROUNDING_MAXIMUM or good.same_top != 100:
        yield Diagnostic(
            code="divergence-too-large",
            message=_show(good),
            notes=(f"rounding leaves a mean of {ROUNDING_MEAN} and a maximum of {ROUNDING_MAXIMUM} at most",),
        )


def _beyond(params: Params, met: Statistics, good: Statistics, who: str) -> Iterator[Finding]:
    """Where figures are beyond the bound; for the exact rule, where they are not those of upstream against itself."""
    notes = tuple(_rule(params, met, good))
    if notes:
        yield Diagnostic(
            code="divergence-too-large", message=f"{who} diverges from upstream: {_show(met)}", notes=notes
        )


def _rule(params: Params, met: Statistics, good: Statistics) -> Iterator[str]:
    if params.exact:
        ours, theirs = _named(met), _named(good)
        differing = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
        yield from (f"{name}: {ours.get(name)}, upstream against itself {theirs.get(name)}" for name in differing[:6])
        if len(differing) > 6:
            yield f"and {len(differing) - 6} more figures"
        return
    if not met.mean <= params.mean_max:
        yield f"mean: {met.mean:.6f} nats, allowed {params.mean_max}"
    if not met.maximum <= params.maximum_max:
        yield f"maximum: {met.maximum:.6f} nats, allowed {params.maximum_max}"
    if not met.same_top >= params.same_top_min:
        yield f"same top: {met.same_top:.3f} %, at least {params.same_top_min}"


def _named(figures: Statistics) -> dict[str, float]:
    named = {"mean": figures.mean, "maximum": figures.maximum, "same top": figures.same_top}
    return {**named, "perplexity": figures.perplexity, **dict(figures.others)}


def _windows(params: Params, seen: DivergenceObservation) -> Iterator[Finding]:
    for arm in seen.arms:
        if arm.statistics.chunks != params.chunks:
            yield Diagnostic(
                code="windows-missing",
                message=f"arm `{arm.arm}` was compared over {arm.statistics.chunks} windows, not {params.chunks}",
                help="stackproof gate --fresh",
            )


def _tokenizer(seen: DivergenceObservation) -> Iterator[Finding]:
    for arm in seen.arms:
        if arm.tokens != seen.baseline.tokens:
            yield Diagnostic(
                code="tokenizer-differs",
                message=f"arm `{arm.arm}` cuts the text into other tokens than upstream",
                notes=(f"its tokens: {arm.tokens}", f"the baseline's: {seen.baseline.tokens}"),
            )


def _show(figures: Statistics) -> str:
    return f"KLD mean {figures.mean:.6f}, maximum {figures.maximum:.6f}, same top {figures.same_top:.3f} %"


KIND = Kind(
    name="kld",
    about="over a text the tip's probabilities are upstream's, by a comparison that is known to tell",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
