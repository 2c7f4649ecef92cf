"""What a measurement may take, from like ones that were made before. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from verify.model.evidence import Evidence, ProbeNeed


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The median of `of` earlier ones, in seconds; `alike` when settings and model were these very ones."""

    seconds: float
    of: int
    alike: bool


def expected(need: ProbeNeed, model: str | None, records: Iterable[Evidence]) -> Expected | None:
    """What a probe may take: by its own settings on any builds, else by any of its kind; `model` is a SHA-256."""
    asked = {f"setting.{name}": value for name, value in need.settings} | {"model": model or "none"}
    same, alike = [], []
    for record in records:
        if record.key.kind == need.probe:
            same.append(record.seconds)
            parts = dict(record.key.parts)
            if all(parts.get(name) == value for name, value in asked.items()):
                alike.append(record.seconds)
    chosen = alike or same
    return Expected(seconds=round(median(chosen), 1), of=len(chosen), alike=bool(alike)) if chosen else None
