"""A stack written as a project: release.json, blocks/ with every patch twice (as sent and canonical), the lock.

The files are those that `stackproof pin` would leave, so that `stackproof stack -C OUT` works at once and agrees.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from builder.stack import make_lock
from builder.write import project_lock, write_files
from verify.manifest.lock import LOCK_FILE, render_lock
from verify.manifest.release import RELEASE_FILE, SCHEMA
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, CommitId, FoldId
from verify.model.stack import Stack

_BLOCK_SCHEMA = "stackproof/block/1"


def write_project(
    out: Path,
    *,
    name: str,
    source: Mapping[str, object],
    upstream_commit: CommitId | None,
    blocks: tuple[Block, ...],
    stack: Stack,
    sources: Mapping[tuple[BlockName, FoldId], bytes],
    like: Mapping[str, object] | None = None,
) -> None:
    """Write the project into `out`, which must not hold one yet; `like` are fields of release.json that it has so."""
    check_unused(out)
    files: dict[str, bytes | None] = {}
    for block in blocks:
        files[block.file] = block_yaml(block).encode()
        for fold in block.folds:
            files[fold.patch_file] = fold.patch_bytes
            submitted = sources.get((block.name, fold.id))
            if submitted is not None:
                files[fold.patch_file.removesuffix("fold.patch") + "source.patch"] = submitted
    files[LOCK_FILE] = render_lock(make_lock(stack, blocks))
    files[RELEASE_FILE] = _release(name, source, upstream_commit, blocks, stack, like or {})
    out.mkdir(parents=True, exist_ok=True)
    with project_lock(out, tell=lambda _: None):
        write_files(out, files)


def check_unused(out: Path) -> None:
    """Refuse a folder that holds a project already."""
    if (out / RELEASE_FILE).exists() or (out / "blocks").exists():
        raise InputFault(
            Diagnostic(
                code="project-exists",
                message=f"{out} holds a project already",
                notes=("an import never writes over one",),
                help="name another folder with --out",
            )
        )


def check_place(folder: Path, out: Path) -> None:
    """Refuse a project inside of its own base: it would change what it is based on."""
    if out.resolve().is_relative_to(folder.resolve()):
        raise InputFault(
            Diagnostic(
                code="project-in-base",
                message=f"{out} lies inside of the base {folder}",
                notes=("the base is everything in that folder, so the project would be part of it",),
                help="name a folder elsewhere with --out",
            )
        )


def folder_source(folder: Path, out: Path, without: Sequence[str] = ()) -> dict[str, object]:
    """The base of a release that is a folder, as seen from the project."""
    source: dict[str, object] = {"kind": "folder", "path": os.path.relpath(folder.absolute(), out.absolute())}
    if without:
        source["without"] = list(without)
    return source


def _release(
    name: str,
    source: Mapping[str, object],
    upstream_commit: CommitId | None,
    blocks: tuple[Block, ...],
    stack: Stack,
    like: Mapping[str, object],
) -> bytes:
    document: dict[str, object] = {
        "schema": SCHEMA,
        "name": name,
        "parent": None,
        "engine": name,
        "base": {"source": source, "upstream_commit": upstream_commit},
        "blocks": [block.name for block in blocks],
        "configurations": {"release": {"build_type": "Release", "options": {}, "targets": ["all"], "proofs": ["tip"]}},
        "models": {},
        "gates": {},
        "reference": {
            "base_tree": stack.base_tree,
            "tip_tree": stack.tip_tree(),
            "tip_commit": stack.tip_commit(),
        },
    }
    document |= {key: value for key, value in like.items() if key in document}
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def block_yaml(block: Block) -> str:
    """A block as block.yaml spells it."""
    return "\n".join(_lines(block)) + "\n"


def _lines(block: Block) -> Iterator[str]:
    yield f"schema: {_BLOCK_SCHEMA}"
    for key, text in (("title", block.title), ("why", block.why), ("until", block.until)):
        yield f"{key}: {_text(text, 0)}"
    yield "owns:"
    yield from (f"  - {_quoted(glob)}" for glob in block.owns)
    if block.requires:
        yield f"requires: [{', '.join(block.requires)}]"
    yield "folds:"
    for fold in block.folds:
        yield from _fold_lines(fold)


def _fold_lines(fold: Fold) -> Iterator[str]:
    fields = {"id": _quoted(fold.id), "subject": _text(fold.subject, 4)}
    if fold.body:
        fields["body"] = _text(fold.body, 4)
    fields["author"] = _quoted(f"{fold.author.name} <{fold.author.email}>")
    fields["date"] = _quoted(fold.date)
    fields["source"] = _text(fold.source, 4)
    fields["disposition"] = fold.disposition.value
    if fold.reason:
        fields["reason"] = _text(fold.reason, 4)
    if fold.licence:
        fields["licence"] = _quoted(fold.licence)
    for at, (key, text) in enumerate(fields.items()):
        yield f"{'  - ' if at == 0 else '    '}{key}: {text}"


def _text(text: str, indent: int) -> str:
    if "\n" not in text:
        return _quoted(text)
    # The indent is stated, so that the text's own leading spaces stay its own.
    space = " " * (indent + 2)
    return "|2-\n" + "\n".join(space + line if line else "" for line in text.split("\n"))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
