"""`stackproof gate --plan`: every build, session and comparison that gates ask for, and what it may take."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from builder.cli.session import Answer
from builder.cli.tables import table
from builder.likeness import expected
from builder.plan import builds_of, needs_of
from verify.gates.case import Case
from verify.gates.kinds import KINDS
from verify.model.evidence import AbiNeed, Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.wording import count
from verify.probe.run import probe_title

if TYPE_CHECKING:
    from builder.measure import Bench


def plan_answer(bench: "Bench", case: Case, gates: Sequence[GateDecl]) -> Answer:
    """What would be done. A probe's key names the builds it runs on, so it is known only once they are made."""
    gates_here = bench.measurable(gates)
    needs = needs_of(gates_here, case)
    builds = bench.plan_builds(case, builds_of(needs, case))
    case = bench.build(case, [step for step in builds if step.known])
    probes, case = bench.plan_probes(case, needs)
    case = bench.abi(case, needs, only_known=True)
    planned = {step.need: step for step in probes}
    rows: list[dict[str, object]] = []
    expects = bench.estimates(builds)
    for step in builds:
        estimate = expects.get(step.key.digest)
        rows.append(
            {
                "step": "build",
                "what": f"{bench.title(case, step.need)} ({step.need.configuration})",
                "arms": [],
                "known": step.known,
                "why": step.why,
                "seconds": estimate.wall_seconds if estimate else None,
                "key": step.key.digest,
            }
        )
    models = {pin.name: pin.sha256 for pin in case.release.models}
    for need in needs:
        if isinstance(need, ProbeNeed):
            probe = planned.get(need)
            known = probe is not None and probe.known
            model = models.get(need.model) if need.model is not None else None
            took = None if known else expected(need, model, bench.evidence.every(need.probe))
            rows.append(
                {
                    "step": "probe",
                    "what": probe_title(need),
                    "arms": [_arm(bench, case, need, number) for number in range(len(need.arms))],
                    "known": known,
                    "why": probe.why if probe else "after its builds are made",
                    "seconds": took.seconds if took else None,
                    "key": probe.key.digest if probe else None,
                }
            )
        elif isinstance(need, AbiNeed):
            sides = [bench.title(case, need.below), bench.title(case, need.build)]
            rows.append(
                {
                    "step": "interface",
                    "what": f"libraries ({need.build.configuration})",
                    "arms": sides,
                    "known": need in case.abi,
                    "why": "evidence stands" if need in case.abi else "not compared yet",
                    "seconds": None,
                    "key": case.abi[need].key if need in case.abi else None,
                }
            )
    asking = _asking(gates_here, case)
    for row, need in zip(
        rows[len(builds) :], (each for each in needs if isinstance(each, ProbeNeed | AbiNeed)), strict=True
    ):
        row["gates"] = asking[need]
    deferred = [gate for gate in gates if gate not in gates_here]
    return Answer(text=_text(rows, deferred), data={"plan": rows, "deferred": [gate.name for gate in deferred]})


def _arm(bench: "Bench", case: Case, need: ProbeNeed, number: int) -> str:
    arm = need.arms[number]
    env = "".join(f" {name}={value}" for name, value in arm.env)
    return f"{arm.name}: {bench.title(case, arm.build)}{env}"


def _asking(gates: Sequence[GateDecl], case: Case) -> dict[Need, list[str]]:
    """The gates that ask for each need."""
    found: dict[Need, list[str]] = {}
    for gate in gates:
        for need in dict.fromkeys(KINDS[gate.kind].needs(gate.params, case.of(gate))):
            found.setdefault(need, []).append(gate.name)
    return found


def _text(rows: Sequence[dict[str, object]], deferred: Sequence[GateDecl]) -> str:
    shown = []
    for row in rows:
        state = "known" if row["known"] else "to do"
        takes = "" if row["seconds"] is None else f"{row['seconds']:.0f} s"
        arms = row["arms"]
        assert isinstance(arms, list)
        shown.append((row["step"], row["what"], state, takes, row["why"]))
        shown += [("", f"  {arm}", "", "", "") for arm in arms]
        if isinstance(gates := row.get("gates"), list):
            shown.append(("", f"  asked by {', '.join(gates)}", "", "", ""))
    text = table(("", "what", "state", "about", "why"), [tuple(map(str, row)) for row in shown])
    to_do = [row for row in rows if not row["known"]]
    told = [seconds for row in to_do if isinstance(seconds := row["seconds"], float)]
    if to_do:
        text += f"\n\n{count(len(to_do), 'step')} to do, about {sum(told):.0f} s by what like ones took"
        text += f" ({len(to_do) - len(told)} of them unknown)" if len(told) < len(to_do) else ""
    for gate in deferred:
        text += f"\n{gate.name} waits for evidence from `{gate.hardware}`"
    return text
