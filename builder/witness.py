"""Who measured, where and when: what an evidence record says of its making.

The environment says who: `STACKPROOF_WITNESS` (a role and a name, as in `maintainer Grace Hopper`), else `ci` where
`CI` is set, else `local`. The machine is told by system, architecture and processor, never by its name or its user's.
"""

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import Evidence, Key
from verify.model.trust import Role
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
        named = " ".join(os.environ.get("STACKPROOF_WITNESS", "").split())
        by = named or ("ci" if os.environ.get("CI", "").lower() in ("1", "true", "yes") else "local")
        if named and named.partition(" ")[0] not in {role.value for role in Role}:
            raise EnvironmentFault(_no_role(named))
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


def _no_role(named: str) -> Diagnostic:
    roles = ", ".join(role.value for role in Role)
    return Diagnostic(
        code="witness-without-role",
        message=f"STACKPROOF_WITNESS does not begin with a role: `{named[:80]}`",
        notes=(f"roles: {roles}",),
        help="export STACKPROOF_WITNESS='maintainer Grace Hopper'",
    )
