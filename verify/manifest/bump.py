"""blocks/bump.json: what the last bump did, as `stackproof bump accept` wrote it; both directions, one format."""

import json

from verify.diff.paths import unsafe_path
from verify.diff.quote import quote_name, unquote_name
from verify.manifest.scalars import choice, flag, integer, name, object_id, sha256
from verify.manifest.value import Value, shorten
from verify.model.bump import BumpRecord, Decision, DriftFile, DriftFold, DriftRow
from verify.model.ids import BlockName, FoldId, ReleaseName, RepoPath, TreeId

SCHEMA = "stackproof/bump/1"
BUMP_FILE = "blocks/bump.json"


def read_bump(value: Value) -> BumpRecord:
    """The whole record."""
    fields = value.document(of="the bump's record", schema=SCHEMA)
    record = BumpRecord(
        from_release=ReleaseName(fields.get("from_release", name)),
        from_base=TreeId(fields.get("from_base", object_id)),
        from_tip=TreeId(fields.get("from_tip", object_id)),
        to_base=TreeId(fields.get("to_base", object_id)),
        to_tip=TreeId(fields.get("to_tip", object_id)),
        folds=fields.get("folds", lambda folds: folds.listing(_fold, of="fold")),
        rows=fields.get("files", lambda rows: rows.listing(_row, of="file")),
    )
    fields.close()
    return record


def render_bump(record: BumpRecord) -> bytes:
    """The record's bytes: sorted keys, two spaces, ASCII, one final line end."""
    document = {
        "schema": SCHEMA,
        "from_release": record.from_release,
        "from_base": record.from_base,
        "from_tip": record.from_tip,
        "to_base": record.to_base,
        "to_tip": record.to_tip,
        "folds": [
            {
                "block": fold.block,
                "fold": fold.fold,
                "patch_sha256": fold.patch_sha256,
                "files": [
                    {
                        "path": quote_name(file.path).decode("ascii"),
                        "was": file.was,
                        "now": file.now,
                        "removed": file.removed,
                        "added": file.added,
                        "decision": file.decision.value if file.decision is not None else None,
                    }
                    for file in fold.files
                ],
            }
            for fold in record.folds
        ],
        "files": [
            {
                "path": quote_name(row.path).decode("ascii"),
                "upstream_removed": row.upstream_removed,
                "upstream_added": row.upstream_added,
                "was": row.was,
                "now": row.now,
                "removed": row.removed,
                "added": row.added,
                "undecided": row.undecided,
                "merged_by_git": row.merged_by_git,
            }
            for row in record.rows
        ],
    }
    return (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii")


def _fold(value: Value) -> DriftFold:
    fields = value.fields()
    fold = DriftFold(
        block=BlockName(fields.get("block", name)),
        fold=FoldId(fields.get("fold", name)),
        patch_sha256=fields.nullable("patch_sha256", sha256),
        files=fields.get("files", lambda files: files.listing(_file, of="file")),
    )
    fields.close()
    return fold


def _file(value: Value) -> DriftFile:
    fields = value.fields()
    file = DriftFile(
        path=fields.get("path", _path),
        was=fields.nullable("was", sha256),
        now=fields.nullable("now", sha256),
        removed=fields.get("removed", _count),
        added=fields.get("added", _count),
        decision=fields.nullable("decision", lambda word: choice(word, Decision)),
    )
    fields.close()
    return file


def _row(value: Value) -> DriftRow:
    fields = value.fields()
    row = DriftRow(
        path=fields.get("path", _path),
        upstream_removed=fields.get("upstream_removed", _count),
        upstream_added=fields.get("upstream_added", _count),
        was=fields.nullable("was", sha256),
        now=fields.nullable("now", sha256),
        removed=fields.get("removed", _count),
        added=fields.get("added", _count),
        undecided=fields.get("undecided", _count),
        merged_by_git=fields.nullable("merged_by_git", flag),
    )
    fields.close()
    return row


def _count(value: Value) -> int:
    return integer(value, 0)


def _path(value: Value) -> RepoPath:
    written = value.written("a path")
    path = unquote_name(written.encode("utf-8")) if written is not None else b""
    if path is None or (written is not None and quote_name(path).decode("ascii") != written):
        value.wrong("bad-path", f"{value.what} is not spelled as git quotes paths: `{shorten(written or '')}`")
        return RepoPath(b"")
    problem = unsafe_path(path)
    if written is not None and problem is not None:
        value.wrong("unsafe-path", f"{value.what} leaves the tree: {problem}")
    return RepoPath(path)
