"""`stackproof merge-driver`: what git runs to merge a project's own files."""

from pathlib import Path
from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault


def merge_driver(
    base: Annotated[Path | None, typer.Argument(metavar="%O", help="The common ancestor's version")] = None,
    ours: Annotated[Path | None, typer.Argument(metavar="%A", help="Our version, which is replaced")] = None,
    theirs: Annotated[Path | None, typer.Argument(metavar="%B", help="Their version")] = None,
    name: Annotated[str, typer.Argument(metavar="%P", help="The file's path in the repository")] = "",
    install: Annotated[bool, typer.Option("--install", help="Set the driver up for this project's repository")] = False,
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Merge release.json, lock and history by what they mean; conflicts are named by block, folds are never mixed.

    After a merge, `stackproof pin` derives the reference and the lock again. Without the driver,
    `stackproof pin --merge` does the same once git has stopped.

    Examples: stackproof merge-driver --install; git merge other-branch; stackproof pin
    """

    def body(session: Session) -> Answer:
        from builder.edit.merge_git import install_driver, merge_by_driver

        if install:
            done = install_driver(session.root)
            return Answer(text="\n".join(f"set up: {each}" for each in done), data={"installed": list(done)})
        if base is None or ours is None or theirs is None or not name:
            raise InputFault(
                Diagnostic(
                    code="merge-arguments",
                    message="git gives a merge driver three files and a path",
                    help="stackproof merge-driver --install",
                )
            )
        merged = merge_by_driver(base, ours, theirs, name)
        return Answer(
            text="",
            data={"merged": not merged.conflicts, "file": name},
            diagnostics=merged.conflicts,
            exit=ExitCode.DOES_NOT_HOLD if merged.conflicts else ExitCode.HOLDS,
        )

    run("merge-driver", body, root=project, as_json=as_json)
