"""`stackproof promote`: blocks of an overlay become blocks of the release that it stands on."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from builder.cli.edits import DryRun, alone, conflict, now, open_here, tell
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run


def promote(
    overlay: Annotated[Path, typer.Argument(metavar="OVERLAY", help="The overlay's project")],
    blocks: Annotated[list[str] | None, typer.Argument(metavar="[BLOCK…]", help="Default: all of its blocks")] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="The release's new name; it follows this one")
    ] = "",
    project: Project = HERE,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Move blocks of an overlay into this release, with all that lies in their folders; the tip must not change.

    All of them: the new tip is the overlay's. Some of them: the overlay with these first must end at its very tip.
    Anything else is refused. It is pinned in the same operation; `stackproof undo` takes it back.

    Examples: stackproof promote ../beta --name llama-cpp-0.3.36-r2; stackproof promote ../beta idle-slots --dry-run
    """

    def work(session: Session) -> Answer:
        return _promote(session, overlay, tuple(blocks or ()), name=name, dry_run=dry_run)

    run("promote", work, root=project, as_json=as_json, offline=offline)


def _promote(session: Session, overlay: Path, blocks: tuple[str, ...], *, name: str, dry_run: bool) -> Answer:
    from builder.edit.promote import apply_promote, plan_promote
    from builder.edit.restack import Conflict
    from verify.model.wording import count as counted

    above = open_here(replace(session, root=overlay.absolute()))
    above.store.write(above.overlay.objects())
    with alone(session, dry_run=dry_run):
        desk = open_here(session)
        plan = plan_promote(desk, above, blocks, name=name)
        if isinstance(plan, Conflict):
            return conflict(plan)
        if not dry_run:
            apply_promote(root=session.root, plan=plan, overlay=above.release.name, at=now(), tell=tell)
    builds = [f"to build: {configuration} of tree {tree[:12]}" for configuration, tree in plan.builds]
    lines = [
        f"promoted: {', '.join(plan.blocks)}",
        *plan.told,
        f"tip tree: {desk.stack.tip_tree()} -> {plan.stack.tip_tree()}",
        "the tip is the overlay's" if not plan.rest else f"the overlay's tip less {', '.join(plan.rest)}",
        *(builds or ["every prefix is a tree of the overlay: nothing has to be built or measured again for them"]),
        f"{'would write' if dry_run else 'wrote'} {counted(len(plan.contents), 'file')}",
    ]
    if not dry_run:
        lines.append("next: stackproof release, then in the overlay stackproof bump --to BUNDLE; or stackproof undo")
    return Answer(
        text="\n".join(lines),
        data={
            "written": not dry_run,
            "blocks": list(plan.blocks),
            "rest": list(plan.rest),
            "files": sorted(plan.contents),
            "tip": {"tree": plan.stack.tip_tree(), "commit": plan.stack.tip_commit()},
            "builds": [{"configuration": configuration, "tree": tree} for configuration, tree in plan.builds],
            "told": list(plan.told),
        },
    )
