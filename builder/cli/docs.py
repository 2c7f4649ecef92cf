"""`stackproof docs …`: write the tables in pages again, or list what tables there are."""

import sys

import typer

from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run

app = typer.Typer(no_args_is_help=True, help="Tables in README and pages that are rendered from the release")


@app.command("render")
def render(project: Project = HERE, as_json: AsJson = False) -> None:
    """Write every table between `<!-- stackproof:table NAME -->` and `<!-- stackproof:end -->` as the release says.

    Example: stackproof docs render
    """

    def body(session: Session) -> Answer:
        from builder import pipeline
        from builder.documents import read_documents
        from builder.write import project_lock, write_files
        from verify.pages.tables import rendered

        with project_lock(session.root, tell=lambda text: print(text, file=sys.stderr)):
            release = pipeline.read_unpinned(session.workshop())
            texts = read_documents(session.root).items()
            pages = {name: text for name, text in texts if name.endswith(".md") and "\ufffd" not in text}
            made = {name: rendered(text, release) for name, text in pages.items()}
            changed: dict[str, bytes | None] = {
                name: text.encode() for name, text in made.items() if text != pages[name]
            }
            if changed:
                write_files(session.root, changed)
        return Answer(
            text=f"wrote {', '.join(changed)}" if changed else "every table is as the release says",
            data={"written": list(changed)},
        )

    run("docs", body, root=project, as_json=as_json)


@app.command("list")
def list_tables(project: Project = HERE, as_json: AsJson = False) -> None:
    """List the tables that a page may ask for, as they are now.

    Example: stackproof docs list
    """

    def body(session: Session) -> Answer:
        from builder import pipeline
        from verify.pages.tables import TABLES, table_lines

        release = pipeline.read_unpinned(session.workshop())
        tables = {name: "\n".join(table_lines(name, release)) for name in TABLES}
        return Answer(
            text="\n\n".join(f"<!-- stackproof:table {name} -->\n{text}" for name, text in tables.items()),
            data={"tables": tables},
        )

    run("docs", body, root=project, as_json=as_json)
