"""How long an edit takes, from the files to the new tip tree and back: `python -m benchmarks.edits [PROJECT]`.

A copy of the project (by default this one, its base in the cache) gets a fold that changes the first file of its first
block, and loses it again by undo. Builds are no part of it.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from builder import pipeline
from builder.edit.change import Change, apply_change
from builder.edit.desk import Desk, open_desk
from builder.edit.offers import read_offers
from builder.edit.operations import undo
from builder.edit.refresh import GIT
from builder.edit.take import Asked, plan_fold
from builder.exchange.tree_diff import patch_between
from builder.tree import Obstructed, file_state
from verify.diff.render import render_patch
from verify.model.ids import RepoPath
from verify.model.progress import Silent

_RUNS = 9
_MAIL = (
    b"From: Ada Lovelace <ada@analytical.org>\nDate: Mon, 21 Sep 2026 14:13:20 +0000\nSubject: One more line\n\n---\n"
)


def main() -> None:
    """Print the median of some runs, step by step."""
    project = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    cache = Path(os.environ["STACKPROOF_CACHE"])
    # Beside the project, since a base that is a folder is named from there.
    with tempfile.TemporaryDirectory(dir=project.absolute().parent) as name:
        root = Path(name)
        shutil.copy(project / "release.json", root)
        shutil.copytree(project / "blocks", root / "blocks")
        workshop = pipeline.Workshop(root=root, cache=cache, offline=True, progress=Silent())
        runs = [_run(workshop) for _ in range(_RUNS)]
    for step, times in zip(
        ("read and stack", "plan", "write", "undo", "all but undo"), zip(*runs, strict=True), strict=True
    ):
        print(f"{step}: {statistics.median(times) * 1000:.0f} ms (first run {times[0] * 1000:.0f} ms)")


def _run(workshop: pipeline.Workshop) -> tuple[float, ...]:
    marks = [time.perf_counter()]
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    desk = open_desk(root=workshop.root, release=stacked.release, derived=stacked.derived, store=stacked.store)
    marks.append(time.perf_counter())
    mail = _mail(desk)
    marks.append(time.perf_counter())
    offers = read_offers(mail, file="mail", source="a benchmark", rules=GIT, as_one=False)
    change = plan_fold(desk, offers, Asked(block=desk.release.blocks[0].name), desk.blob)
    assert isinstance(change, Change), change
    marks.append(time.perf_counter())
    apply_change(root=workshop.root, change=change, at=0, tell=print)
    marks.append(time.perf_counter())
    undo(workshop.root, count=1, at=0, tell=print)
    marks.append(time.perf_counter())
    stack, _, plan, write, back = (b - a for a, b in pairwise(marks))
    return stack, plan, write, back, stack + plan + write


def _mail(desk: Desk) -> bytes:
    block = desk.release.blocks[0].name
    tree = desk.left((block, desk.release.blocks[0].folds[-1].id))
    path = next(
        change.new_path for change in desk.release.blocks[0].folds[0].patch.files if change.new_path is not None
    )
    state = tree.entry(RepoPath(path))
    assert state is not None
    after = tree.with_changes({path: file_state(tree.content(state) + b"// one more\n", state.mode)})
    assert not isinstance(after, Obstructed)
    return _MAIL + render_patch(patch_between(tree, after))


if __name__ == "__main__":
    main()
