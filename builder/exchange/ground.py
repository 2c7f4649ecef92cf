"""What an import lays patches on: unpatched sources on disk, or the tip of another release."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from builder.commit import root_commit
from builder.exchange.folder_tree import folder_tree
from builder.exchange.project import check_place, folder_source
from builder.store import Store
from builder.tree import Overlay, Tree
from verify.bundle.layout import RELEASE
from verify.manifest.read import read_release
from verify.model.ids import CommitId, TreeId
from verify.model.release import Base, ReleaseSource

_KINDS = ("tree-equal", "build")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The tree and its commit, the source as release.json spells it, and what else the project's release.json says."""

    tree: Tree
    commit: CommitId
    source: Mapping[str, object]
    like: Mapping[str, object] = field(default_factory=dict)


def ground_of(orig: "Path | Ground", out: Path, without: tuple[str, ...] = ()) -> Ground:
    """Sources on disk, which the project in `out` must not lie in; a ground is one already."""
    if isinstance(orig, Ground):
        return orig
    check_place(orig, out)
    tree = folder_tree(orig, without=without)
    return Ground(tree=tree, commit=CommitId(root_commit(tree.id).id), source=folder_source(orig, out, without))


def release_ground(
    bundle: Path, out: Path, *, base: str, store: Store, lay: Callable[[Base, Path], tuple[TreeId, CommitId]]
) -> Ground:
    """The tip of the release in `bundle`, for a project in `out` that is built as that release is.

    `base` is where the release's own base lies, when that is a path, seen from here; `lay` brings bases into the store.
    """
    release = read_release(bundle)
    source = ReleaseSource(
        bundle=_seen_from(bundle, out),
        release=release.name,
        digest=release.digest,
        base=_seen_from(Path(base), out) if base else "",
    )
    # The project's folder may not be there yet, so that paths through it would lead nowhere.
    here = replace(source, bundle=str(bundle.absolute()), base=str(Path(base).absolute()) if base else "")
    tree, commit = lay(Base(source=here, upstream_commit=None), out)
    document: dict[str, Any] = json.loads((bundle / RELEASE).read_bytes())
    gates = {name: gate for name, gate in (document.get("gates") or {}).items() if gate.get("kind") in _KINDS}
    told = {"kind": "release", "release": source.release, "digest": source.digest, "bundle": source.bundle}
    return Ground(
        tree=Tree.at(Overlay(store), tree),
        commit=commit,
        source=told | ({"base": source.base} if source.base else {}),
        like={"engine": release.engine, "configurations": document["configurations"], "gates": gates},
    )


def _seen_from(path: Path, out: Path) -> str:
    return os.path.relpath(path.absolute(), out.absolute())
