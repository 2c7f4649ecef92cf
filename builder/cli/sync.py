"""`stackproof sync`: read a branch back into folds."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from builder.cli.edits import now, tell
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault
from verify.model.wording import count as counted


def sync(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that `stackproof checkout` made")],
    project: Project = HERE,
    assign: Annotated[
        list[str] | None,
        typer.Option("--assign", metavar="COMMIT=BLOCK/FOLD", help="Which fold a new commit becomes (repeatable)"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written and write nothing")] = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Read the branch at DIR back into the folds; untouched commits keep their bytes.

    Every commit maps to a fold by its trailers; one without them needs `--assign`. What the release promises is not
    changed: look at the result, then `stackproof pin`.

    Examples: stackproof sync ../llama-stack; stackproof sync ../llama-stack --assign HEAD=prefill-rotation/unified
    """
    run(
        "sync",
        lambda session: _sync(session, directory, _pairs(assign or []), dry_run=dry_run),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _sync(session: Session, directory: Path, assign: dict[str, str], *, dry_run: bool) -> Answer:
    from builder import pipeline
    from builder.cli.next_step import next_step
    from builder.edit.sync import What, apply_sync, plan_sync
    from verify.model.glob import glob_matches
    from verify.model.ids import show_path
    from verify.model.stack import Stack

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return Answer(text="", data={}, diagnostics=result.findings, exit=ExitCode.DOES_NOT_HOLD)
    stacked.keep()
    plan = plan_sync(
        root=workshop.root,
        release=stacked.release,
        stack=result,
        store=stacked.store,
        directory=directory,
        assign=assign,
    )
    if not dry_run:
        apply_sync(root=workshop.root, plan=plan, tell=tell, at=now())
    lines = [f"{each.block}/{each.fold}: {', '.join(each.what)}" for each in plan.folds if each.what != (What.KEPT,)]
    lines += [f"{block}: folds are in another order" for block in plan.reordered]
    owns = {block.name: block.owns for block in stacked.release.blocks}
    written = {(each.block, each.fold) for each in plan.folds if {What.NEW, What.PATCH} & set(each.what)}
    lines += [
        f"{layer.block}/{layer.fold}: {show_path(file.path)} is not owned by the block (`owns` in block.yaml)"
        for layer in plan.stack.layers
        for file in layer.files
        if (layer.block, layer.fold) in written and not any(glob_matches(glob, file.path) for glob in owns[layer.block])
    ]
    kept = sum(each.what == (What.KEPT,) for each in plan.folds)
    verb = "would write" if dry_run else "wrote"
    files = ", ".join(name for name, _ in plan.contents)
    lines.append(f"{counted(kept, 'fold')} kept" + (f"; {verb} {files}" if files else "; nothing to write"))
    rebuild = [
        block.name
        for block in stacked.release.blocks
        if result.block_tree(block.name) != plan.stack.block_tree(block.name)
    ]
    if rebuild:
        lines.append(f"to build and measure again: {', '.join(rebuild)}")
    if files and not dry_run:
        # The commits that were assigned get their trailers by the next checkout.
        again = f"stackproof checkout {shlex.quote(str(directory))}" if assign else ""
        lines.append(next_step(workshop.root, stacked.release.name, plan.stack, then=again))
    return Answer(
        text="\n".join(lines),
        data={
            "written": not dry_run and bool(files),
            "files": [name for name, _ in plan.contents],
            "folds": [
                {"block": each.block, "fold": each.fold, "what": list(each.what), "commit": each.commit}
                for each in plan.folds
            ],
            "rebuild": rebuild,
            "tip": {"tree": plan.stack.tip_tree(), "commit": plan.stack.tip_commit()},
        },
    )


def _pairs(assign: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for each in assign:
        commit, equals, fold = each.partition("=")
        if not (commit and equals and "/" in fold):
            raise InputFault(
                Diagnostic(
                    code="assign-malformed",
                    message=f"`{each}` does not say which fold a commit becomes",
                    notes=("expected COMMIT=BLOCK/FOLD",),
                    help="stackproof sync DIR --assign HEAD=block/fold",
                )
            )
        pairs[commit] = fold
    return pairs
