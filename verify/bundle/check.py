"""Checks a bundle, one check after the other: the way in for whoever doubts a release.

Takes the bundle's folder and, where there is one, the base; gives every check with its outcome. Nothing outside of
these two is read, nothing in the bundle is executed, no network is used. A check that could not be made is undecided
and never passed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from verify.bundle.archives import check_binaries, check_source
from verify.bundle.below import check_line, open_line
from verify.bundle.declared import check_agreement, check_declared
from verify.bundle.documents import Bundle, open_bundle
from verify.bundle.evidence import check_evidence, check_verdict
from verify.bundle.finding import ruled
from verify.bundle.image import check_image
from verify.bundle.mailbox import check_mailbox
from verify.bundle.members import read_members
from verify.bundle.origin import NoBase, OpenBase
from verify.bundle.patches import check_commits, check_lock, check_patches
from verify.bundle.reviews import check_reviews
from verify.bundle.sbom import check_sbom
from verify.bundle.second import NOT_INSTALLED, check_second, is_installed
from verify.bundle.signatures import check_signatures
from verify.bundle.sources import Sources, Unreadable, read_sources
from verify.bundle.stated import check_notes, check_statements
from verify.bundle.sums import check_sums
from verify.bundle.trees import check_base, check_combined, check_trees
from verify.model.diagnostic import Diagnostic, ExitCode
from verify.model.trust import Signer
from verify.model.verdict import Deferred, Failed, Outcome, Passed, Undecided, Waived

UNCHECKED = (
    "what was built and measured: the records are whole and are those that the verdict used; they are not made again",
    "the system's libraries in the image, and licences and vendored parts in the SBOM: only the release statement says",
    "block.yaml, records of reviews: their bytes are the judged ones; `stackproof check -C BUNDLE` reads them",
)


_UNSIGNED = (
    "who made the bundle: it carries no signature, so whoever can change all of it can make it agree with itself"
)
_UNASKED = "whose key the signatures are of: `--signers FILE` says whom to believe"
_OLDER = "whether a newer release exists: an older bundle, whole, is as sound as it was"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One check and how it ended."""

    name: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All checks of one bundle; `release` is the name that its documents give, empty when they cannot be read."""

    release: str
    checks: tuple[Checked, ...]
    unchecked: tuple[str, ...] = UNCHECKED

    def exit_code(self) -> ExitCode:
        """Failed weighs more than undecided, and undecided is not held."""
        said = ExitCode.HOLDS
        for check in self.checks:
            match check.outcome:
                case Passed():
                    pass
                case Failed():
                    return ExitCode.DOES_NOT_HOLD
                case Undecided() | Waived() | Deferred():
                    said = ExitCode.CANNOT_JUDGE
                case _:
                    assert_never(check.outcome)
        return said

    def findings(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong."""
        return tuple(
            each for check in self.checks if isinstance(check.outcome, Failed) for each in check.outcome.findings
        )

    def reasons(self) -> tuple[Diagnostic, ...]:
        """Why checks could not be made, each reason once."""
        undecided = [check.outcome for check in self.checks if isinstance(check.outcome, Undecided)]
        return tuple(dict.fromkeys(reason for outcome in undecided for reason in outcome.reasons))


_BY_ITSELF: tuple[tuple[str, Callable[[Bundle], Outcome]], ...] = (
    ("declared files", check_declared),
    ("agreement", check_agreement),
    ("patches", check_patches),
    ("commits", check_commits),
    ("mail series", check_mailbox),
    ("lock", check_lock),
    ("evidence", check_evidence),
    ("reviews", check_reviews),
    ("verdict", check_verdict),
    ("notes", check_notes),
    ("SBOM", check_sbom),
    ("statements", check_statements),
)
_ON_SOURCES: tuple[tuple[str, Callable[[Bundle, Sources | Unreadable], Outcome]], ...] = (
    ("sources", check_source),
    ("binaries", check_binaries),
    ("image", check_image),
)
_ON_BASE: tuple[tuple[str, Callable[[Bundle, OpenBase | NoBase], Outcome]], ...] = (
    ("base", check_base),
    ("trees", check_trees),
    ("combined diff", check_combined),
)


def _on_base() -> tuple[tuple[str, Callable[[Bundle, OpenBase | NoBase], Outcome]], ...]:
    """Git's checks, and dulwich's where it is installed."""
    return (*_ON_BASE, ("trees by dulwich", check_second)) if is_installed() else _ON_BASE


def check_bundle(folder: Path, *, base: Path | None, signers: tuple[Signer, ...] | None = None) -> Report:
    """Check the bundle in `folder`; `base` is the pinned archive or a git folder, None leaves the trees undecided.

    With `signers` it must be signed by one of them.
    """
    members = read_members(folder)
    sums = Checked(name="checksums", outcome=check_sums(members))
    bundle = open_bundle(members)
    if not isinstance(bundle, Bundle):
        unread = Checked(name="documents", outcome=ruled(bundle, ""))
        rest = [name for name, _ in (*_BY_ITSELF, *_ON_SOURCES, *_on_base())]
        return Report(release="", checks=(sums, unread, *(_not_made(name, bundle) for name in rest)))
    sources = read_sources(bundle)
    checks = [sums, Checked(name="documents", outcome=Passed(summary="release.json, stack.json and verdict.json"))]
    checks += (Checked(name=name, outcome=check(bundle)) for name, check in _BY_ITSELF)
    checks += (Checked(name=name, outcome=check(bundle, sources)) for name, check in _ON_SOURCES)
    signed = check_signatures(bundle, signers)
    if signed is not None:
        checks.append(Checked(name="signatures", outcome=signed))
    line = check_line(bundle)
    if line is not None:
        checks.append(Checked(name="base releases", outcome=line))
    with open_line(base, bundle) as opened:
        checks += (Checked(name=name, outcome=on_base(bundle, opened)) for name, on_base in _on_base())
    once = () if is_installed() else (NOT_INSTALLED,)
    who = (_UNSIGNED,) if signed is None else () if signers is not None else (_UNASKED,)
    return Report(release=bundle.release.name, checks=tuple(checks), unchecked=(*who, *UNCHECKED, *once, _OLDER))


def _not_made(name: str, reasons: tuple[Diagnostic, ...]) -> Checked:
    return Checked(name=name, outcome=Undecided(summary="it rests on documents that cannot be read", reasons=reasons))
