"""`stackproof export …`: the stack as a quilt series, a mail folder, a branch or one combined diff."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.pipeline import Stacked
    from verify.model.stack import Stack

app = typer.Typer(no_args_is_help=True, help="Give the stack away in another form")


@app.command("quilt")
def quilt(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder for series, patches and blocks.json")],
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Export a quilt series; `--map blocks.json` brings the blocks back on import.

    Example: stackproof export quilt --out patches
    """

    def body(session: Session) -> Answer:
        from builder.exchange.stack_out import quilt_series
        from builder.exchange.written import write_new_folder

        stacked = _stacked(session)
        files = quilt_series(stacked.release.blocks).files
        write_new_folder(out, files)
        return _wrote(stacked, out, f"{len(files) - 2} patches")

    run("export", body, root=project, as_json=as_json, offline=offline)


@app.command("mbox")
def mbox(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="A new file")],
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Export one mail for each fold, as `git am --keep-cr` takes them.

    Example: stackproof export mbox --out stack.mbox
    """

    def body(session: Session) -> Answer:
        from builder.exchange.stack_out import mail_folder
        from builder.exchange.written import write_new_file

        stacked = _stacked(session)
        write_new_file(out, mail_folder(stacked.release.blocks, _stack(stacked)))
        return _wrote(stacked, out, "mails")

    run("export", body, root=project, as_json=as_json, offline=offline)


@app.command("diff")
def diff(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="A new file")],
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Export one combined diff from the base to the tip, proven to give the tip's tree.

    Example: stackproof export diff --out combined.patch
    """

    def body(session: Session) -> Answer:
        from builder.exchange.stack_out import combined_diff
        from builder.exchange.written import write_new_file
        from builder.tree import Tree

        stacked = _stacked(session)
        stack = _stack(stacked)
        base = Tree.at(stacked.store, stack.base_tree)
        write_new_file(out, combined_diff(stacked.release.blocks, base, stack.tip_tree()))
        return _wrote(stacked, out, "one diff")

    run("export", body, root=project, as_json=as_json, offline=offline)


@app.command("git")
def git(
    to: Annotated[Path, typer.Option("--to", metavar="REPO", help="A git repository that has the base commit")],
    branch: Annotated[str, typer.Option("--branch", metavar="NAME", help="A new branch")],
    granularity: Annotated[str, typer.Option("--granularity", metavar="fold|block", help="A commit for each")] = "fold",
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Export a branch: the derived commits themselves, or one commit for each block.

    Example: stackproof export git --to ../llama.cpp --branch stack
    """

    def body(session: Session) -> Answer:
        from builder.exchange.branch import export_branch

        stacked = _stacked(session)
        tip = export_branch(
            blocks=stacked.release.blocks,
            stack=_stack(stacked),
            objects=stacked.derived.objects,
            source=stacked.store,
            repository=to,
            branch=branch,
            by_block=granularity == "block",
        )
        return _wrote(stacked, to, f"branch `{branch}` at {tip}")

    run("export", body, root=project, as_json=as_json, offline=offline)


def _stacked(session: Session) -> "Stacked":
    from builder import pipeline

    workshop = session.workshop()
    return pipeline.stack(pipeline.read(workshop), workshop)


def _stack(stacked: "Stacked") -> "Stack":
    from verify.model.diagnostic import InputFault
    from verify.model.stack import Stack

    result = stacked.derived.result
    if not isinstance(result, Stack) or stacked.derived.findings:
        raise InputFault(*stacked.derived.findings)
    return result


def _wrote(stacked: "Stacked", where: Path, what: str) -> Answer:
    stack = _stack(stacked)
    return Answer(
        text=f"wrote {where}: {what}",
        data={"written": str(where), "tip": {"tree": stack.tip_tree(), "commit": stack.tip_commit()}},
    )
