"""`stackproof stack`: derive the stack and show its trees."""

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import ExitCode


def stack(project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Derive the stack in memory and show the tree after every fold.

    Nothing is written to the project. Exit status 1 when a fold does not go on or a tree is not the recorded one.

    Examples: stackproof stack; stackproof stack -C ../fork --json
    """
    run("stack", _stack, root=project, as_json=as_json, offline=offline)


def _stack(session: Session) -> Answer:
    from builder import pipeline
    from verify.model.stack import Stack

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read(workshop), workshop)
    result = stacked.derived.result
    layers = result.layers if isinstance(result, Stack) else result.done
    after = {(layer.block, layer.fold): layer for layer in layers}
    lines = [f"{stacked.imported.tree}  base, commit {stacked.imported.commit}"]
    blocks: list[dict[str, object]] = []
    for block in stacked.release.blocks:
        folds: list[dict[str, object]] = []
        for fold in block.folds:
            layer = after.get((block.name, fold.id))
            lines.append(f"{layer.after if layer else 'stuck'.ljust(40)}  {block.name}/{fold.id}: {fold.subject}")
            folds.append(
                {"id": fold.id, "tree": layer.after if layer else None, "commit": layer.commit if layer else None}
            )
        tree = folds[-1]["tree"] if folds else (blocks[-1]["tree"] if blocks else stacked.imported.tree)
        blocks.append({"name": block.name, "tree": tree, "folds": folds})
    tip: dict[str, object] = {"tree": None, "commit": None}
    if isinstance(result, Stack):
        tip = {"tree": result.tip_tree(), "commit": result.tip_commit()}
        lines.append(f"{result.tip_tree()}  tip, commit {result.tip_commit()}")
    data = {
        "base": {"tree": stacked.imported.tree, "commit": stacked.imported.commit},
        "blocks": blocks,
        "tip": tip,
    }
    held = isinstance(result, Stack) and not stacked.derived.findings
    return Answer(
        text="\n".join(lines),
        data=data,
        diagnostics=stacked.derived.findings,
        exit=ExitCode.HOLDS if held else ExitCode.DOES_NOT_HOLD,
    )
