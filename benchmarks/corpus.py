"""Debian's patch stacks, imported and compared with the trees that dpkg-source makes.

    python -m benchmarks.corpus FOLDER... [--out FILE]

Each folder holds one stack: `orig/` (the unpacked sources), `patches/` with its series, and `ref.git`, whose branch
`final` is the tree that dpkg-source makes. What was not exactly at its line, or was decided by a rule of the dialect,
is listed for every stack. Results are stored as JSON; with `--render` the newest becomes docs/corpus.md.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks import variants
from builder.exchange.git_range import read_commit
from builder.exchange.quilt import import_quilt
from builder.exchange.stack_in import StackIn
from builder.placement import Fate
from builder.store import Store
from verify.diff.submission import Dialect
from verify.model.diagnostic import InputFault
from verify.model.ids import show_path

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "corpus.md"


def main() -> None:
    """Import every folder and store what came of it; exit 1 when a tree is not the expected one."""
    parser = argparse.ArgumentParser(description="Debian's stacks against dpkg-source's trees")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--render", action="store_true")
    options = parser.parse_args()
    if options.render:
        page = [render(json.loads(sorted(RESULTS.glob("corpus-*.json"))[-1].read_text()))]
        page += [variants.render(json.loads(file.read_text())) for file in sorted(RESULTS.glob("variants-*.json"))[-1:]]
        PAGE.write_text("\n".join(page))
        return
    stacks = [look_at(folder) for folder in options.folders]
    today = time.strftime("%Y-%m-%d")
    out = options.out or RESULTS / f"corpus-{today}.json"
    out.write_text(json.dumps({"schema": "stackproof/corpus/1", "date": today, "stacks": stacks}, indent=1) + "\n")
    raise SystemExit(not all(stack["right"] for stack in stacks))


def look_at(folder: Path) -> dict[str, object]:
    """One stack: whether its tree is right, and every hunk that was not simply exact."""
    store = Store.open(folder / "ref.git")
    expected = read_commit(store, store.resolve("final")).tree
    with tempfile.TemporaryDirectory() as scratch:
        try:
            taken = import_quilt(
                orig=folder / "orig", patches=folder / "patches", series=None, dialect=Dialect.GNU, mapping=None,
                out=Path(scratch) / folder.name, strict=False,
            )  # fmt: skip
        except InputFault as fault:
            print(f"{folder.name}: {fault}")
            return {"package": folder.name, "right": False, "refused": str(fault)}
    right = taken.stack.tip_tree() == expected
    print(f"{folder.name}: {'right' if right else 'WRONG'}")
    counts = Counter(fate.placement.fate for report in taken.reports for fate in report.fates)
    return {
        "package": folder.name,
        "right": right,
        "tree": taken.stack.tip_tree(),
        "patches": len(taken.reports),
        "hunks": sum(counts.values()),
        "fates": {fate.value: counts[fate] for fate in Fate if counts[fate]},
        "told": list(_told(taken)),
    }


def _told(taken: StackIn) -> list[str]:
    lines = []
    for report in taken.reports:
        for fate in report.fates:
            placement = fate.placement
            where = f"{report.fold}:{fate.source_line} {show_path(fate.path)}"
            if placement.fate is not Fate.EXACT:
                lines.append(f"{where}: {placement.fate.value} {placement.offset:+}; {'; '.join(placement.notes)}")
            if fate.reason:
                lines.append(f"{where}: {fate.reason}")
        lines += [f"{report.fold}:{note.source_line} {show_path(note.path)}: {note.reason}" for note in report.notes]
    return lines


def render(document: dict[str, object]) -> str:
    """The page of one stored run."""
    stacks = document["stacks"]
    if not isinstance(stacks, list):
        raise TypeError
    right = sum(bool(stack["right"]) for stack in stacks)
    lines = [
        "# Debian's stacks",
        "",
        f"{right} of {len(stacks)} stacks end at the tree that dpkg-source makes; imported {document['date']} by",
        "`python -m benchmarks.corpus`, with neither git nor patch nor quilt. The stored result lists every hunk that",
        "was not exactly at its line, and every section that a rule of the dialect decided.",
        "",
        "| package | patches | hunks | exact | offset | ambiguous | told | tree |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for stack in sorted(stacks, key=lambda each: str(each["package"])):
        fates = stack.get("fates", {})
        cells = [str(fates.get(name, 0)) for name in ("exact", "offset", "ambiguous")]
        told, verdict = len(stack.get("told", [])), "right" if stack["right"] else "wrong"
        head = [str(stack["package"]), str(stack.get("patches", "-")), str(stack.get("hunks", "-"))]
        lines.append(f"| {' | '.join([*head, *cells, str(told), verdict])} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
