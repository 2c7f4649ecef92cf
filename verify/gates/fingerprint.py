"""Reference compare: a baseline is believed only when it was made of exactly what is compared with it.

Shared by the kinds that compare with recorded figures, not a gate itself. Another model, text, tokenizer, window or
batch shape gives other probabilities from the same engine (another batch shape alone 0.0004 nats in the mean on a
quantized model), so that a difference would mean nothing. Such a baseline is refused, and the gate is undecided.
"""

from collections.abc import Iterator
from dataclasses import fields

from verify.model.diagnostic import Diagnostic
from verify.model.divergence import Fingerprint


def foreign_baseline(baseline: Fingerprint, asked: Fingerprint) -> tuple[Diagnostic, ...]:
    """Every respect in which a baseline is not what was asked for, as one reason; empty where there is none."""
    differing = tuple(_differences(baseline, asked))
    if not differing:
        return ()
    return (
        Diagnostic(
            code="foreign-baseline",
            message=f"the baseline is of another {differing[0][0]}, so nothing is compared with it",
            notes=tuple(f"{name}: {met}, asked for {wanted}" for name, met, wanted in differing),
            help="stackproof gate --fresh",
        ),
    )


def _differences(baseline: Fingerprint, asked: Fingerprint) -> Iterator[tuple[str, object, object]]:
    for name in ("model", "text"):
        met, wanted = getattr(baseline, name), getattr(asked, name)
        if met != wanted:
            yield name, met, wanted
    if baseline.tokens != asked.tokens or baseline.vocabulary != asked.vocabulary:
        yield "tokenizer", f"{baseline.tokens} of {baseline.vocabulary}", f"{asked.tokens} of {asked.vocabulary}"
    for field in fields(asked.shape):
        met, wanted = getattr(baseline.shape, field.name), getattr(asked.shape, field.name)
        if met != wanted:
            yield field.name.replace("_", " "), met, wanted
