"""A mini project that was released once."""

from dataclasses import dataclass

from tests.mini_engine.project import MiniProject
from tests.whole.command import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A pinned project that was released once, its cache, and what `release` said."""

    project: MiniProject
    said: Said
