"""Asking a server on loopback: one request a connection, event streams with arrival times, and hard deadlines.

Whatever goes wrong is one of three: it did not answer in time, it refused, or what came is not an answer. What that
means (a dead process, a broken engine) is for the caller to find out.
"""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

Dial = Callable[[float], socket.socket]
"""Opens a connection to the server, in so many seconds; `OSError` where nobody listens."""

_MAX_LINE = 16 * 1024 * 1024
_MAX_ANSWER = 256 * 1024 * 1024


class NoAnswer(Exception):
    """The server did not answer, or not to the end, before the deadline."""


class Refused(Exception):
    """The server answered with an error; the text is what it said."""


class BrokenAnswer(Exception):
    """What came is not an answer: the connection broke, or the bytes are not what the protocol says."""


def is_healthy(dial: Dial, seconds: float) -> bool:
    """Whether the server says that it is ready."""
    try:
        with closing(_connection(dial, seconds)) as connection:
            connection.request("GET", "/health")
            return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False


def fetch_document(dial: Dial, path: str, seconds: float) -> dict[str, object]:
    """Get a JSON object."""
    deadline = time.monotonic() + seconds
    try:
        with closing(_connection(dial, seconds)) as connection:
            connection.request("GET", path)
            wire = connection.sock
            response = connection.getresponse()
            if response.status != http.client.OK:
                raise Refused(f"status {response.status}: {response.read(2000).decode('utf-8', 'replace')}")
            return _event(_whole(response, wire, deadline))
    except TimeoutError as error:
        raise NoAnswer(f"no answer within {seconds:.0f} s") from error
    except (OSError, http.client.HTTPException) as error:
        raise BrokenAnswer(f"the connection broke: {type(error).__name__} {error}") from error


def ask_for_events(dial: Dial, path: str, body: Mapping[str, object], seconds: float) -> Iterator[dict[str, object]]:
    """Post a request and give each event of the answer as it arrives; an answer in one piece is one event."""
    deadline = time.monotonic() + seconds
    connection: http.client.HTTPConnection | None = None
    try:
        connection = _connection(dial, seconds)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        wire = connection.sock
        response = connection.getresponse()
        if response.status != http.client.OK:
            raise Refused(f"status {response.status}: {response.read(2000).decode('utf-8', 'replace')}")
        if response.getheader("Content-Type", "").startswith("application/json"):
            yield _event(_whole(response, wire, deadline))
            return
        while line := _next_line(response, wire, deadline):
            if line.startswith(b"data: ") and line != b"data: [DONE]\n":
                yield _event(line[6:])
            elif line.startswith(b"error: "):
                raise Refused(line[7:].decode("utf-8", "replace"))
    except TimeoutError as error:
        raise NoAnswer(f"no answer within {seconds:.0f} s") from error
    except (OSError, http.client.HTTPException) as error:
        raise BrokenAnswer(f"the connection broke: {type(error).__name__} {error}") from error
    finally:
        if connection is not None:
            connection.close()


def _connection(dial: Dial, seconds: float) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", timeout=seconds)
    connection.sock = dial(seconds)
    return connection


def _next_line(response: http.client.HTTPResponse, wire: socket.socket, deadline: float) -> bytes:
    line = _within(response.readline, wire, deadline)
    if len(line) == _MAX_LINE:
        raise BrokenAnswer(f"a line of the answer is longer than {_MAX_LINE} bytes")
    return line


def _whole(response: http.client.HTTPResponse, wire: socket.socket, deadline: float) -> bytes:
    body = b""
    while part := _within(response.read1, wire, deadline):
        body += part
        if len(body) > _MAX_ANSWER:
            raise BrokenAnswer(f"the answer is longer than {_MAX_ANSWER} bytes")
    return body


def _within(read: Callable[[int], bytes], wire: socket.socket, deadline: float) -> bytes:
    """One reading of some bytes, ended at the deadline."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    wire.settimeout(left)
    return read(_MAX_LINE)


def _event(data: bytes) -> dict[str, object]:
    try:
        event = json.loads(data)
    except ValueError as error:
        raise BrokenAnswer(f"an event is not JSON: {data[:200]!r}") from error
    if not isinstance(event, dict):
        raise BrokenAnswer(f"an event is not an object: {data[:200]!r}")
    if "error" in event:
        raise Refused(json.dumps(event["error"])[:2000])
    return event
