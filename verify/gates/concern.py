"""Which gates are about what a block does; shared by what asks all gates, not a gate itself."""

from verify.gates.kinds import KINDS
from verify.model.gate import GateDecl
from verify.model.ids import BlockName

_ABOUT_BUILDS = frozenset({"build", "warnings", "requires", "abi"})


def behavioural(gate: GateDecl) -> bool:
    """Whether a gate looks at what the built engine does; files, trees and builds notice every change."""
    return not KINDS[gate.kind].structural and gate.kind not in _ABOUT_BUILDS


def own_gates(gates: tuple[GateDecl, ...], block: BlockName) -> tuple[GateDecl, ...]:
    """The behavioural gates that the block declares."""
    return tuple(gate for gate in gates if gate.block == block and behavioural(gate))


def shared_gates(gates: tuple[GateDecl, ...]) -> tuple[GateDecl, ...]:
    """The behavioural gates that the release declares: they are every block's concern."""
    return tuple(gate for gate in gates if gate.block is None and behavioural(gate))
