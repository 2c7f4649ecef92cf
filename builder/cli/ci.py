"""`stackproof ci`: the workflow of a hosted CI, from the same plan, and the look at a pull request there."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, Fault, InputFault, Place


def ci(
    host: Annotated[str, typer.Argument(metavar="github|gitlab|review", help="Whose workflow to write, or `review`")],
    revisions: Annotated[
        str | None, typer.Argument(metavar="[BASE..HEAD]", help="With `review`: the pull request's commits")
    ] = None,
    project: Project = HERE,
    check: Annotated[bool, typer.Option("--check", help="Compare the file that is there and write nothing")] = False,
    install: Annotated[
        str, typer.Option("--install", metavar="COMMAND", help="How the software gets there")
    ] = "make .venv/.run",
    program: Annotated[
        str, typer.Option("--program", metavar="COMMAND", help="How it is called then")
    ] = ".venv/bin/stackproof",
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Write the workflows: files and trees, a matrix of all configurations, and the release that a tag starts.

    Each may do the least that it needs; run it again when configurations change. `review` checks a pull request on the
    project: as `check` does, with every finding as an annotation at its line, and what changed in words.

    Examples: stackproof ci github; stackproof ci gitlab --check; stackproof ci review origin/main..HEAD
    """
    if host == "review":
        run("ci-review", lambda session: _review(session, revisions), root=project, as_json=as_json, offline=offline)
    run(
        "ci",
        lambda session: _ci(session, host, revisions, check=check, install=install, program=program),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _ci(session: Session, host: str, revisions: str | None, *, check: bool, install: str, program: str) -> Answer:
    from builder import pipeline
    from builder.ci import GITLAB, Setup, gitlab, packages_of, parts_of
    from builder.github import workflows
    from builder.plan import builds_of, needs_of
    from builder.write import project_lock, write_files
    from verify.gates.battery import gates_of

    if host not in ("github", "gitlab"):
        raise InputFault(
            Diagnostic(
                code="ci-unknown",
                message=f"there is no workflow for `{host}`",
                help="stackproof ci github, or stackproof ci gitlab",
            )
        )
    if revisions is not None:
        raise InputFault(_no_revisions(host))
    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    case = pipeline.case(stacked, workshop)
    gates = [gate for gate in gates_of(case.release) if gate.kind == "build"]
    count = Counter(need.configuration for need in builds_of(needs_of(gates, case), case))
    parts = parts_of([(each.name, count[each.name]) for each in case.release.configurations])
    packages = packages_of(gate.kind for gate in case.release.all_gates())
    setup = Setup(install=install, program=program, packages=packages)
    image = case.release.artifacts.image is not None
    texts = workflows(parts, setup, image=image) if host == "github" else {GITLAB: gitlab(parts, setup)}
    stale = {file: text for file, text in texts.items() if _met(session.root / file) != text}
    data = {
        "files": list(texts),
        "parts": [{"name": each.name, "command": each.command, "builds": each.builds} for each in parts],
    }
    if not stale:
        return Answer(text=f"{', '.join(texts)}: what the plan says", data={**data, "written": False})
    if check:
        return Answer(
            text="",
            data={**data, "written": False},
            diagnostics=tuple(_stale(session.root, host, file) for file in stale),
            exit=ExitCode.DOES_NOT_HOLD,
        )
    with project_lock(session.root, tell=lambda _: None):
        for file in stale:
            (session.root / file).parent.mkdir(parents=True, exist_ok=True)
        write_files(session.root, {file: text.encode() for file, text in stale.items()})
    return Answer(
        text=f"wrote {', '.join(stale)}: {', '.join(each.name for each in parts)}, release",
        data={**data, "written": True},
    )


def _met(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _stale(root: Path, host: str, file: str) -> Diagnostic:
    there = (root / file).is_file()
    return Diagnostic(
        code="ci-stale",
        message=f"{file} is not what the plan says" if there else f"{file} is not there",
        place=Place(file=file),
        help=f"stackproof ci {host}",
    )


def _no_revisions(host: str) -> Diagnostic:
    return Diagnostic(
        code="ci-range",
        message=f"a workflow for `{host}` is about no commits",
        help="stackproof ci review BASE..HEAD",
    )


def _review(session: Session, revisions: str | None) -> Answer:
    from builder import pipeline
    from builder.cli.verdict import answer_of, findings_of
    from builder.review.pull_changes import told_changes
    from builder.review.pull_request import annotation, open_repository, read_range

    repository = open_repository(session.root)
    base, head = read_range(repository, revisions or "")
    workshop = session.workshop()
    try:
        stacked = pipeline.stack(pipeline.read(workshop), workshop)
        case = pipeline.case(stacked, workshop, to_build=False)
    except Fault as fault:
        shown = [annotation(each, repository.prefix) for each in fault.diagnostics]
        data = {"base": base, "head": head, "words": [], "annotations": shown}
        text = "\n".join(shown)
        return Answer(text=text, data=data, diagnostics=fault.diagnostics, exit=ExitCode.CANNOT_JUDGE)
    results = pipeline.structure(case)
    told = told_changes(repository, base, head, case)
    answer = answer_of(results, what=f"the pull request on release {stacked.release.name}")
    found = [*dict.fromkeys(each for result in results for each in findings_of(result.outcome)), *told.owed]
    shown = [annotation(each, repository.prefix) for each in found]
    return Answer(
        text="\n".join([*shown, *told.words, "", answer.text]),
        data={**answer.data, "base": base, "head": head, "words": list(told.words), "annotations": shown},
        diagnostics=(*answer.diagnostics, *told.owed),
        exit=answer.exit,
    )
