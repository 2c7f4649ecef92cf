"""From a gate that compares tokens or logits to the traces that name the first operation which differs. Pure.

What the gate itself measures says what is traced: its model, prompts and settings, two of its arms, or two of the ways
in which one arm computed. Not a gate itself; `stackproof trace` runs what comes of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Arm, Need, ProbeNeed
from verify.model.library import Against, ContextSettings, LogitsSettings, Prompt, TraceSettings, TraceSide, Variant
from verify.model.session import ServerSettings, TokenSettings, read_settings, settings_of

T = TypeVar("T")

_PROMPTS = 2
"""So many of a gate's prompts are traced; every operation of every token is written down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """Two arms of a gate, or two values of its axis, by name; empty where the gate's own choice is meant."""

    first: str = ""
    second: str = ""


def trace_needs(gate: str, needs: Iterable[Need], between: Between) -> tuple[ProbeNeed, ...] | Diagnostic:
    """The traces to try in turn until one differs, or why this gate has none."""
    for need in needs:
        if isinstance(need, ProbeNeed) and need.probe == "logits":
            settings = read_settings(LogitsSettings, need.settings)
            if settings.against is Against.ARM:
                return _of_arms(gate, need, settings, between)
            return _of_variants(gate, need, settings, between)
        if isinstance(need, ProbeNeed) and need.probe == "tokens":
            return _of_tokens(gate, need, read_settings(TokenSettings, need.settings), between)
        if isinstance(need, ProbeNeed) and need.probe == "trace":
            return (need,)
    return Diagnostic(
        code="gate-not-traceable",
        message=f"gate `{gate}` compares no tokens and no logits, so there is no graph to trace",
        help="stackproof gate --list",
    )


def _of_arms(
    gate: str, need: ProbeNeed, settings: LogitsSettings, between: Between
) -> tuple[ProbeNeed, ...] | Diagnostic:
    arms = _chosen(gate, "arm", {arm.name: arm for arm in need.arms}, between)
    if isinstance(arms, Diagnostic):
        return arms
    context = settings.variants[0].context
    return _at_once_and_singly(need, arms, settings.prompts, context, repack=settings.repack)


def _of_tokens(
    gate: str, need: ProbeNeed, settings: TokenSettings, between: Between
) -> tuple[ProbeNeed, ...] | Diagnostic:
    arms = _chosen(gate, "arm", {arm.name: arm for arm in need.arms}, between)
    if isinstance(arms, Diagnostic):
        return arms
    prompts = tuple(Prompt(name=f"prompt-{index}", text=text) for index, text in enumerate(settings.prompts))
    return _at_once_and_singly(need, arms, prompts, _context(settings.server), repack=settings.server.repack)


def _of_variants(
    gate: str, need: ProbeNeed, settings: LogitsSettings, between: Between
) -> tuple[ProbeNeed, ...] | Diagnostic:
    """One arm, the last one, against itself; its tokens cut as the two variants cut them."""
    variants = _chosen(gate, "variant", {each.name: each for each in settings.variants}, between)
    if isinstance(variants, Diagnostic):
        return variants
    if any(each.beside > 1 or each.seed for each in variants):
        return Diagnostic(
            code="gate-not-traceable",
            message=f"gate `{gate}` varies what is no part of one sequence's graph",
            notes=("seeds and sequences side by side change the batch or the choice, not how one sequence is read",),
            help="stackproof gate --list",
        )
    arm = need.arms[-1]
    arms = (replace(arm, name=variants[0].name), replace(arm, name=variants[1].name))
    if arms[0].name == arms[1].name:
        arms = (arms[0], replace(arm, name=f"{arm.name}-again"))
    more = max(each.width for each in variants)
    read = settings.read
    prompts = tuple(
        replace(each, ids=each.ids[: read + more]) if each.ids and read else each for each in settings.prompts
    )
    return (
        _need(need, arms, prompts[:_PROMPTS], read=read, sides=tuple(map(_side, variants)), repack=settings.repack),
    )


def _at_once_and_singly(
    need: ProbeNeed, arms: tuple[Arm, Arm], prompts: tuple[Prompt, ...], context: ContextSettings, *, repack: bool
) -> tuple[ProbeNeed, ...]:
    """All of a prompt at once, as it is read, and then a token at a time, as text is generated."""
    side = TraceSide(context=context, width=1)
    return tuple(_need(need, arms, prompts[:_PROMPTS], read=read, sides=(side, side), repack=repack) for read in (0, 1))


def _need(
    need: ProbeNeed,
    arms: tuple[Arm, ...],
    prompts: tuple[Prompt, ...],
    *,
    read: int,
    sides: tuple[TraceSide, ...],
    repack: bool,
) -> ProbeNeed:
    settings = TraceSettings(prompts=prompts, read=read, repack=repack, sides=sides)
    return ProbeNeed(probe="trace", model=need.model, arms=arms, settings=settings_of(settings))


def _side(variant: Variant) -> TraceSide:
    return TraceSide(context=variant.context, width=variant.width)


def _context(server: ServerSettings) -> ContextSettings:
    return ContextSettings(
        context=server.context,
        batch=server.batch,
        microbatch=server.microbatch,
        threads=server.threads,
        flash_attention=server.flash_attention,
        unified=server.unified,
    )


def _chosen(gate: str, what: str, known: Mapping[str, T], between: Between) -> tuple[T, T] | Diagnostic:
    """Two of them by name; the first and the last where none is named."""
    names = list(known)
    wanted = (between.first or names[0], between.second or names[-1])
    for name in wanted:
        if name not in known:
            return Diagnostic(
                code="unknown-arm",
                message=f"gate `{gate}` has no {what} `{name}`",
                notes=(f"it has: {', '.join(names)}",),
                help=f"stackproof trace {gate}",
            )
    return known[wanted[0]], known[wanted[1]]
