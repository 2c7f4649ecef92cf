"""Packing what holds, and saying so: shared by `release` and `seal`."""

from pathlib import Path

from builder.cli.session import Answer
from builder.cli.verdict import answer_of
from builder.measure import Bench
from builder.seal.bundle import Sealed, seal
from builder.seal.evidence import evidence_of
from builder.seal.place import How
from verify.gates.case import Case
from verify.model.diagnostic import Diagnostic, Severity
from verify.model.stack import Stack
from verify.model.verdict import Holds

_SAID = {
    How.NEW: "packed",
    How.UNCHANGED: "is packed already, byte for byte",
    How.REPLACED: "packed in place of another bundle of this name",
}


def pack(verdict: Holds, *, case: Case, bench: Bench, out: Path) -> Answer:
    """Seal the release into `out` and say where it is, below the gates that it holds by."""
    if not isinstance(case.stack, Stack):
        raise TypeError("a stack that is stuck cannot hold")
    sealed = seal(
        holds=verdict,
        release=case.release,
        stack=case.stack,
        store=bench.stacked.store,
        evidence=evidence_of(verdict, case, bench.evidence),
        out=out,
        root=bench.workshop.root,
        progress=bench.workshop.progress,
    )
    judged = answer_of(
        verdict.results,
        what=f"release {case.release.name}",
        more={"bundle": _data(sealed)},
        also=(_replaced(sealed),) if sealed.how is How.REPLACED else (),
    )
    text = f"{judged.text}\n{sealed.folder} {_SAID[sealed.how]} ({sealed.files} files, {sealed.size:,} bytes)"
    return Answer(text=text, data=judged.data, diagnostics=judged.diagnostics, exit=judged.exit)


def _data(sealed: Sealed) -> dict[str, object]:
    return {
        "folder": str(sealed.folder),
        "how": sealed.how.value,
        "files": sealed.files,
        "size": sealed.size,
        "sha256sums": sealed.digest,
    }


def _replaced(sealed: Sealed) -> Diagnostic:
    return Diagnostic(
        code="seal-replaced",
        message=f"a bundle of the same name with other content stood in {sealed.folder} and was replaced",
        notes=("it was exactly as it had been sealed, so nothing that somebody made by hand was lost",),
        help="give the release another name before it is published",
        severity=Severity.WARNING,
    )
