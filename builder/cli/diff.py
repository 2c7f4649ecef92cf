"""`stackproof diff`: two releases next to each other."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.compare import BlockChange, ReleaseChange
    from verify.model.release import Release


def diff(
    first: Annotated[str, typer.Argument(metavar="R1", help="A project's folder, a sealed bundle, or `REV:`")],
    second: Annotated[str, typer.Argument(metavar="R2", help="Likewise; default: the project as it is now")] = ".",
    everything: Annotated[bool, typer.Option("--all", help="Name the identical folds too")] = False,
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Compare two releases: blocks and folds that are identical, only moved in their files, changed, new or gone.

    `REV:` is the project at a commit, branch or tag of its git repository. Nothing is fetched, derived or built.
    Exit status 0 when both are the same, 1 when they differ.

    Examples: stackproof diff HEAD~1: ; stackproof diff dist/llama-cpp-0.3.36-r1 . ; stackproof diff v1: v2: --json
    """
    run(
        "diff",
        lambda session: _diff(session, first, second, everything=everything),
        root=project,
        as_json=as_json,
        offline=True,
    )


def _diff(session: Session, first: str, second: str, *, everything: bool) -> Answer:
    from builder.compare import compare
    from verify.model.diagnostic import ExitCode

    with ExitStack() as stack:
        change = compare(_open(session, first, stack), _open(session, second, stack))
    return Answer(
        text="\n".join(_lines(change, everything=everything)),
        data=_data(change),
        exit=ExitCode.HOLDS if change.is_same() else ExitCode.DOES_NOT_HOLD,
    )


def _open(session: Session, text: str, stack: ExitStack) -> "Release":
    from builder.revision import project_at
    from verify.manifest.read import read_release
    from verify.model.diagnostic import Diagnostic, InputFault

    folder = session.root / text if not Path(text).is_absolute() else Path(text)
    if not text.endswith(":") and folder.is_dir():
        return read_release(folder, pinned=False)
    if not text.endswith(":") and Path(text).is_dir():
        return read_release(Path(text), pinned=False)
    if folder.is_file():
        raise InputFault(
            Diagnostic(
                code="diff-not-a-release",
                message=f"{text} is a file and no release",
                notes=("expected a project's folder, the folder of a sealed bundle, or a revision as in `v1:`",),
                help="unpack it first",
            )
        )
    at = stack.enter_context(project_at(session.root, text.removesuffix(":"), beside=session.cache))
    return read_release(at, pinned=False)


def _lines(change: "ReleaseChange", *, everything: bool) -> Iterator[str]:
    from builder.compare import What

    yield f"{change.name[0]} -> {change.name[1]}"
    yield f"base moved: {change.base[0]} -> {change.base[1]}" if change.base_moved else "base the same"
    old, new = change.tip
    yield f"tip tree the same: {new or 'not pinned'}" if old == new else f"tip tree {old or 'none'} -> {new or 'none'}"
    if change.fields:
        yield f"release.json differs in: {', '.join(change.fields)}"
    for block in change.blocks:
        yield _block_line(block)
        for fold in block.folds:
            if fold.what is What.IDENTICAL and fold.moved_from is None and not everything:
                continue
            notes = [f"from block {fold.moved_from}"] if fold.moved_from else []
            notes += [f"differs in: {', '.join(fold.fields)}"] if fold.fields else []
            yield f"  {fold.what:<10} {fold.fold}" + (f" ({'; '.join(notes)})" if notes else "")


def _block_line(block: "BlockChange") -> str:
    from builder.compare import What

    count = sum(fold.what is What.IDENTICAL for fold in block.folds)
    notes = [f"{count} of {len(block.folds)} folds identical"]
    notes += ["in another order"] if block.reordered else []
    notes += [f"differs in: {', '.join(block.fields)}"] if block.fields else []
    return f"{block.what:<10} {block.block} ({'; '.join(notes)})"


def _data(change: "ReleaseChange") -> dict[str, object]:
    return {
        "same": change.is_same(),
        "names": list(change.name),
        "base": {"moved": change.base_moved, "before": change.base[0], "after": change.base[1]},
        "tip": {"before": change.tip[0], "after": change.tip[1]},
        "fields": list(change.fields),
        "blocks": [
            {
                "name": block.block,
                "what": block.what.value,
                "fields": list(block.fields),
                "reordered": block.reordered,
                "folds": [
                    {
                        "id": fold.fold,
                        "what": fold.what.value,
                        "fields": list(fold.fields),
                        "moved_from": fold.moved_from,
                    }
                    for fold in block.folds
                ],
            }
            for block in change.blocks
        ],
    }
