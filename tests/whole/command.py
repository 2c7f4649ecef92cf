"""Runs the console script as a user does: another process, a clean home, one JSON document on stdout."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

RUN = (sys.executable, "-c", "from builder.cli.main import main; main()")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command said: its exit status, its document, and what went to stderr."""

    exit: int
    document: Mapping[str, object]
    stderr: str

    def outcomes(self) -> dict[str, str]:
        """How each gate ended."""
        results = self.document["results"]
        assert isinstance(results, list)
        return {result["gate"]: result["outcome"] for result in results}

    def codes(self) -> set[str]:
        """The codes of every diagnostic."""
        diagnostics = self.document["diagnostics"]
        assert isinstance(diagnostics, list)
        return {diagnostic["code"] for diagnostic in diagnostics}


def environment(cache: Path, home: Path) -> dict[str, str]:
    """A user's environment with nothing of ours but the path."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {"HOME": str(home), "STACKPROOF_CACHE": str(cache), "LC_ALL": "C.UTF-8"}


def say(*arguments: str, root: Path, cache: Path, env: Mapping[str, str] | None = None) -> Said:
    """Run one command on the project at `root` with `--json`."""
    cache.mkdir(parents=True, exist_ok=True)
    ended = subprocess.run(
        [*RUN, *arguments, "-C", str(root), "--json"],
        env={**environment(cache, cache), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    document = json.loads(ended.stdout)
    assert document["exit"] == ended.returncode
    return Said(exit=ended.returncode, document=document, stderr=ended.stderr.decode())
