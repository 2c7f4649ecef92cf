"""Renders the newest stored bumps into docs/benchmarks-bumps.md; `--check` compares the page with them."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks-bumps.md"


def main() -> None:
    """Write the page, or compare it."""
    newest = sorted(RESULTS.glob("bumps-*.json"))[-1]
    text = render(json.loads(newest.read_text()), newest.name)
    if "--check" in sys.argv:
        raise SystemExit(PAGE.read_text() != text)
    PAGE.write_text(text)


def render(document: dict[str, Any], name: str) -> str:
    """The page of one stored run."""
    machine = document["machine"]
    lines = [
        "# What bumps come to",
        "",
        f"Measured {document['date']} by `python -m benchmarks.bumps`, stored in benchmarks/results/{name}.",
        f"Machine: {machine['cpu']}, {machine['cores']} cores, load {machine['load']} at the end; nothing is built.",
        "",
        "## Our own stack",
        "",
        "Lines changed are upstream's, removed and added: in all its files, then in those that the stack changes. Owed",
        "are those of them, and of what the stack uses, that lie in functions and definitions which a fold rests on.",
        "",
        "| base | lines changed | in the stack's files | owed | folds | open hunks | with memory | CPU s (wall) |",
        "|---|---|---|---|---|---|---|---|",
        *(_own(each) for each in document["own"]),
        "",
    ]
    if document["back"]:
        lines += [*_back(document["back"]), ""]
    if document["debian"]:
        lines += [*_debian(document["debian"]), ""]
    if document.get("pairs"):
        lines += _pairs(document["pairs"])
    return "\n".join(lines).rstrip() + "\n"


def _own(run: dict[str, Any]) -> str:
    upstream = run["upstream"]
    changed = f"{upstream['removed'] + upstream['added']:,} in {upstream['files']:,} files"
    folds = ", ".join(f"{count} {outcome}" for outcome, count in Counter(run["folds"].values()).items())
    times = f"{run['cpu']} ({run['wall']})"
    cells = (
        run["to"],
        changed,
        run["upstream_in_them"],
        run["owed"],
        folds,
        run["open"],
        run["open_with_memory"],
        times,
    )
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _back(run: dict[str, Any]) -> Iterator[str]:
    yield f"Carried to {run['to']}, accepted there, and carried back to where it came from"
    yield f"({run['of']}):" if run.get("of") else ":"
    yield ""
    yield "| fold | there | and back |"
    yield "|---|---|---|"
    yield from (f"| {fold} | {outcome} | {run['back'][fold]} |" for fold, outcome in run["there"].items())
    yield ""
    tree = "the very tree" if run["same_tip_tree"] else "another tree"
    commit = "the very commit" if run["same_tip_commit"] else "another commit"
    yield f"The tip is {tree} and {commit} that it was. What was resolved by hand there is remembered both ways round."


def _pairs(rows: list[dict[str, Any]]) -> Iterator[str]:
    total = {
        label: (sum(row[label]["pairs"] for row in rows), sum(row[label]["carry"] for row in rows))
        for label in ("same", "moved", "owed", "either")
    }
    yield "## Reviews on labelled pairs"
    yield ""
    yield f"{sum(count for count, _ in total.values())} generated pairs of a fold as it was reviewed and as it stands"
    yield "now (tests/pairs). The generator and its labels were written before the grader, and no label asks one."
    yield "`same` and `moved` are to carry by themselves, `owed` must not, `either` may. How many carry, of how many:"
    yield ""
    yield "| class | same | moved | owed | either |"
    yield "|---|---|---|---|---|"
    for row in rows:
        cells = [f"{row[label]['carry']} of {row[label]['pairs']}" if row[label]["pairs"] else "" for label in total]
        yield f"| {row['kind']} | {' | '.join(cells)} |"
    yield "| all | " + " | ".join(f"{carry} of {count}" for count, carry in total.values()) + " |"


def _debian(run: dict[str, Any]) -> Iterator[str]:
    counts = Counter((patch["outcome"], patch["theirs"]) for patch in run["patches"])
    yield f"## Debian's {run['old']} on {run['new']}"
    yield ""
    yield f"{run['carried']} patches were carried; the newer package has {run['newer_has']}, {run['only_newer']} of"
    yield "them new or renamed."
    yield f"Carrying took {run['cpu']} CPU s ({run['wall']} wall), the drift table {run['drift_cpu']}."
    yield f"Of {run['files']} files {run['files_as_before']} are changed exactly as before;"
    yield f"{run['undecided_drift']} lines are undecided, in the patches that conflict; {run['deletions']} are deleted"
    if run["owed"] is None:
        yield "silently. What is owed was not measured here."
    else:
        yield f"silently; {run['owed']} are owed, found in {run['meaning_cpu']} CPU s."
    yield ""
    yield "| outcome | the newer package has | patches |"
    yield "|---|---|---|"
    yield from (f"| {outcome} | {theirs} | {count} |" for (outcome, theirs), count in sorted(counts.items()))
    yield ""
    yield "What was not simply the same:"
    yield ""
    for patch in run["patches"]:
        if patch["theirs"] != "the same bytes":
            more = f" ({'; '.join(patch['open'])})" if patch["open"] else ""
            yield f"- `{patch['patch']}`: {patch['outcome']}{more}; {patch['theirs']}"


if __name__ == "__main__":
    main()
