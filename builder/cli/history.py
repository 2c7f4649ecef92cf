"""`stackproof undo`, `redo` and `log`: what was done to the project, taken back and done again."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.edits import DryRun, now, tell
from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.edit.operations import Operation

Count = Annotated[int, typer.Option("--count", "-n", min=1, max=200, help="How many operations")]


def undo(project: Project = HERE, count: Count = 1, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Take back the last operations: the bytes of every file they changed, and nothing else.

    Refused, with the file's name, where a file was changed since. An undo is an operation itself: see redo.

    Examples: stackproof undo; stackproof undo --count 3 --dry-run
    """
    from builder.edit import operations

    def body(session: Session) -> Answer:
        made = operations.undo(session.root, count=count, at=now(), tell=tell, dry_run=dry_run)
        return _made(made, "undone", dry_run=dry_run)

    run("undo", body, root=project, as_json=as_json)


def redo(project: Project = HERE, count: Count = 1, dry_run: DryRun = False, as_json: AsJson = False) -> None:
    """Do again what was undone last.

    Examples: stackproof redo; stackproof redo --count 3
    """
    from builder.edit import operations

    def body(session: Session) -> Answer:
        made = operations.redo(session.root, count=count, at=now(), tell=tell, dry_run=dry_run)
        return _made(made, "done again", dry_run=dry_run)

    run("redo", body, root=project, as_json=as_json)


def log(project: Project = HERE, as_json: AsJson = False) -> None:
    """Show the operations on this project, the last one first, and which of them are undone.

    Examples: stackproof log; stackproof log --json
    """

    def body(session: Session) -> Answer:
        from builder.cli.tables import table
        from builder.edit.operations import Kind, read_log, standing

        records = read_log(session.root)
        done = {each.number for each in standing(records)[0]}
        states = {each.number: "done" if each.number in done else "undone" for each in records if each.kind is Kind.DO}
        rows = [
            (str(each.number), _when(each.at), _what(each), states.get(each.number, ""), each.summary)
            for each in reversed(records)
        ]
        text = table(("", "when", "operation", "", ""), rows) if rows else "nothing was done to this project yet"
        listed = [{**_data(each), "state": states.get(each.number)} for each in records]
        return Answer(text=text, data={"operations": listed})

    run("log", body, root=project, as_json=as_json)


def _made(made: "tuple[Operation, ...]", word: str, *, dry_run: bool) -> Answer:
    lines = [f"{'would be ' if dry_run else ''}{word}: {each.command} ({each.summary})" for each in made]
    files = sorted({file.name for each in made for file in each.files})
    lines.append(f"{'would write' if dry_run else 'wrote'} {', '.join(files)}")
    return Answer(
        text="\n".join(lines),
        data={"written": not dry_run, "operations": [_data(each) for each in made], "files": files},
    )


def _what(operation: "Operation") -> str:
    return operation.command if operation.kind == "do" else f"{operation.kind} of {operation.of}: {operation.command}"


def _when(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _data(operation: "Operation") -> dict[str, object]:
    return {
        "number": operation.number,
        "kind": operation.kind.value,
        "of": operation.of,
        "at": operation.at,
        "command": operation.command,
        "summary": operation.summary,
        "files": [each.name for each in operation.files],
    }
