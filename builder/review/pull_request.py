"""A pull request on the fork: what the project declared at its base, so that what it changes can be told.

The head is what is checked out; of the base only the declared files are read, out of git's objects, with no filter, no
hook and no configuration of whoever runs this.
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from verify.git import environment, find_git
from verify.manifest.release import RELEASE_FILE
from verify.model.diagnostic import Diagnostic, InputFault, Severity

_WORD = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The git repository around a project: `prefix` is the project's folder in it, with a slash, or nothing."""

    root: Path
    prefix: str

    def run(self, *arguments: str) -> bytes:
        """What a git command says; raises `InputFault` where it refuses."""
        ended = _git(self.root, *arguments)
        if ended.returncode:
            said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
            raise _refused(arguments, said[-1] if said else f"git ended with {ended.returncode}")
        return ended.stdout


def open_repository(root: Path) -> Repository:
    """The repository that a project's folder lies in."""
    ended = _git(root, "rev-parse", "--show-prefix")
    if ended.returncode:
        raise InputFault(
            Diagnostic(
                code="ci-no-repository",
                message=f"{root} lies in no git repository, so there is no pull request to look at",
                help="stackproof check",
            )
        )
    return Repository(root=root, prefix=ended.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))


def read_range(repository: Repository, text: str) -> tuple[str, str]:
    """The commits of `BASE..HEAD`; the head must be what is checked out."""
    base, dots, head = text.partition("..")
    if not dots or not base or base.startswith("-") or head.startswith((".", "-")):
        raise InputFault(
            Diagnostic(
                code="ci-range",
                message=f"`{text}` is no range of commits",
                notes=("expected BASE..HEAD",),
                help="stackproof ci review origin/main..HEAD",
            )
        )
    ids = [_commit(repository, name) for name in (base, head or "HEAD", "HEAD")]
    if ids[1] != ids[2]:
        raise InputFault(
            Diagnostic(
                code="ci-not-checked-out",
                message=f"`{head}` is not what is checked out",
                notes=(f"asked for:   {ids[1]}", f"checked out: {ids[2]}"),
                help=f"git checkout {ids[1]}",
            )
        )
    return ids[0], ids[1]


def _commit(repository: Repository, name: str) -> str:
    said = repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return said.decode().strip()


def merge_base(repository: Repository, base: str, head: str) -> str:
    """Where the pull request left off; the base itself where histories do not meet."""
    ended = _git(repository.root, "merge-base", base, head)
    return ended.stdout.decode().strip() or base


def write_declared(repository: Repository, commit: str, into: Path) -> bool:
    """Write the files that the project declared at a commit into a folder; False where it was no project yet."""
    names = list(_declared(repository, commit))
    for name, blob in names:
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(repository.run("cat-file", "blob", blob))
    return any(name == RELEASE_FILE for name, _ in names)


def _declared(repository: Repository, commit: str) -> Iterator[tuple[str, str]]:
    listed = repository.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *_asked(repository.prefix))
    for entry in listed.split(b"\0"):
        head, _, path = entry.partition(b"\t")
        name = path.decode("utf-8", "surrogateescape").removeprefix(repository.prefix)
        if not head.startswith(b"100") or ".." in name.split("/"):
            continue
        yield name, head.split()[2].decode()


def _asked(prefix: str) -> tuple[str, str]:
    return f"{prefix}{RELEASE_FILE}", f"{prefix}blocks/"


def _git(root: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    # whoever owns the checkout in a container of CI, only objects are read
    return subprocess.run(
        [find_git(), "-c", "safe.directory=*", "-C", str(root), *arguments],
        capture_output=True,
        check=False,
        env=environment(os.environ),
        stdin=subprocess.DEVNULL,
    )


def annotation(found: Diagnostic, prefix: str) -> str:
    """A diagnostic as a workflow command of GitHub: shown at its line in the pull request."""
    where = [f"title={_property(found.code)}"]
    place = found.place
    if place is not None and not place.file.startswith("/"):
        where.insert(0, f"file={_property(prefix + place.file)}")
        if place.line is not None:
            where.insert(1, f"line={place.line}")
            if place.column is not None:
                where.insert(2, f"col={place.column}")
    text = "\n".join((found.message, *found.notes, *((f"help: {found.help}",) if found.help else ())))
    return f"::{_WORD[found.severity]} {','.join(where)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _refused(arguments: tuple[str, ...], said: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="ci-git-refused",
            message=f"git {arguments[0]} refused: {said}",
            notes=("a shallow clone may lack the base: fetch more of it",),
            help="git fetch --unshallow",
        )
    )
