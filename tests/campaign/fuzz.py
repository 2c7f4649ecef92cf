"""Differential fuzzing against git: what we accept, git gives the same tree for; what we refuse has a true reason.

    python -m tests.campaign.fuzz --edits 100000 [--seed N]

Each round makes a random tree and a random canonical patch on it, and lays it three times: as it is, on a tree that
somebody changed, and with a few bytes of the patch changed. Reasons are checked by list surgery on the files and not
by the code that gave them.
"""

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from builder.layer import NotLaid, lay
from builder.tree import object_id
from tests.core.memory import tree_in_memory
from tests.core.random_edits import lines_of, random_content, random_files, random_patch, random_path
from tests.core.real_git import Files, RealGit
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import RepoPath
from verify.model.patch import Action, FileChange, Mode, Patch


class Campaign:
    """Rounds of fuzzing and what came of them."""

    def __init__(self, folder: Path) -> None:
        self.git = RealGit(folder)
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []

    def round(self, seed: int) -> int:
        """One tree and one patch, laid three times; gives how many file changes were tried."""
        rng = random.Random(seed)
        files = random_files(rng, 40)
        patch, after = random_patch(rng, files, 35)
        text = render_patch(patch)
        self._lay(seed, "plain", files, text, must=tree_in_memory(after)[0].id)
        self._lay(seed, "changed tree", _disturbed(rng, files, patch), text)
        self._lay(seed, "changed patch", files, _mutated(rng, text))
        return len(patch.files)

    def _lay(self, seed: int, kind: str, files: Files, text: bytes, must: str | None = None) -> None:
        tree, _ = tree_in_memory(files)
        try:
            patch = parse_canonical(text, file="p")
        except InputFault:
            self.counts[f"{kind}: not canonical"] += 1
            if must is not None:
                self.failures.append(f"seed {seed}, {kind}: a canonical patch was not read")
            return
        made = lay(patch, tree, file="p", text=text)
        if isinstance(made, NotLaid):
            self.counts[f"{kind}: refused"] += 1
            false = [finding for finding in made.findings if not reason_is_true(finding, patch, files)]
            self.failures += [f"seed {seed}, {kind}: untrue reason {finding}" for finding in false]
            if must is not None:
                self.failures.append(f"seed {seed}, {kind}: a fitting patch was refused: {made.findings[0]}")
            return
        self.counts[f"{kind}: laid"] += 1
        if self.git.tree_of(files) != tree.id:
            self.failures.append(f"seed {seed}, {kind}: git has another base tree")
        theirs = self.git.apply(tree.id, text)
        if theirs != made.tree.id or (must is not None and must != made.tree.id):
            self.failures.append(f"seed {seed}, {kind}: ours {made.tree.id}, git {theirs}, expected {must}")


def reason_is_true(finding: Diagnostic, patch: Patch, files: Files) -> bool:
    """Whether what a finding says can be seen in the files themselves."""
    line = finding.place.line if finding.place is not None else None
    change = next((each for each in patch.files if _covers(each, line)), None)
    if change is None:
        return False
    old = files.get(change.old_path) if change.old_path is not None else None
    match finding.code:
        case "path-missing":
            return old is None
        case "path-exists":
            return change.new_path in files
        case "path-mode":
            return old is not None and old[0] is not change.old_mode
        case "hunk-mismatch":
            return _mismatches(change, line, old[1] if old is not None else b"")
        case "binary-mismatch":
            return old is None or object_id("blob", old[1]) != change.old_blob or change.binary is not None
        case "delete-incomplete":
            removed = [text for hunk in change.hunks for sign, text in hunk.lines if sign == b"-"]
            return change.action is Action.DELETE and (old is None or removed != lines_of(old[1]))
        case "path-obstructed":
            return _obstructed(patch, files)
        case "patch-context":
            return True
        case "submodule-line":
            return old is None or old[0] is Mode.SUBMODULE or change.new_mode is Mode.SUBMODULE
        case _:
            return False


def _covers(change: FileChange, line: int | None) -> bool:
    return line == change.source_line or any(hunk.source_line == line for hunk in change.hunks)


def _mismatches(change: FileChange, line: int | None, content: bytes) -> bool:
    hunk = next(each for each in change.hunks if each.source_line == line)
    lines = lines_of(content)
    old = list(hunk.old())
    start = hunk.old_start - 1 if old else hunk.old_start
    if lines[start : start + len(old)] != old or start > len(lines):
        return True
    new = hunk.new()  # a last line without its end cannot stand in front of others
    return bool(new) and not new[-1].endswith(b"\n") and start + len(old) != len(lines)


def _obstructed(patch: Patch, files: Files) -> bool:
    after = set(files)
    after -= {each.old_path for each in patch.files if each.action in (Action.DELETE, Action.RENAME) and each.old_path}
    after |= {each.new_path for each in patch.files if each.new_path}
    return any(other.startswith(path + b"/") for path in after for other in after)


def _disturbed(rng: random.Random, files: Files, patch: Patch) -> Files:
    """The tree with one or two of the patch's files changed by somebody else."""
    other = dict(files)
    touched = [path for each in patch.files for path in (each.old_path, each.new_path) if path is not None]
    for path in rng.sample(touched, min(len(touched), rng.randint(1, 2))):
        mode, data = other.get(path, (Mode.FILE, b""))
        if mode is Mode.SUBMODULE:
            continue
        match rng.randint(0, 4):
            case 0:
                other.pop(path, None)
            case 1:
                other[path] = (Mode.EXECUTABLE if mode is Mode.FILE else Mode.FILE, data)
            case 2:
                lines = lines_of(data)
                lines.insert(rng.randint(0, len(lines)), b"disturbed\n")
                joined = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines)
                other[path] = (Mode.FILE if mode is Mode.SYMLINK else mode, joined)
            case 3:
                other[path] = (Mode.FILE, random_content(rng))
            case _:
                extra = random_path(rng)
                other.setdefault(extra, (Mode.FILE, b"extra\n"))
    return _without_clashes(other)


def _without_clashes(files: Files) -> Files:
    kept: Files = {}
    for path in sorted(files):
        parts = path.split(b"/")
        if not any(RepoPath(b"/".join(parts[:depth])) in kept for depth in range(1, len(parts))):
            kept[path] = files[path]
    return kept


def _mutated(rng: random.Random, text: bytes) -> bytes:
    """A few bytes changed, lines doubled, dropped or swapped: at times still canonical."""
    if not text:
        return text
    match rng.randint(0, 3):
        case 0:
            data = bytearray(text)
            data[rng.randrange(len(data))] ^= 1 << rng.randint(0, 7)
            return bytes(data)
        case 1:
            lines = text.split(b"\n")
            at = rng.randrange(len(lines))
            lines[at : at + 1] = [lines[at]] * rng.choice((0, 2))
            return b"\n".join(lines)
        case 2:
            starts = [
                at
                for at in range(len(text))
                if text.startswith(b"diff --git ", at) and text[at - 1 : at] in (b"\n", b"")
            ]
            cut = rng.choice(starts) if starts else 0
            end = next((at for at in starts if at > cut), len(text))
            return text[:cut] + text[end:]
        case _:
            lines = text.split(b"\n")
            plus = [at for at, line in enumerate(lines) if line.startswith(b"+") and not line.startswith(b"+++ ")]
            if plus:
                lines[rng.choice(plus)] = b"+" + rng.choice((b"", b"x", b"\r", b"\0", b"\xff"))
            return b"\n".join(lines)


def main() -> None:
    """Fuzz until enough edits were tried; exit 1 when anything failed."""
    parser = argparse.ArgumentParser(description="Differential fuzzing against git")
    parser.add_argument("--edits", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, help="store the result as JSON")
    options = parser.parse_args()
    started, edits, seed = time.monotonic(), 0, options.seed
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder))
        version = campaign.git.run("--version").decode().strip()
        while edits < options.edits:
            edits += 3 * campaign.round(seed)
            seed += 1
            if seed % 100 == 0:  # loose objects of a hundred rounds are enough for one repository
                campaign.git.run("gc", "-q", "--prune=now")
    result = {
        "schema": "stackproof/fuzz/1",
        "date": time.strftime("%Y-%m-%d"),
        "git": version,
        "edits": edits,
        "rounds": seed - options.seed,
        "first_seed": options.seed,
        "seconds": round(time.monotonic() - started),
        "counts": dict(sorted(campaign.counts.items())),
        "failures": campaign.failures,
    }
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{edits} edits in {seed - options.seed} rounds, {time.monotonic() - started:.0f} s")
    for name, count in sorted(campaign.counts.items()):
        print(f"  {name}: {count}")
    print("\n".join(campaign.failures) or "no failure")
    raise SystemExit(bool(campaign.failures))


if __name__ == "__main__":
    main()
