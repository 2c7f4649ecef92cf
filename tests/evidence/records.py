"""One evidence record, to write, damage and read."""

from verify.evidence import make_key
from verify.model.evidence import Evidence, Key


def some_key(**parts: str) -> Key:
    return make_key("tokens", {"model": "m", "recipe": "1"} | parts)


def some_evidence(key: Key | None = None, text: str = "Ünïcode\n") -> Evidence:
    return Evidence(
        key=key or some_key(),
        observation={"text": text, "ids": [1, 2, 3], "seconds": 0.25, "none": None},
        made_by="tester",
        made_on="some machine",
        made_at="2026-01-01T00:00:00Z",
        seconds=1.5,
    )
