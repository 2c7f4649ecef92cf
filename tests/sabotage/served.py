"""A server that keeps more than it should, or that was weighed in vain."""

from dataclasses import replace
from typing import Any

from tests.gates.good import probe_of
from tests.sabotage.ways import Way, broken, unknown, unprobed
from verify.gates.case import Case
from verify.model.ids import Sha256
from verify.model.observation import LoadedFile
from verify.model.served_memory import ServedMemoryObservation

_CYCLES = 12
_STRANGE = (LoadedFile(name="llama-server", sha256=Sha256("5" * 64), built=True),)


def held(name: str = "tip", **fields: Any) -> Way:
    """One arm was seen otherwise."""

    def way(case: Case) -> Case:
        need = probe_of(case, "server")
        seen = case.seen(need, ServedMemoryObservation)
        arms = tuple(replace(arm, **fields) if arm.arm == name else arm for arm in seen.arms)
        recorded = replace(case.probes[need], observation=replace(seen, arms=arms))
        return replace(case, probes={**case.probes, need: recorded})

    return way


SABOTAGES = (
    broken(
        "a request leaves something behind",
        "server",
        "server-memory-grows",
        held(anonymous_kib=tuple(30_000 + 200 * number for number in range(_CYCLES))),
    ),
    broken(
        "a server keeps more than upstream's",
        "server",
        "server-memory-over-upstream",
        held(anonymous_kib=(36_000,) * _CYCLES),
    ),
    unknown("no request was answered", "server", "session-incomplete", held(tokens=0)),
    unknown("a server was weighed too seldom", "server", "session-incomplete", held(anonymous_kib=(30_000,))),
    unknown("upstream's server was not weighed", "server", "session-incomplete", held("upstream", tokens=0)),
    unknown("another server was weighed", "server", "foreign-library", held(loaded=_STRANGE)),
    unknown("no server was weighed", "server", "not-probed", unprobed("server")),
)
