"""`stackproof owner`: who stands behind a line of the tip."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import ExitCode

if TYPE_CHECKING:
    from builder.owner import FoldOrigin, OwnedRun


def owner(
    where: Annotated[str, typer.Argument(metavar="FILE[:LINE[-LINE]]", help="A file of the engine, as the tip has it")],
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Show the block, fold, author, source and reviewers behind lines of the tip, or that they are upstream's.

    Lines are followed through the folds' hunks from the base on; nothing is guessed by comparing texts.

    Examples: stackproof owner src/llama.cpp:120; stackproof owner tools/server/server.cpp --json
    """
    run("owner", lambda session: _owner(session, where), root=project, as_json=as_json, offline=offline)


def _owner(session: Session, text: str) -> Answer:
    from builder import pipeline
    from builder.owner import owners, read_where
    from builder.tree import Tree
    from verify.model.ids import show_path
    from verify.model.stack import Stack

    where = read_where(text)
    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return Answer(text="", data={}, diagnostics=result.findings, exit=ExitCode.DOES_NOT_HOLD)
    runs = owners(
        where=where,
        release=stacked.release,
        stack=result,
        counts=pipeline.line_counts(stacked),
        base=Tree.at(stacked.store, result.base_tree),
    )
    return Answer(
        text="\n".join(_line(each) for each in runs),
        data={"file": show_path(where.path), "tip": result.tip_tree(), "lines": [_data(each) for each in runs]},
    )


def _line(owned: "OwnedRun") -> str:
    from verify.diff.trace import Upstream
    from verify.model.ids import show_path

    lines = f"{owned.first}" if owned.first == owned.last else f"{owned.first}-{owned.last}"
    origin = owned.origin
    if isinstance(origin, Upstream):
        return f"{lines:>13}  upstream, {show_path(origin.path)}:{origin.start}"
    fold = origin.fold
    reviewed = f"; reviewed by {', '.join(origin.reviewers())}" if origin.reviewers() else ""
    who = f"{fold.author.name} <{fold.author.email}>"
    return f"{lines:>13}  {origin.block.name}/{fold.id}: {fold.subject} ({who}; {fold.source}{reviewed})"


def _data(owned: "OwnedRun") -> dict[str, object]:
    from verify.diff.trace import Upstream
    from verify.model.ids import show_path

    origin = owned.origin
    lines: dict[str, object] = {"first": owned.first, "last": owned.last}
    if isinstance(origin, Upstream):
        return lines | {"origin": "upstream", "path": show_path(origin.path), "line": origin.start}
    return lines | {"origin": "fold", **_fold(origin)}


def _fold(origin: "FoldOrigin") -> dict[str, object]:
    from verify.diff.trailers import signed_off, written_with

    fold = origin.fold
    return {
        "block": origin.block.name,
        "fold": fold.id,
        "subject": fold.subject,
        "author": {"name": fold.author.name, "email": fold.author.email},
        "date": fold.date,
        "source": fold.source,
        "disposition": fold.disposition.value,
        "licence": fold.licence or None,
        "reviewed_by": list(origin.reviewers()),
        "signed_off_by": list(signed_off(fold.body)),
        "co_authored_by": list(written_with(fold.body)),
        "patch": fold.patch_file,
        "patch_line": origin.patch_line,
    }
