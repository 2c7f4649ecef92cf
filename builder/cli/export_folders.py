"""`stackproof export …`: folders of patches in the forms of others, a delivery, and one block for upstream."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.pipeline import Stacked
    from verify.model.stack import Stack

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder")]
Files = Callable[["Stacked", "Stack"], Mapping[str, bytes]]


def add_to(app: typer.Typer) -> None:
    """Make these commands part of `export`."""
    for command in (patches, electron, stgit, delivery):
        app.command(command.__name__)(command)
    app.callback(invoke_without_command=True)(export)


def patches(out: Out, project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Export a folder as `git format-patch` writes it: one numbered mail for each fold.

    Example: stackproof export patches --out patches
    """

    def files(stacked: "Stacked", stack: "Stack") -> Mapping[str, bytes]:
        from builder.exchange.patch_folder_out import format_patch_folder

        return format_patch_folder(stacked.release.blocks, stack)

    _export(files, out, project, as_json=as_json, offline=offline)


def electron(out: Out, project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Export an Electron-style folder: `.patches` lists the names, and no patch has a number or a commit.

    Example: stackproof export electron --out patches/engine
    """

    def files(stacked: "Stacked", stack: "Stack") -> Mapping[str, bytes]:
        from builder.exchange.patch_folder_out import electron_folder

        del stack
        return electron_folder(stacked.release.blocks)

    _export(files, out, project, as_json=as_json, offline=offline)


def stgit(out: Out, project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Export a StGit series, as `stg import --series` reads it.

    Example: stackproof export stgit --out series; stg import --series series/series
    """

    def files(stacked: "Stacked", stack: "Stack") -> Mapping[str, bytes]:
        from builder.exchange.patch_folder_out import stgit_folder

        return stgit_folder(stacked.release.blocks, stack)

    _export(files, out, project, as_json=as_json, offline=offline)


def delivery(out: Out, project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Export a delivery: release.json with hashes and trees, patches/NNNN-*.patch, and the combined diff.

    Example: stackproof export delivery --out delivery
    """

    def files(stacked: "Stacked", stack: "Stack") -> Mapping[str, bytes]:
        from builder.exchange.delivery_out import delivery_files
        from builder.exchange.stack_out import combined_diff
        from builder.tree import Tree

        base = Tree.at(stacked.store, stack.base_tree)
        combined = combined_diff(stacked.release.blocks, base, stack.tip_tree())
        return delivery_files(stacked.release, stack, combined)

    _export(files, out, project, as_json=as_json, offline=offline)


def export(
    context: typer.Context,
    upstream: Annotated[
        str | None, typer.Option("--upstream", metavar="BLOCK", help="One block as a patch ready to send")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="With --upstream: a new file")] = None,
    onto: Annotated[
        Path | None, typer.Option("--onto", metavar="DIR", help="With --upstream: newer sources than the pinned base")
    ] = None,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Give the stack away in another form, or one block to upstream.

    Examples: stackproof export --upstream prefill-rotation --out rotation.patch; stackproof export mbox --out x.mbox
    """
    if context.invoked_subcommand is not None:
        return
    if upstream is None:
        print(context.get_help())
        raise typer.Exit(0)
    run(
        "export",
        lambda session: _upstream(session, upstream, out, onto),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _upstream(session: Session, block: str, out: Path | None, onto: Path | None) -> Answer:
    from builder import pipeline
    from builder.exchange.folder_tree import folder_tree
    from builder.exchange.upstream_patch import for_upstream
    from builder.exchange.written import write_new_file
    from builder.tree import Tree
    from verify.model.ids import BlockName

    workshop = session.workshop()
    release = pipeline.read_unpinned(workshop)
    if onto is None:
        stacked = pipeline.stack(release, workshop, against_lock=False)
        base, name = Tree.at(stacked.store, stacked.imported.tree), f"commit {stacked.imported.commit}"
    else:
        base = folder_tree(onto)
        name = f"{onto.name}, tree {base.id}"
    made = for_upstream(release=release, block=BlockName(block), base=base, base_name=name)
    if out is not None:
        write_new_file(out, made.mail)
    lines = [f"wrote {out}" if out is not None else made.mail.decode("utf-8", "backslashreplace")]
    lines += [f"goes on top of: {', '.join(made.first)}"] if made.first else []
    if out is not None:
        lines += ["not validated:", *(f"- {doubt}" for doubt in made.not_validated)]
    return Answer(
        text="\n".join(lines),
        data={
            "written": str(out) if out is not None else None,
            "block": block,
            "first": list(made.first),
            "trees": {"before": made.before, "after": made.after},
            "moved": list(made.moved),
            "not_validated": list(made.not_validated),
        },
    )


def _export(files: Files, out: Path, project: Path, *, as_json: bool, offline: bool) -> None:
    def body(session: Session) -> Answer:
        from builder import pipeline
        from builder.exchange.written import write_new_folder
        from verify.model.diagnostic import InputFault
        from verify.model.stack import Stack

        workshop = session.workshop()
        stacked = pipeline.stack(pipeline.read(workshop), workshop)
        result = stacked.derived.result
        if not isinstance(result, Stack) or stacked.derived.findings:
            raise InputFault(*stacked.derived.findings)
        made = files(stacked, result)
        write_new_folder(out, made)
        return Answer(
            text=f"wrote {out}: {len(made)} files",
            data={
                "written": str(out),
                "files": sorted(made),
                "tip": {"tree": result.tip_tree(), "commit": result.tip_commit()},
            },
        )

    run("export", body, root=project, as_json=as_json, offline=offline)
