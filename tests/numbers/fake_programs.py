"""What a copy of the interpreter does where it stands in for llama.cpp's programs: installed as `sitecustomize`.

It answers with output that was captured from the real ones. The variable FAKE makes it do something wrong.
"""

import os
import struct
import sys
import time
from pathlib import Path

ARGUMENTS = sys.orig_argv
CAPTURED = Path(sys.executable).parent.parent / "captured"
CONTEXT, CHUNKS, VOCABULARY = 128, 6, 3


def option(name: str) -> str:
    """The value of an option."""
    return ARGUMENTS[ARGUMENTS.index(name) + 1]


def tokens(text: bytes) -> list[int]:
    """One token a byte."""
    return list(text[: CONTEXT * CHUNKS + 5])


def write_baseline(path: Path, text: bytes) -> None:
    """A whole baseline, in the form of the real one."""
    ids = tokens(text)[: CONTEXT * CHUNKS]
    rows = CHUNKS * (CONTEXT - 1 - CONTEXT // 2) * 2 * (2 * ((VOCABULARY + 1) // 2) + 4)
    head = b"_logits_" + struct.pack("=Iii", CONTEXT, VOCABULARY, CHUNKS)
    path.write_bytes(head + struct.pack(f"={len(ids)}i", *ids) + bytes(rows))


def perplexity(fake: str) -> None:
    """Write a baseline, or compare with one."""
    path = Path(option("--kl-divergence-base"))
    if "--kl-divergence" not in ARGUMENTS:
        write_baseline(path, Path(option("-f")).read_bytes())
        if fake == "cut-baseline":
            os.truncate(path, 999)
        return
    wrong = "--override-kv" in ARGUMENTS and fake != "deaf"
    said = (CAPTURED / f"kld-{'wrong' if wrong or fake == 'diverged' else 'equal'}.txt").read_text("utf-8")
    if fake == "log-lost":
        # the end of the output is lost every other time, as the real program does
        seen = Path(f"{path}.seen")
        said = said if seen.exists() else said[:700]
        seen.unlink() if seen.exists() else seen.touch()
    if fake == "mute":
        sys.stderr.write(said)
        return
    sys.stdout.write(said)


def bench(fake: str) -> None:
    """The bench's JSON, and a line before each test with work behind it."""
    for number, what in ((1, "prompt"), (2, "generation")):
        print(f"llama-bench: benchmark {number}/2: starting", file=sys.stderr, flush=True)
        print(f"llama-bench: benchmark {number}/2: {what} run 1/1", file=sys.stderr, flush=True)
        sum(range(1_000_000))
    text = (CAPTURED / "bench.json").read_text("utf-8")
    sys.stdout.write(text.replace('"samples_ns": [ ', '"samples_ns": [ 9' if fake == "slow" else '"samples_ns": [ '))


def main() -> None:
    """Be the program that one is called as."""
    fake = os.environ.get("FAKE", "")
    name = Path(ARGUMENTS[0]).name
    if fake == "dies":
        os.abort()
    if fake == "fails":
        print("could not load the model", file=sys.stderr)
        sys.exit(1)
    if fake == "hangs":
        time.sleep(60)
    time.sleep(0.02)  # long enough to be looked at
    if name == "llama-tokenize":
        text = Path(option("-f")).read_bytes()
        print(tokens(text.upper() if fake == "other-tokens" else text))
    elif name == "llama-perplexity":
        perplexity(fake)
    elif name == "llama-bench":
        bench(fake)
    sys.stdout.flush()
    os._exit(0)


main()
