"""Downloads through the real pip, from an index that is a folder on this disk."""

import hashlib
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from builder.fetch import Kind, digest_of, fetch
from tests.base.archives import Entry, write_tar
from verify.model.diagnostic import Diagnostic, Fault
from verify.model.ids import Sha256
from verify.model.progress import Silent

POISON = """
[build-system]
requires = ["a-requirement-that-nobody-has"]
build-backend = "poison.backend:object"
backend-path = ["."]
"""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes as its only index, by the user's own configuration."""
    folder = tmp_path / "index"
    folder.mkdir()
    config = tmp_path / "pip.conf"
    config.write_text(f"[global]\nno-index = true\nfind-links = {folder}\nno-cache-dir = true\n")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    return folder


def add_sdist(index: Path, marker: Path) -> Path:
    """An sdist whose build would leave a mark."""
    top = "engine_python-1.0"
    evil = f"open({str(marker)!r}, 'w').close()\nraise SystemExit('a stranger ran')\n".encode()
    entries = [
        Entry(name=f"{top}/PKG-INFO", data=b"Metadata-Version: 2.1\nName: engine-python\nVersion: 1.0\n"),
        Entry(name=f"{top}/pyproject.toml", data=POISON.encode()),
        Entry(name=f"{top}/poison/__init__.py", data=evil),
        Entry(name=f"{top}/poison/backend.py", data=evil),
        Entry(name=f"{top}/setup.py", data=evil),
    ]
    return write_tar(index / "engine_python-1.0.tar.gz", entries)


def add_wheel(index: Path) -> Path:
    path = index / "engine_model-2.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("engine_model/model.gguf", b"GGUF")
        wheel.writestr(
            "engine_model-2.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: engine-model\nVersion: 2.0\n"
        )
        wheel.writestr("engine_model-2.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("engine_model-2.0.dist-info/RECORD", "")
    return path


def get(cache: Path, sha256: str, kind: Kind = Kind.SDIST, *, offline: bool = False, version: str = "1.0") -> Path:
    name = "engine-python" if kind is Kind.SDIST else "engine-model"
    return fetch(
        package=name,
        version=version,
        sha256=Sha256(sha256),
        kind=kind,
        cache=cache,
        offline=offline,
        progress=Silent(),
    )


def refused(cache: Path, sha256: str, *, offline: bool = False, version: str = "1.0") -> Diagnostic:
    with pytest.raises(Fault) as caught:
        get(cache, sha256, offline=offline, version=version)
    assert not [path for path in (cache / "downloads").rglob("*") if path.is_file() and sha256 in str(path)]
    return caught.value.diagnostics[0]


def test_an_sdist_is_downloaded_and_nothing_of_it_is_run(index: Path, tmp_path: Path) -> None:
    made = add_sdist(index, tmp_path / "ran")
    digest = digest_of(made)
    found = get(tmp_path / "cache", digest)
    assert found == tmp_path / "cache/downloads" / digest / made.name
    assert found.read_bytes() == made.read_bytes()
    assert not (tmp_path / "ran").exists()


def test_a_wheel_is_downloaded(index: Path, tmp_path: Path) -> None:
    made = add_wheel(index)
    assert get(tmp_path / "cache", digest_of(made), Kind.WHEEL, version="2.0").read_bytes() == made.read_bytes()


def test_what_is_in_the_cache_is_not_asked_for_again(index: Path, tmp_path: Path) -> None:
    made = add_wheel(index)
    digest = digest_of(made)
    first = get(tmp_path / "cache", digest, Kind.WHEEL, version="2.0")
    made.unlink()
    assert get(tmp_path / "cache", digest, Kind.WHEEL, version="2.0", offline=True) == first


def test_a_damaged_file_in_the_cache_is_downloaded_again(index: Path, tmp_path: Path) -> None:
    digest = digest_of(add_wheel(index))
    first = get(tmp_path / "cache", digest, Kind.WHEEL, version="2.0")
    first.write_bytes(b"half")
    assert digest_of(get(tmp_path / "cache", digest, Kind.WHEEL, version="2.0")) == digest


def test_another_file_than_the_pinned_one_is_told_with_both_digests(index: Path, tmp_path: Path) -> None:
    met = digest_of(add_sdist(index, tmp_path / "ran"))
    expected = hashlib.sha256(b"x").hexdigest()
    told = refused(tmp_path / "cache", expected)
    assert told.code == "sha256-differs"
    assert told.notes == (f"expected sha256 {expected}", f"met sha256      {met}")
    assert list((tmp_path / "cache/downloads").iterdir()) == []


def test_a_version_that_the_index_lacks_is_told_with_the_words_of_pip(index: Path, tmp_path: Path) -> None:
    add_sdist(index, tmp_path / "ran")
    told = refused(tmp_path / "cache", "1" * 64, version="7.0")
    assert told.code == "download-failed"
    assert any("7.0" in note for note in told.notes)


def test_offline_says_what_is_missing_and_where_it_was_looked_for(tmp_path: Path) -> None:
    told = refused(tmp_path / "cache", "1" * 64, offline=True)
    assert told.code == "offline-not-cached"
    assert told.notes[0] == f"its sha256 is {'1' * 64}"


def test_offline_says_that_a_file_is_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "cache/downloads" / ("1" * 64)
    folder.mkdir(parents=True)
    (folder / "x.whl").write_bytes(b"half")
    with pytest.raises(Fault) as caught:
        get(tmp_path / "cache", "1" * 64, offline=True)
    assert "x.whl is there but has other content" in caught.value.diagnostics[0].notes


@pytest.mark.parametrize("version", ["1.0 --index-url=x", "-r", "", "1.0\n--hash"])
def test_a_version_that_is_none_never_reaches_pip(tmp_path: Path, version: str) -> None:
    assert refused(tmp_path / "cache", "1" * 64, version=version).code == "download-failed"


def test_a_python_without_pip_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tmp_path / "python"
    bare.write_text(f"#!/bin/sh\necho '{sys.executable}: No module named pip' >&2\nexit 1\n")
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    assert refused(tmp_path / "cache", "1" * 64).code == "pip-missing"


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho 'ERROR: Could not install: [Errno 28] No space left on device' >&2\nexit 1\n")
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    assert refused(tmp_path / "cache", "1" * 64).code == "no-space"


def test_an_interrupted_download_takes_pip_with_it_and_leaves_nothing(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(f"#!/bin/sh\necho $$ >{tmp_path}/pid\nsleep 60\n")
    bare.chmod(0o755)
    script = (
        "import sys; from pathlib import Path; from tests.base.test_fetch import get\n"
        f"sys.executable = {str(bare)!r}\n"
        f"get(Path({str(tmp_path / 'cache')!r}), '1' * 64)\n"
    )
    run = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    run.wait(20)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert list((tmp_path / "cache/downloads").iterdir()) == []
