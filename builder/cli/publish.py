"""`stackproof publish`: hand a sealed bundle on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.pipeline import Workshop
    from builder.store import Store


def publish(
    to: Annotated[
        str, typer.Option("--to", metavar="PLACE", help="A folder, git:ADDRESS, oci:HOST/REPOSITORY or layout:FOLDER")
    ],
    bundle: Annotated[
        Path | None, typer.Argument(metavar="BUNDLE", help="The sealed folder (default: dist/RELEASE)")
    ] = None,
    branch: Annotated[
        str | None, typer.Option("--branch", metavar="NAME", help="For git (default: release/RELEASE)")
    ] = None,
    signers: Annotated[
        Path | None, typer.Option("--signers", metavar="FILE", help="Publish only what one of these signed")
    ] = None,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Publish a sealed bundle under the release's name: staged first, visible last, and safe to repeat.

    A name that exists there with other content is refused. A git remote gets a branch and a tag, a registry an index
    with the image and the bundle. Tokens: STACKPROOF_GIT_TOKEN; STACKPROOF_REGISTRY_USER and STACKPROOF_REGISTRY_TOKEN.

    Examples: stackproof publish --to /srv/releases; stackproof publish --to git:ssh://git@host/engine.git
    """
    run(
        "publish",
        lambda session: _publish(session, to=to, bundle=bundle, branch=branch, signers=signers),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _publish(session: Session, *, to: str, bundle: Path | None, branch: str | None, signers: Path | None) -> Answer:
    from builder import pipeline
    from builder.publish.parcel import open_parcel
    from builder.publish.publish import publish as hand_on
    from builder.publish.target import read_target
    from verify.bundle.signatures import read_signers
    from verify.model.diagnostic import ExitCode

    target = read_target(to)
    workshop = session.workshop()
    declared = pipeline.read(workshop)
    folder = bundle or session.root / "dist" / declared.name
    store = _store(workshop)
    parcel = open_parcel(
        folder, base=store.git_dir, signers=None if signers is None else read_signers(signers), release=declared.name
    )
    done = hand_on(parcel, target=target, store=store, progress=workshop.progress, branch=branch)
    signed = "" if parcel.signed else "\nit is not signed: nothing in it says who made it"
    notes = "".join(f"\n  {note}" for note in done.notes)
    said = "published" if done.how.value == "new" else "is published already"
    return Answer(
        text=f"{done.where} {said}{notes}{signed}",
        data={
            "release": parcel.name,
            "where": done.where,
            "how": done.how.value,
            "notes": list(done.notes),
            "signed": parcel.signed,
            "sha256sums": parcel.digest,
        },
        exit=ExitCode.HOLDS,
    )


def _store(workshop: "Workshop") -> "Store":
    """The object store with the base and every commit of the stack in it."""
    from builder import pipeline

    stacked = pipeline.stack(pipeline.read(workshop), workshop)
    stacked.keep()
    return stacked.store
