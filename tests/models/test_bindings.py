"""Bindings out of the archive that the base is pinned to: taken once, compared before every use, refused elsewhere."""

import hashlib
from pathlib import Path

import pytest

from builder.bindings import provide_bindings
from tests.base.archives import Entry, write_tar
from verify.model.diagnostic import Fault
from verify.model.ids import Sha256
from verify.model.progress import Silent
from verify.model.release import Base, FolderSource, SdistSource, Source
from verify.probe.engine import Bindings

FILES = ("llama_cpp/__init__.py", "llama_cpp/_ctypes_extensions.py", "llama_cpp/llama_cpp.py")


def pinned(cache: Path, *names: str) -> SdistSource:
    """A source distribution with these files, in the cache already."""
    made = write_tar(cache.parent / "made.tar.gz", [Entry(name=f"pack-1/{name}", data=name.encode()) for name in names])
    digest = Sha256(hashlib.sha256(made.read_bytes()).hexdigest())
    place = cache / "downloads" / digest
    place.mkdir(parents=True)
    made.rename(place / "pack-1.tar.gz")
    return SdistSource(package="pack", version="1", sha256=digest, folder="vendor", git_dir="")


def provided(source: Source, cache: Path) -> Bindings:
    base = Base(source=source, upstream_commit=None)
    return provide_bindings(base=base, cache=cache, offline=True, progress=Silent())


def codes(source: Source, cache: Path) -> set[str]:
    with pytest.raises(Fault) as caught:
        provided(source, cache)
    return {each.code for each in caught.value.diagnostics}


def test_the_modules_files_are_taken_and_nothing_else(tmp_path: Path) -> None:
    source = pinned(tmp_path / "cache", *FILES, "llama_cpp/llama.py", "vendor/big.c")
    folder = provided(source, tmp_path / "cache").folder
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {*FILES, "bindings.json"}


def test_they_are_taken_once(tmp_path: Path) -> None:
    source = pinned(tmp_path / "cache", *FILES)
    first = provided(source, tmp_path / "cache")
    next((tmp_path / "cache" / "downloads" / source.sha256).iterdir()).unlink()
    assert provided(source, tmp_path / "cache") == first


@pytest.mark.parametrize("stray", ["llama_cpp/llama_cpp.py", "llama_cpp/__pycache__/llama_cpp.pyc"])
def test_what_was_changed_meanwhile_is_taken_anew(tmp_path: Path, stray: str) -> None:
    source = pinned(tmp_path / "cache", *FILES)
    first = provided(source, tmp_path / "cache")
    (first.folder / stray).parent.mkdir(exist_ok=True)
    (first.folder / stray).write_bytes(b"other")
    assert provided(source, tmp_path / "cache") == first
    assert not (first.folder / stray).exists() or (first.folder / stray).read_bytes() == stray.encode()


def test_another_base_has_none(tmp_path: Path) -> None:
    assert codes(FolderSource(path="engine"), tmp_path / "cache") == {"no-bindings"}


def test_an_archive_without_the_module_has_none(tmp_path: Path) -> None:
    assert codes(pinned(tmp_path / "cache", "vendor/big.c"), tmp_path / "cache") == {"no-bindings"}
