"""Axis uniformity: how tokens are batched, on how many threads, with what seed, does not change one logit.

Along an axis only one thing varies, and every value's logits are held against those of the reference value on the same
build. Without this, what is generated depends on what else the engine did at the time: speculative decoding checks
several tokens at once and must find what one at a time would have given.

A gate of a block may name its switch: then `on` must be uniform, and with `off_differs` the build with the switch off
must not be, which shows that the gate sees the defect that the block mends. With `keeps` the block's own build is held
against the one below it, too: with the switch off at every value, with it on at the reference.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import assert_never

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import degenerate_logits, drawn, logits_need, own_arm, rows_apart, stuck, unusable_logits
from verify.gates.exercise import no_such_arm, own_arms, switch_arms
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.library import Against, ContextSettings, LogitsObservation, LogitsRun, LogitsSettings, Variant
from verify.model.verdict import Failed, Outcome, Passed


class Axis(StrEnum):
    """What varies: tokens of a sequence at a time, batch sizes, threads, the sampler's seed, equal sequences beside."""

    WIDTH = "width"
    BATCH = "batch"
    MICROBATCH = "microbatch"
    THREADS = "threads"
    SEED = "seed"
    SEQUENCES = "sequences"


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`read` drawn tokens are read at once, `rest` by the axis, and with a seed so many are generated.

    Each of `values` is compared with `reference`; `max_difference` and `same_top` are the bounds, 0 being bit by bit.
    """

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    axis: Axis
    values: tuple[int, ...] = field(metadata={"min": 1, "max": 65536})
    reference: int = field(default=1, metadata={"min": 1, "max": 65536})
    read: int = field(default=64, metadata={"min": 1, "max": 65536})
    rest: int = field(default=24, metadata={"min": 1, "max": 4096})
    max_difference: float = field(
        default=0.0, metadata={"min": 0.0, "max": 1e6, "about": "largest difference of a logit; 0: not one bit"}
    )
    same_top: float = field(
        default=1.0, metadata={"min": 0.0, "max": 1.0, "about": "share of positions with the same most probable token"}
    )
    flash_attention: bool = False
    repack: bool = True
    threads: int = field(default=1, metadata={"min": 1, "max": 64})
    switch: str = field(default="", metadata={"refers": "switch", "about": "of the declaring block"})
    off_differs: bool = field(default=False, metadata={"about": "with the switch off it must not hold"})
    keeps: bool = field(
        default=False, metadata={"about": "off is the block below at every value, on is it at the reference"}
    )

    def __post_init__(self) -> None:
        if set(self.values) <= {self.reference}:
            raise ValueError("`values` has no value other than `reference`")
        for name in ("off_differs", "keeps"):
            if getattr(self, name) and not self.switch:
                raise ValueError(f"`{name}` needs a `switch`")


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session with a process for each arm, and one more where the block below is compared."""
    return _needs(params, case)


def check(params: Params, case: Case) -> Outcome:
    """Every value's rows are those of the reference value."""
    both = _needs(params, case)
    if not both:
        return unmet(no_such_arm(case, params.switch) if params.switch else stuck())
    if reasons := case.missing(both):
        return unmet(reasons)
    settings = _settings(params)
    for need in both:
        if reasons := unusable_logits(need, settings, case.seen(need, LogitsObservation), case):
            return unmet(reasons)
    need, *own = both
    seen = case.seen(need, LogitsObservation)
    findings = [*_apart(params, seen, need.arms[-1])]
    if params.off_differs and not any(_apart(params, seen, need.arms[0])):
        findings.append(_toothless(params))
    for each in own:
        findings += _moved(params, case.seen(each, LogitsObservation))
    findings += (finding for run in seen.runs for finding in degenerate_logits(run))
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    return Passed(
        summary=f"{params.axis} {_listed(params)} gives the logits of {params.axis} {params.reference} at "
        f"{len(seen.runs[-1].prompts[0].rows)} positions"
        + (f"; with {params.switch} off it does not" if params.off_differs else "")
        + (", and is the block below" if params.keeps else "")
    )


def _apart(params: Params, seen: LogitsObservation, arm: Arm) -> Iterator[Finding]:
    reference = seen.run(arm.name, _name(params, params.reference))
    assert reference is not None
    for value in _values(params)[1:]:
        run = seen.run(arm.name, _name(params, value))
        assert run is not None
        yield from _told(params, run, reference, value, arm)


def _told(params: Params, run: LogitsRun, reference: LogitsRun, value: int, arm: Arm) -> Iterator[Finding]:
    start = 0 if _keeps_read(params.axis) else params.read
    for what, *notes in rows_apart(
        run, reference, max_difference=params.max_difference, same_top=params.same_top, start=start
    ):
        yield Diagnostic(
            code="axis-differs",
            message=f"model `{params.model}`: {params.axis} {value} gives other logits than {params.reference}: {what}",
            notes=(*notes, f"arm `{arm.name}`, tree {arm.build.tree}"),
        )


def _toothless(params: Params) -> Finding:
    return Diagnostic(
        code="axis-without-teeth",
        message=f"with {params.switch} off, model `{params.model}` is uniform along {params.axis} all the same",
        notes=("the gate cannot see what the block changes", f"values: {_listed(params)}"),
        help="choose a model or values on which the build below is not uniform, or take `off_differs` away",
    )


def _moved(params: Params, seen: LogitsObservation) -> Iterator[Finding]:
    """Runs that are not those of the block below, bit by bit."""
    for value in _values(params):
        if notes := _rows_that_differ(seen, _name(params, value), "off"):
            message = f"model `{params.model}`: with {params.switch} off, {params.axis} {value} is not the block below"
            yield Diagnostic(code="off-arm-differs", message=message, notes=notes)
    if notes := _rows_that_differ(seen, _name(params, params.reference), "on"):
        message = f"model `{params.model}`: {params.switch} changes {params.axis} {params.reference}, the reference"
        yield Diagnostic(code="axis-reference-moved", message=message, notes=notes)


def _rows_that_differ(seen: LogitsObservation, variant: str, arm: str) -> tuple[str, ...]:
    """A note where a run's rows differ from those of the build below."""
    below, run = seen.run("below", variant), seen.run(arm, variant)
    assert below is not None
    assert run is not None
    pairs = [
        (one.sha256, two.sha256)
        for theirs, ours in zip(below.prompts, run.prompts, strict=True)
        for one, two in zip(theirs.rows, ours.rows, strict=True)
    ]
    differ = sum(one != two for one, two in pairs)
    return (f"{differ} of {len(pairs)} rows differ",) if differ else ()


def _needs(params: Params, case: Case) -> tuple[ProbeNeed, ...]:
    """The session that is judged, and the one with the block below; none where there is no arm."""
    arms: list[tuple[Arm, ...] | None]
    if params.switch:
        arms = [switch_arms(case, params.switch, params.configuration)]
        if params.keeps:
            arms.append(own_arms(case, params.switch, params.configuration))
    else:
        arms = [own_arm(case, params.configuration) or None]
    settings = _settings(params)
    needs = [logits_need(settings, params.model, each) for each in arms if each is not None]
    return tuple(needs) if len(needs) == len(arms) else ()


def _settings(params: Params) -> LogitsSettings:
    return LogitsSettings(
        prompts=(drawn(params.read + params.rest),),
        read=params.read,
        keep_read=_keeps_read(params.axis),
        generate=params.rest if params.axis is Axis.SEED else 0,
        repack=params.repack,
        variants=tuple(_variant(params, value) for value in _values(params)),
        against=Against.VARIANT,
    )


def _values(params: Params) -> tuple[int, ...]:
    """The reference first, each value once."""
    return tuple(dict.fromkeys((params.reference, *params.values)))


def _variant(params: Params, value: int) -> Variant:
    # room for every token of every sequence, and for those generated after them
    cells = -(-(params.read + 2 * params.rest) // 256) * 256
    batch = max(512, params.read)
    context = ContextSettings(context=cells, batch=batch, microbatch=batch, flash_attention=params.flash_attention)
    context = replace(context, threads=params.threads)
    match params.axis:
        case Axis.WIDTH:
            return Variant(name=_name(params, value), context=context, width=value)
        case Axis.SEED:
            return Variant(name=_name(params, value), context=context, seed=value)
        case Axis.BATCH:
            return Variant(name=_name(params, value), context=replace(context, batch=value, microbatch=value))
        case Axis.MICROBATCH:
            return Variant(name=_name(params, value), context=replace(context, batch=batch, microbatch=value))
        case Axis.THREADS:
            return Variant(name=_name(params, value), context=replace(context, threads=value))
        case Axis.SEQUENCES:
            beside = replace(context, context=cells * value, sequences=value, batch=batch * value)
            return Variant(name=_name(params, value), context=beside, beside=value)
        case _:
            assert_never(params.axis)


def _name(params: Params, value: int) -> str:
    return f"{params.axis}-{value}"


def _keeps_read(axis: Axis) -> bool:
    """Whether the first part is cut differently, too, so that its logits count."""
    return axis not in (Axis.WIDTH, Axis.SEED)


def _listed(params: Params) -> str:
    return ", ".join(str(value) for value in _values(params)[1:])


KIND = Kind(
    name="axis-uniformity",
    about="along one axis (width, batch, microbatch, threads, seed, sequences) not one logit changes",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
