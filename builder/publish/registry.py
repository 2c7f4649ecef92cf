"""Publishes to an OCI registry: blobs first, manifests by digest, and the tag, which makes all of it visible, last.

Takes a release's content (`artifact.py`). Whatever is there already is not sent again, so that a run that was killed
is gone on with. A tag with other content is refused; the registry has no way to set a tag only where there is none, so
it is asked once more right before, and read back right after.

The client is our own: the libraries at hand print manifests anew, so that digests would be theirs. Format: OCI
distribution specification 1.0. Credentials come from two environment variables and go to the registry, or to the
server that it names for tokens, over HTTPS alone.
"""

import base64
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode, urljoin, urlsplit

from builder.publish.artifact import Content, digest_of
from builder.publish.http import Answer, ask
from builder.publish.outcome import How, Published, name_taken
from builder.publish.target import RegistryTarget
from verify.bundle.image import INDEX_TYPE, MANIFEST_TYPE
from verify.model.diagnostic import Diagnostic, EnvironmentFault

USER = "STACKPROOF_REGISTRY_USER"
TOKEN = "STACKPROOF_REGISTRY_TOKEN"  # noqa: S105 - the name of the variable that holds it

_FIELD = re.compile(r'(\w+)="([^"]*)"')
_OK, _CREATED, _ACCEPTED, _NO_CONTENT, _UNAUTHORIZED, _NOT_FOUND = 200, 201, 202, 204, 401, 404
_MOVED = frozenset({301, 302, 303, 307, 308})
_HOPS = 3
Ask = Callable[..., Answer]


def publish_to_registry(content: Content, *, target: RegistryTarget, tag: str, asking: Ask = ask) -> Published:
    """The content under `tag`; `asking` sends one request."""
    registry = Registry(target=target, asking=asking)
    where = f"oci:{target.host}/{target.repository}:{tag}"
    digest = digest_of(content.index)
    met = registry.manifest(tag)
    if met is not None and met != content.index:
        raise name_taken(where, met=digest_of(met), expected=digest)
    how = How.NEW if met is None else How.UNCHANGED
    sent = sum(registry.push_blob(name, data) for name, data in sorted(content.blobs.items()))
    for name, manifest in sorted(content.manifests.items()):
        registry.push_manifest(name, manifest, MANIFEST_TYPE)
    registry.push_manifest(digest, content.index, INDEX_TYPE)
    if how is How.NEW:
        met = registry.manifest(tag)
        if met is not None and met != content.index:
            raise name_taken(where, met=digest_of(met), expected=digest)
        registry.push_manifest(tag, content.index, INDEX_TYPE)
        met = registry.manifest(tag)
        if met != content.index:
            raise name_taken(where, met="nothing" if met is None else digest_of(met), expected=digest)
    return Published(where=where, how=how, notes=(f"{digest}, {sent} of {len(content.blobs)} blobs sent",))


@dataclass(kw_only=True)
class Registry:
    """A repository of a registry; it remembers the token that it was given."""

    target: RegistryTarget
    asking: Ask = ask
    _headers: dict[str, str] = field(default_factory=dict)

    def manifest(self, reference: str) -> bytes | None:
        """The bytes under a tag or digest; None when there is nothing."""
        accept = {"Accept": f"{INDEX_TYPE}, {MANIFEST_TYPE}"}
        answer = self._ask("GET", f"manifests/{reference}", headers=accept)
        if answer.status == _NOT_FOUND:
            return None
        self._expect(answer, _OK, f"read the manifest {reference}")
        return answer.body

    def blob(self, digest: str) -> bytes | None:
        """The bytes of a blob; None when it is not there.

        Large registries send whoever reads a blob on to the store behind them. There nothing is said of who we are, and
        what comes back has to have the digest all the same.
        """
        answer = self._ask("GET", f"blobs/{digest}")
        for _ in range(_HOPS):
            place = urljoin(f"{self.target.url}/", answer.headers.get("location", ""))
            if answer.status not in _MOVED or not place.startswith(("https://", f"{self.target.url}/")):
                break
            answer = self.asking("GET", place, headers={}, body=None)
        if answer.status == _NOT_FOUND:
            return None
        self._expect(answer, _OK, f"read the blob {digest}")
        return answer.body

    def push_blob(self, digest: str, data: bytes) -> bool:
        """Send a blob unless it is there; True when it was sent."""
        if self._ask("HEAD", f"blobs/{digest}").status == _OK:
            return False
        started = self._ask("POST", "blobs/uploads/", body=b"")
        self._expect(started, _ACCEPTED, f"start the upload of {digest}")
        place = urljoin(f"{self.target.url}/", started.headers.get("location", ""))
        if urlsplit(place)[:2] != urlsplit(self.target.url)[:2]:
            raise self._refused(started, "upload anywhere but at the registry itself")
        joined = f"{place}{'&' if '?' in place else '?'}{urlencode({'digest': digest})}"
        done = self._ask_url("PUT", joined, {"Content-Type": "application/octet-stream"}, data)
        self._expect(done, _CREATED, f"upload {digest}")
        return True

    def push_manifest(self, reference: str, data: bytes, kind: str) -> None:
        """Put a manifest under its digest or a tag."""
        answer = self._ask("PUT", f"manifests/{reference}", headers={"Content-Type": kind}, body=data)
        self._expect(answer, _CREATED, f"put the manifest {reference}")

    def _ask(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, body: bytes | None = None
    ) -> Answer:
        return self._ask_url(method, f"{self.target.url}/v2/{self.target.repository}/{path}", headers or {}, body)

    def _ask_url(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Answer:
        answer = self.asking(method, url, headers={**headers, **self._headers}, body=body)
        if answer.status == _UNAUTHORIZED and self._authenticate(answer):
            answer = self.asking(method, url, headers={**headers, **self._headers}, body=body)
        return answer

    def _authenticate(self, answer: Answer) -> bool:
        """Get what the registry asks for; False when there is nothing to give."""
        challenge = answer.headers.get("www-authenticate", "")
        user, token = os.environ.get(USER, ""), os.environ.get(TOKEN, "")
        basic = {"Authorization": f"Basic {base64.b64encode(f'{user}:{token}'.encode()).decode()}"} if token else {}
        if challenge.lower().startswith("basic") and basic:
            self._headers = basic
            return True
        if not challenge.lower().startswith("bearer"):
            return False
        fields = dict(_FIELD.findall(challenge))
        realm = fields.get("realm", "")
        if not realm.startswith(("https://", f"{self.target.url}/")):
            return False
        scope = f"repository:{self.target.repository}:{'pull,push' if token else 'pull'}"
        query = urlencode({"service": fields.get("service", ""), "scope": scope})
        given = self.asking("GET", f"{realm}?{query}", headers=basic, body=None)
        try:
            found = json.loads(given.body) if given.status == _OK else {}
            bearer = found.get("token") or found.get("access_token")
        except (ValueError, AttributeError):
            return False
        self._headers = {"Authorization": f"Bearer {bearer}"} if isinstance(bearer, str) else {}
        return bool(self._headers)

    def _expect(self, answer: Answer, status: int, what: str) -> None:
        if answer.status not in {status, _NO_CONTENT if status == _ACCEPTED else status}:
            raise self._refused(answer, what)

    def _refused(self, answer: Answer, what: str) -> EnvironmentFault:
        denied = answer.status in {_UNAUTHORIZED, 403}
        step = f"set {USER} and {TOKEN} to a name and a token that may write there" if denied else "publish again"
        return EnvironmentFault(
            Diagnostic(
                code="registry-refused",
                message=f"the registry {self.target.host} refuses to {what}",
                notes=(
                    f"status {answer.status}",
                    *answer.body.decode("utf-8", "replace").strip().splitlines()[:2],
                    "a tag comes last: what is visible there is whole",
                ),
                help=step,
            )
        )
