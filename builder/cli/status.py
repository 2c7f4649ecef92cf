"""`stackproof status`: what is declared, what is proven, what is missing. Changes nothing and measures nothing."""

from typing import TYPE_CHECKING

from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run
from verify.model.wording import count as counted

if TYPE_CHECKING:
    from verify.model.release import Release


def status(project: Project = HERE, as_json: AsJson = False) -> None:
    """Show the release, its blocks and folds, and which builds and measurements are known.

    Nothing is fetched, built or run.

    Examples: stackproof status; stackproof status -C ../fork --json
    """
    run("status", _status, root=project, as_json=as_json, offline=True)


def _status(session: Session) -> Answer:
    from builder import measure, pipeline
    from builder.cli.tables import table
    from verify.model.diagnostic import Fault, Severity

    workshop = session.workshop()
    release = pipeline.read_unpinned(workshop)
    pinned = "not pinned" if release.reference is None else f"tip {release.reference.tip_tree}"
    rows = [
        (
            block.name,
            f"{counted(len(block.folds), 'fold')}",
            ", ".join(switch.name for switch in block.switches),
            block.title,
        )
        for block in release.blocks
    ]
    lines = [f"release {release.name} of {release.engine}, {pinned}", "", table(("block", "", "switches", ""), rows)]
    data: dict[str, object] = {
        "release": release.name,
        "engine": release.engine,
        "pinned": release.reference is not None,
        "blocks": [
            {
                "name": block.name,
                "title": block.title,
                "folds": [{"id": fold.id, "subject": fold.subject} for fold in block.folds],
                "switches": [switch.name for switch in block.switches],
            }
            for block in release.blocks
        ],
        "gates": len(release.all_gates()),
    }
    lines += _accepted_and_owed(release)
    data |= {
        "deviations": [
            {"number": each.number, "gate": each.gate, "finding": each.finding, "names": list(each.names)}
            for each in release.deviations
        ],
        "hardware": {gate.name: gate.hardware for gate in release.all_gates() if gate.hardware},
    }
    try:
        stacked = pipeline.stack(release, workshop)
        bench = measure.Bench(stacked=stacked, workshop=workshop, fresh=False)
        known, wanted = bench.known(pipeline.case(stacked, workshop))
    except Fault as fault:
        lines += ["", "what is proven cannot be told:"]
        told = tuple(fault.diagnostics)
        return Answer(text="\n".join(lines), data=data | {"known": None}, diagnostics=told)
    lines += ["", f"{known} of {wanted} builds are known; `stackproof gate --plan` tells the rest"]
    findings = tuple(each for each in stacked.derived.findings if each.severity is Severity.ERROR)
    return Answer(text="\n".join(lines), data=data | {"known": {"builds": known, "of": wanted}}, diagnostics=findings)


def _accepted_and_owed(release: "Release") -> list[str]:
    """What is accepted, by whom and until what, and which gates wait for hardware."""
    lines = []
    for each in release.deviations:
        named = ", ".join(f"`{name}`" for name in each.names)
        until = f"{each.until.trigger} {each.until.value}".strip()
        lines.append(f"deviation {each.number}: {each.gate} may have {each.finding} with {named}, until {until}")
    for gate in release.all_gates():
        if gate.hardware:
            lines.append(f"gate {gate.name} needs `{gate.hardware}`")
    return ["", *lines] if lines else []
