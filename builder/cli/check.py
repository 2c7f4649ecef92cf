"""`stackproof check`: the one-minute job. Needs no compiler and executes nothing of the engine."""

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run


def check(project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Check the project: manifests, trees two ways, paths, hygiene, ownership.

    Every gate that rests on the files alone is judged; nothing is built or run, nothing is written to the project.

    Examples: stackproof check; stackproof check --json; stackproof check -C ../fork --offline
    """
    run("check", _check, root=project, as_json=as_json, offline=offline)


def _check(session: Session) -> Answer:
    from builder import pipeline
    from builder.cli.verdict import answer_of

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read(workshop), workshop)
    results = pipeline.structure(pipeline.case(stacked, workshop, to_build=False))
    return answer_of(results, what=f"release {stacked.release.name}, as far as files and trees go,")
