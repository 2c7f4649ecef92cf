"""Renders the newest stored campaign, mutation table and battery into docs/faults.md; `--check` compares the page."""

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "faults.md"
CELLS = {"failed": "red", "passed": "green", "waived": "waived", "undecided": "?", "deferred": "-"}
HEAD = (
    "Each fault is made in the engine's source, in its build, or in what surrounds it when it runs: amended into a "
    "fold of a copy of the release, which is then stacked, built and run as any other. No observation is touched. A "
    "fault counts as found when the gate that is there for it ends as it must and says the code that fits; any other "
    "end, another gate's alarm included, does not."
)


def main() -> None:
    """Write the page, or compare it."""
    text = stored_page()
    if "--check" in sys.argv:
        raise SystemExit(PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, "utf-8")


def stored_page() -> str:
    """The page of the newest results."""
    return render({name: _newest(name) for name in ("faults", "mutation", "battery")})


def _newest(name: str) -> tuple[str, Mapping[str, Any]] | None:
    found = sorted(RESULTS.glob(f"{name}-*.json"))
    return (found[-1].name, json.loads(found[-1].read_text("utf-8"))) if found else None


def render(stored: Mapping[str, tuple[str, Mapping[str, Any]] | None]) -> str:
    """The page of what is stored; a part that was never run is left out."""
    lines = ["# Planted faults, missing blocks, and the clean battery", ""]
    for name, part in (("faults", _faults), ("mutation", _mutation), ("battery", _battery)):
        if (found := stored[name]) is not None:
            lines += [*part(*found), ""]
    return "\n".join(lines[:-1]) + "\n"


def _faults(file: str, document: Mapping[str, Any]) -> Iterator[str]:
    rows: Sequence[Mapping[str, Any]] = document["faults"]
    found = sum(row["found"] for row in rows)
    yield "## Planted faults"
    yield ""
    yield from _wrapped(HEAD)
    yield ""
    yield from _wrapped(f"{found} of {len(rows)} were found. " + _where(file, document, "tests.campaign.faults"))
    yield ""
    yield "| fault | in | gate | ends | code | session or build | s |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        codes = ", ".join(f"`{code}`" for code in row.get("codes", ()))
        end = CELLS.get(row.get("outcome", ""), "not run") + ("" if row["found"] else " (**not found**)")
        key = f"`{row['evidence'][-1][:12]}`" if row.get("evidence") else "the trees"
        about = f"{row['about']} (`{row['fault']}`)"
        yield f"| {about} | {row['lies in']} | `{row['gate']}` | {end} | {codes} | {key} | {row['seconds']:.0f} |"


def _mutation(file: str, document: Mapping[str, Any]) -> Iterator[str]:
    mutants: Sequence[Mapping[str, Any]] = document["mutants"]
    yield "## Missing blocks"
    yield ""
    yield from _wrapped(
        "`stackproof gate --mutate` leaves out each block and each fold in turn and asks the block's own gates, then, "
        "where none of them is red, those of the release. " + _where(file, document, "")
    )
    yield ""
    gates = list({gate["gate"]: gate for mutant in mutants for gate in mutant["gates"]}.values())
    yield "| gate | models | " + " | ".join(f"without `{mutant['name']}`" for mutant in mutants) + " |"
    yield "|---|---|" + "---|" * len(mutants)
    for gate in gates:
        ends = [next((_end(one) for one in mutant["gates"] if one["gate"] == gate["gate"]), "") for mutant in mutants]
        yield f"| `{gate['gate']}` | {', '.join(gate['models'])} | " + " | ".join(ends) + " |"
    yield "| noticed by | | " + " | ".join(f"**{mutant['noticed']}**" for mutant in mutants) + " |"
    for mutant in mutants:
        if mutant["why"]:
            yield ""
            yield from _wrapped(f"Without `{mutant['name']}`: {mutant['why']}")


def _end(gate: Mapping[str, Any]) -> str:
    codes = ", ".join(f"`{code}`" for code in gate["codes"])
    return CELLS[gate["outcome"]] + (f": {codes}" if codes else "")


def _battery(file: str, document: Mapping[str, Any]) -> Iterator[str]:
    kinds: Mapping[str, int] = document["gates"]
    yield "## The clean battery"
    yield ""
    yield from _wrapped(
        f"{sum(kinds.values())} gates of {len(kinds)} kinds. Cold: builds are there and nothing was measured; warm: at "
        "once again. Alarms are gates that end red or undecided, where nothing is wrong. "
        + _where(file, document, "benchmarks.battery")
    )
    yield ""
    yield "| run | times | wall s, median | CPU s, median | load | gates asked | red | undecided |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, runs in (("cold", document["cold"]), ("warm", document["warm"]), ("noisy kinds", document["noisy"])):
        if runs:
            walls, loads = ([run[key] for run in runs] for key in ("wall", "load"))
            cpus = [run["cpu"] for run in runs if run["cpu"] is not None]
            ends = {end: sum(run["ends"].get(end, 0) for run in runs) for end in ("failed", "undecided")}
            asked = sum(sum(run["ends"].values()) for run in runs)
            computed = f"{median(cpus):.0f}" if cpus else "-"
            yield (
                f"| {name} | {len(runs)} | {median(walls):.0f} | {computed} | {min(loads)} to {max(loads)} "
                f"| {asked} | {ends['failed']} | {ends['undecided']} |"
            )
    alarms = [
        each
        for name in ("cold", "noisy")
        for run in document[name]
        for each in run["not passed"]
        if each["outcome"] != "waived"
    ]
    if alarms:
        yield ""
        yield "| alarm | end | said |"
        yield "|---|---|---|"
        for each in alarms:
            yield f"| `{each['gate']}` | {CELLS[each['outcome']]} | {each['said']} |"


def _where(file: str, document: Mapping[str, Any], tool: str) -> str:
    machine = document["machine"]
    how = f" by `python -m {tool}`" if tool else ""
    note = f" {document['note']}" if "note" in document else ""
    return (
        f"Measured {document['date']}{how} on {document['release']}, stored in benchmarks/results/{file}. Machine: "
        f"{machine['cpu'].split(', flags')[0]}, shared.{note}"
    )


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 118, break_on_hyphens=False, break_long_words=False)


if __name__ == "__main__":
    main()
