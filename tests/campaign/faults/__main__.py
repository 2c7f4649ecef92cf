"""Plants the faults one after another and stores how each was met.

    python -m tests.campaign.faults --cache DIR [--only NAME ...] [--out FILE]

The cache should hold the release's builds and evidence; each fault then costs what it changes. Rows that FILE has of
faults that are the same are kept, so that a campaign can be gone on with.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.campaign.faults.catalogue import FAULTS
from tests.campaign.faults.fault import OURS, met
from verify.probe.machine import this_machine


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description="Planted faults")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    if options.out is not None and options.out.exists():
        rows = {row["fault"]: row for row in json.loads(options.out.read_bytes())["faults"]}
    for fault in FAULTS:
        same = rows.get(fault.name, {}).get("definition") == fault.digest() and rows[fault.name]["found"]
        if same or (options.only and fault.name not in options.only):
            continue
        with tempfile.TemporaryDirectory(prefix="stackproof-fault-") as scratch:
            rows[fault.name] = met(fault, Path(scratch), options.cache) | {"load": round(os.getloadavg()[0], 1)}
        print(json.dumps(rows[fault.name]), flush=True)
        if options.out is not None:
            options.out.write_text(json.dumps(_document(rows), indent=2) + "\n", "utf-8")


def _document(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    machine = this_machine()
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "release": json.loads((OURS / "release.json").read_bytes())["name"],
        "machine": {"cpu": machine.processor, "cores": os.cpu_count()},
        "faults": [rows[fault.name] for fault in FAULTS if fault.name in rows],
    }


if __name__ == "__main__":
    main()
