"""What a probe is: typed settings in, one observation out, measured on a bench.

A probe is one module that makes such a value from its own settings and observation, both frozen dataclasses in
`verify/model`; `verify/probe/registry.py` lists them all. Its recipe's version is part of every key, so that a probe
which measures otherwise than before never meets its own old records.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from verify.model.observation import ProbeObservation
from verify.probe.session import Bench

S = TypeVar("S")
O = TypeVar("O", bound=ProbeObservation)  # noqa: E741 (an observation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe(Generic[S, O]):
    """One probe: its recipe's version, whether times matter, and how a bench gives an observation from settings.

    A `timed` probe's records count only for the processor they were made on. `told` puts an observation in a few
    words for the progress display. One that is `by_bindings` calls the engine's library and is given bindings. Where a
    `tool` of the system measures, its name and version are part of the key; asking raises where it is not there.
    """

    recipe: str
    timed: bool
    settings: type[S]
    observation: type[O]
    run: Callable[[Bench, S], O]
    told: Callable[[O], str]
    by_bindings: bool = False
    tool: Callable[[], str] | None = None


AnyProbe = Probe[Any, Any]
