"""What bumps come to: our own stack on other bases, and Debian's stack of one version on the next.

    python -m benchmarks.bumps [PROJECT] [--to SOURCE]... [--back SOURCE] [--debian OLD NEW] [--pairs]
                               [--offline] [--out FILE]

`--back` carries the stack to a base, accepts that on a copy of the project, and carries it back. The folders of
`--debian` are as `benchmarks.corpus` takes them: the older stack is carried to the newer base, and every patch is
compared with what the newer package itself has. `--pairs` grades the labelled pairs of reviews. Nothing is built.
Results are stored as JSON; `python -m benchmarks.render_bumps` writes docs/benchmarks-bumps.md.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmarks.stacks import machine
from builder import pipeline
from builder.bump.accept import Asked, apply_accept, plan_accept
from builder.bump.analysis import Analysis, analyse
from builder.bump.compared import Compared
from builder.bump.deletions import silent_deletions
from builder.bump.drift import drift_of
from builder.bump.meaning import meaning_of
from builder.bump.outcome import OPEN, BumpedFold, Outcome
from builder.bump.proposal import Proposal
from builder.bump.source import Bench, Source, find_source
from builder.bump.stack_on import stack_on
from builder.cli.session import cache_root
from builder.edit.desk import Desk, open_desk
from builder.exchange.git_range import read_commit
from builder.exchange.quilt import read_series_on
from builder.exchange.stack_in import StackIn
from builder.store import Store
from builder.tree import Overlay, Tree
from builder.upstream import Imported, import_base
from verify.diff.identity import change_identity
from verify.diff.submission import Dialect
from verify.git import Git, make_repository
from verify.model.ids import TreeId, show_path
from verify.model.progress import Silent
from verify.model.review import USUAL, Carries

RESULTS = Path(__file__).parent / "results"
T = TypeVar("T")


def main() -> None:
    """Measure what is asked for and store it."""
    parser = argparse.ArgumentParser(description="Bumps of our own stack and of Debian's")
    parser.add_argument("project", nargs="?", type=Path, default=Path())
    parser.add_argument("--to", action="append", default=[], metavar="SOURCE")
    parser.add_argument("--back", metavar="SOURCE")
    parser.add_argument("--debian", nargs=2, type=Path, metavar=("OLD", "NEW"))
    parser.add_argument("--pairs", action="store_true", help="The labelled pairs of reviews, graded")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stackproof-bumps-") as name:
        copy = Path(name) / "project"
        copy.mkdir()
        shutil.copy(options.project / "release.json", copy)
        shutil.copytree(options.project / "blocks", copy / "blocks")
        workshop = pipeline.Workshop(
            root=copy.absolute(), cache=cache_root(), offline=options.offline, progress=Silent()
        )
        own = [bump_of(workshop, text) for text in options.to]
        back = there_and_back(workshop, options.back) if options.back else None
        debian = carried(options.debian[0], options.debian[1], Path(name)) if options.debian else None
    judged = pairs_judged() if options.pairs else None
    today = time.strftime("%Y-%m-%d")
    document = {
        "schema": "stackproof/bumps/1",
        "date": today,
        "machine": machine(),
        "own": own,
        "back": back,
        "debian": debian,
        "pairs": judged,
    }
    out = options.out or RESULTS / f"bumps-{today}.json"
    out.write_text(json.dumps(document, indent=1) + "\n")


def pairs_judged() -> list[dict[str, object]]:
    """The labelled pairs by class: how many of each label, and how many of them carry by themselves."""
    from tests.pairs.generate import pairs
    from tests.review.pairs import graded

    counts: dict[str, Counter[tuple[str, bool]]] = {}
    for pair in pairs():
        carries = USUAL[graded(pair).grade] is Carries.BY_ITSELF
        counts.setdefault(pair.kind.value, Counter())[pair.label.value, carries] += 1
    return [
        {
            "kind": kind,
            **{
                label: {"pairs": row[label, True] + row[label, False], "carry": row[label, True]}
                for label in ("same", "moved", "owed", "either")
            },
        }
        for kind, row in counts.items()
    ]


def desk_of(workshop: pipeline.Workshop) -> Desk:
    """The project, laid out."""
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    return open_desk(root=workshop.root, release=stacked.release, derived=stacked.derived, store=stacked.store)


def source_of(desk: Desk, workshop: pipeline.Workshop, text: str) -> tuple[Source, Imported]:
    """A base by its words, in the store."""
    bench = Bench(
        root=workshop.root,
        cache=workshop.cache,
        offline=workshop.offline,
        progress=workshop.progress,
        paths=lambda: tuple(desk.store.listing(desk.stack.base_tree)),
    )
    source = find_source(text, now=desk.release.base, bench=bench)
    imported = import_base(
        base=source.base,
        store=desk.store,
        cache=workshop.cache,
        offline=workshop.offline,
        progress=workshop.progress,
        root=workshop.root,
    )
    return source, imported


def bump_of(workshop: pipeline.Workshop, text: str) -> dict[str, object]:
    """The project's stack on one base: first as if nothing were remembered, then with what is."""
    desk = desk_of(workshop)
    _, imported = source_of(desk, workshop, text)
    away = workshop.root / "away"
    resolutions = [path for path in (workshop.root / "blocks").glob("*/resolutions") if path.is_dir()]
    for number, path in enumerate(resolutions):
        shutil.move(path, away.with_suffix(f".{number}"))
    bare, cpu, wall = timed(lambda: analyse(desk, imported.tree))
    for number, path in enumerate(resolutions):
        shutil.move(away.with_suffix(f".{number}"), path)
    again, _, _ = timed(lambda: analyse(desk, imported.tree))
    return {
        "to": text,
        "tree": imported.tree,
        "upstream": changed_lines(desk, imported.tree),
        "cpu": cpu,
        "wall": wall,
        **told(bare),
        "remembered": {fold: outcome for fold, outcome in outcomes(again).items() if outcome == Outcome.RESOLVED},
        "open_with_memory": sum(len(fold.open_pieces()) for fold in again.bumped.folds),
        "tip": again.bumped.tip.id,
    }


def there_and_back(workshop: pipeline.Workshop, text: str) -> dict[str, object]:
    """The stack accepted on another base and carried back to its own."""
    desk = desk_of(workshop)
    first = desk.stack
    old_base = desk.release.base
    source, imported = source_of(desk, workshop, text)
    analysis = analyse(desk, imported.tree)
    proposal = Proposal(asked=text, base=source.base)
    plan = plan_accept(desk, proposal, (imported.tree, imported.commit), analysis, Asked(name="there"))
    apply_accept(root=workshop.root, plan=plan, asked=text, at=0, tell=lambda _: None)
    there = desk_of(workshop)
    home, cpu, wall = timed(lambda: analyse(there, first.base_tree))
    back = Proposal(asked="back", base=old_base)
    final = plan_accept(there, back, (first.base_tree, first.base_commit), home, Asked(name="back"))
    return {
        "to": text,
        "there": outcomes(analysis),
        "back": outcomes(home),
        "cpu": cpu,
        "wall": wall,
        "same_tip_tree": final.stack.tip_tree() == first.tip_tree(),
        "same_tip_commit": final.stack.tip_commit() == first.tip_commit(),
    }


def told(analysis: Analysis) -> dict[str, object]:
    """One analysis in figures."""
    pieces = [piece for fold in analysis.bumped.folds for piece in fold.pieces]
    return {
        "folds": outcomes(analysis),
        "hunks": dict(Counter(piece.outcome.value for piece in pieces)),
        "causes": dict(Counter(piece.cause.value for piece in pieces)),
        "open": sum(piece.outcome in OPEN for piece in pieces),
        "stack_files": len(analysis.drift.rows),
        "upstream_in_them": sum(row.upstream_removed + row.upstream_added for row in analysis.drift.rows),
        "owed": analysis.meaning.lines(),
        "undecided_drift": len(analysis.drift.strays),
        "deletions": len(analysis.deletions),
        "merged_by_git": dict(Counter(str(row.merged_by_git) for row in analysis.drift.rows)),
    }


def outcomes(analysis: Analysis) -> dict[str, str]:
    """What became of each fold."""
    return {f"{fold.block}/{fold.fold}": fold.outcome.value for fold in analysis.bumped.folds}


def changed_lines(desk: Desk, tree: TreeId) -> dict[str, int]:
    """How much upstream changed in all, as git counts it."""
    git = Git(git_dir=desk.store.git_dir, cwd=desk.store.git_dir)
    printed = git.run("diff-tree", "-r", "--numstat", "--no-renames", desk.stack.base_tree, tree).decode(
        "utf-8", "replace"
    )
    rows = [line.split("\t") for line in printed.splitlines()]
    return {
        "files": len(rows),
        "removed": sum(int(row[1]) for row in rows if row[1].isdigit()),
        "added": sum(int(row[0]) for row in rows if row[0].isdigit()),
    }


def carried(old: Path, new: Path, scratch: Path) -> dict[str, object]:
    """Debian's older stack on the newer base, patch by patch beside the newer package's own."""
    both = scratch / "both.git"
    both.mkdir()
    make_repository(both, alternates=(old / "ref.git/objects", new / "ref.git/objects"))
    store = Store.open(both)
    older, newer = series(store, old), series(store, new)
    overlay = Overlay(store)
    for made in (*older.tip.new_objects(), *newer.tip.new_objects()):
        overlay.add(made)
    compared = Compared()
    bumped, cpu, wall = timed(
        lambda: stack_on(
            blocks=older.blocks,
            old=older.stack,
            base=newer.stack.base_tree,
            overlay=overlay,
            memory={},
            compared=compared,
        )
    )
    drift, drift_cpu, _ = timed(lambda: drift_of(bumped, older.blocks, compared))
    meaning, meaning_cpu, _ = timed(lambda: meaning_of(bumped, older.blocks, compared))
    theirs = {fold.id: fold for block in newer.blocks for fold in block.folds}
    before = {fold.id: fold for block in older.blocks for fold in block.folds}
    patches = []
    for fold in bumped.folds:
        own = theirs.get(fold.fold)
        if own is None:
            relation = "not in the newer package"
        elif own.patch_bytes == fold.text:
            relation = "the same bytes"
        elif change_identity(own.patch) == change_identity(fold.patch):
            relation = "the same change"
        elif change_identity(own.patch) == change_identity(before[fold.fold].patch):
            relation = "refreshed by hand, the same change as before"
        else:
            relation = "another change"
        patches.append({"patch": fold.fold, "outcome": fold.outcome.value, "theirs": relation, "open": open_told(fold)})
    return {
        "old": old.name,
        "new": new.name,
        "carried": len(bumped.folds),
        "newer_has": len(theirs),
        "only_newer": len(set(theirs) - set(before)),
        "cpu": cpu,
        "wall": wall,
        "drift_cpu": drift_cpu,
        "meaning_cpu": meaning_cpu,
        "files": len(drift.rows),
        "files_as_before": sum(not row.removed and not row.added for row in drift.rows),
        "upstream_in_them": sum(row.upstream_removed + row.upstream_added for row in drift.rows),
        "undecided_drift": len(drift.strays),
        "deletions": len(silent_deletions(bumped, compared)),
        "owed": meaning.lines(),
        "patches": patches,
    }


def open_told(fold: BumpedFold) -> list[str]:
    """The hunks that are open, or merged, with their causes."""
    return [
        f"{show_path(piece.path)}, hunk {piece.hunk}: {piece.outcome.value}, {piece.cause.value}"
        for piece in fold.pieces
        if piece.outcome in OPEN or piece.outcome is Outcome.MERGED
    ]


def series(store: Store, folder: Path) -> StackIn:
    """A Debian series on its base, with its objects in the store."""
    own = Store.open(folder / "ref.git")
    base = Tree.at(store, read_commit(own, own.resolve("orig")).tree)
    return read_series_on(
        base,
        patches=folder / "patches",
        series=folder / "patches/series",
        dialect=Dialect.GNU,
        mapping=None,
        name=folder.name,
        strict=False,
    )


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """What it gave, CPU seconds of this process and its children, and wall seconds."""
    start, wall = os.times(), time.perf_counter()
    result = work()
    end = os.times()
    cpu = sum(end[:4]) - sum(start[:4])
    return result, round(cpu, 2), round(time.perf_counter() - wall, 2)


if __name__ == "__main__":
    main()
