"""Logits: every logit of the tip is that of upstream at the same base, bit by bit or within a declared bound.

Greedy tokens stay equal under many real faults; the logits of every position of a prompt and of what is generated do
not. Both arms are called through the bindings of the very same source, each in a process of its own.
"""

from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import (
    degenerate_logits,
    logits_need,
    no_prompts,
    rows_apart,
    stuck,
    texts,
    unusable_logits,
    upstream_and_tip,
)
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.library import Against, ContextSettings, LogitsObservation, LogitsSettings, Variant
from verify.model.verdict import Failed, Outcome, Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Every position of the prompts and of `generate` greedy tokens after each is compared."""

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    prompts: tuple[str, ...]
    generate: int = field(default=16, metadata={"min": 0, "max": 512})
    max_difference: float = field(
        default=0.0, metadata={"min": 0.0, "max": 1e6, "about": "largest difference of a logit; 0: not one bit"}
    )
    same_top: float = field(
        default=1.0, metadata={"min": 0.0, "max": 1.0, "about": "share of positions with the same most probable token"}
    )
    context: int = field(default=512, metadata={"min": 64, "max": 131072})
    flash_attention: bool = False


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session with upstream and the tip as its arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """Rows within the bounds on the tip, and logits on both arms."""
    settings = _settings(params)
    if not settings.prompts:
        return Failed(summary="no prompt is given", findings=(no_prompts(),))
    need = _need(params, case)
    if need is None:
        return unmet(stuck())
    if reasons := case.missing((need,)):
        return unmet(reasons)
    seen = case.seen(need, LogitsObservation)
    if reasons := unusable_logits(need, settings, seen, case):
        return unmet(reasons)
    upstream, tip = seen.runs
    findings: list[Finding] = [
        Diagnostic(code="logits-differ", message=f"model `{params.model}` on the tip: {what}", notes=tuple(notes))
        for what, *notes in rows_apart(
            tip, upstream, max_difference=params.max_difference, same_top=params.same_top, start=0
        )
    ]
    findings += (finding for run in seen.runs for finding in degenerate_logits(run))
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    rows = sum(len(each.rows) for each in tip.prompts)
    largest = max(row.difference for each in tip.prompts for row in each.rows)
    how = "are upstream's bit by bit" if largest == 0.0 else f"differ from upstream's by {largest:.3g} at most"
    return Passed(summary=f"{rows} rows of {seen.vocabulary} logits {how}")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = upstream_and_tip(case, params.configuration)
    return logits_need(_settings(params), params.model, arms) if arms else None


def _settings(params: Params) -> LogitsSettings:
    context = ContextSettings(context=params.context, flash_attention=params.flash_attention)
    return LogitsSettings(
        prompts=texts(params.prompts),
        read=0,
        keep_read=True,
        generate=params.generate,
        repack=True,
        variants=(Variant(name="plain", context=context),),
        against=Against.ARM,
    )


KIND = Kind(
    name="logits",
    about="every logit of the tip is upstream's at the same base, bit by bit or within a declared bound",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
