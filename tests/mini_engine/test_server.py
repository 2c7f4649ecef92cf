"""The mini server answers as llama.cpp's does, as far as our probes ask."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.mini_engine.blocks import KEEP, ROTATION
from tests.mini_engine.conftest import Made
from tests.mini_engine.project import MODELS


class Server:
    """A running server and what it has written."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.log: list[str] = []
        self.port = 0
        assert process.stderr is not None
        for line in process.stderr:
            self.log.append(line)
            if (found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line)) is not None:
                self.port = int(found[1])
                break
        self.reader = threading.Thread(target=self.log.extend, args=(process.stderr,), daemon=True)
        self.reader.start()

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.reader.join()

    def ask(self, path: str, body: Mapping[str, object] | None = None) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request("GET" if body is None else "POST", path, json.dumps(body) if body is not None else None)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def complete(self, prompt: object, **more: object) -> dict[str, object]:
        status, text = self.ask("/completion", {"prompt": prompt, "n_predict": 8, "return_tokens": True, **more})
        assert status == 200, text
        value = json.loads(text)
        assert isinstance(value, dict)
        return value

    def events(self, prompt: object, **more: object) -> list[dict[str, object]]:
        body = {"prompt": prompt, "n_predict": 4, "return_tokens": True, "stream": True, **more}
        _, text = self.ask("/completion", body)
        return [json.loads(line.removeprefix("data: ")) for line in text.split("\n") if line.startswith("data: ")]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    for name, data in MODELS.items():
        (folder / name).write_bytes(data)
    return {name: folder / name for name in MODELS}


@contextmanager
def serving(made: Made, model: Path, *options: str, **env: str) -> Iterator[Server]:
    assert made.tip.folder is not None
    command: list[str | Path] = [
        made.tip.folder / "bin/llama-server",
        "-m",
        model,
        "--port",
        "0",
        "-c",
        "8192",
        "-np",
        "2",
        *options,
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **env})
    server = Server(process)
    try:
        yield server
    finally:
        server.end()


@pytest.fixture(scope="module")
def server(made: Made, models: Mapping[str, Path]) -> Iterator[Server]:
    with serving(made, models["plain"]) as running:
        yield running


def test_it_says_that_it_is_ready_and_what_it_is(server: Server) -> None:
    assert server.ask("/health") == (200, '{"status":"ok"}')
    assert json.loads(server.ask("/props")[1])["total_slots"] == 2
    assert [slot["id"] for slot in json.loads(server.ask("/slots")[1])] == [0, 1]


def test_a_completion_has_the_names_that_probes_read(server: Server) -> None:
    answer = server.complete("The engine", n_probs=3, cache_prompt=False, id_slot=1)
    assert (answer["id_slot"], answer["stop"], answer["tokens_evaluated"]) == (1, True, len("The engine") + 1)
    tokens, timings = answer["tokens"], answer["timings"]
    assert isinstance(tokens, list)
    assert isinstance(timings, dict)
    assert answer["content"] == "".join(chr(token - 3) for token in tokens)
    assert (timings["cache_n"], timings["prompt_n"], timings["predicted_n"]) == (0, 11, 8)
    steps = answer["completion_probabilities"]
    assert isinstance(steps, list)
    assert [step["top_logprobs"][0]["id"] for step in steps] == tokens
    assert {len(step["top_logprobs"]) for step in steps} == {3}


def test_a_stream_gives_the_same_tokens_one_by_one_and_ends_with_the_timings(server: Server) -> None:
    whole = server.complete("One by one", n_predict=4)
    *parts, last = server.events("One by one")
    assert [token for part in parts for token in part["tokens"]] == whole["tokens"]  # type: ignore[attr-defined]
    assert (last["stop"], last["tokens"]) == (True, [])
    assert "timings" in last


def test_progress_is_told_for_each_batch_when_asked_for(server: Server) -> None:
    events = server.events([300] * 3000, return_progress=True)
    told = [event["prompt_progress"]["processed"] for event in events if "prompt_progress" in event]  # type: ignore[index]
    assert told == [2048, 3000]


def test_text_and_ids_of_a_prompt_are_the_same_prompt(server: Server) -> None:
    ids = json.loads(server.ask("/tokenize", {"content": "né", "add_special": True})[1])["tokens"]
    assert server.complete(ids)["tokens"] == server.complete("né")["tokens"]


def test_text_depends_on_the_model(server: Server, made: Made, models: Mapping[str, Path]) -> None:
    with serving(made, models["recurrent"]) as other:
        assert other.complete("The engine")["tokens"] != server.complete("The engine")["tokens"]


def test_what_a_slot_holds_is_not_read_again_and_changes_no_text(server: Server) -> None:
    first, second = (server.complete("Again and again", id_slot=0) for _ in range(2))
    assert first["tokens"] == second["tokens"]
    assert second["timings"]["cache_n"] == len("Again and again")  # type: ignore[index]


@pytest.mark.parametrize(
    ("body", "code"),
    [({"n_predict": 1}, 400), ({"prompt": "x" * 5000}, 400)],
)
def test_what_it_cannot_do_is_refused(server: Server, body: Mapping[str, object], code: int) -> None:
    status, text = server.ask("/completion", body)
    assert (status, json.loads(text)["error"]["code"]) == (code, code)


def test_a_path_that_there_is_not_is_not_found(server: Server) -> None:
    assert server.ask("/nothing")[0] == 404


@pytest.mark.parametrize(("value", "seen", "gone"), [("1", "keeping", "superseding"), ("0", "superseding", "keeping")])
def test_the_keep_switch_decides_what_becomes_of_a_restored_checkpoint(
    made: Made, models: Mapping[str, Path], value: str, seen: str, gone: str
) -> None:
    with serving(made, models["recurrent"], **{KEEP: value}) as running:
        texts = {str(running.complete([400] * 200, id_slot=0)["tokens"]) for _ in range(3)}
    log = "".join(running.log)
    assert len(texts) == 1
    assert (log.count(f"{seen} context checkpoint"), log.count(f"{gone} context checkpoint")) == (2, 0)


@pytest.mark.parametrize(("value", "options", "rotates"), [("1", (), True), ("0", (), False), ("1", ("-kvu",), False)])
def test_the_rotation_switch_decides_which_slot_is_read_first(
    made: Made, models: Mapping[str, Path], value: str, options: tuple[str, ...], rotates: bool
) -> None:
    with serving(made, models["plain"], "-b", "64", *options, **{ROTATION: value}) as running:
        texts = [running.complete([500] * 300, id_slot=slot)["tokens"] for slot in (0, 1)]
    assert texts[0] == texts[1]
    assert ("prefill rotation: slot" in "".join(running.log)) is rotates


def test_a_file_that_is_no_model_is_refused(made: Made, tmp_path: Path) -> None:
    assert made.tip.folder is not None
    (tmp_path / "x").write_bytes(b"GGUF")
    ended = subprocess.run(
        [made.tip.folder / "bin/llama-server", "-m", tmp_path / "x"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, "failed to load model" in ended.stderr) == (1, True)
