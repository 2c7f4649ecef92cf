"""An engine for probes that needs no compiler: a copy of the Python interpreter that is a server from its first line.

It is a real program with real libraries in a real process, so identity, ports, signals and streams are put to the
test as they are. `fake_engine` makes it; `need` asks for a session on it.
"""

import shutil
import sys
from pathlib import Path

from verify.evidence import make_key
from verify.gates.exercise import tokens_session
from verify.model.evidence import Arm, BuildNeed, ProbeNeed
from verify.model.ids import ConfigName, ModelName, TreeId
from verify.model.observation import Artifact, BuildObservation
from verify.probe.engine import BuiltEngine, Limits, ModelFile, file_sha256
from verify.probe.identity import SYSTEM_FOLDERS

MODEL = ModelName("tiny")
SYSTEM = (*SYSTEM_FOLDERS, Path(sys.base_prefix).resolve())
LIMITS = Limits(start_seconds=10, answer_seconds=10, stop_seconds=2)


def fake_engine(folder: Path, name: str = "engine") -> BuiltEngine:
    """Install it under `folder` as if it had been built."""
    home = folder / name
    (home / "bin").mkdir(parents=True)
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    program = home / "bin" / "llama-server"
    shutil.copy(python, program)
    (home / "pyvenv.cfg").write_text(f"home = {python.parent}\n", encoding="utf-8")
    packages = home / "lib" / python.name / "site-packages"
    packages.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("fake_server.py"), packages / "sitecustomize.py")
    return BuiltEngine(key=make_key("build", {"tree": name}), observation=built(program), folder=home)


def built(program: Path) -> BuildObservation:
    """The record of a build that made one program."""
    artifact = Artifact(name=program.name, sha256=file_sha256(program), size=program.stat().st_size)
    return BuildObservation(
        ok=True,
        failed_step="",
        errors=(),
        warnings=(),
        steps=1,
        compiled=1,
        cache_hits=0,
        cpu_seconds=1.0,
        wall_seconds=1.0,
        peak_kib=1,
        artifacts=(artifact,),
        log="",
        tail=(),
    )


def model_file(folder: Path) -> ModelFile:
    """Some model file."""
    path = folder / "tiny.gguf"
    path.write_bytes(b"weights")
    return ModelFile(name=MODEL, path=path, sha256=file_sha256(path))


def build_need(name: str) -> BuildNeed:
    """The build of a tree that stands for `name`."""
    return BuildNeed(tree=TreeId(name.encode().hex().ljust(40, "0")[:40]), configuration=ConfigName("release"))


def arm(name: str, **environment: str) -> Arm:
    """An arm on the one build."""
    return Arm(name=name, build=build_need("engine"), env=tuple(sorted(environment.items())))


def token_need(*arms: Arm, tokens: int = 6, probabilities: int = 2) -> ProbeNeed:
    """A session of two prompts."""
    return tokens_session(
        model=MODEL, arms=arms, prompts=("one", "two words"), tokens=tokens, probabilities=probabilities, context=512
    )
