"""`stackproof worklog …`: add a numbered entry to WORKLOG.md, or list those that there are."""

import sys
import time
from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run

app = typer.Typer(no_args_is_help=True, help="Keep WORKLOG.md: decisions, numbered YYMMDD.NNN")


@app.command("add")
def add(
    title: Annotated[str, typer.Argument(help="What was decided, in one line")],
    text: Annotated[str, typer.Option("--text", "-m", help="Context, choice, cost; `-` reads it from stdin")] = "",
    date: Annotated[str, typer.Option("--date", metavar="YYYY-MM-DD", help="The entry's day (default: today)")] = "",
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Add an entry with the next free number of its day.

    Examples: stackproof worklog add "Fold PR 106 into moe" -m "Its second half waits."; stackproof worklog list
    """

    def body(session: Session) -> Answer:
        from builder.worklog import add_entry

        day = date or time.strftime("%Y-%m-%d")
        said = sys.stdin.read() if text == "-" else text
        number = add_entry(session.root, title=title, body=said, day=day, tell=_tell)
        return Answer(text=number, data={"number": number, "title": title})

    run("worklog", body, root=project, as_json=as_json)


@app.command("collect")
def collect(project: Project = HERE, as_json: AsJson = False) -> None:
    """Add an entry for each fold, amendment, pin and other operation in force that has none yet.

    Example: stackproof worklog collect
    """

    def body(session: Session) -> Answer:
        from builder.worklog import collect as collect_entries

        made = collect_entries(session.root, tell=_tell)
        text = f"added {', '.join(made)}" if made else "every operation has its entry"
        return Answer(text=text, data={"added": list(made)})

    run("worklog", body, root=project, as_json=as_json)


@app.command("list")
def list_entries(project: Project = HERE, as_json: AsJson = False) -> None:
    """List the entries with their numbers, and how often each is referred to.

    Example: stackproof worklog list
    """

    def body(session: Session) -> Answer:
        from builder.cli.tables import table
        from builder.documents import read_documents
        from verify.pages.worklog import FILE, entries_of, references_in

        documents = read_documents(session.root)
        entries = entries_of(documents.get(FILE, ""))
        seen = [each.number for text in documents.values() for each in references_in(text, entries)]
        rows = [(each.number, str(seen.count(each.number) - 1), each.title) for each in entries]
        return Answer(
            text=table(("number", "references", "title"), rows),
            data={"entries": [{"number": n, "references": int(count), "title": title} for n, count, title in rows]},
        )

    run("worklog", body, root=project, as_json=as_json)


def _tell(text: str) -> None:
    print(text, file=sys.stderr)
