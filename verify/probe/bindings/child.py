"""The child process of a library probe: loads an adapter, plays a script on the library, and answers on one line.

It runs under a bare interpreter (`-I -S`) with the environment that the parent made. The request is a file, the answer
goes to what was standard output at the start; whatever the library prints there goes to standard error. It then waits
for its input to end, so that the parent can look at what it has loaded.
"""

import array
import hashlib
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import IO

from verify.model.codec import to_json
from verify.probe.bindings.library import Context, DoesNotFit, Library, OpenLibrary, Operation, Refused
from verify.probe.bindings.script import (
    Close,
    Decode,
    Done,
    Generate,
    Open,
    Played,
    Remove,
    Restore,
    Save,
    Script,
    Step,
    Trace,
    Weigh,
    read_script,
)


def main(request_file: str) -> None:
    """One request, one answer."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.loads(Path(request_file).read_bytes())
    number = -1
    try:
        script = read_script(request["script"])
        library = _adapter(Path(request["adapter"]))(
            bindings=Path(request["bindings"]),
            libraries=Path(request["libraries"]),
            model=Path(request["model"]),
            repack=script.repack,
        )
        with Path(request["rows"]).open("wb") as rows:
            player = _Player(library, script, rows, Path(request["traces"]))
            done = []
            for step in script.steps:
                number += 1
                done.append(player.play(step))
        played = Played(vocabulary=library.vocabulary, prompts=tuple(player.prompts.values()), done=tuple(done))
        said: dict[str, object] = {"played": to_json(played)}
    except DoesNotFit as error:
        said = {"unfit": str(error)}
    except Refused as error:
        said = {"refused": str(error), "step": number}
    answer.write(json.dumps(said) + "\n")
    answer.flush()
    sys.stdin.read()
    # contexts that are still open are the system's to free: a library's own end must not spoil the answer
    sys.stderr.flush()
    os._exit(0)


def _adapter(file: Path) -> OpenLibrary:
    spec = importlib.util.spec_from_file_location("adapter", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: OpenLibrary = module.open_library
    return function


class _Player:
    """The contexts, kept states and prompts of one script."""

    def __init__(self, library: Library, script: Script, rows: IO[bytes], traces: Path) -> None:
        self.library, self.rows, self.traces = library, rows, traces
        self.prompts = {each.name: each.ids or library.tokens(each.text) for each in script.prompts}
        self.contexts: dict[str, Context] = {}
        self.states: dict[str, bytes] = {}
        self.last: dict[str, bytes] = {}
        self.recorder: _Recorder | None = None

    def play(self, step: Step) -> Done:
        match step:
            case Open():
                context = self.library.open(step.settings, traced=step.traced)
                self.contexts[step.context] = context
                return Done(cache_bytes=context.cache_bytes())
            case Close():
                self.contexts.pop(step.context).close()
                return Done()
            case Decode():
                return self._decode(step)
            case Generate():
                return self._generate(step)
            case Save():
                state = self.contexts[step.context].save(step.sequence)
                self.states[step.state] = state
                return Done(size=len(state), sha256=hashlib.sha256(state).hexdigest())
            case Restore():
                try:
                    self.contexts[step.context].restore(step.sequence, self.states[step.state])
                except Refused as error:
                    return Done(refused=str(error))
                return Done(size=len(self.states[step.state]))
            case Remove():
                self.contexts[step.context].remove(step.sequence, step.start, step.stop)
                return Done()
            case Trace():
                return self._trace(step)
            case Weigh():
                size = self.contexts[step.context].state_size(step.sequence)
                return Done(size=size, resident_kib=_resident_kib())

    def _decode(self, step: Decode) -> Done:
        ids = self.prompts[step.prompt]
        part = ids[step.start : step.stop or len(ids)]
        if not part:
            raise Refused(f"prompt `{step.prompt}` of {len(ids)} tokens has none from {step.start} on")
        context = self.contexts[step.context]
        rows = context.decode(part, sequences=step.sequences, width=step.width, keep=step.keep)
        self.last[step.context] = rows[-1]
        return self._kept(rows if step.keep else [])

    def _generate(self, step: Generate) -> Done:
        context = self.contexts[step.context]
        ids: list[int] = []
        rows: list[bytes] = []
        for _ in range(step.count):
            token = context.sample(step.seed) if step.seed else _greatest(self.last[step.context])
            ids.append(token)
            row = context.decode([token], sequences=(step.sequence,), width=1, keep=True)
            self.last[step.context] = row[0]
            rows += row
        done = self._kept(rows)
        return Done(rows=done.rows, ids=tuple(ids))

    def _kept(self, rows: list[bytes]) -> Done:
        for row in rows:
            self.rows.write(row)
        return Done(rows=len(rows))

    def _trace(self, step: Trace) -> Done:
        context = self.contexts[step.context]
        if self.recorder is not None:
            self.recorder.close()
            self.recorder = None
        if step.name:
            self.recorder = _Recorder(self.traces / step.name)
            context.trace(self.recorder.take)
        else:
            context.trace(None)
        return Done()


class _Recorder:
    """Writes operations: one line each to `NAME.ops`, their bytes in the same order to `NAME.bin`."""

    def __init__(self, path: Path) -> None:
        self.lines = path.with_suffix(".ops").open("w", encoding="utf-8")
        self.data = path.with_suffix(".bin").open("wb")

    def take(self, operation: Operation) -> None:
        line = {
            "name": operation.name,
            "op": operation.op,
            "type": operation.type,
            "shape": operation.shape,
            "size": 0 if operation.data is None else len(operation.data),
            "sha256": operation.sha256,
        }
        self.lines.write(json.dumps(line) + "\n")
        if operation.data is not None:
            self.data.write(operation.data)

    def close(self) -> None:
        self.lines.close()
        self.data.close()


def _greatest(row: bytes) -> int:
    numbers = array.array("f", row)
    largest = max(numbers)
    return numbers.index(largest) if largest == largest else 0  # not a number: the rows tell


def _resident_kib() -> int:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0
