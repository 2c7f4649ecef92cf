"""What a run of imports and exports writes, as a process of its own: its surroundings are whatever the caller made.

    python -m tests.exchange.hostile FOLDER NUMBER...

`FOLDER/repo.git` holds, for each number, the straight branch `sNUMBER` on the commit that `bNUMBER` names. Prints, as
one JSON object, a digest of every byte that came of it.
"""

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from unittest import mock

from builder.exchange.branch import export_branch
from builder.exchange.git_range import import_range
from builder.exchange.quilt import read_series_on
from builder.exchange.stack_in import StackIn
from builder.exchange.stack_out import combined_diff, mail_folder, quilt_series
from builder.exchange.written import write_new_folder
from builder.stack import derive
from builder.store import Store
from builder.tree import Overlay, Tree
from verify.diff.submission import Dialect
from verify.model.diagnostic import InputFault


def main() -> None:
    folder = Path(sys.argv[1])
    # Nobody goes on from what is written here, so nothing waits for the disk.
    with tempfile.TemporaryDirectory() as scratch, mock.patch("os.fsync"):
        found = {number: _everything(folder / "repo.git", number, Path(scratch) / number) for number in sys.argv[2:]}
    json.dump(found, sys.stdout)


def _everything(repository: Path, number: str, scratch: Path) -> dict[str, str]:
    taken = import_range(repository=repository, revisions=f"b{number}..s{number}", block=None, out=scratch / "out")
    store = Store.open(repository)
    base = Tree.at(Overlay(store), taken.stack.base_tree)
    branch = f"exported{number}"
    derived = derive(
        blocks=taken.blocks, lock=None, base_tree=base.id, base_commit=taken.stack.base_commit, source=store
    )
    tip = export_branch(
        blocks=taken.blocks, stack=taken.stack, objects=derived.objects, source=store, repository=repository,
        branch=branch, by_block=False,
    )  # fmt: skip
    again = import_range(repository=repository, revisions=f"b{number}..{branch}", block=None, out=scratch / "again")
    found = {
        "import": _digest(scratch / "out"), "import, folds": _folds(taken), "tip": taken.stack.tip_tree(),
        "branch": tip, "import of the branch": _digest(scratch / "again"), "import of the branch, folds": _folds(again),
        "import of the branch, tip": again.stack.tip_commit(),
        "mails": _hash(mail_folder(taken.blocks, taken.stack)),
        "diff": _hash(combined_diff(taken.blocks, base, taken.stack.tip_tree())),
    }  # fmt: skip
    try:
        write_new_folder(scratch / "patches", quilt_series(taken.blocks).files)
    except InputFault:
        return {**found, "import of the series, tip": "not for quilt"}
    back = read_series_on(
        base, patches=scratch / "patches", series=scratch / "patches/series", dialect=Dialect.GIT, mapping=None,
        name="back", strict=True,
    )  # fmt: skip
    return {**found, "series": _digest(scratch / "patches"), "import of the series, tip": back.stack.tip_tree()}


def _folds(taken: StackIn) -> str:
    return _hash(
        repr([(block.name, fold.id, fold.patch_bytes) for block in taken.blocks for fold in block.folds]).encode()
    )


def _digest(folder: Path) -> str:
    """Names and bytes of all files; the repository lies at the same place in each run."""
    made = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = file.read_bytes()
        made.update(b"%s %d\0%s" % (os.fsencode(file.relative_to(folder)), len(data), data))
    return made.hexdigest()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    main()
