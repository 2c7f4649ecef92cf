"""`stackproof pin`: record the derived trees as the reference."""

from typing import Annotated

import typer

from builder.cli.edits import now, tell
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import ExitCode
from verify.model.wording import count as counted


def pin(
    project: Project = HERE,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be recorded and write nothing")] = False,
    merge: Annotated[
        bool, typer.Option("--merge", help="First settle release.json, lock and history of a git merge in progress")
    ] = False,
    rebind: Annotated[
        bool, typer.Option("--rebind", help="The bundle of this name in dist/ was not given away: use the name again")
    ] = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Record base tree, tip tree, tip commit and the lock, after showing what changes and why.

    The trees are derived in memory and by git; both must agree before anything is written. A release name stands for
    one content: one that was sealed, or that another release follows, is not pinned to other content, and a new
    release must name the newest one as its parent.

    Examples: stackproof pin --dry-run; stackproof pin; git merge other-branch; stackproof pin --merge
    """
    run(
        "pin",
        lambda session: _pin(session, dry_run=dry_run, merge=merge, rebind=rebind),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _pin(session: Session, *, dry_run: bool, merge: bool, rebind: bool) -> Answer:
    from builder import pipeline
    from builder.edit.history import sealed_reference
    from builder.edit.merge_git import settle_merge
    from builder.edit.pin import apply_pin, plan_pin
    from verify.model.stack import Stack

    workshop = session.workshop()
    settled = settle_merge(workshop.root, tell=tell) if merge else ()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return Answer(text="", data={"pinned": False}, diagnostics=result.findings, exit=ExitCode.DOES_NOT_HOLD)
    differing = pipeline.differs_by_git(stacked, workshop)
    if differing:
        return Answer(text="", data={"pinned": False}, diagnostics=differing, exit=ExitCode.DOES_NOT_HOLD)
    sealed = None if rebind else sealed_reference(workshop.root / "dist" / stacked.release.name)
    plan = plan_pin(root=workshop.root, release=stacked.release, stack=result, sealed=sealed)
    lines = [f"{name}: merged" for name in settled]
    lines += [
        f"{name}: {getattr(plan.before, key, None) or 'none'} -> {getattr(plan.after, key)}"
        for name, key in (("base tree", "base_tree"), ("tip tree", "tip_tree"), ("tip commit", "tip_commit"))
        if getattr(plan.before, key, None) != getattr(plan.after, key)
    ]
    lines += [f"{change.block}/{change.fold}: {', '.join(change.why)}" for change in plan.folds]
    lines += [
        f"{block.name}/{fold.id}: the fold is empty: {fold.patch_file} changes no file"
        for block in stacked.release.blocks
        for fold in block.folds
        if not fold.patch.files
    ]
    if not dry_run:
        apply_pin(root=workshop.root, plan=plan, tell=tell, at=now())
    lines.append(
        "everything is pinned as it is"
        if plan.is_empty()
        else f"{'would write' if dry_run else 'wrote'} {', '.join(name for name, _ in plan.files)}; "
        f"{counted(plan.unchanged, 'fold')} unchanged"
    )
    return Answer(
        text="\n".join(lines),
        data={
            "pinned": not dry_run,
            "merged": list(settled),
            "reference": {
                "base_tree": plan.after.base_tree,
                "tip_tree": plan.after.tip_tree,
                "tip_commit": plan.after.tip_commit,
            },
            "files": [name for name, _ in plan.files],
            "folds": [
                {
                    "block": change.block,
                    "fold": change.fold,
                    "why": [why.value for why in change.why],
                    "before": change.before,
                    "after": change.after,
                }
                for change in plan.folds
            ],
            "unchanged": plan.unchanged,
        },
    )
