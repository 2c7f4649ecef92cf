"""What all commands that change the stack share: plan on a desk, tell what it does, and write it."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.session import Answer, Session
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault

if TYPE_CHECKING:
    from builder.edit.change import Change
    from builder.edit.desk import Desk
    from builder.edit.restack import Conflict
    from verify.model.block import Person

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done and write nothing")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; recorded in block.yaml")]

Plan = Callable[["Desk"], "Change | Conflict"]
_MOST_TOLD = 40


def edit(session: Session, plan: Plan, *, dry_run: bool) -> Answer:
    """Plan an edit and write it."""
    with alone(session, dry_run=dry_run):
        desk = open_here(session)
        return finish(session, desk, plan(desk), dry_run=dry_run)


@contextmanager
def alone(session: Session, *, dry_run: bool) -> Iterator[None]:
    """Have the project alone: another edit is waited for, and what a killed run left is finished first.

    Nothing is made where no project is, nor by a dry run where nothing was ever written.
    """
    from builder.journal import OWN_FOLDER
    from builder.write import project_lock
    from verify.manifest.release import RELEASE_FILE

    untouched = dry_run and not (session.root / OWN_FOLDER).is_dir()
    if untouched or not (session.root / RELEASE_FILE).is_file():
        yield
        return
    with project_lock(session.root, tell=tell):
        yield


def finish(
    session: Session,
    desk: "Desk",
    planned: "Change | Conflict",
    *,
    dry_run: bool,
    more: Mapping[str, object] | None = None,
) -> Answer:
    """Write what was planned, unless only asked what it would be, and tell what it does."""
    from builder.cli.next_step import next_step
    from builder.edit.change import apply_change, builds_again
    from builder.edit.restack import Conflict

    if isinstance(planned, Conflict):
        return conflict(planned, more)
    operation = None
    if not dry_run:
        operation = apply_change(root=session.root, change=planned, at=now(), tell=tell)
    verb = "would write" if dry_run else "wrote"
    lines = [*planned.told, *_folds_told(planned), *_trees_told(planned)]
    if planned.contents:
        lines.append(f"{verb} {', '.join(name for name, _ in planned.contents)}")
    else:
        lines.append("nothing changes")
    if planned.contents and not dry_run:
        lines.append(next_step(session.root, desk.release.name, planned.stack))
    builds = builds_again(desk, planned)
    return Answer(
        text="\n".join(lines), data={**_data(planned, written=operation is not None, builds=builds), **(more or {})}
    )


def open_here(session: Session) -> "Desk":
    """The desk of the session's project."""
    from builder import pipeline
    from builder.edit.desk import open_desk

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    return open_desk(root=session.root, release=stacked.release, derived=stacked.derived, store=stacked.store)


def conflict(found: "Conflict", more: Mapping[str, object] | None = None) -> Answer:
    """The answer where a fold does not go on: nothing was written."""
    data = {"written": False, "conflict": {"block": found.block, "fold": found.fold}, **(more or {})}
    return Answer(text="", data=data, diagnostics=found.findings, exit=ExitCode.DOES_NOT_HOLD)


def now() -> int:
    """The time that an operation is recorded with."""
    return int(time.time())


def tell(text: str) -> None:
    """Say that another run is waited for."""
    print(text, file=sys.stderr)


def read_input(source: str) -> bytes:
    """A patch file's bytes, or what comes on stdin for `-`."""
    if source == "-":
        return sys.stdin.buffer.read()
    path = Path(source)
    if not path.is_file():
        raise InputFault(
            Diagnostic(
                code="patch-file-missing",
                message=f"there is no file {source}",
                help="name a patch or mail folder, or `-` for what comes on stdin",
            )
        )
    return path.read_bytes()


def person(text: str) -> "Person | None":
    """`Name <email>` as somebody who can be credited; None for nothing."""
    from verify.manifest.scalars import is_credit
    from verify.model.block import Person

    name, bracket, rest = text.partition(" <")
    if not text:
        return None
    who = Person(name=name.strip(), email=rest.removesuffix(">").strip())
    if not bracket or not rest.endswith(">") or not is_credit(who):
        raise InputFault(
            Diagnostic(
                code="author-malformed",
                message=f"`{text}` is not somebody who can be credited",
                notes=("expected a real name and address: Name <email>",),
                help="--author 'Ada Lovelace <ada@analytical.org>'",
            )
        )
    return who


def _folds_told(change: "Change") -> list[str]:
    from builder.edit.restack import How
    from builder.exchange.told import loose_lines

    lines = []
    for each in change.placed:
        if each.how is How.NEW:
            lines.append(f"{each.block}/{each.fold.id}: {each.fold.subject}")
            lines.append(f"  {each.fold.author.name}; {each.fold.source}; {each.fold.disposition.value}")
            lines += [f"  {line}" for line in each.fold.reason.split("\n") if line]
            loose = list(loose_lines(each.fates, each.notes))
            lines += loose[:_MOST_TOLD]
            if len(loose) > _MOST_TOLD:
                lines.append(f"  and {len(loose) - _MOST_TOLD} more; --json tells all")
    same = sum(each.how is How.IDENTICAL for each in change.folds)
    lines += [
        f"{each.block}/{each.fold}: {each.how.value}"
        + (
            f" (was {each.was[0]}/{each.was[1]})"
            if each.was not in (None, (each.block, each.fold)) and each.was
            else ""
        )
        for each in change.folds
        if each.how not in (How.IDENTICAL, How.NEW) or (each.was and each.was != (each.block, each.fold))
    ]
    lines.append(f"{same} folds body-identical")
    return lines


def _trees_told(change: "Change") -> list[str]:
    changed = [each for each in change.blocks if each.changed()]
    if not changed:
        return ["no tree changes: nothing has to be built or measured again"]
    lines = [f"tree of {each.block}: {(each.before or 'none')[:12]} -> {each.after[:12]}" for each in changed]
    return [*lines, f"to build and measure again: {', '.join(change.rebuild())}"]


def _data(change: "Change", *, written: bool, builds: tuple[tuple[str, str], ...]) -> dict[str, object]:
    from builder.exchange.stack_in import FoldReport
    from builder.exchange.told import told_fold

    reports = [
        FoldReport(block=each.block, fold=each.fold.id, data=b"", fates=each.fates, notes=each.notes)
        for each in change.placed
        if each.fates or each.notes
    ]
    return {
        "written": written,
        "command": change.command,
        "summary": change.summary,
        "files": [name for name, _ in change.contents],
        "folds": [
            {
                "block": each.block,
                "fold": each.fold,
                "was": f"{each.was[0]}/{each.was[1]}" if each.was else None,
                "how": each.how.value,
                "tree": each.tree,
                "tree_changed": each.tree_changed,
            }
            for each in change.folds
        ],
        "blocks": [
            {"block": each.block, "before": each.before, "after": each.after, "changed": each.changed()}
            for each in change.blocks
        ],
        "tip": {"tree": change.stack.tip_tree(), "commit": change.stack.tip_commit()},
        "rebuild": list(change.rebuild()),
        "builds": [{"configuration": configuration, "tree": tree} for configuration, tree in builds],
        "placed": [told_fold(report) for report in reports],
        "told": list(change.told),
    }
