"""Folders, series and projects on disk for the tests of import and export."""

import random
import shutil
import subprocess
from pathlib import Path

from builder.stack import Derived, derive
from builder.store import Store
from builder.upstream import import_base
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files
from verify.diff.render import render_patch
from verify.manifest.read import read_release
from verify.model.patch import Mode
from verify.model.progress import Silent
from verify.model.release import Release


def write_files(folder: Path, files: Files) -> None:
    """A tree on disk; submodules cannot stand in a folder and are left out."""
    for path, (mode, data) in files.items():
        file = folder / path.decode("utf-8", "surrogateescape")
        file.parent.mkdir(parents=True, exist_ok=True)
        if mode is Mode.SYMLINK:
            file.symlink_to(data.decode("utf-8", "surrogateescape"))
        else:
            file.write_bytes(data)
            file.chmod(0o755 if mode is Mode.EXECUTABLE else 0o644)


def plain(files: Files) -> Files:
    return {path: state for path, state in files.items() if state[0] is not Mode.SUBMODULE and path.find(b"\n") < 0}


def random_series(seed: int, folder: Path, count: int) -> tuple[Files, Files]:
    """A folder `orig` and a series of random canonical patches; gives the files before and after."""
    rng = random.Random(seed)
    before = after = plain(random_files(rng, 25))
    write_files(folder / "orig", before)
    (folder / "patches").mkdir()
    names = []
    for number in range(count):
        while True:
            patch, made = random_patch(rng, after, 6)
            if all(mode is not Mode.SUBMODULE for mode, _ in made.values()) and made == plain(made):
                break
        after = made
        names.append(f"{number}-change.patch")
        (folder / "patches" / names[-1]).write_bytes(render_patch(patch))
    (folder / "patches/series").write_text("# the series\n\n" + "".join(f"{name} # why\n" for name in names))
    return before, after


def read_and_derive(project: Path, cache: Path) -> tuple[Release, Derived]:
    """What `stackproof stack -C PROJECT` does."""
    release = read_release(project)
    store = Store.open(cache / "objects.git")
    base = import_base(base=release.base, store=store, cache=cache, offline=True, progress=Silent(), root=project)
    made = derive(blocks=release.blocks, lock=release.lock, base_tree=base.tree, base_commit=base.commit, source=store)
    return release, made


def tree_id(files: Files) -> str:
    return tree_in_memory(files)[0].id


def has(program: str) -> bool:
    return shutil.which(program) is not None


def run(
    *command: str, cwd: Path, env: dict[str, str] | None = None, stdin: bytes = b""
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(command, cwd=cwd, env=env, input=stdin, capture_output=True, check=False)
