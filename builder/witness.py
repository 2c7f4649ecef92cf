"""Who measured, where and when: what an evidence record says of its making.

Says `ci` where the environment says so, else `local`; the machine by system, architecture and processor, never by
its name or its user's.
"""

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from verify.model.evidence import Evidence, Key
from verify.probe.machine import this_machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """One measuring party on one machine."""

    made_by: str
    made_on: str

    @staticmethod
    def here() -> "Witness":
        """This process on this machine."""
        machine = this_machine()
        by = "ci" if os.environ.get("CI", "").lower() in ("1", "true", "yes") else "local"
        return Witness(made_by=by, made_on=f"{platform.system()} {machine.architecture}, {machine.processor}")

    def record(self, key: Key, observation: Mapping[str, object], seconds: float) -> Evidence:
        """A record of what was observed just now."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return Evidence(
            key=key,
            observation=observation,
            made_by=self.made_by,
            made_on=self.made_on,
            made_at=now,
            seconds=seconds,
        )
