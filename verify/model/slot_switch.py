"""Two conversations that take turns on a server with two slots: how the probe `slot-switch` is run."""

from dataclasses import dataclass

from verify.model.session import Drawn, Mark, Rounds, ServerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotSwitchSettings:
    """Each conversation begins with `history` tokens and goes on `turns` times by `fresh` ones; none names a slot.

    Last, each goes on once more and is answered by `generate` tokens with their probabilities.

    `cache_mib` is the size of the server's cache of prompts in host memory, `similarity` the part of a prompt that a
    slot must hold to be chosen for it.
    """

    server: ServerSettings
    drawn: Drawn
    history: int
    fresh: int
    turns: int
    generate: int
    probabilities: int
    cache_mib: int
    similarity: float
    rounds: Rounds
    marks: tuple[Mark, ...]
