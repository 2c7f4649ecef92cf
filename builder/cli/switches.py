"""`stackproof switches`: the environment variables that the stack reads, and those that it declares."""

from typing import TYPE_CHECKING

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from verify.gates.switches import SwitchRead


def switches(project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """List every environment variable that added lines of the tip read, beside those that blocks declare.

    Told are variables that no block declares, declared ones that nothing reads, and reads that ask only whether a
    variable is set. Exit status 1 when there is such a fault; a gate of kind `switches` says the same.

    Examples: stackproof switches; stackproof switches --json
    """
    run("switches", _switches, root=project, as_json=as_json, offline=offline)


def _switches(session: Session) -> Answer:
    from builder import pipeline
    from builder.cli.tables import table
    from builder.cli.verdict import findings_of
    from verify.gates import switches as kind
    from verify.model.diagnostic import ExitCode
    from verify.model.ids import show_path
    from verify.model.verdict import Passed

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    case = pipeline.case(stacked, workshop)
    traced = case.trace()
    reads = kind.switch_reads(traced) if traced is not None else ()
    declared = [(block, switch) for block in stacked.release.blocks for switch in block.switches]
    params = next((g.params for g in stacked.release.all_gates() if g.kind == kind.KIND.name), None)
    outcome = kind.check(params if isinstance(params, kind.Params) else kind.Params(), case)
    by_name: dict[str, list[SwitchRead]] = {switch.name: [] for _, switch in declared}
    for read in reads:
        by_name.setdefault(read.name or "(not a literal)", []).append(read)
    owners = {switch.name: block.name for block, switch in declared}
    rows = [
        (name, owners.get(name, "nobody"), ", ".join(f"{show_path(r.path)}:{r.line}" for r in found) or "never read")
        for name, found in by_name.items()
    ]
    return Answer(
        text=f"{table(('variable', 'declared by', 'read at'), rows)}\n\n{outcome.summary}",
        data={
            "switches": [
                {"name": switch.name, "block": block.name, "off": switch.off, "about": switch.about}
                for block, switch in declared
            ],
            "reads": [_data(read) for read in reads],
        },
        diagnostics=findings_of(outcome),
        exit=ExitCode.HOLDS if isinstance(outcome, Passed) else ExitCode.DOES_NOT_HOLD,
    )


def _data(read: "SwitchRead") -> dict[str, object]:
    from verify.model.ids import show_path

    return {
        "name": read.name,
        "block": read.block,
        "fold": read.fold,
        "path": show_path(read.path),
        "line": read.line,
        "patch_line": read.patch_line,
        "presence_only": read.presence_only,
    }
