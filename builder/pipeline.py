"""The main line as code: read, stack, plan, build, probe, judge. Read this first.

Each stage is one function that takes what the stage before gave. What a stage could not do is kept as a reason in
the case, so that the judge says undecided and never passed. How builds and probes are run is in `builder/measure.py`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from builder.alone import alone_trees
from builder.documents import read_documents
from builder.edit.desk import overlay_of
from builder.sources import TreeSources
from builder.stack import Derived, derive
from builder.store import Store
from builder.tree import Tree
from builder.upstream import Imported, import_base
from verify.diff.trace import blobs_to_count, count_lines
from verify.gates.alone import AloneTree
from verify.gates.battery import gates_of, is_structural
from verify.gates.case import Case, NotRederived, Rederived
from verify.judge import rule
from verify.manifest.read import read_release
from verify.model.claim import ClaimResult
from verify.model.diagnostic import Diagnostic, Fault
from verify.model.ids import BlobId
from verify.model.progress import Progress
from verify.model.release import FolderSource, Proof, Release, ReleaseSource
from verify.model.stack import Stack
from verify.model.verdict import GateResult
from verify.model.wording import count as counted
from verify.rederive import rederive
from verify.review.claims import claims_of, run_claims

if TYPE_CHECKING:
    from builder.review.survey import Survey


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What every stage works with: the project's root, the cache root, whether to fetch, where to tell progress."""

    root: Path
    cache: Path
    offline: bool
    progress: Progress

    def store(self) -> Store:
        """The object store."""
        return Store.open(self.cache / "objects.git")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stacked:
    """The declared release, its base as imported, the layers as derived, and the store that holds the base."""

    release: Release
    imported: Imported
    derived: Derived
    store: Store

    def keep(self) -> None:
        """Store the objects that were made on the way, for builds and checkouts."""
        self.store.write(self.derived.objects)


def read(workshop: Workshop) -> Release:
    """Files → release; every mistake at once."""
    return read_release(workshop.root)


def read_unpinned(workshop: Workshop) -> Release:
    """The release for commands that write the lock: it need not fit the folds yet."""
    return read_release(workshop.root, pinned=False)


def stack(release: Release, workshop: Workshop, *, against_lock: bool = True) -> Stacked:
    """Release × base tree → every layer, in memory over touched paths; compared with the lock unless told not to."""
    store = workshop.store()
    imported = import_base(
        base=release.base,
        store=store,
        cache=workshop.cache,
        offline=workshop.offline,
        progress=workshop.progress,
        root=workshop.root,
    )
    with workshop.progress.stage("stack") as stage:
        derived = derive(
            blocks=release.blocks,
            lock=release.lock if against_lock else None,
            base_tree=imported.tree,
            base_commit=imported.commit,
            source=store,
        )
        count = sum(len(block.folds) for block in release.blocks)
        stage.outcome(f"{counted(count, 'fold')} in {counted(len(release.blocks), 'block')}")
    return Stacked(release=release, imported=imported, derived=derived, store=store)


def case(stacked: Stacked, workshop: Workshop, *, to_build: bool = True, claims: bool = True) -> Case:
    """The case as far as trees go: the stack, and the same trees by git. Nothing is measured yet.

    Without `to_build` the trees are left out that are only made to be built; without `claims` none is run.
    """
    surveyed = survey(stacked)
    return Case(
        release=stacked.release,
        base_tree=stacked.imported.tree,
        base_paths=tuple(stacked.store.listing(stacked.imported.tree)),
        stack=stacked.derived.result,
        rederived=_by_git(stacked, workshop),
        line_counts=line_counts(stacked),
        documents=read_documents(workshop.root, without=_engine_folder(stacked.release)),
        claims=claims_at_tip(stacked) if claims else None,
        reviews=None if surveyed is None else surveyed.standings,
        review_faults=() if surveyed is None else surveyed.faults,
        alone=alone(stacked, workshop) if to_build and asks_for_alone(stacked.release) else None,
    )


def claims_at_tip(stacked: Stacked) -> tuple[ClaimResult, ...] | None:
    """Every claim that can be run, on the tip's syntax trees; None where the stack is stuck."""
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return None
    if not any(claims_of(stacked.release)):
        return ()
    tip = Tree.at(overlay_of(stacked.store, stacked.derived.objects), result.tip_tree())
    return run_claims(stacked.release, TreeSources(tip))


def survey(stacked: Stacked) -> "Survey | None":
    """How every fold stands with its reviews; None where there is none and none is asked for, or the stack is stuck."""
    release, result = stacked.release, stacked.derived.result
    asked = release.review_policy.required or any(reviews.records for _, reviews in release.reviews)
    if not asked or not isinstance(result, Stack):
        return None
    from builder.review.survey import Reviewed

    return Reviewed(release, result, stacked.store, stacked.derived).survey()


def asks_for_alone(release: Release) -> bool:
    """Whether something declared needs the blocks' own trees."""
    return any(Proof.ALONE in each.proofs for each in release.configurations) or any(
        gate.kind == "requires" for gate in release.gates
    )


def alone(stacked: Stacked, workshop: Workshop) -> tuple[AloneTree, ...] | None:
    """Each block on the base with what it requires, stored so that it can be built; None where the stack is stuck."""
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return None
    with workshop.progress.stage("each block alone") as stage:
        made = alone_trees(
            blocks=stacked.release.blocks, stack=result, source=stacked.store, made=stacked.derived.objects
        )
        stacked.store.write(made.objects)
        stage.outcome(f"{len({each.tree for each in made.trees})} trees")
    return made.trees


def line_counts(stacked: Stacked) -> dict[BlobId, int]:
    """How many lines the contents have through which lines of the tip are traced."""
    result = stacked.derived.result
    layers = result.layers if isinstance(result, Stack) else result.done
    made = {item.id: item.data for item in stacked.derived.objects if item.kind == "blob"}
    wanted = blobs_to_count(stacked.release.blocks, layers)
    return {blob: count_lines(made[blob] if blob in made else stacked.store.blob(blob)) for blob in wanted}


def _engine_folder(release: Release) -> tuple[str, ...]:
    """The engine's sources, or a base release, where they lie in the project itself: they are no text of it."""
    match release.base.source:
        case FolderSource(path=path) | ReleaseSource(bundle=path):
            return (path.strip("/").split("/")[0],)
        case _:
            return ()


def _by_git(stacked: Stacked, workshop: Workshop) -> Rederived | NotRederived:
    if not isinstance(stacked.derived.result, Stack):
        return NotRederived(
            reason=Diagnostic(code="stack-stuck", message="the stack is stuck, so git was not asked for its trees")
        )
    patches = [fold.patch_bytes for block in stacked.release.blocks for fold in block.folds]
    with workshop.progress.stage("the same trees by git") as stage:
        try:
            trees = rederive(git_dir=stacked.store.git_dir, base_tree=stacked.imported.tree, patches=patches)
        except Fault as fault:
            return NotRederived(reason=fault.diagnostics[0])
        stage.outcome(f"{counted(len(trees), 'tree')}")
    return Rederived(trees=trees)


def differs_by_git(stacked: Stacked, workshop: Workshop) -> tuple[Diagnostic, ...]:
    """Why the trees by git are not the derived ones; empty when they are."""
    by_git = _by_git(stacked, workshop)
    if isinstance(by_git, NotRederived):
        return (by_git.reason,)
    layers = stacked.derived.result.layers if isinstance(stacked.derived.result, Stack) else ()
    for layer, tree in zip(layers, by_git.trees, strict=True):
        if layer.after != tree:
            return (
                Diagnostic(
                    code="git-derives-another-tree",
                    message=f"block `{layer.block}`, fold `{layer.fold}`: git makes another tree from the same patch",
                    notes=(f"in memory: {layer.after}", f"by git: {tree}"),
                    help="this is a defect of stackproof or of git; keep the patch and report it",
                ),
            )
    return ()


def structure(case: Case) -> tuple[GateResult, ...]:
    """The ends of every gate that files and trees alone decide; nothing is built or run for them."""
    return tuple(rule(gate, case) for gate in gates_of(case.release) if is_structural(gate))
