"""Repeat determinism: the same prompts in new processes give the same tokens and the same logits, bit by bit."""

from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import (
    BITWISE,
    degenerate_logits,
    logits_need,
    no_prompts,
    own_arm,
    rows_apart,
    stuck,
    texts,
    unusable_logits,
)
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.library import Against, ContextSettings, LogitsObservation, LogitsSettings, Variant
from verify.model.verdict import Failed, Outcome, Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Each prompt is read and continued by `generate` greedy tokens, in so many `runs`, each a new process."""

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    prompts: tuple[str, ...]
    runs: int = field(default=3, metadata={"min": 2, "max": 100})
    generate: int = field(default=24, metadata={"min": 0, "max": 512})
    threads: int = field(default=1, metadata={"min": 1, "max": 256})
    context: int = field(default=512, metadata={"min": 64, "max": 131072})
    flash_attention: bool = False


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session with a process a run."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """Every later run equals the first."""
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
    first = seen.runs[0]
    findings: list[Finding] = [
        Diagnostic(
            code="run-differs",
            message=f"model `{params.model}`: `{run.variant}` gives other logits than `{first.variant}`: {what}",
            notes=tuple(notes),
        )
        for run in seen.runs[1:]
        for what, *notes in rows_apart(run, first, max_difference=BITWISE, same_top=1.0, start=0)
    ]
    findings += degenerate_logits(first)
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    rows = sum(len(each.rows) for each in first.prompts)
    return Passed(summary=f"{rows} rows of logits are the same in {params.runs} processes")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = own_arm(case, params.configuration)
    return logits_need(_settings(params), params.model, arms) if arms else None


def _settings(params: Params) -> LogitsSettings:
    context = ContextSettings(context=params.context, threads=params.threads, flash_attention=params.flash_attention)
    return LogitsSettings(
        prompts=texts(params.prompts),
        read=0,
        keep_read=True,
        generate=params.generate,
        repack=True,
        variants=tuple(Variant(name=f"run-{number + 1}", context=context) for number in range(params.runs)),
        against=Against.VARIANT,
        apart=True,
    )


KIND = Kind(
    name="repeat-determinism",
    about="the same prompts in new processes give the same tokens and the same logits, bit by bit",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
