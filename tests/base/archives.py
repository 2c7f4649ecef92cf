"""Tar archives for tests: honest ones, an sdist with upstream's own repository inside, and what a stranger may send."""

import io
import subprocess
import tarfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from verify.git import environment
from verify.model.ids import CommitId, TreeId

Edit = Callable[[tarfile.TarInfo], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One member: a file with content unless `edit` makes something else of it."""

    name: str
    data: bytes = b""
    mode: int = 0o644
    edit: Edit | None = None


Form = Literal["w", "w:gz", "w:bz2", "w:xz"]


def write_tar(path: Path, entries: Iterable[Entry], *, form: Form = "w:gz") -> Path:
    with tarfile.open(path, form) as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.size, info.mode = len(entry.data), entry.mode
            if entry.edit is not None:
                entry.edit(info)
            tar.addfile(info, io.BytesIO(entry.data) if info.isreg() else None)
    return path


def kind(type_: bytes, target: str = "") -> Edit:
    """Make the member a link, a device or the like."""

    def edit(info: tarfile.TarInfo) -> None:
        info.type, info.linkname, info.size = type_, target, 0

    return edit


FILES = {
    "src/main.c": (b"int main;\n", 0o644),
    "run.sh": (b"#!/bin/sh\n", 0o755),
    "build/keep.log": (b"kept\r\n", 0o644),
    ".gitignore": (b"*.log\nbuild/\n", 0o644),
    "src.h": (b"\xff\0binary", 0o644),
    "src/deep/er/x": (b"", 0o644),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sdist:
    """An sdist as entries, with the upstream commit and tree that it was made from."""

    entries: tuple[Entry, ...]
    commit: CommitId
    tree: TreeId

    def write(self, path: Path, *, without: str = "", more: Iterable[Entry] = ()) -> Path:
        kept = [entry for entry in self.entries if not without or without not in entry.name]
        return write_tar(path, [*kept, *more])


def make_sdist(folder: Path, *, packed: bool = True) -> Sdist:
    """A real upstream repository with two commits, cloned shallow, and its files beside it."""
    env = {**environment({"PATH": "/usr/bin:/bin:/usr/local/bin"}), "GIT_COMMITTER_DATE": "@1 +0000"}

    def git(*args: str, cwd: Path) -> str:
        done = subprocess.run(["git", *args], cwd=cwd, env=env, check=True, capture_output=True)
        return done.stdout.decode().strip()

    upstream = folder / "upstream"
    upstream.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main", cwd=upstream)
    git("commit", "--quiet", "--allow-empty", "-m", "Before", cwd=upstream)
    for name, (data, mode) in FILES.items():
        file = upstream / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)
    (upstream / "link").symlink_to("src/main.c")
    git("add", "--force", "--all", cwd=upstream)
    git("commit", "--quiet", "-m", "Now", cwd=upstream)
    clone = folder / "clone"
    git("clone", "--quiet", "--depth=1", "--no-checkout", f"file://{upstream}", str(clone), cwd=folder)
    git("update-ref", "--no-deref", "HEAD", git("rev-parse", "HEAD", cwd=upstream), cwd=clone)
    if not packed:
        (pack,) = (clone / ".git/objects/pack").glob("*.pack")
        data = pack.read_bytes()
        for file in (clone / ".git/objects/pack").iterdir():
            file.unlink()
        subprocess.run(["git", "unpack-objects", "-q"], cwd=clone, env=env, input=data, check=True)
    top = "engine_python-1.0"
    entries = [
        Entry(name=f"{top}/.git/modules/vendor/engine/{path.relative_to(clone / '.git')}", data=path.read_bytes())
        for path in sorted((clone / ".git").rglob("*"))
        if path.is_file() and path.name not in {"index"}
    ]
    entries += [Entry(name=f"{top}/setup.py", data=b"raise SystemExit('a stranger runs')\n")]
    entries += [Entry(name=f"{top}/vendor/engine/.git", data=b"gitdir: ../../.git/modules/vendor/engine\n")]
    entries += [Entry(name=f"{top}/vendor/engine/{name}", data=data, mode=mode) for name, (data, mode) in FILES.items()]
    entries += [Entry(name=f"{top}/vendor/engine/link", edit=kind(tarfile.SYMTYPE, "src/main.c"))]
    return Sdist(
        entries=tuple(entries),
        commit=CommitId(git("rev-parse", "HEAD", cwd=upstream)),
        tree=TreeId(git("rev-parse", "HEAD^{tree}", cwd=upstream)),
    )
