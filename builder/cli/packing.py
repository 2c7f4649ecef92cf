"""Packing what holds, and saying so: shared by `release` and `seal`."""

from collections.abc import Iterator
from pathlib import Path

from builder.cli.session import Answer
from builder.cli.verdict import answer_of
from builder.foreign import ImportStore
from builder.measure import Bench
from builder.seal.below import carried_members
from builder.seal.bundle import Sealed, seal
from builder.seal.evidence import evidence_of, testimonies_of
from builder.seal.give import Wanted
from builder.seal.place import How
from verify.gates.case import Case
from verify.model.diagnostic import Diagnostic, Severity
from verify.model.ids import ConfigName, ReleaseName
from verify.model.stack import Stack
from verify.model.verdict import Holds

_SAID = {
    How.NEW: "packed",
    How.UNCHANGED: "is packed already, byte for byte",
    How.REPLACED: "packed in place of another bundle of this name",
}


def pack(
    verdict: Holds, *, case: Case, bench: Bench, out: Path, key: Path | None = None, parent: Path | None = None
) -> Answer:
    """Seal the release into `out` and say where it is, below the gates that it holds by.

    `key` signs its statements; `parent` is the parent's bundle, which is looked for in `out` otherwise.
    """
    if not isinstance(case.stack, Stack):
        raise TypeError("a stack that is stuck cannot hold")
    foreign = [record for each in bench.imports for record in each.testimony.records]
    records = evidence_of(verdict, case, bench.evidence, foreign)
    imports = ImportStore(bench.workshop.cache / "imports")
    sealed = seal(
        holds=verdict,
        release=case.release,
        stack=case.stack,
        store=bench.stacked.store,
        evidence=records,
        standings=case.reviews,
        testimonies=testimonies_of(records, bench.imports, imports),
        carried=carried_members(case.release.base, bench.workshop.root),
        out=out,
        root=bench.workshop.root,
        progress=bench.workshop.progress,
        wanted=Wanted(builds=_builds(case.stack, bench), key=key, parent=parent or _parent(case.release.parent, out)),
    )
    judged = answer_of(
        verdict.results,
        what=f"release {case.release.name}",
        more={"bundle": _data(sealed)},
        also=tuple(_told(sealed, case.release.parent)),
    )
    signed = "signed" if sealed.signed else "not signed"
    size = f"{sealed.files} files, {sealed.size:,} bytes"
    text = f"{judged.text}\n{sealed.folder} {_SAID[sealed.how]} ({size}, {signed})"
    return Answer(text=text, data=judged.data, diagnostics=judged.diagnostics, exit=judged.exit)


def _data(sealed: Sealed) -> dict[str, object]:
    return {
        "folder": str(sealed.folder),
        "how": sealed.how.value,
        "files": sealed.files,
        "size": sealed.size,
        "sha256sums": sealed.digest,
        "signed": sealed.signed,
    }


def _builds(stack: Stack, bench: Bench) -> dict[ConfigName, Path]:
    """Where the tip's builds are kept, by configuration."""
    return {
        need.configuration: built.folder
        for need, built in bench.built.items()
        if need.tree == stack.tip_tree() and built.folder is not None
    }


def _parent(parent: ReleaseName | None, out: Path) -> Path | None:
    return out / parent if parent is not None and (out / parent).is_dir() else None


def _told(sealed: Sealed, parent: ReleaseName | None) -> Iterator[Diagnostic]:
    if sealed.how is How.REPLACED:
        yield _replaced(sealed)
    if not sealed.parent_told:
        yield Diagnostic(
            code="parent-not-at-hand",
            message=f"the notes tell of every fold, since the bundle of the parent `{parent}` is not at hand",
            help="stackproof seal --parent DIR --out DIR",
            severity=Severity.NOTE,
        )


def _replaced(sealed: Sealed) -> Diagnostic:
    return Diagnostic(
        code="seal-replaced",
        message=f"a bundle of the same name with other content stood in {sealed.folder} and was replaced",
        notes=("it was exactly as it had been sealed, so nothing that somebody made by hand was lost",),
        help="give the release another name before it is published",
        severity=Severity.WARNING,
    )
