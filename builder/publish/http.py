"""One request to a registry: status, headers, body; the only place here that opens a connection.

Redirects are not followed, a certificate is always checked, and a registry on this machine is asked without a proxy.
"""

import http.client
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import IO

from verify.model.diagnostic import Diagnostic, EnvironmentFault

_SECONDS = 300
_LARGEST = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back; header names are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: object, newurl: str
    ) -> None:
        """Follow nothing: a redirected upload would go where nobody asked for, and a token with it."""


def ask(method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
    """Send one request; raises a fault when nobody answers."""
    handlers: list[urllib.request.BaseHandler] = [_Stay()]
    if url.startswith("http://"):
        handlers.append(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)  # noqa: S310 - http(s) alone
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=_SECONDS) as response:
            return _answer(response.status, response.headers, response.read(_LARGEST))
    except urllib.error.HTTPError as error:
        with error:
            return _answer(error.code, error.headers, error.read(_LARGEST))
    except (OSError, http.client.HTTPException) as error:
        raise EnvironmentFault(
            Diagnostic(
                code="registry-unreachable",
                message=f"the registry does not answer: {getattr(error, 'reason', error)}",
                notes=(f"asked: {method} {url.partition('?')[0]}", "a tag comes last: what is visible there is whole"),
                help="run it again when the registry is back; what has arrived is not sent twice",
            )
        ) from error


def _answer(status: int, headers: Message, body: bytes) -> Answer:
    return Answer(status=status, headers={name.lower(): value for name, value in headers.items()}, body=body)
