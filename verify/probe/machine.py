"""The hardware class that a measurement stands for: part of its key, so that foreign figures are never taken over."""

import os
import platform
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """`architecture` is what token ids depend on; times depend on `processor` as well."""

    architecture: str
    processor: str


def this_machine() -> Machine:
    """The machine we run on."""
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        described = ""
    return Machine(architecture=platform.machine(), processor=_processor(described, os.cpu_count() or 1))


def _processor(described: str, count: int) -> str:
    """Model name, number of processors, and a digest of the feature flags."""
    fields: dict[str, str] = {}
    for line in described.splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    flags = " ".join(sorted(fields.get("flags", fields.get("Features", "")).split()))
    model = fields.get("model name", "unknown")
    return f"{model}, {count} processors, flags {sha256(flags.encode()).hexdigest()[:16]}"
