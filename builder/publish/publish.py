"""Hands a sealed bundle on: to a folder, a git remote, a registry, or an image layout. The one way in.

Everywhere the same: all is made ready first and becomes visible last, in one step; an equal release is left alone;
another one under the same name is refused; a run that was killed is finished by the next.
"""

from pathlib import Path
from typing import assert_never

from builder.publish.artifact import content_of, layout_of
from builder.publish.folder import place_new
from builder.publish.git_remote import publish_to_git
from builder.publish.outcome import Published
from builder.publish.parcel import Parcel
from builder.publish.registry import publish_to_registry
from builder.publish.target import FolderTarget, GitTarget, LayoutTarget, RegistryTarget, Target
from builder.seal.place import FOLDER_DISK, FolderDisk
from builder.store import Store
from verify.bundle.check import check_bundle
from verify.model.diagnostic import Diagnostic, EnvironmentFault, ExitCode, Place
from verify.model.progress import Progress


def publish(
    parcel: Parcel,
    *,
    target: Target,
    store: Store,
    progress: Progress,
    branch: str | None = None,
    disk: FolderDisk = FOLDER_DISK,
) -> Published:
    """Publish the bundle under the release's name; `branch` is for git alone."""
    with progress.stage("publish") as stage:
        match target:
            case FolderTarget(folder=folder):
                place = folder / parcel.name
                how = place_new(
                    place,
                    parcel.members,
                    seconds=parcel.stack.seconds(),
                    look_over=lambda made: _look_over(made, store),
                    disk=disk,
                )
                done = Published(where=str(place), how=how)
            case LayoutTarget(folder=folder):
                how = place_new(
                    folder,
                    layout_of(parcel),
                    seconds=parcel.stack.seconds(),
                    look_over=lambda _: None,
                    disk=disk,
                )
                done = Published(where=str(folder), how=how)
            case GitTarget(address=address):
                done = publish_to_git(parcel, address=address, store=store, branch=branch)
            case RegistryTarget():
                done = publish_to_registry(content_of(parcel), target=target, tag=parcel.name)
            case _:
                assert_never(target)
        stage.outcome(f"{done.where}, {done.how.value}")
        return done


def _look_over(made: Path, store: Store) -> None:
    report = check_bundle(made, base=store.git_dir)
    if report.exit_code() is not ExitCode.HOLDS:
        raise EnvironmentFault(
            Diagnostic(
                code="publish-not-sound",
                message="the copy of the bundle does not pass its check, so it was not made visible",
                place=Place(file=made.name),
                notes=("a failing disk, or somebody who writes there",),
                help="publish again",
            ),
            *report.findings(),
        )
