"""A llama-server made of Python: installed as `sitecustomize` beside a copy of the interpreter, see `fake_engine.py`.

It serves before the interpreter looks at its arguments and never returns. What it does wrong is told by variables
of its environment: FAKE=<fault>, FAKE_SALT changes its tokens, FAKE_SAYS is written to its log at each request.
Started with a folder for slots it remembers what its slot holds, and saves and restores that.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FAULT = os.environ.get("FAKE", "")
SALT = int(os.environ.get("FAKE_SALT", "0"))
BATCH = 8
LOCK = threading.Lock()
MAGIC = b"slot"
SLOTS = next(
    (after for name, after in zip(sys.orig_argv, sys.orig_argv[1:], strict=False) if name == "--slot-save-path"), ""
)
HELD: list[int] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.plain(503 if FAULT == "unready" else 200, {"status": "ok"})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.startswith("/slots/"):
            self.slot(self.path.partition("action=")[2], Path(SLOTS, asked["filename"]))
            return
        if FAULT == "mute":
            say(f"asked: {os.getpid()}")
            time.sleep(600)
        if FAULT == "refuses":
            self.plain(500, {"error": {"message": "no"}})
            return
        say(os.environ.get("FAKE_SAYS", ""))
        prompt = asked["prompt"]
        length = len(prompt)
        ids = [(length * 7 + step * 3 + SALT) % 50 for step in range(asked["n_predict"])]
        cached = held_of(prompt) if SLOTS else 0
        HELD[:] = [*prompt, *ids]
        timings = {"cache_n": cached, "prompt_n": length - cached, "prompt_ms": 1.5, "predicted_n": len(ids)}
        if not asked["stream"]:
            for number, _ in enumerate(ids):
                self.fail(number)
            chosen = [self.chosen(each, asked) for each in ids]
            text = "".join(f" {each}" for each in ids)
            answer = {"content": text, "tokens": ids, "stop": True, "timings": timings}
            if asked["n_probs"]:
                answer["completion_probabilities"] = chosen
            self.plain(200, answer)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        for read in range(0, length, BATCH):
            with LOCK:  # one batch at a time, as one compute thread does
                time.sleep(0.002)
            self.event({"prompt_progress": {"cache": 0, "processed": min(read + BATCH, length)}, "tokens": [0]})
        for number, each in enumerate(ids):
            self.fail(number)
            event = {"content": f" {each}", "tokens": [each], "stop": False}
            if asked["n_probs"]:
                event["completion_probabilities"] = [self.chosen(each, asked)]
            self.event(event)
        self.event({"content": "", "tokens": [], "stop": True, "timings": timings})

    def slot(self, action: str, path: Path) -> None:
        if action == "save":
            path.write_bytes(MAGIC + json.dumps(HELD).encode())
            self.plain(200, {"n_saved": len(HELD)})
            return
        data = path.read_bytes() if path.exists() else b""
        if FAULT == "breaks-over-files" and data and not data.endswith(b"]"):
            os.abort()
        sound = data.startswith(MAGIC) and data.endswith(b"]")
        if not sound and FAULT != "takes-any-file":
            if FAULT == "loses-its-slot":
                HELD.clear()
            self.plain(400, {"error": {"message": "no slot"}})
            return
        restored = json.loads(data[4:]) if sound else [1]
        HELD[:] = [] if FAULT == "forgets" else restored
        self.plain(200, {"n_restored": len(restored)})

    def chosen(self, each: int, asked: dict[str, int]) -> dict[str, object]:
        top = [{"id": each + rank, "logprob": -0.5 - rank} for rank in range(asked["n_probs"])]
        return {"id": each, "logprob": -0.5, "top_logprobs": top}

    def fail(self, number: int) -> None:
        if number < 2:
            return
        match FAULT:
            case "dies":
                say("assertion failed: n_tokens > 0")
                os.abort()
            case "is-killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "stops-early":
                sys.exit()
            case "talks-nonsense":
                self.wfile.write(b"data: {nonsense\n\n")
            case "trickles":
                time.sleep(0.4)

    def event(self, event: dict[str, object]) -> None:
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.flush()

    def plain(self, status: int, body: object) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def held_of(prompt: list[int]) -> int:
    """How many tokens of a prompt the slot holds; the last one is always read."""
    same = 0
    while same < min(len(HELD), len(prompt) - 1) and HELD[same] == prompt[same]:
        same += 1
    return same


def say(text: str) -> None:
    if text:
        print(text, file=sys.stderr, flush=True)


def serve() -> None:
    for name in sorted(os.environ):
        print(f"environment: {name}={os.environ[name]}", flush=True)
    if FAULT == "exits":
        say("error: failed to load model")
        os._exit(3)
    if FAULT == "hangs":
        time.sleep(600)
    if FAULT.startswith("loads:"):
        ctypes.CDLL(FAULT.removeprefix("loads:"))
    if FAULT == "has-children":
        child = subprocess.Popen(["/bin/sleep", "600"])
        say(f"child: {child.pid}")
    if FAULT == "eats-memory":
        for _ in range(3):
            if os.fork() == 0:
                held = b"x" * 100_000_000
                time.sleep(600)
                sys.exit(len(held))
    if FAULT == "calls-home":
        try:
            socket.create_connection(("192.0.2.1", 443), timeout=5)
        except OSError as error:
            say(f"no news from home: {error}")
    if FAULT == "ignores-the-end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    host = "0.0.0.0" if FAULT == "listens-everywhere" else "127.0.0.1"
    ThreadingHTTPServer((host, 0), Handler).serve_forever()


serve()
