"""The register of deviations changed in the project: an operation like any other, recorded and undone as one.

The file is printed anew where it stands as we print it. With comments or an order of somebody's own it is left alone,
and what to put there is told.
"""

from collections.abc import Callable
from pathlib import Path

from builder.edit.operations import record
from builder.register import Register, render_deviation, render_register
from verify.gates.battery import gates_of
from verify.gates.kinds import KINDS
from verify.manifest.deviations import read_register
from verify.manifest.document import open_document
from verify.manifest.mistakes import Mistakes
from verify.model.deviation import REGISTER
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.release import Release


def change_register(
    root: Path, release: Release, change: Callable[[Register], Register], *, summary: str, at: int
) -> int | None:
    """Write the changed register; the number that was given, None where none was. The caller has the project alone."""
    old = Register(accepted=release.deviations, ended=release.ended_deviations)
    new = change(old)
    place = root / REGISTER
    if place.exists() and place.read_text(encoding="utf-8") != render_register(old):
        raise InputFault(_by_hand(old, new, summary))
    written = render_register(new).encode("utf-8")
    _refuse_unreadable(written, release)
    record(root, command="deviations", summary=summary, contents={REGISTER: written}, at=at)
    return new.last() if len(new.accepted) > len(old.accepted) else None


def _refuse_unreadable(written: bytes, release: Release) -> None:
    """What is written must be read again: days, names, gates whose findings may be accepted."""
    mistakes = Mistakes()
    gates: dict[str, bool] = {gate.name: KINDS[gate.kind].waivable for gate in gates_of(release)}
    read_register(open_document(REGISTER, written, mistakes), gates=gates)
    mistakes.raise_if_any()


def _by_hand(old: Register, new: Register, summary: str) -> Diagnostic:
    entry = "".join(render_deviation(each) for each in new.accepted if each not in old.accepted)
    return Diagnostic(
        code="register-by-hand",
        message=f"{REGISTER} has comments or an order of somebody's own, which writing it anew would lose",
        place=Place(file=REGISTER),
        notes=(f"put there:\n{entry or summary}", f"and `last: {new.last()}`"),
        help="stackproof check",
    )
