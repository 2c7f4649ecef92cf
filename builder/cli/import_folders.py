"""`stackproof import …`: folders of patches in the forms of others, deliveries, and the rest of a reference."""

from pathlib import Path
from typing import Annotated

import typer

from builder.cli.import_cmd import (
    Below,
    Block,
    On,
    Orig,
    OrigOrNone,
    Out,
    Strict,
    answer_of_import,
    ground_asked,
    summary_of,
)
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import ExitCode


def add_to(app: typer.Typer) -> None:
    """Make these commands part of `import`."""
    for command in (patches, delivery, rest):
        app.command(command.__name__)(command)


def patches(
    folder: Annotated[Path, typer.Argument(help="A folder of `git format-patch`, `stg export` or Electron's form")],
    out: Out,
    orig: OrigOrNone = None,
    on: On = None,
    below: Below = "",
    block: Block = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Import a folder of patches: one fold for each, in the order of `.patches`, of `series`, or of their numbers.

    With --on the project is an overlay of a release: local patches on what somebody else gave away.

    Examples: stackproof import patches outgoing --orig llama.cpp --out my-stack;
    stackproof import patches outgoing --on llama-cpp-0.3.36-r1 --out local
    """

    def body(session: Session) -> Answer:
        from builder.exchange.patch_folder import import_patch_folder

        with session.progress.stage("import the patches") as stage:
            taken = import_patch_folder(
                orig=ground_asked(session, orig, on, out, below), folder=folder, block=block, out=out, strict=strict
            )
            stage.outcome(summary_of(taken))
        return answer_of_import(taken, out)

    run("import", body, root=out, as_json=as_json)


def delivery(
    folder: Annotated[Path, typer.Argument(help="A folder with release.json, patches/NNNN-*.patch, a combined diff")],
    orig: Orig,
    out: Out,
    rest: Annotated[
        bool, typer.Option("--rest", help="What the combined diff gives beyond the patches becomes a block `rest`")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import a delivery repository: its hashes and trees are checked, each patch is a block unless it says otherwise.

    Example: stackproof import delivery fork-r34 --orig llama.cpp --out fork-stack
    """

    def body(session: Session) -> Answer:
        from builder.exchange.delivery import import_delivery

        with session.progress.stage("import the delivery") as stage:
            made = import_delivery(folder=folder, orig=orig, out=out, rest=rest)
            stage.outcome(summary_of(made.taken))
        told = answer_of_import(made.taken, out)
        recorded = made.recorded
        lines = [
            f"delivery {recorded.name}: {made.compared} hashes as recorded",
            f"base tree {'as recorded' if recorded.base_tree else 'not recorded'}",
            f"tip tree {'as recorded' if recorded.tip_tree else 'not recorded'}",
            f"{recorded.combined} gives the same tree" if recorded.combined else "no combined diff",
        ]
        if made.rest:
            lines[-1] = f"what {recorded.combined} gives beyond the patches is the block `rest`"
        more = {
            "delivery": recorded.name,
            "hashes": made.compared,
            "recorded": {"base_tree": recorded.base_tree, "tip_tree": recorded.tip_tree},
            "combined": recorded.combined,
            "rest": made.rest,
        }
        return Answer(text="\n".join([*lines, told.text]), data={**told.data, **more})

    run("import", body, root=out, as_json=as_json)


def rest(
    reference: Annotated[
        str, typer.Argument(metavar="DIR|REPO:REV", help="The reference from outside: sources on disk, or a commit")
    ],
    project: Project = HERE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is left and write nothing")] = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Make what a reference has beyond the stack a block `rest`, or make that block again.

    Examples: stackproof import rest ../fork-sources --dry-run; stackproof import rest ../fork:release-34
    """
    run(
        "import",
        lambda session: _rest(session, reference, dry_run=dry_run),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _rest(session: Session, reference: str, *, dry_run: bool) -> Answer:
    from dataclasses import replace

    from builder import pipeline
    from builder.cli.edits import now, tell
    from builder.edit.add_rest import write_rest
    from builder.exchange.rest import REST, reference_tree, rest_block
    from builder.tree import Overlay, Tree
    from verify.model.ids import show_path
    from verify.model.stack import Stack

    workshop = session.workshop()
    release = pipeline.read_unpinned(workshop)
    named = tuple(block for block in release.blocks if block.name != REST)
    stacked = pipeline.stack(replace(release, blocks=named), workshop, against_lock=False)
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return Answer(text="", data={}, diagnostics=result.findings, exit=ExitCode.DOES_NOT_HOLD)
    overlay = Overlay(stacked.store)
    for item in stacked.derived.objects:
        overlay.add(item)
    tip = Tree.at(overlay, result.tip_tree())
    made = rest_block(tip, reference_tree(reference), source=f"reference {Path(reference).name}")
    changes = made.folds[0].patch.files if made is not None else ()
    paths = [show_path(path) for change in changes for path in (change.new_path or change.old_path,) if path]
    lines = [*paths, f"{len(paths)} files are given by no named block" if paths else "nothing is left"]
    written: tuple[str, ...] = ()
    if made is not None and not dry_run:
        written = write_rest(workshop.root, made, at=now(), tell=tell)
        lines += [f"wrote {', '.join(written)}", "next: stackproof pin"]
    return Answer(text="\n".join(lines), data={"left": paths, "written": list(written)})
