"""`stackproof report`: the release as one page, and its gates for CI systems and code hosts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.report.facts import Facts
    from verify.report.sarif import Told


def report(
    project: Project = HERE,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to write the page (default: dist/RELEASE.html)")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Also the gates as JUnit XML")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Also the findings as SARIF")] = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Write the release as one HTML page, from the evidence at hand; build and measure nothing.

    The page needs no network and no script. What was not measured is undecided. Exit status as the gates say.

    Examples: stackproof report; stackproof report --out page.html --junit gates.xml --sarif findings.sarif
    """
    run(
        "report",
        lambda session: _report(session, out=out, junit=junit, sarif=sarif),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _report(session: Session, *, out: Path | None, junit: Path | None, sarif: Path | None) -> Answer:
    from dataclasses import replace

    from builder import pipeline
    from builder.cli.verdict import answer_of
    from builder.report.gather import gather
    from builder.report.make_view import view_of
    from builder.report.page import render
    from verify.gates.battery import gates_of
    from verify.judge import subject_of
    from verify.model.diagnostic import Fault
    from verify.report.junit import junit as render_junit
    from verify.report.junit import junit_of_faults
    from verify.report.sarif import Told, told_by

    workshop = session.workshop()
    try:
        release = pipeline.read(workshop)
        facts = gather(release, workshop)
    except Fault as fault:
        # CI wants to show what is wrong at its line above all when nothing could be judged
        if junit is not None:
            _write(junit, junit_of_faults(session.root.name, fault.diagnostics))
        if sarif is not None:
            told = [Told(found=each, gate="", end="fail") for each in fault.diagnostics]
            _write(sarif, _sarif(told, frozenset(), {}))
        raise
    page = out or session.root / "dist" / f"{release.name}.html"
    written = [_write(page, render(view_of(facts)))]
    if junit is not None:
        seconds = {each.key.digest: each.seconds for each in facts.records}
        written.append(_write(junit, render_junit(subject_of(facts.case), facts.results, seconds)))
    if sarif is not None:
        places = {f"{gate.block}/{gate.name}" if gate.block else gate.name: gate.place for gate in gates_of(release)}
        told = [replace(each, declared=places.get(each.gate)) for each in told_by(facts.results)]
        told += [Told(found=each, gate="", end="open") for each in facts.troubles]
        written.append(_write(sarif, _sarif(told, _patches(facts), _about(facts))))
    judged = answer_of(facts.results, what=f"release {release.name}", more={"files": written}, also=facts.troubles)
    lines = [judged.text.rsplit("\n", 1)[-1], *(f"{each['file']} ({each['size']:,} bytes)" for each in written)]
    return Answer(text="\n".join(lines), data=judged.data, diagnostics=facts.troubles, exit=judged.exit)


def _write(path: Path, data: bytes) -> dict[str, object]:
    from hashlib import sha256

    from builder.write import write_file

    path = path.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, data)
    return {"file": str(path), "size": len(data), "sha256": sha256(data).hexdigest()}


def _sarif(told: "list[Told]", patches: frozenset[str], about: dict[str, str]) -> bytes:
    from importlib.metadata import version

    from verify.explain.catalogue import explanations
    from verify.report.sarif import sarif

    return sarif(told, patches=patches, explained=explanations(), version=version("stackproof"), about=about)


def _patches(facts: "Facts") -> frozenset[str]:
    return frozenset(fold.patch_file for block in facts.case.release.blocks for fold in block.folds)


def _about(facts: "Facts") -> dict[str, str]:
    from verify.judge import subject_of

    subject = subject_of(facts.case)
    return {"release": subject.release, "declared": subject.digest, "tree": subject.tip_tree or ""}
