"""Attribution closure: behind every line of the tip that is not upstream's stands a credited author.

Lines are followed through the folds' hunks and counted against the tip's real contents, so that no line is left
over. A fold keeps every sign-off and every further author of the submission that it was made of. With `licences` a
fold that brings files says under which licence they are. That an author is a person and no placeholder is held where
block.yaml is read.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.diff.trace import Trace, lines_of, tip_states
from verify.diff.trailers import signed_off, submitted_credit, written_with
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.ids import BlockName, FoldId, show_path
from verify.model.patch import Action
from verify.model.stack import Stuck
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted

NOT_STATED_EMAIL = "author@not-stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`licences`: a fold that creates files must say their licence."""

    licences: bool = field(default=False, metadata={"about": "a fold that creates files must say their licence"})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every added line of the tip, every sign-off, and every licence where they are asked for."""
    traced = case.trace()
    folds = [(block, fold) for block in case.release.blocks for fold in block.folds]
    findings = [finding for _, fold in folds for finding in _lost_credit(fold)]
    if params.licences:
        findings += (found for block, fold in folds for found in _without_licence(block, fold))
    lines: Counter[tuple[BlockName, FoldId]] = Counter()
    if traced is not None:
        for _, _, run in traced.added():
            lines[run.block, run.fold] += run.count
        unnamed = [(block, fold) for block, fold in folds if fold.author.email == NOT_STATED_EMAIL]
        findings += (_not_stated(fold, lines[block.name, fold.id]) for block, fold in unnamed)
        findings += _unaccounted(case, traced)
    if findings:
        return Failed(summary=f"{counted(len(findings), 'fault')} in credit", findings=tuple(findings))
    if traced is None:
        return Undecided(summary="the lines of the tip were not counted", reasons=(_not_counted(),))
    if isinstance(case.stack, Stuck):
        return Undecided(summary="the stack is stuck, so there is no tip", reasons=case.stack.findings)
    authors = {(fold.author.name, fold.author.email) for _, fold in folds}
    return Passed(
        summary=f"{counted(lines.total(), 'added line')} of the tip credited to {counted(len(authors), 'author')}"
    )


def _lost_credit(fold: Fold) -> Iterator[Finding]:
    if fold.source_bytes is None:
        return
    submitted = submitted_credit(fold.source_bytes)
    authors = {*written_with(fold.body), f"{fold.author.name} <{fold.author.email}>"}
    signed = set(signed_off(fold.body))
    place = Place(file=fold.patch_file.removesuffix("fold.patch") + "source.patch")
    for who in submitted.signed_off:
        if who not in signed:
            yield Diagnostic(
                code="sign-off-lost",
                message=f"fold `{fold.id}` does not keep the sign-off of {who}",
                place=place,
                notes=("the submission says that this person certified its origin",),
                help=f"add the line `Signed-off-by: {who}` to the fold's `body` in block.yaml",
            )
    for who in submitted.written_with:
        if who not in authors:
            yield Diagnostic(
                code="co-author-lost",
                message=f"fold `{fold.id}` does not credit {who}, whom the submission names as an author",
                place=place,
                help=f"add the line `Co-authored-by: {who}` to the fold's `body` in block.yaml",
            )


def _without_licence(block: Block, fold: Fold) -> Iterator[Finding]:
    new = [change for change in fold.patch.files if change.action is Action.CREATE and change.new_path is not None]
    if new and not fold.licence:
        names = ", ".join(show_path(change.new_path) for change in new[:3] if change.new_path is not None)
        yield Diagnostic(
            code="licence-missing",
            message=f"fold `{fold.id}` of block `{block.name}` creates files and states no licence",
            place=Place(file=fold.patch_file, line=new[0].source_line),
            notes=(f"created: {names}" + (f" and {len(new) - 3} more" if len(new) > 3 else ""),),
            help=f"add `licence: MIT` (or the one that it is) to the fold in {block.file}",
        )


def _not_stated(fold: Fold, lines: int) -> Finding:
    return Diagnostic(
        code="author-not-stated",
        message=f"fold `{fold.id}` has {lines} lines in the tip, and nobody is credited for them",
        place=Place(file=fold.patch_file),
        notes=("the submission that it was imported from named no author",),
        help="name the author of the fold in block.yaml",
    )


def _unaccounted(case: Case, traced: Trace) -> Iterator[Finding]:
    for text in traced.broken:
        yield Diagnostic(code="line-unaccounted", message=f"lines could not be followed: {text}", help=_STACK)
    counts = case.line_counts or {}
    for path, state in sorted(tip_states(case.layers()).items()):
        expected = lines_of(state, counts) if state is not None else None
        met = sum(piece.count for piece in traced.files.get(path, ()))
        if expected is not None and met != expected:
            yield Diagnostic(
                code="line-unaccounted",
                message=f"{show_path(path)} has {expected} lines at the tip, and the folds account for {met}",
                help=_STACK,
            )


_STACK = "stackproof stack"


def _not_counted() -> Diagnostic:
    return Diagnostic(
        code="lines-not-counted",
        message="nobody counted the lines of the tip, so that credit cannot be closed over them",
        help="stackproof check",
    )


KIND = Kind(
    name="attribution",
    about="every added line of the tip has a credited author, and no sign-off is lost",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
