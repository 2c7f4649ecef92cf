"""blocks/lock.json: what `stackproof pin` recorded of every fold; both directions, so that the format is one thing.

Paths are spelled as in patch headers (git's quoting), since a path need not be UTF-8.
"""

import json

from verify.diff.paths import unsafe_path
from verify.diff.quote import quote_name, unquote_name
from verify.manifest.scalars import choice, name, object_id, sha256
from verify.manifest.value import Value, shorten
from verify.model.ids import BlobId, BlockName, CommitId, FoldId, RepoPath, TreeId
from verify.model.patch import Mode
from verify.model.release import BlobState, Lock, LockedFile, LockedFold

SCHEMA = "stackproof/lock/1"
LOCK_FILE = "blocks/lock.json"


def read_lock(value: Value) -> Lock:
    """The whole lock; each fold is there once."""
    fields = value.document(of="the lock", schema=SCHEMA)
    lock = Lock(folds=fields.get("folds", _folds))
    fields.close()
    return lock


def _folds(value: Value) -> tuple[LockedFold, ...]:
    seen: set[tuple[str, str]] = set()

    def once(item: Value) -> LockedFold:
        fold = _fold(item)
        if fold.fold and (fold.block, fold.fold) in seen:
            item.wrong("duplicate-name", f"fold `{fold.fold}` of block `{fold.block}` stands in the lock twice")
        seen.add((fold.block, fold.fold))
        return fold

    return value.listing(once, of="fold")


def _fold(value: Value) -> LockedFold:
    fields = value.fields()
    fold = LockedFold(
        block=BlockName(fields.get("block", name)),
        fold=FoldId(fields.get("fold", name)),
        patch_sha256=fields.get("patch_sha256", sha256),
        files=fields.get("files", lambda files: files.listing(_file, of="file")),
        tree=TreeId(fields.get("tree", object_id)),
        commit=CommitId(fields.get("commit", object_id)),
    )
    fields.close()
    return fold


def _file(value: Value) -> LockedFile:
    fields = value.fields()
    file = LockedFile(
        path=fields.get("path", _path),
        before=fields.nullable("before", _state),
        after=fields.nullable("after", _state),
    )
    fields.close()
    return file


def _state(value: Value) -> BlobState:
    fields = value.fields()
    state = BlobState(
        blob=BlobId(fields.get("blob", object_id)), mode=fields.get("mode", lambda mode: choice(mode, Mode))
    )
    fields.close()
    return state


def _path(value: Value) -> RepoPath:
    written = value.written("a path")
    if written is None:
        return RepoPath(b"")
    spelled = written.encode("utf-8")
    path = unquote_name(spelled)
    if path is None or quote_name(path) != spelled:
        value.wrong("bad-path", f"{value.what} is not spelled as git quotes paths: `{shorten(written)}`")
        return RepoPath(b"")
    problem = unsafe_path(path)
    if problem is not None:
        value.wrong("unsafe-path", f"{value.what} leaves the tree: {problem}")
    return RepoPath(path)


def render_lock(lock: Lock) -> bytes:
    """The lock as `pin` writes it: sorted keys, two spaces, ASCII, one final line end."""
    document = {"schema": SCHEMA, "folds": [_fold_value(fold) for fold in lock.folds]}
    return (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii")


def _fold_value(fold: LockedFold) -> dict[str, object]:
    return {
        "block": fold.block,
        "fold": fold.fold,
        "patch_sha256": fold.patch_sha256,
        "files": [
            {
                "path": quote_name(file.path).decode("ascii"),
                "before": _state_value(file.before),
                "after": _state_value(file.after),
            }
            for file in fold.files
        ],
        "tree": fold.tree,
        "commit": fold.commit,
    }


def _state_value(state: BlobState | None) -> dict[str, str] | None:
    return None if state is None else {"blob": state.blob, "mode": state.mode.value}
