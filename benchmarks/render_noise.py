"""Renders the newest stored noise floor into docs/benchmarks-noise.md; `--check` compares the page with it."""

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks-noise.md"
TITLES = {
    "one_build_twice": "One build as both arms",
    "same_bytes_elsewhere": "The same bytes, the second arm's from another folder",
}


def main() -> None:
    """Write the page, or compare it."""
    newest = sorted(RESULTS.glob("noise-*.json"))[-1]
    text = render(json.loads(newest.read_text("utf-8")), newest.name)
    if "--check" in sys.argv:
        raise SystemExit(PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, "utf-8")


def render(document: Mapping[str, Any], name: str) -> str:
    """The page of one stored run."""
    machine = document["machine"]
    head = (
        f"Measured {document['date']} by `python -m benchmarks.noise` on {document['release']}; stored in "
        f"benchmarks/results/{name}. Machine: {machine['cpu']}, {machine['cores']} cores, shared, load "
        f"{document['load'][0]} at the start and {document['load'][1]} at the end."
    )
    lines = ["# The noise floor of the figures", "", *_wrapped(head), ""]
    if "note" in document:
        lines += [*_wrapped(str(document["note"])), ""]
    lines += ["## Counts", ""]
    lines += _wrapped(
        "Instructions of one build by callgrind, run after run: the smallest count, and how much larger the largest is."
    )
    lines += ["", *_counts(document["counts"]), "", "## Times", ""]
    lines += _wrapped(
        f"Sessions as `relative-performance` asks for them ({document['speed_model']}, 128 tokens read and 32 written, "
        "six rounds and more). Every ratio is 1 in truth. Per bound: sessions whose whole interval lies beyond it (a "
        "false alarm), within it, and across it (undecided by the processor's clock)."
    )
    for key, title in TITLES.items():
        lines += ["", f"### {title}", "", *_sessions(document[key])]
    lines += ["", "## A slowdown of some 5 %", ""]
    lines += _wrapped(
        "Every sixteenth matrix product of the base is computed twice, which changes no bit of any result. What the "
        "gates say of that build as the tip:"
    )
    lines += ["", *_slowdown(document["slowdown"])]
    return "\n".join(lines) + "\n"


def _counts(models: Mapping[str, Any]) -> Iterator[str]:
    yield "| model | part | instructions | spread | runs |"
    yield "|---|---|---|---|---|"
    for model, found in models.items():
        for part in ("load", "prefill", "decode"):
            spread = found[part]["spread"]
            yield f"| {model} | {part} | {found[part]['instructions']:,} | {spread:.2e} | {found['repeats']} |"


def _sessions(programs: Mapping[str, Any]) -> Iterator[str]:
    bounds = list(next(iter(next(iter(programs.values()))["summary"].values()))["bounds"])
    shown = " | ".join(f"{float(bound) - 1:.0%}" for bound in bounds)
    yield f"| program | part, clock | sessions | pairs | median ratio | furthest | median width | widest | {shown} |"
    yield "|---|---|---|---|---|---|---|---|" + "---|" * len(bounds)
    for program, found in programs.items():
        for what, each in found["summary"].items():
            said = " | ".join("/".join(str(count) for count in each["bounds"][bound].values()) for bound in bounds)
            yield (
                f"| {program} | {what} | {each['sessions']} | {each['median pairs']:.0f} | {each['median ratio']:.3f} "
                f"| {each['furthest ratio']:.3f} | {each['median width']:.3f} | {each['widest']:.3f} | {said} |"
            )
    yield ""
    yield "The last columns are broken/within/across for bounds of 1 %, 3 %, 5 % and 10 %."


def _slowdown(said: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "| gate | on | bound | says | figures |"
    yield "|---|---|---|---|---|"
    for each in said:
        codes = f" ({', '.join(each['codes'])})" if each["codes"] else ""
        yield f"| `{each['gate']}` | {each['on']} | {each['bound']} | {each['outcome']}{codes} | {each['summary']} |"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 118, break_on_hyphens=False, break_long_words=False)


if __name__ == "__main__":
    main()
