"""Gates by the names that people give: all for none, a block's own also as `block/gate`."""

import difflib

from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.gate import GateDecl


def chosen(gates: tuple[GateDecl, ...], names: tuple[str, ...]) -> tuple[GateDecl, ...]:
    """The gates of these names, in the release's order; refuses a name that there is not."""
    if not names:
        return gates
    known = {name for each in gates for name in _spellings(each)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputFault(*(_no_such_gate(name, known) for name in unknown))
    return tuple(each for each in gates if _spellings(each) & set(names))


def _spellings(gate: GateDecl) -> set[str]:
    return {gate.name, f"{gate.block}/{gate.name}"} if gate.block else {gate.name}


def _no_such_gate(name: str, known: set[str]) -> Diagnostic:
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return Diagnostic(
        code="unknown-gate",
        message=f"there is no gate `{name}`",
        notes=(f"did you mean `{near[0]}`?",) if near else (),
        help="stackproof gate --list",
    )
