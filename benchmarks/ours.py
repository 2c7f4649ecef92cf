"""One run of our own stacking as a process of its own: reads the patches, derives, stores when asked, prints figures.

    python -m benchmarks.ours STACK.json [--store]

STACK.json names the repository, the ids and the patch files. CPU is told for the work alone and for the whole process.
"""

import gc
import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path


def main() -> None:
    """Derive the stack and print one JSON line."""
    stack = json.loads(Path(sys.argv[1]).read_text())
    # What a run makes lives until its end: there is nothing for the cycle collector to find.
    gc.freeze()
    gc.disable()
    from builder.stack import Stacker
    from builder.store import Store
    from verify.diff.parse import parse_canonical
    from verify.model.block import Block, Disposition, Fold, Person
    from verify.model.ids import BlockName, CommitId, FoldId, TreeId
    from verify.model.stack import Stack

    started = time.process_time()
    blocks = []
    for block in stack["blocks"]:
        folds = []
        for name, file in block["folds"]:
            data = Path(file).read_bytes()
            folds.append(
                Fold(
                    id=FoldId(name), subject=name, body="", author=Person(name="A", email="a@example.org"),
                    date="@1700000000 +0000", source="", disposition=Disposition.FOLDED, reason="",
                    patch=parse_canonical(data, file=file), patch_bytes=data, patch_file=file,
                )
            )  # fmt: skip
        blocks.append(
            Block(
                name=BlockName(block["name"]), title="", why="", until="", owns=(), requires=(), switches=(), claims=(),
                gates=(), folds=tuple(folds), file="",
            )
        )  # fmt: skip
    parsed = time.process_time()
    store = Store.open(Path(stack["git_dir"]))
    opened = time.process_time()
    stacker, base = Stacker(store), (TreeId(stack["base_tree"]), CommitId(stack["base_commit"]))
    derived = stacker.derive(blocks=tuple(blocks), lock=None, base_tree=base[0], base_commit=base[1])
    stacked = time.process_time()
    if "--store" in sys.argv:
        store.write(derived.objects)
    stored = time.process_time()
    last = blocks[-1]
    edited = _with_another_line(last.folds[-1].patch_bytes)
    fold = replace(last.folds[-1], patch=parse_canonical(edited, file="edited"), patch_bytes=edited)
    changed = replace(last, folds=(*last.folds[:-1], fold))
    stacker.derive(blocks=(*blocks[:-1], changed), lock=None, base_tree=base[0], base_commit=base[1])
    again = time.process_time()
    result = derived.result
    print(
        json.dumps(
            {
                "tip": result.tip_tree() if isinstance(result, Stack) else None,
                "parse": round(parsed - started, 4),
                "open": round(opened - parsed, 4),
                "derive": round(stacked - opened, 4),
                "store": round(stored - stacked, 4),
                "restack": round(again - stored, 4),
                "work": round(parsed - started + stacked - opened, 4),
                "process": round(time.process_time(), 4),
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
            }
        )
    )


def _with_another_line(patch: bytes) -> bytes:
    """The patch with one of its added lines changed."""
    hunk = patch.find(b"\n@@")
    at = patch.find(b"\n+", hunk)
    return patch if at < 0 else patch[: at + 2] + b"changed " + patch[at + 2 :]


if __name__ == "__main__":
    main()
