"""What `stackproof gate` was asked for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The gates by name (all for none), what to do with them, and how."""

    names: tuple[str, ...]
    plan: bool
    why: bool
    mutate: bool
    quick: bool
    markdown: bool
    hardware: frozenset[str]
    fresh: bool
    executor: str | None
