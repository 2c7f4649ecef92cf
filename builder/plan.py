"""What has to be done: everything the gates need, less what is known already. Pure.

Needs are gathered from the gates, builds come first and in stack order, and each becomes a `Step` with its key and
whether evidence for that key stands. Probes are planned only after the builds they run on, since their keys name
what was really built.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from verify.gates.case import Case
from verify.gates.kinds import KINDS
from verify.model.evidence import AbiNeed, BuildNeed, Key, Need, ProbeNeed
from verify.model.gate import GateDecl

N = TypeVar("N", BuildNeed, ProbeNeed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[N]):
    """One need with its key; `known` when evidence stands and is to be believed; `why` in words."""

    need: N
    key: Key
    known: bool
    why: str


def needs_of(gates: Iterable[GateDecl], case: Case) -> tuple[Need, ...]:
    """All that the gates need, each once, in the order of asking."""
    needs: dict[Need, None] = {}
    for gate in gates:
        needs.update(dict.fromkeys(KINDS[gate.kind].needs(gate.params, case.of(gate))))
    return tuple(needs)


def builds_of(needs: Iterable[Need], case: Case) -> tuple[BuildNeed, ...]:
    """Every build that is needed, for itself or for a probe's arm, from the base upwards."""
    wanted: dict[BuildNeed, None] = {}
    for need in needs:
        match need:
            case BuildNeed():
                wanted[need] = None
            case ProbeNeed(arms=arms):
                wanted.update(dict.fromkeys(arm.build for arm in arms))
            case AbiNeed(below=below, build=build):
                wanted.update(dict.fromkeys((below, build)))
    heights = {tree: height for height, (_, tree) in enumerate(case.prefix_trees())}
    return tuple(sorted(wanted, key=lambda need: (need.configuration, heights.get(need.tree, len(heights)))))


def plan_steps(
    needs: Sequence[N], *, key_of: Callable[[N], Key], is_known: Callable[[Key], bool], fresh: bool
) -> tuple[Step[N], ...]:
    """One step a need; `fresh` believes no evidence."""
    steps: list[Step[N]] = []
    for need in needs:
        key = key_of(need)
        known = not fresh and is_known(key)
        why = "evidence stands" if known else "asked to be made afresh" if fresh else "no evidence for this key"
        steps.append(Step(need=need, key=key, known=known, why=why))
    return tuple(steps)
