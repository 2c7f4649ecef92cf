"""The gates that apply to a release: the declared ones, and those that always apply.

A release cannot opt out of a standing kind: where it declares no required gate of one, it gets one with the kind's
own name and default parameters.
"""

from collections.abc import Mapping

from verify.gates.kind import AnyKind
from verify.gates.kinds import KINDS
from verify.model.diagnostic import Place
from verify.model.gate import GateDecl
from verify.model.ids import GateName
from verify.model.release import Release


def gates_of(release: Release, kinds: Mapping[str, AnyKind] = KINDS) -> tuple[GateDecl, ...]:
    """Standing gates first, then release.json's, then each block's in stack order."""
    declared = release.all_gates()
    required = {gate.kind for gate in declared if gate.required}
    standing = tuple(
        GateDecl(
            name=GateName(kind.name),
            kind=kind.name,
            required=True,
            block=None,
            params=kind.params(),
            place=Place(file="release.json"),
        )
        for kind in kinds.values()
        if kind.standing and kind.name not in required
    )
    return standing + declared


def is_structural(gate: GateDecl, kinds: Mapping[str, AnyKind] = KINDS) -> bool:
    """Whether the gate is decided by files and trees alone, with nothing built or run."""
    return gate.kind in kinds and kinds[gate.kind].structural
