"""A coverage-guided run over the readers of patches and mails, which take bytes from strangers.

    python -m tests.campaign.guided --seconds 60 [--seed N]

Inputs that reach a new pair of lines are kept and changed further. Whatever comes, a reader gives a value or an
`InputFault`, in bounded time; a canonical patch that is accepted prints as the very bytes it was read from, and what it
makes of a tree is what git makes of it.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from builder.layer import Laid, lay
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files, RealGit
from verify.diff.binary import BrokenPayload, apply_delta
from verify.diff.mail import read_messages
from verify.diff.parse import parse_canonical, parse_git_diff
from verify.diff.render import render_patch
from verify.diff.submission import Dialect, parse_sections
from verify.model.diagnostic import InputFault

_TOKENS = (
    b"diff --git a/x b/x\n", b"--- a/x\n", b"+++ b/x\n", b"--- /dev/null\n", b"+++ /dev/null\n", b"@@ -1,2 +1,2 @@\n",
    b"@@ -0,0 +1 @@\n", b"\\ No newline at end of file\n", b"GIT binary patch\n", b"literal 3\n", b"delta 9\n",
    b"\n", b"\r\n",
    b'"a/\\303\\274"', b"rename from x\n", b"rename to y\n", b"new file mode 120000\n", b"deleted file mode 100644\n",
    b"old mode 100644\nnew mode 100755\n", b"index 0123456..89abcde\n", b"Binary files a and b differ\n", b"Index: x\n",
    b"From: A <a@b.org>\n", b"Subject: =?utf-8?q?x?=\n", b"Date: Thu, 1 Jan 1970 00:00:00 +0000\n", b"---\n", b"-- \n",
    b"\t1970-01-01 00:00:00 +0000", b"\xff", b"\0", b"*** a\n--- b\n***************\n",
    b"Content-Transfer-Encoding: base64\n",
)  # fmt: skip


class Guided:
    """Inputs, what they reach, and what went wrong."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.files: Files = random_files(self.rng, 12)
        self.tree, _ = tree_in_memory(self.files)
        self.git = RealGit(folder)
        self.git.tree_of(self.files)
        self.inputs = [render_patch(random_patch(self.rng, self.files, 4)[0]) for _ in range(20)]
        self.reached: set[tuple[str, int, int]] = set()
        self.runs = self.accepted = 0
        self.failures: list[str] = []

    def step(self) -> None:
        """Change one input and look at what it reaches."""
        data = self._changed(self.rng.choice(self.inputs))
        before = len(self.reached)
        started = time.monotonic()
        for name, read in _READERS:
            self._traced(name, read, data)
        if time.monotonic() - started > 5:
            self.failures.append(f"slow: {data[:200]!r}")
        self.runs += 1
        if len(self.reached) > before:
            self.inputs.append(data)
        self._against_git(data)

    def _traced(self, name: str, read: Callable[[bytes], object], data: bytes) -> None:
        last = 0

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal last
            if not frame.f_code.co_filename.endswith(_WATCHED):
                return None
            if event == "line":
                self.reached.add((frame.f_code.co_filename[-12:], last, frame.f_lineno))
                last = frame.f_lineno
            return trace

        sys.settrace(trace)
        try:
            read(data)
        except (InputFault, BrokenPayload):
            pass
        except Exception as error:  # noqa: BLE001 - any other exception is what is looked for
            self.failures.append(f"{name}: {type(error).__name__} {error} for {data[:300]!r}")
        finally:
            sys.settrace(None)

    def _against_git(self, data: bytes) -> None:
        try:
            patch = parse_canonical(data, file="p")
        except InputFault:
            return
        if render_patch(patch) != data:
            self.failures.append(f"prints differently: {data[:300]!r}")
        made = lay(patch, self.tree, file="p", text=data)
        if isinstance(made, Laid):
            self.accepted += 1
            if self.git.apply(self.tree.id, data) != made.tree.id:
                self.failures.append(f"git makes another tree: {data[:300]!r}")

    def _changed(self, data: bytes) -> bytes:
        out = bytearray(data)
        for _ in range(self.rng.choice((1, 1, 1, 2, 4))):
            at = self.rng.randint(0, len(out))
            match self.rng.randint(0, 5):
                case 0:
                    out[at:at] = self.rng.choice(_TOKENS)
                case 1:
                    del out[at : at + self.rng.choice((1, 2, 10, 100))]
                case 2 if at < len(out):
                    out[at] ^= 1 << self.rng.randint(0, 7)
                case 3:
                    other = self.rng.choice(self.inputs)
                    cut = self.rng.randint(0, len(other))
                    out[at:] = other[cut:]
                case 4:
                    lines = bytes(out).split(b"\n")
                    number = self.rng.randrange(len(lines))
                    lines[number : number + 1] = [lines[number]] * self.rng.choice((0, 2, 3))
                    out = bytearray(b"\n".join(lines))
                case _:
                    out[at : at + 1] = str(self.rng.choice((0, 1, 2, 7, 99999999, 10**12))).encode()
        return bytes(out[:20_000])


_WATCHED = ("diff/parse.py", "diff/submission.py", "diff/mail.py", "diff/binary.py", "diff/quote.py")
_READERS: tuple[tuple[str, Callable[[bytes], object]], ...] = (
    ("canonical", lambda data: parse_canonical(data, file="p")),
    ("git diff", lambda data: parse_git_diff(data, file="p")),
    ("git dialect", lambda data: parse_sections(data, file="p", dialect=Dialect.GIT)),
    ("gnu dialect", lambda data: parse_sections(data, file="p", dialect=Dialect.GNU)),
    ("mail", read_messages),
    ("delta", lambda data: apply_delta(b"base" * 10, data[:200])),
)


def main() -> None:
    """Run for some time; exit 1 when anything failed."""
    parser = argparse.ArgumentParser(description="Coverage-guided fuzzing of the readers")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        guided = Guided(options.seed, Path(folder))
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            guided.step()
    print(f"{guided.runs} inputs, {len(guided.inputs)} kept, {len(guided.reached)} pairs of lines reached")
    print(f"{guided.accepted} accepted and compared with git")
    print("\n".join(guided.failures) or "no failure")
    raise SystemExit(bool(guided.failures))


if __name__ == "__main__":
    main()
