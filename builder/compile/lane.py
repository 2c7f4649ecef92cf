"""A lane: a folder at a fixed path in which trees of one configuration are built one after another.

Takes the cache and the lane's name; gives the lane, locked, with the folders of a build. The path is fixed because
compilers write paths into what they make, and the compiler cache can only find again what looks the same; what lies
there is never believed: the source is proven or laid again (`builder/compile/sources.py`), the build folder starts
empty. Another process that wants the lane waits and is told for whom.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from builder.compile.recipe import STATUS_FORMAT
from builder.compile.run import MARK, end_marked
from builder.compile.sources import remove_folder
from builder.compile.toolchain import Toolchain
from verify.model.ids import is_name
from verify.model.progress import Progress

REMOTE = "STACKPROOF_CCACHE_REMOTE"
"""Environment variable that names a compiler cache on another machine, such as `redis://10.0.0.7`."""

WARM = "_warm"
"""What a warm lane's folder has behind the configuration's name; no name of a configuration holds an underscore."""

_CCACHE_SIZE = "5G"
_EPOCH = "1262304000"
"""SOURCE_DATE_EPOCH: any fixed time will do; some tools refuse one before 1980."""

_NO_NETWORK = "http://127.0.0.1:9"
"""A proxy that refuses: a build that downloads would not be the build of its tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """The folders of a lane: source and build tree, and the record of what was laid."""

    folder: Path
    source: Path
    build: Path
    record: Path
    statistics: Path

    def environment(self, *, toolchain: Toolchain, ccache: Path, cold: bool) -> dict[str, str]:
        """The whole environment of a build; nothing of the caller's own gets in.

        A build runs code of strangers: it sees no secret, no home folder and no proxy that works. `cold` compiles
        everything anew and puts it into the compiler cache.
        """
        environment = {
            "PATH": os.pathsep.join(toolchain.search_path),
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "LC_ALL": "C",
            "TZ": "UTC",
            "SOURCE_DATE_EPOCH": _EPOCH,
            "NINJA_STATUS": STATUS_FORMAT,
            "GIT_ALLOW_PROTOCOL": "file",
            "GIT_CEILING_DIRECTORIES": str(self.folder),
            "CCACHE_DIR": str(ccache),
            "CCACHE_CONFIGPATH": str(ccache / "none.conf"),
            "CCACHE_BASEDIR": str(self.folder),
            "CCACHE_NOHASHDIR": "1",
            # the driver's own bytes are not enough: the digest covers what stands behind it
            "CCACHE_COMPILERCHECK": f"string:{toolchain.digest}",
            "CCACHE_MAXSIZE": _CCACHE_SIZE,
            "CCACHE_STATSLOG": str(self.statistics),
            MARK: str(self.folder),
        }
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            environment[name] = _NO_NETWORK
        if cold:
            environment["CCACHE_RECACHE"] = "1"
        if os.environ.get(REMOTE):
            # a store that several machines share; whoever can write to it is trusted as a compiler is
            environment["CCACHE_REMOTE_STORAGE"] = os.environ[REMOTE]
        for name in ("SDKROOT", "DEVELOPER_DIR"):
            # macOS: where the compiler's own headers are
            if name in os.environ:
                environment[name] = os.environ[name]
        return environment


@contextlib.contextmanager
def hold_lane(*, cache: Path, name: str, progress: Progress, warm: bool = False) -> Iterator[Lane]:
    """Take the lane for this process alone, with an empty build folder; waits for whoever has it.

    A `warm` lane is another one of its own and keeps its build folder (`builder/compile/warm.py`).
    """
    if not is_name(name):
        raise ValueError(f"not a lane's name: {name!r}")
    if warm:
        name += WARM
    lanes = cache / "lanes"
    folder = lanes / name
    lanes.mkdir(parents=True, exist_ok=True)
    with _locked(lanes / f"{name}.lock", lanes / f"{name}.holder", f"lane {name}", progress):
        # a run that was killed may have left compilers that still write here
        end_marked(str(folder))
        for part in ("home", "tmp") if warm else ("build", "home", "tmp"):
            remove_folder(folder / part)
            (folder / part).mkdir(parents=True)
        statistics = folder / "statistics"
        statistics.unlink(missing_ok=True)
        yield Lane(
            folder=folder,
            source=folder / "src",
            build=folder / "build",
            record=folder / "laid.json",
            statistics=statistics,
        )


@contextlib.contextmanager
def _locked(lock: Path, holder: Path, what: str, progress: Progress) -> Iterator[None]:
    from filelock import FileLock, Timeout

    held = FileLock(lock)
    try:
        held.acquire(timeout=0)
    except Timeout:
        with progress.stage(f"wait for {what}") as stage:
            stage.tell(_holder(holder))
            held.acquire(poll_interval=0.2)
            stage.outcome("free")
    try:
        holder.write_text(json.dumps({"pid": os.getpid()}))
        yield
    finally:
        holder.unlink(missing_ok=True)
        held.release()


def _holder(holder: Path) -> str:
    try:
        return f"process {int(json.loads(holder.read_bytes())['pid'])} builds there"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process builds there"
