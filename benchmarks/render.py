"""Renders the newest stored results into docs/benchmarks.md; `--check` only says whether the page is as rendered."""

import json
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main() -> None:
    """Write the page, or compare it."""
    newest = sorted(RESULTS.glob("stacks-*.json"))[-1]
    text = render(json.loads(newest.read_text()), newest.name)
    beside = sorted(RESULTS.glob("dpkg-source-*.json"))
    text += _beside_dpkg_source([json.loads(file.read_text()) for file in beside], [file.name for file in beside])
    if "--check" in sys.argv:
        raise SystemExit(PAGE.read_text() != text)
    PAGE.write_text(text)


def render(document: dict[str, object], name: str) -> str:
    """The page of one stored run."""
    machine, runs = document["machine"], document["runs"]
    if not isinstance(machine, dict) or not isinstance(runs, list):
        raise TypeError
    lines = [
        "# Stacks side by side",
        "",
        f"Measured {document['date']} by `python -m benchmarks.stacks`, stored in benchmarks/results/{name}.",
        f"Machine: {machine['cpu']}, {machine['cores']} cores, load {machine['load']} at the end.",
        f"Tools: Python {machine['python']}, {machine['git']}, quilt {machine['quilt']}, {machine['stg']}.",
        "",
        "CPU seconds of the whole process with its children (wall seconds). Work trees and repositories exist before.",
        "Every figure ended at the same tree; `no` says where one did not.",
        "",
        *_side_by_side([run for run in runs if not _is_growth(run)]),
        "",
        "## Ours, taken apart (CPU seconds)",
        "",
        "| case | read and parse | open the store | derive | work alone | process | last fold changed | peak MiB |",
        "|---|---|---|---|---|---|---|---|",
        *(_apart(run) for run in runs if run["tool"] == "ours"),
        "",
        *_growth([run for run in runs if _is_growth(run)]),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _is_growth(run: dict[str, object]) -> bool:
    return str(run["case"]).endswith("-80000")


def _side_by_side(runs: list[dict[str, object]]) -> list[str]:
    cases = list(dict.fromkeys(str(run["case"]) for run in runs))
    tools = list(dict.fromkeys(str(run["tool"]) for run in runs))
    cells = {(run["case"], run["tool"]): run for run in runs}
    head = ["tool", *(f"{case} ({next(run['folds'] for run in runs if run['case'] == case)} folds)" for case in cases)]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for tool in tools:
        row = [tool]
        for case in cases:
            run = cells.get((case, tool))
            row.append("-" if run is None else f"{run['cpu']} ({run['wall']}){'' if run['right'] else ' no'}")
        lines.append(f"| {' | '.join(row)} |")
    return lines


def _apart(run: dict[str, object]) -> str:
    keys = ("case", "parse", "open", "derive", "work", "process", "restack", "peak_mib")
    return f"| {' | '.join(str(run.get(key, '-')) for key in keys)} |"


def _beside_dpkg_source(documents: list[dict[str, object]], names: list[str]) -> str:
    """Runs of their own, each with what it ran on; nothing of them is mixed with the tables above."""
    lines: list[str] = []
    for document, name in zip(documents, names, strict=True):
        machine, runs = document["machine"], document["runs"]
        if not isinstance(machine, dict) or not isinstance(runs, list):
            raise TypeError
        lines += [
            "",
            f"Measured {document['date']}, stored in benchmarks/results/{name}:",
            f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']} at the end.",
            f"Work trees in {document['scratch']}; {machine['dpkg-source']}",
            *([str(document["note"])] if "note" in document else []),
            "",
            *_side_by_side(runs),
        ]
    head = [
        "",
        "## Beside dpkg-source",
        "",
        "`python -m benchmarks.stacks --only-dpkg-source`: it applies the same patches, and unpacks nothing.",
        "Ours is the best of three, dpkg-source ran once; it writes the patched files, which ours does not.",
    ]
    return "\n".join([*head, *lines]) + "\n" if lines else ""


def _growth(runs: list[dict[str, object]]) -> list[str]:
    if len(runs) < 3:
        return []
    xs, ys = [float(str(run["patch_bytes"])) for run in runs], [float(str(run["work"])) for run in runs]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum((x - mean_x) ** 2 for x in xs)
    start = mean_y - slope * mean_x
    rest = sum((y - start - slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    total = sum((y - mean_y) ** 2 for y in ys)
    return [
        "## Growth on a tree of 80,000 files",
        "",
        f"The work alone is {start:.2f} s + {slope * 1e6:.3f} s per MB of patches (R² = {1 - rest / total:.4f}).",
        "",
        "| folds | patch bytes | work | whole process | peak MiB |",
        "|---|---|---|---|---|",
        *(
            f"| {run['folds']} | {run['patch_bytes']} | {run['work']} | {run['process']} | {run['peak_mib']} |"
            for run in runs
        ),
    ]


if __name__ == "__main__":
    main()
