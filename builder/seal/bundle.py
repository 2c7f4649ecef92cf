"""Packs a release whose verdict holds: the one way from a verdict to a bundle.

Takes a `Holds` and nothing weaker, and only for the release it was made for. What is packed is checked as a stranger
would check it (`verify.bundle.check`, with git deriving every tree once more and the combined diff giving the tip)
before anything of it can be seen under its name.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from builder.exchange.stack_out import mail_folder
from builder.exchange.tree_diff import patch_between
from builder.seal.contents import bundle_contents, bundle_stack
from builder.seal.declared import declared_files
from builder.seal.give import Wanted, make_given
from builder.seal.place import FOLDER_DISK, FolderDisk, How, place_folder
from builder.store import Store
from builder.tree import Overlay, Tree
from verify.bundle.check import check_bundle
from verify.bundle.documents import read_release_document
from verify.bundle.layout import RELEASE, SUMS
from verify.diff.render import render_patch
from verify.model.diagnostic import Diagnostic, EnvironmentFault, ExitCode, InputFault, Place
from verify.model.evidence import Evidence
from verify.model.ids import Sha256
from verify.model.progress import Progress
from verify.model.release import Release
from verify.model.stack import Stack
from verify.model.verdict import Holds
from verify.review.standing import Standings

NOTHING_BUILT = Wanted(builds={})
"""For a release that gives its sources away and nothing else."""

NO_MEMBERS: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """The bundle as it stands: its folder, whether it is new, how large, and the digest of its SHA256SUMS.

    `signed` tells whether its statements are signed, `parent_told` whether its notes know what the parent held.
    """

    folder: Path
    how: How
    files: int
    size: int
    digest: Sha256
    signed: bool
    parent_told: bool


def seal(
    *,
    holds: Holds,
    release: Release,
    stack: Stack,
    store: Store,
    evidence: Iterable[Evidence],
    out: Path,
    root: Path,
    progress: Progress,
    wanted: Wanted = NOTHING_BUILT,
    testimonies: Mapping[str, bytes] = NO_MEMBERS,
    standings: Standings | None = None,
    carried: Mapping[str, bytes] = NO_MEMBERS,
    disk: FolderDisk = FOLDER_DISK,
) -> Sealed:
    """Pack the release into `out`/NAME, whole or not at all.

    `store` holds every object of the base and of the stack, `evidence` at least the records that the verdict used,
    `root` the declared files, `wanted` what was built of the tip, `testimonies` the members that vouch for records of
    other machines, `carried` those of the releases that this one stands on.
    """
    with progress.stage("seal") as stage:
        _refuse_other(holds, release, stack)
        declared, used = declared_files(root, release), _used(holds, evidence)
        given = make_given(
            wanted=wanted,
            release=read_release_document(dict(declared)[RELEASE]),
            stack=bundle_stack(release, stack, declared),
            store=store,
            records=tuple(used),
            tell=stage.tell,
        )
        given = replace(given, members={**given.members, **testimonies}, carried=carried)
        stage.tell("the combined diff")
        contents = bundle_contents(
            holds=holds,
            release=release,
            stack=stack,
            declared=declared,
            evidence=used,
            combined=_combined(stack, store),
            mailbox=mail_folder(release.blocks, stack),
            given=given,
            standings=standings,
        )
        stage.tell("writing the bundle and checking it")
        how = place_folder(
            out / release.name,
            contents,
            seconds=_commit_time(store.commit(stack.tip_commit())),
            look_over=lambda made: _check(made, store),
            disk=disk,
        )
        sealed = Sealed(
            folder=out / release.name,
            how=how,
            files=len(contents),
            size=sum(map(len, contents.values())),
            digest=Sha256(hashlib.sha256(contents[SUMS]).hexdigest()),
            signed=given.sign is not None,
            parent_told=given.since is not None or release.parent is None,
        )
        stage.outcome(f"{sealed.files} files, {how.value}")
        return sealed


def _refuse_other(holds: Holds, release: Release, stack: Stack) -> None:
    """The verdict must be about this very release, as declared and as derived."""
    subject = holds.subject
    differing = tuple(
        note
        for what, judged, met in (
            ("name", subject.release, release.name),
            ("digest", subject.digest, release.digest),
            ("base tree", subject.base_tree, stack.base_tree),
            ("tip tree", subject.tip_tree, stack.tip_tree()),
            ("tip commit", subject.tip_commit, stack.tip_commit()),
        )
        if judged != met
        for note in (f"{what} judged    {judged}", f"{what} given     {met}")
    )
    if differing:
        raise InputFault(
            Diagnostic(
                code="verdict-of-another-release",
                message=f"the verdict on `{subject.release}` is not about what shall be sealed",
                notes=differing,
                help="stackproof release",
            )
        )


def _used(holds: Holds, evidence: Iterable[Evidence]) -> Sequence[Evidence]:
    """The records that the verdict used, sorted; all of them must be there."""
    by_key = {each.key.digest: each for each in evidence}
    used = {key for result in holds.results for key in result.evidence}
    missing = sorted(used - by_key.keys())
    if missing:
        raise InputFault(
            Diagnostic(
                code="evidence-not-kept",
                message=f"{len(missing)} records of evidence that the verdict used are not there any more",
                notes=tuple(f"key {key}" for key in missing[:10]),
                help="stackproof release",
            )
        )
    return sorted((by_key[key] for key in used), key=lambda each: (each.key.kind, each.key.digest))


def _combined(stack: Stack, store: Store) -> bytes:
    """The whole release as one patch: a comparison of two trees, so that it depends on these alone."""
    source = Overlay(store)
    return render_patch(patch_between(Tree.at(source, stack.base_tree), Tree.at(source, stack.tip_tree())))


def _commit_time(commit: bytes) -> int:
    """The committer's time, in seconds: the one clock of a bundle."""
    head = commit.partition(b"\n\n")[0].split(b"\n")
    line = next(line for line in head if line.startswith(b"committer "))
    return int(line.rsplit(b" ", 2)[1])


def _check(made: Path, store: Store) -> None:
    report = check_bundle(made, base=store.git_dir)
    if report.exit_code() is not ExitCode.HOLDS:
        raise EnvironmentFault(
            Diagnostic(
                code="seal-not-sound",
                message="the packed bundle does not pass its own check, so it was not made visible",
                place=Place(file=made.name),
                notes=("a file that changes while it is read, a failing disk, or a defect of stackproof or git",),
                help="stackproof seal --out DIR",
            ),
            *report.findings(),
            *report.reasons(),
        )
