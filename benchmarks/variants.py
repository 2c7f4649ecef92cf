"""Debian's stacks with what dpkg-source ignores in a series, -p0, -p2 and -R, beside what quilt makes of them.

    python -m benchmarks.variants FOLDER... [--out FILE]

Each folder is one stack as `benchmarks.corpus` takes it, with `patches-p0/`, `patches-p2/` and `patches-reverse/` and a
`variants.json`: for each variant the tree it starts from, the tree it must end at, and whether `quilt push -a --fuzz=0`
gets there (else, as `why`, what quilt ended at). A patch can lose information on the way forward, so that not even
quilt can bring it back; both ends are told. `python -m benchmarks.corpus --render` writes the page.
"""

import argparse
import json
import time
from pathlib import Path

from builder.exchange.quilt import read_series_on
from builder.store import Store
from builder.tree import Overlay, Tree
from verify.diff.submission import Dialect
from verify.model.diagnostic import InputFault
from verify.model.ids import TreeId, show_path

RESULTS = Path(__file__).parent / "results"
VARIANTS = {"p0": "-p0", "p2": "-p2", "reverse": "-R"}


def main() -> None:
    """Import every variant of every folder and store what came of it; exit 1 when quilt was better at one."""
    parser = argparse.ArgumentParser(description="Debian's stacks with -p0, -p2 and -R")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    today = time.strftime("%Y-%m-%d")
    stacks = [{"package": folder.name, **look_at(folder)} for folder in options.folders]
    out = options.out or RESULTS / f"variants-{today}.json"
    out.write_text(json.dumps({"schema": "stackproof/variants/1", "date": today, "stacks": stacks}, indent=1) + "\n")
    raise SystemExit(any(", quilt takes it" in str(stack[variant]) for stack in stacks for variant in VARIANTS))


def look_at(folder: Path) -> dict[str, dict[str, object]]:
    """What became of each variant of one stack."""
    known = json.loads((folder / "variants.json").read_text())
    found = {variant: _imported(folder, variant, known[variant]) for variant in VARIANTS}
    for variant, value in found.items():
        print(f"{folder.name} {VARIANTS[variant]}: {value['verdict']}", flush=True)
    return found


def _imported(folder: Path, variant: str, known: dict[str, object]) -> dict[str, object]:
    store = Store.open(folder / "ref.git")
    patches = folder / f"patches-{variant}"
    try:
        taken = read_series_on(
            Tree.at(Overlay(store), TreeId(str(known["start"]))), patches=patches, series=patches / "series",
            dialect=Dialect.GNU, mapping=None, name="variant", strict=False,
        )  # fmt: skip
    except InputFault as fault:
        verdict = "refused, quilt takes it" if known["quilt"] else "refused, as quilt fails"
        return {"verdict": verdict, "quilt": known["quilt"], "refused": str(fault).replace(f"{folder}/", "")}
    tree = taken.stack.tip_tree()
    if tree == known["expect"]:
        verdict = "right" if known["quilt"] else "right, quilt fails"
    elif str(known.get("why", "")) == f"tree {tree}":
        verdict = "quilt's tree, not the one before"
    else:
        verdict = "wrong, quilt takes it" if known["quilt"] else "another tree, as quilt fails"
    expected = store.listing(TreeId(str(known["expect"]))) if tree != known["expect"] else {}
    differs = [show_path(path) for path, state in expected.items() if taken.tip.entry(path) != state]
    return {"verdict": verdict, "quilt": known["quilt"], "tree": tree, "differs": differs}


def render(document: dict[str, object]) -> str:
    """The part of the page on one stored run."""
    stacks = document["stacks"]
    if not isinstance(stacks, list):
        raise TypeError
    verdicts = [str(stack[variant]["verdict"]) for stack in stacks for variant in VARIANTS]
    counts = "; ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in sorted(set(verdicts), key=_rank))
    lines = [
        "## With -p0, -p2 and -R",
        "",
        f"dpkg-source ignores the options of a series, so {len(stacks)} of the stacks were rewritten to need them: one",
        "component less or more in every name, and all patches backwards from the last tree. Taken in",
        f"{document['date']} by `python -m benchmarks.variants` beside `quilt push -a --fuzz=0`. Of {len(verdicts)}:",
        f"{counts}.",
        "",
        f"| package | {' | '.join(VARIANTS.values())} |",
        "|---" * (1 + len(VARIANTS)) + "|",
    ]
    for stack in sorted(stacks, key=lambda each: str(each["package"])):
        lines.append(f"| {stack['package']} | {' | '.join(map(_cell, (stack[variant] for variant in VARIANTS)))} |")
    return "\n".join(lines) + "\n"


def _cell(value: dict[str, object]) -> str:
    differs = value.get("differs")
    return (
        f"{value['verdict']} (in {', '.join(map(str, differs))})"
        if isinstance(differs, list) and differs
        else str(value["verdict"])
    )


def _rank(verdict: str) -> tuple[bool, str]:
    return verdict != "right", verdict


if __name__ == "__main__":
    main()
