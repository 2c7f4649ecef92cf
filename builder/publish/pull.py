"""Gets a bundle back out of a registry: every member by its digest, whole or not at all.

Takes a repository and a release's name; gives the members. Nothing that the registry says is believed: names must be
those that a bundle can have, and bytes must have the digest that named them. Whether the bundle holds is for
`python -m verify` to say, with a base that does not come from there.
"""

import json
import re
from typing import Any

from builder.publish.artifact import BUNDLE_TYPE, TITLE, digest_of
from builder.publish.http import ask
from builder.publish.registry import Ask, Registry
from builder.publish.target import RegistryTarget
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import ReleaseName

_MEMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*(?:/[A-Za-z0-9][A-Za-z0-9._+-]*){0,11}")
_MOST = 20_000


def pull(target: RegistryTarget, name: ReleaseName, *, asking: Ask = ask) -> dict[str, bytes]:
    """The members of the bundle under the tag `name`."""
    registry = Registry(target=target, asking=asking)
    where = f"oci:{target.host}/{target.repository}:{name}"
    index = registry.manifest(name)
    if index is None:
        raise InputFault(
            Diagnostic(
                code="pull-nothing-there",
                message=f"{where} is not there",
                help=f"stackproof publish --to oci:{target.host}/{target.repository}",
            )
        )
    try:
        named = next(
            each["digest"] for each in json.loads(index)["manifests"] if each.get("artifactType") == BUNDLE_TYPE
        )
        manifest = _whole(registry.manifest(named), named, where)
        layers: Any = json.loads(manifest)["layers"]
        found = {layer["annotations"][TITLE]: layer["digest"] for layer in layers}
    except (StopIteration, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _broken(where, "it is no release with a bundle") from error
    if len(found) != len(layers) or len(found) > _MOST:
        raise _broken(where, "its members have not one name each, or are too many")
    odd = [member for member in found if not isinstance(member, str) or _MEMBER.fullmatch(member) is None]
    if odd:
        raise _broken(where, f"a bundle has no member named {odd[0]!r:.80}")
    return {member: _whole(registry.blob(digest), digest, where) for member, digest in sorted(found.items())}


def _whole(data: bytes | None, digest: str, where: str) -> bytes:
    if data is None or digest_of(data) != digest:
        raise _broken(where, f"{digest} is not there, or is other content")
    return data


def _broken(where: str, why: str) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="pull-broken",
            message=f"what stands under {where} cannot be taken: {why}",
            notes=("nothing was written",),
            help="publish the release again, or ask whoever keeps the registry",
        )
    )
