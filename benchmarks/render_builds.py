"""Renders the newest stored figures of builds into docs/benchmarks-builds.md; `--check` compares the page with them."""

import json
import sys
import textwrap
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks-builds.md"


def main() -> None:
    """Write the page, or compare it."""
    newest = sorted(RESULTS.glob("builds-*.json"))[-1]
    text = render(json.loads(newest.read_text()), newest.name)
    if "--check" in sys.argv:
        raise SystemExit(PAGE.read_text() != text)
    PAGE.write_text(text)


def render(document: dict[str, object], name: str) -> str:
    """The page of one stored run."""
    machine, figures, blocks = document["machine"], document["figures"], document["blocks"]
    if not isinstance(machine, dict) or not isinstance(figures, dict) or not isinstance(blocks, list):
        raise TypeError
    start = "an empty compiler cache" if document["cold"] else "a compiler cache that had much of it already"
    sweep = figures["prefix sweep with the full build"]
    met = "met" if sweep["cpu"] <= sweep["goal_cpu"] else "not met"
    lines = [
        "# What proofs cost",
        "",
        f"Measured {document['date']} by `python -m benchmarks.builds` on {document['project']}, from {start};",
        f"stored in benchmarks/results/{name}. Machine: {machine['cpu']}, {machine['cores']} cores, load",
        f"{machine['load']} at the end; {machine['compiler']}.",
        "",
        *([*textwrap.wrap(str(document["note"]), 118, break_on_hyphens=False), ""] if "note" in document else []),
        "| | CPU s | wall s |",
        "|---|---|---|",
        *(f"| {what} | {figure['cpu']:.1f} | {figure['wall']:.1f} |" for what, figure in figures.items()),
        "",
        "Goal for the sweep: the full build, 1.1 times the compile time of each block's own objects, and 8 CPU s a",
        f"block: {sweep['goal_cpu']:.1f} CPU s, {met}. `git rebase -x` builds after each commit in one folder; its",
        "first build is counted as the full build's figure, for both.",
        "",
        "| block | own objects | their compile s | CPU s | wall s | compiled | from the cache |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {b['block']} | {b['own_objects']} | {b['own_seconds']:.1f} | {b['cpu']:.1f} | {b['wall']:.1f} "
            f"| {_known(b['compiled'])} | {_known(b['cached'])} |"
            for b in blocks
        ),
    ]
    return "\n".join(lines) + "\n"


def _known(count: object) -> str:
    return "?" if count is None else str(count)


if __name__ == "__main__":
    main()
