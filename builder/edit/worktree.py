"""A checkout's own state: its refs, and what must be ended or committed before it is read or laid over."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verify.git import Git, GitFailed
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import CommitId, ReleaseName

BASE_REF = "refs/stackproof/base"
TIP_REF = "refs/stackproof/tip"
SYNCED_REF = "refs/stackproof/synced"


def branch_name(release: ReleaseName) -> str:
    """The branch that a release is checked out on."""
    return f"stackproof/{release}"


def work_tree_git(directory: Path) -> Git:
    """Git on the files of a checkout."""
    return Git(git_dir=directory / ".git", cwd=directory, work_tree=directory)


def under_way(directory: Path) -> str | None:
    """The step of git that was started in a checkout and has not ended."""
    steps = {
        "rebase-merge": "rebase",
        "rebase-apply": "rebase",
        "MERGE_HEAD": "merge",
        "CHERRY_PICK_HEAD": "cherry-pick",
        "REVERT_HEAD": "revert",
    }
    return next((step for file, step in steps.items() if (directory / ".git" / file).exists()), None)


def known_ref(git: Git, ref: str) -> CommitId | None:
    """What a ref of a checkout names, if it is there."""
    try:
        return CommitId(git.text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"))
    except GitFailed:
        return None


def in_progress(directory: Path, step: str) -> InputFault:
    """A step of git has to be ended first."""
    return InputFault(
        Diagnostic(
            code="checkout-in-progress",
            message=f"a {step} is under way in {directory}",
            help=f"git -C {shlex.quote(str(directory))} {step} --continue",
        )
    )


def dirty(directory: Path, changed: list[bytes]) -> InputFault:
    """Files have to be committed first; `changed` are lines of `git status --porcelain`."""
    shown = [line.decode("utf-8", "backslashreplace") for line in changed[:10]]
    if len(changed) > len(shown):
        shown.append(f"and {len(changed) - len(shown)} more")
    quoted = shlex.quote(str(directory))
    return InputFault(
        Diagnostic(
            code="checkout-dirty",
            message=f"{directory} has changes that are in no commit",
            notes=tuple(shown),
            help=f"git -C {quoted} add --all && git -C {quoted} commit",
        )
    )


@contextmanager
def told(directory: Path, doing: str) -> Iterator[None]:
    """Refusals of git become a diagnostic."""
    try:
        yield
    except GitFailed as error:
        # What is in the way of a checkout may be files that git ignores, which it does not tell by itself.
        ignored = " --ignored" if "untracked" in error.output else ""
        raise EnvironmentFault(
            Diagnostic(
                code="checkout-failed",
                message=f"git could not {doing} {directory}",
                notes=tuple(error.output.splitlines()[:12]),
                help=f"git -C {shlex.quote(str(directory))} status{ignored}",
            )
        ) from error
