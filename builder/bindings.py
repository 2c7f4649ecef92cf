"""The bindings that a library probe calls the engine with: out of the very archive that the base is pinned to.

A `llama-cpp-python` source distribution carries the engine and the ctypes module for it, so that both always fit. The
module's files are taken out of the pinned archive once and compared with their record before every use; nothing of
them is compiled or installed. A base of another kind has no bindings, and what needs them cannot be decided.
"""

import json
from hashlib import sha256
from pathlib import Path

from builder.disk import told_as_fault
from builder.fetch import Kind, fetch
from builder.scratch import scratch
from verify.archive import Limits, Member, members
from verify.model.codec import canonical_json
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import Sha256
from verify.model.progress import Progress
from verify.model.release import Base, SdistSource
from verify.probe.bindings.library import LLAMA_CPP
from verify.probe.engine import Bindings

_MODULE = ("llama_cpp/__init__.py", "llama_cpp/_ctypes_extensions.py", "llama_cpp/llama_cpp.py")
_RECORD = "bindings.json"


def provide_bindings(*, base: Base, cache: Path, offline: bool, progress: Progress) -> Bindings:
    """The bindings of a base; raises a fault that says why there are none."""
    source = base.source
    if not isinstance(source, SdistSource):
        raise _none("the base is no source distribution that carries bindings for its engine")
    folder = cache / "bindings" / source.sha256
    with told_as_fault(cache):
        digest = _digest(folder)
        if digest is None:
            with progress.stage(f"bindings of {source.package} {source.version}") as stage:
                archive = fetch(
                    package=source.package,
                    version=source.version,
                    sha256=source.sha256,
                    kind=Kind.SDIST,
                    cache=cache,
                    offline=offline,
                    progress=progress,
                )
                digest = _extract(archive, folder)
                stage.outcome(f"{len(_MODULE)} files")
    adapter = sha256(LLAMA_CPP.read_bytes()).hexdigest()
    return Bindings(adapter=LLAMA_CPP, folder=folder, sha256=Sha256(sha256(f"{adapter} {digest}".encode()).hexdigest()))


def _extract(archive: Path, folder: Path) -> str:
    """Put the module's files beside each other, with a record of their digests; the folder appears when it is whole."""
    wanted = {name.encode(): name for name in _MODULE}
    found = {
        wanted[inside]: member.data
        for member in members(archive, limits=Limits())
        if isinstance(member, Member) and (inside := member.path.partition(b"/")[2]) in wanted
    }
    if len(found) != len(_MODULE):
        lacking = ", ".join(name for name in _MODULE if name not in found)
        raise _none(f"{archive.name} does not hold {lacking}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch(folder.parent, f".{folder.name[:16]}-") as work:
        made = work / "made"
        for name, data in found.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_bytes(data)
        record = {name: sha256(data).hexdigest() for name, data in found.items()}
        (made / _RECORD).write_bytes(canonical_json(record))
        if folder.exists():
            folder.rename(work / "old")
        try:
            made.rename(folder)
        except OSError:
            if _digest(folder) is None:  # else another run on this cache was first
                raise
    digest = _digest(folder)
    assert digest is not None
    return digest


def _digest(folder: Path) -> str | None:
    """Names the files of a whole folder; None where it is not there or not as it was recorded."""
    try:
        record = json.loads((folder / _RECORD).read_bytes())
        met = {name: sha256((folder / name).read_bytes()).hexdigest() for name in _MODULE}
        files = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}
    except (OSError, ValueError):
        return None
    return sha256(canonical_json(met)).hexdigest() if record == met and files == {*_MODULE, _RECORD} else None


def _none(why: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="no-bindings",
            message=f"the engine's library cannot be called: {why}",
            notes=("probes that call the library are left undecided; those of the server run on",),
            help="stackproof explain no-bindings",
        )
    )
