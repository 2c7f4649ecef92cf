"""The campaign of releases: seal, publish, verify anywhere, and everything that may go wrong on the way.

    python -m tests.campaign.release --project DIR --base ARCHIVE [--model FILE] [--only PART ...]

DIR is a project that holds on the evidence in the cache (`stackproof release` has run). Needs docker-registry, skopeo,
faketime and root (a root of its own for the image's server, small disks that fill up, another user). What came of it is
stored in tests/campaign/results/; `python -m tests.campaign.release.render` writes docs/benchmarks-releases.md.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.campaign.release.bench import STACKPROOF, Asked, machine, must, ours, run, strangers, verify_words
from tests.campaign.release.goes_out import goes_out
from tests.campaign.release.stopped import stopped
from tests.campaign.release.tampered import tampered
from tests.campaign.release.twice import sealed_twice

RESULTS = Path(__file__).parents[1] / "results"


def main() -> None:
    """Everything, or the parts that are asked for; what is stored already of this day is kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--only", nargs="*", default=["seal", "out", "twice", "tampered", "stopped"])
    words = parser.parse_args()
    cache = Path(os.environ.get("STACKPROOF_CACHE", Path.home() / ".cache/stackproof"))
    asked = Asked(project=words.project.absolute(), base=words.base.absolute(), cache=cache, model=words.model)
    file = RESULTS / f"release-{datetime.now(UTC).date()}.json"
    document: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {}
    with tempfile.TemporaryDirectory(prefix="stackproof-campaign-") as scratch:
        work = Path(scratch)
        work.chmod(0o755)  # the other user goes through it
        made = Bundles(asked, work)
        parts: dict[str, Callable[[Path], dict[str, Any]]] = {
            "seal": lambda _: made.figures(),
            "out": lambda at: goes_out(asked, made.bundle, at, made.signers),
            "twice": lambda at: sealed_twice(asked, at),
            "tampered": lambda at: tampered(made.bundle, made.other, made.older, asked.base, made.signers, at),
            "stopped": lambda at: stopped(asked, made.bundle, at),
        }
        for name in words.only:
            (work / name).mkdir()
            document[name] = parts[name](work / name)
            document |= {"date": str(datetime.now(UTC).date()), "release": made.bundle.name, "machine": machine()}
            file.write_text(json.dumps(document, indent=2) + "\n")
            print(name, json.dumps(document[name], indent=2))


class Bundles:
    """The release, signed; the next one after it; and an older one of the same name, all by one key."""

    def __init__(self, asked: Asked, work: Path) -> None:
        self._asked, self._work = asked, work
        self._key = work / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self._key)], check=True)
        self.signers = work / "signers"
        self.signers.write_text(f"maintainer {self._key.with_suffix('.pub').read_text()}")
        self.bundle = self._seal(asked.project, "bundle")
        self.older = self._seal(self._copy("older", _one_gate_less), "older-bundle")
        self.other = self._seal(self._copy("next", _next), "next-bundle")

    def _seal(self, project: Path, out: str) -> Path:
        words = [STACKPROOF, "seal", "--out", str(self._work / out), "--key", str(self._key)]
        self.sealing = must(run(words, cwd=project, env=ours(self._asked)), "seal")
        (bundle,) = (self._work / out).iterdir()
        return bundle

    def _copy(self, name: str, change: Callable[[dict[str, Any]], None]) -> Path:
        project = self._work / name
        shutil.copytree(self._asked.project, project, ignore=shutil.ignore_patterns("dist*"))
        document = json.loads((project / "release.json").read_bytes())
        change(document)
        (project / "release.json").write_text(json.dumps(document, indent=2) + "\n")
        must(run([STACKPROOF, "pin"], cwd=project, env=ours(self._asked)), "pin")
        return project

    def figures(self) -> dict[str, Any]:
        """What sealing and checking cost."""
        checks = [
            must(run(verify_words(self.bundle, self._asked.base, "--signers", str(self.signers)), cwd=self._work,
                     env=strangers(self._work / "nobody")), "verify")
            for _ in range(3)
        ]  # fmt: skip
        files = [path for path in self.bundle.rglob("*") if path.is_file()]
        return {
            "files": len(files),
            "bytes": sum(path.stat().st_size for path in files),
            "gates": len(json.loads((self.bundle / "verdict.json").read_bytes())["results"]),
            "seal": self.sealing.figures(),
            "verify": [each.figures() for each in checks],
        }


def _one_gate_less(document: dict[str, Any]) -> None:
    document["gates"].popitem()


def _next(document: dict[str, Any]) -> None:
    document["parent"], document["name"] = document["name"], f"{document['name']}-next"


if __name__ == "__main__":
    main()
