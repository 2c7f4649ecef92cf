"""`stackproof check`: the one-minute job. Needs no compiler and executes nothing of the engine."""

from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, Place


def check(
    tag: Annotated[
        str | None, typer.Option("--tag", metavar="NAME", help="The release must have this name: a tag that starts it")
    ] = None,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Check the project: manifests, trees two ways, paths, hygiene, ownership.

    Every gate that rests on the files alone is judged; nothing is built or run, nothing is written to the project.

    Examples: stackproof check; stackproof check --tag engine-1.0-r1; stackproof check -C ../fork --offline
    """
    run("check", lambda session: _check(session, tag), root=project, as_json=as_json, offline=offline)


def _check(session: Session, tag: str | None) -> Answer:
    from builder import pipeline
    from builder.cli.verdict import answer_of

    workshop = session.workshop()
    declared = pipeline.read(workshop)
    if tag is not None and tag != declared.name:
        return Answer(text="", data={}, diagnostics=(_other_tag(tag, declared.name),), exit=ExitCode.DOES_NOT_HOLD)
    stacked = pipeline.stack(declared, workshop)
    results = pipeline.structure(pipeline.case(stacked, workshop, to_build=False))
    return answer_of(results, what=f"release {stacked.release.name}, as far as files and trees go,")


def _other_tag(tag: str, name: str) -> Diagnostic:
    return Diagnostic(
        code="tag-other",
        message="the tag is not the name of the release",
        place=Place(file="release.json"),
        notes=(f"tag           {tag}", f"release.json  {name}"),
        help=f"git tag {name}, or name the release {tag} in release.json (stackproof pin)",
    )
