"""A registry that keeps its own rules, in memory: uploads by digest, manifests only of what is there, tags.

It is asked like the real one, one request at a time, and can stop the client or refuse at any request.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

from builder.publish.http import Answer
from verify.bundle.image import INDEX_TYPE


class Killed(BaseException):
    """The client's process ends here."""


class RegistryInMemory:
    """`asked` counts requests; the one numbered `kill_before` or `kill_after` is the client's last.

    With `store`, the address of another server, blobs are read from there.
    """

    def __init__(self, *, kill_before: int = 0, kill_after: int = 0, token: str = "") -> None:
        self.blobs: dict[str, bytes] = {}
        self.manifests: dict[str, bytes] = {}
        self.tags: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.full_from = 0
        self.store = ""
        self._kill = (kill_before, kill_after)
        self._token = token

    def again(self) -> None:
        """Nobody is killed any more, and there is room."""
        self._kill, self.full_from = (0, 0), 0

    def ask(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        self.asked.append(f"{method} {urlsplit(url).path}")
        if len(self.asked) == self._kill[0]:
            raise Killed
        answer = self._answer(method, url, headers, body)
        if len(self.asked) == self._kill[1]:
            raise Killed
        return answer

    def _answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        parts = urlsplit(url)
        if self.store and url.startswith(self.store):
            assert "Authorization" not in headers
            found = self.blobs.get(parts.path.removeprefix("/"))
            return _said(404) if found is None else _said(200, found)
        if parts.path == "/token":
            return _said(200, json.dumps({"token": self._token}).encode())
        if self._token and headers.get("Authorization") != f"Bearer {self._token}":
            return Answer(
                status=401,
                headers={"www-authenticate": 'Bearer realm="http://127.0.0.1:5000/token",service="here"'},
                body=b"",
            )
        if self.full_from and len(self.asked) >= self.full_from and method in ("PUT", "POST"):
            return _said(500, b"no space left on device")
        _, kind, name = parts.path.removeprefix("/v2/team/engine").split("/", 2)
        return self._blob(method, name, parts.query, body) if kind == "blobs" else self._manifest(method, name, body)

    def _blob(self, method: str, name: str, query: str, body: bytes | None) -> Answer:
        match method:
            case "POST":
                return Answer(status=202, headers={"location": "/v2/team/engine/blobs/uploads/1?_state=x"}, body=b"")
            case "PUT":
                digest = parse_qs(query)["digest"][0]
                if digest != f"sha256:{sha256(body or b'').hexdigest()}":
                    return _said(400, b"digest invalid")
                self.blobs[digest] = body or b""
                return _said(201)
            case "GET" if self.store:
                return Answer(status=307, headers={"location": f"{self.store}/{name}"}, body=b"")
            case _:
                return _said(200, self.blobs[name]) if name in self.blobs else _said(404)

    def _manifest(self, method: str, name: str, body: bytes | None) -> Answer:
        if method == "GET":
            found = self.tags.get(name) or self.manifests.get(name)
            return _said(404) if found is None else _said(200, found)
        data = body or b""
        digest = f"sha256:{sha256(data).hexdigest()}"
        value = json.loads(data)
        if value["mediaType"] == INDEX_TYPE:
            missing = [each for each in value["manifests"] if each["digest"] not in self.manifests]
        else:
            missing = [each for each in (value["config"], *value["layers"]) if each["digest"] not in self.blobs]
        if missing or (name.startswith("sha256:") and name != digest):
            return _said(400, b"manifest blob unknown")
        self.manifests[digest] = data
        if not name.startswith("sha256:"):
            self.tags[name] = data
        return _said(201)


def _said(status: int, body: bytes = b"") -> Answer:
    return Answer(status=status, headers={}, body=body)
