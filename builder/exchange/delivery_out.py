"""A stack as a delivery repository: release.json with every hash and tree, numbered patches, one combined diff. Pure.

Each patch names its block and fold in its message, so that an import gives the same blocks and folds again.
"""

import hashlib
import json
from dataclasses import replace

from builder.commit import BLOCK_TRAILER, FOLD_TRAILER, message
from builder.exchange.mail_out import fold_mail
from verify.model.block import Block, Fold
from verify.model.release import Release
from verify.model.stack import Stack

SCHEMA = "stackproof/delivery/1"
COMBINED = "combined.diff"


def delivery_files(release: Release, stack: Stack, combined: bytes) -> dict[str, bytes]:
    """Every file of the delivery by name."""
    folds = [(block, fold) for block in release.blocks for fold in block.folds]
    layers = {(layer.block, layer.fold): layer for layer in stack.layers}
    files: dict[str, bytes] = {}
    patches: list[dict[str, object]] = []
    for number, (block, fold) in enumerate(folds, start=1):
        layer = layers[block.name, fold.id]
        name = f"patches/{number:04d}-{block.name}-{fold.id}.patch"
        files[name] = fold_mail(_named(block, fold), number=number, total=len(folds), separator=layer.commit)
        patches.append(
            {"file": name, "sha256": _sha256(files[name]), "block": block.name, "fold": fold.id, "tree": layer.after}
        )
    files[COMBINED] = combined
    document = {
        "schema": SCHEMA,
        "name": release.name,
        "parent": release.parent,
        "engine": release.engine,
        "base": {"tree": stack.base_tree, "commit": stack.base_commit},
        "tip": {"tree": stack.tip_tree(), "commit": stack.tip_commit()},
        "patches": patches,
        "combined": {"file": COMBINED, "sha256": _sha256(combined)},
    }
    files["release.json"] = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
    return files


def _named(block: Block, fold: Fold) -> Fold:
    trailers = ((BLOCK_TRAILER, block.name), (FOLD_TRAILER, fold.id))
    text = message(subject=fold.subject, body=fold.body, trailers=trailers)
    return replace(fold, body=text.partition("\n\n")[2].rstrip("\n"))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
