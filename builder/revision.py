"""The project as a git revision has it: its declared files, written to a folder of their own to be read from there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from builder.scratch import scratch
from verify.diff.paths import unsafe_path
from verify.git import Git, GitFailed
from verify.manifest.release import RELEASE_FILE
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import RepoPath

_MOST_BYTES = 512 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectGit:
    """The repository that a project is kept in, and the project's folder within it (empty, or with a final `/`)."""

    git: Git
    prefix: str


def project_git(root: Path) -> ProjectGit:
    """The repository around a project; raises `InputFault` when there is none."""
    root = root.absolute()
    for folder in (root, *root.parents):
        inner = folder / ".git"
        if inner.is_file():
            line = inner.read_text("utf-8", "surrogateescape").strip()
            inner = folder / line.removeprefix("gitdir:").strip()
        if (inner / "HEAD").exists():
            within = root.relative_to(folder).as_posix()
            return ProjectGit(
                git=Git(git_dir=inner, cwd=folder, work_tree=folder), prefix="" if within == "." else f"{within}/"
            )
    raise InputFault(
        Diagnostic(
            code="project-not-in-git",
            message=f"{root} is not kept in a git repository",
            help="name a folder instead of a revision",
        )
    )


@contextmanager
def project_at(root: Path, revision: str, *, beside: Path) -> Iterator[Path]:
    """The declared files of the project as they are in a commit, in a scratch folder in `beside`."""
    home = project_git(root)
    files = _declared(home, revision)
    beside.mkdir(parents=True, exist_ok=True)
    with scratch(beside, "revision-") as folder:
        for name, data in files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        yield folder


def file_at(home: ProjectGit, revision: str, name: str) -> bytes | None:
    """One file of the project in a revision, or in an index stage (`:1`, `:2`, `:3`); None when it is not there."""
    try:
        return home.git.run("cat-file", "blob", f"{revision}:{home.prefix}{name}")  # `:1` names an index stage
    except GitFailed:
        return None


def _declared(home: ProjectGit, revision: str) -> Iterator[tuple[str, bytes]]:
    try:
        commit = home.git.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except GitFailed as error:
        raise _unknown(revision, "the repository has no such commit") from error
    paths = (f"{home.prefix}{RELEASE_FILE}", f"{home.prefix}blocks/")
    listed = home.git.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", *paths)
    entries = [line.partition(b"\t")[::2] for line in listed.split(b"\0") if line]
    found = [(head.split(), name) for head, name in entries]
    if not any(name.decode("utf-8", "surrogateescape") == paths[0] for _, name in found):
        raise _unknown(revision, f"the commit has no {paths[0]}")
    if sum(int(head[3]) for head, _ in found if head[3] != b"-") > _MOST_BYTES:
        raise _unknown(revision, "its declared files are too large to be read")
    for head, name in found:
        if head[0] not in (b"100644", b"100755") or unsafe_path(RepoPath(name)) is not None:
            continue  # a link is refused by the reader as a missing file
        data = home.git.run("cat-file", "blob", head[2].decode())
        yield name.decode("utf-8", "surrogateescape").removeprefix(home.prefix), data


def _unknown(revision: str, why: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="project-revision",
            message=f"there is no project at the revision `{revision}`",
            notes=(why,),
            help="git log --oneline -- release.json",
        )
    )
