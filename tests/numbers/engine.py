"""An engine whose programs are copies of the interpreter, and one of a small C program: both are real processes."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tests.numbers.captured_output import FOLDER
from tests.probe.fake_engine import LIMITS, SYSTEM, build_need, built, model_file
from verify.evidence import make_key
from verify.model.evidence import Arm, ProbeNeed
from verify.model.observation import Artifact, ProbeObservation
from verify.model.progress import Silent
from verify.probe.engine import BuiltEngine, file_sha256
from verify.probe.run import run_probe

PROGRAMS = ("llama-bench", "llama-perplexity", "llama-tokenize")


def fake_programs(folder: Path) -> BuiltEngine:
    """Install the programs under `folder` as if they had been built."""
    home = folder / "engine"
    (home / "bin").mkdir(parents=True)
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for name in PROGRAMS:
        shutil.copy(python, home / "bin" / name)
    (home / "pyvenv.cfg").write_text(f"home = {python.parent}\n", encoding="utf-8")
    packages = home / "lib" / python.name / "site-packages"
    packages.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("fake_programs.py"), packages / "sitecustomize.py")
    shutil.copytree(FOLDER, home / "captured")
    return _installed(home, PROGRAMS)


def counted_program(folder: Path) -> BuiltEngine:
    """A `llama-bench` in C: it enters the functions at which parts are told apart, and computes between them."""
    home = folder / "counted"
    (home / "bin").mkdir(parents=True)
    source = Path(__file__).with_name("bench.c")
    said = FOLDER / "bench.json"
    subprocess.run(
        ["cc", "-O0", f'-DSAID="{said}"', "-o", home / "bin" / "llama-bench", source], check=True, capture_output=True
    )
    return _installed(home, ("llama-bench",))


def _installed(home: Path, names: Iterable[str]) -> BuiltEngine:
    artifacts = tuple(
        Artifact(name=name, sha256=file_sha256(home / "bin" / name), size=(home / "bin" / name).stat().st_size)
        for name in names
    )
    record = replace(built(home / "bin" / artifacts[0].name), artifacts=artifacts)
    return BuiltEngine(key=make_key("build", {"tree": home.name}), observation=record, folder=home)


def measured(need: ProbeNeed, engine: BuiltEngine, folder: Path) -> ProbeObservation:
    """What the need's probe sees on the engine."""
    return run_probe(
        need=need,
        builds={arm.build: engine for arm in need.arms},
        model=model_file(folder),
        scratch=folder / "scratch",
        progress=Silent(),
        limits=LIMITS,
        system=SYSTEM,
        keep_logs=True,
    )


def arms(**faults: str) -> tuple[Arm, Arm]:
    """Upstream and the tip on one engine, each with what it does wrong."""
    upstream, tip = (
        Arm(name=name, build=build_need("engine"), env=(("FAKE", faults.get(name, "")),))
        for name in ("upstream", "tip")
    )
    return upstream, tip
