"""`stackproof pull`: get a published bundle out of a registry."""

from pathlib import Path
from typing import Annotated

import typer

from builder.cli.options import AsJson
from builder.cli.session import Answer, Session, run


def pull(
    source: Annotated[str, typer.Argument(metavar="oci:HOST/REPOSITORY:RELEASE", help="What was published, and where")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder in which the bundle's shall stand")],
    as_json: AsJson = False,
) -> None:
    """Get a bundle out of a registry; it is compared with its digests and nothing of it is executed.

    Whether it holds is another question: python -m verify DIR/RELEASE --base ARCHIVE

    Example: stackproof pull oci:registry.example.org/team/engine:engine-1.0-r1 --out .
    """
    run("pull", lambda session: _pull(session, source, out), root=Path(), as_json=as_json)


def _pull(session: Session, source: str, out: Path) -> Answer:
    from builder.publish.folder import place_new
    from builder.publish.pull import pull as get
    from builder.publish.target import read_published
    from verify.bundle.documents import Bundle, open_bundle
    from verify.bundle.members import read_members
    from verify.model.diagnostic import ExitCode, InputFault

    target, name = read_published(source)
    with session.progress.stage("pull") as stage:
        members = get(target, name)
        stage.outcome(f"{len(members)} files")

    def look_over(made: Path) -> None:
        opened = open_bundle(read_members(made))
        if not isinstance(opened, Bundle):
            raise InputFault(*opened)

    how = place_new(out / name, members, seconds=0, look_over=look_over)
    return Answer(
        text=f"{out / name}, {len(members)} files, {how.value}; it is not checked yet:\n"
        f"  python -m verify {out / name} --base ARCHIVE",
        data={"folder": str(out / name), "how": how.value, "files": len(members)},
        exit=ExitCode.HOLDS,
    )
