"""Puts the block `rest` into a project, as its last one; an operation that can be undone."""

import json
from collections.abc import Callable
from pathlib import Path

from builder.edit.operations import record
from builder.edit.reference import with_value
from builder.exchange.project import block_yaml
from builder.exchange.rest import REST
from builder.write import project_lock
from verify.manifest.release import RELEASE_FILE
from verify.model.block import Block


def write_rest(root: Path, block: Block, *, at: int, tell: Callable[[str], None]) -> tuple[str, ...]:
    """Write the block in place of one of that name; gives the files that were written."""
    with project_lock(root, tell=tell):
        text = (root / RELEASE_FILE).read_bytes().decode("utf-8")
        fold = block.folds[0]
        files: dict[str, bytes | None] = {block.file: block_yaml(block).encode(), fold.patch_file: fold.patch_bytes}
        blocks = json.loads(text)["blocks"]
        if REST not in blocks:
            files[RELEASE_FILE] = with_value(text, "blocks", [*blocks, REST]).encode()
        record(root, command="import rest", summary="What a reference has beyond the stack", contents=files, at=at)
    return tuple(files)
