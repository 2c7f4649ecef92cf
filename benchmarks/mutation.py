"""Which gates notice that a block or a fold is missing, on the real engine, stored with the day and the machine.

python -m benchmarks.mutation CACHE [--out FILE]
"""

import argparse
import json
import os
import time
from pathlib import Path

from tests.whole.command import say
from verify.probe.machine import this_machine

OURS = Path(__file__).parent.parent


def main() -> None:
    """Ask, and store what was answered."""
    parser = argparse.ArgumentParser(description="The mutation table")
    parser.add_argument("cache", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    said, machine = say("gate", "--mutate", root=OURS, cache=options.cache), this_machine()
    document = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "release": json.loads((OURS / "release.json").read_bytes())["name"],
        "machine": {"cpu": machine.processor, "cores": os.cpu_count()},
        "exit": said.exit,
        "mutants": said.document["mutants"],
    }
    text = json.dumps(document, indent=2) + "\n"
    if options.out is None:
        print(text, end="")
    else:
        options.out.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
