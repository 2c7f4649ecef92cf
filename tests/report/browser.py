"""A headless Chromium of this machine, driven over WebDriver by the standard library alone."""

import base64
import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


class Browser:
    """One session: pages are opened, measured and drawn at any width, light and dark, on screen and on paper."""

    def __init__(self, address: str, session: str) -> None:
        self._address, self._session = address, session

    def open(self, page: Path) -> None:
        """Open a local file."""
        self._post("url", {"url": page.resolve().as_uri()})

    def show(self, *, width: int, dark: bool = False, height: int = 900, media: str = "screen") -> None:
        """The window's width in CSS pixels, the colour scheme, and the medium."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        self.cdp("Emulation.setDeviceMetricsOverride", size)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.cdp("Emulation.setEmulatedMedia", {"media": media, "features": scheme})

    def run(self, script: str, *arguments: object) -> Any:
        """What a script returns."""
        return self._post("execute/sync", {"script": script, "args": list(arguments)})

    def later(self, script: str) -> Any:
        """What a script hands to its last argument."""
        return self._post("execute/async", {"script": script, "args": []})

    def cdp(self, command: str, parameters: Mapping[str, object]) -> Any:
        """A command of the browser's own protocol."""
        return self._post("goog/cdp/execute", {"cmd": command, "params": parameters})

    def picture(self) -> bytes:
        """The whole page as PNG."""
        taken = self.cdp("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True})
        return base64.b64decode(taken["data"])

    def paper(self) -> bytes:
        """The page as PDF."""
        self.cdp("Emulation.setEmulatedMedia", {"media": "", "features": []})
        made = self.cdp("Page.printToPDF", {"printBackground": False, "paperWidth": 8.27, "paperHeight": 11.69})
        return base64.b64decode(made["data"])

    def _post(self, name: str, value: Mapping[str, object]) -> Any:
        return _call(f"{self._address}/session/{self._session}/{name}", value)


@contextlib.contextmanager
def browser() -> Iterator[Browser | None]:
    """A browser while it is needed; None where this machine has none."""
    driver, program = shutil.which("chromedriver"), shutil.which("chromium")
    if driver is None or program is None:
        yield None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="stackproof-browser-") as folder:
        started = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            address = f"http://127.0.0.1:{port}"
            options = {"binary": program, "args": [*FLAGS, f"--user-data-dir={folder}"]}
            wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}}
            session = _call(f"{address}/session", wanted, patience=30.0)["sessionId"]
            try:
                yield Browser(address, session)
            finally:
                request = urllib.request.Request(f"{address}/session/{session}", method="DELETE")
                urllib.request.urlopen(request, timeout=60).close()
        finally:
            started.terminate()
            started.wait()


def _call(address: str, value: Mapping[str, object], patience: float = 0.0) -> Any:
    request = urllib.request.Request(address, json.dumps(value).encode(), {"Content-Type": "application/json"})
    until = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
