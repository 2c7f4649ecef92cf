"""What the mini engine's build says of itself, what its programs print, and what its log holds, on the real build."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.mini_engine.conftest import Made
from tests.mini_engine.project import MODELS
from verify.gates.exercise import tokens_session
from verify.model.command import CommandObservation, CommandSettings
from verify.model.config_dump import ConfigDumpObservation, ConfigDumpSettings
from verify.model.diagnostic import EnvironmentFault
from verify.model.evidence import Arm, BuildNeed, ProbeNeed
from verify.model.ids import ConfigName, ModelName, Sha256
from verify.model.observation import ProbeObservation, RunObservation
from verify.model.progress import Silent
from verify.model.session import Mark, ServerSettings, settings_of
from verify.probe.config_dump import read_features
from verify.probe.engine import BuiltEngine, ModelFile
from verify.probe.run import run_probe

MODEL = ModelName("plain")


def arm_of(made: Made, *env: tuple[str, str]) -> Arm:
    build = BuildNeed(tree=made.stack.tip_tree(), configuration=ConfigName("release"))
    return Arm(name="tip", build=build, env=env)


def seen(made: Made, folder: Path, need: ProbeNeed) -> ProbeObservation:
    assert made.tip.folder is not None
    path = folder / "plain.gguf"
    path.write_bytes(MODELS["plain"])
    return run_probe(
        need=need,
        builds={
            need.arms[0].build: BuiltEngine(folder=made.tip.folder, key=made.tip.key, observation=made.tip.observation)
        },
        model=ModelFile(name=MODEL, path=path, sha256=Sha256(sha256(MODELS["plain"]).hexdigest()))
        if need.model
        else None,
        scratch=folder,
        progress=Silent(),
    )


def test_a_build_and_its_server_say_what_they_have(made: Made, tmp_path: Path) -> None:
    settings = ConfigDumpSettings(
        server=ServerSettings(context=256), kept="^(GGML_NATIVE|MINI_)", properties=("total_slots", "missing")
    )
    need = ProbeNeed(probe="config-dump", model=MODEL, arms=(arm_of(made),), settings=settings_of(settings))
    dump = seen(made, tmp_path, need)
    assert isinstance(dump, ConfigDumpObservation)
    assert dict(dump.arms[0].options) == {
        "GGML_NATIVE": "OFF",
        "MINI_BUILD_COMMIT": "unknown",
        "MINI_GREETING": "OFF",
    }
    assert dump.arms[0].features == (("MINI.SLOTS", "1"), ("MINI.STEP", "1"))
    assert dump.arms[0].properties == (("total_slots", "1"),)


def test_features_are_read_by_backend_and_threads_are_none() -> None:
    line = "system_info: n_threads = 2 (n_threads_batch = 2) / 2 | CPU : SSE3 = 1 | AVX2 = 1 | CUDA : ARCHS = 8 | "
    assert dict(read_features(["nothing", line])) == {"CPU.SSE3": "1", "CPU.AVX2": "1", "CUDA.ARCHS": "8"}


def command(made: Made, folder: Path, *words: str, seconds: int = 30) -> CommandObservation:
    settings = CommandSettings(
        program=words[0],
        arguments=words[1:],
        marks=(Mark(name="0", pattern="^version: [0-9]+"), Mark(name="1", pattern="failed to load")),
        threads=1,
        seconds=seconds,
    )
    model = MODEL if any("{model}" in word for word in words) else None
    need = ProbeNeed(probe="command", model=model, arms=(arm_of(made),), settings=settings_of(settings))
    ran = seen(made, folder, need)
    assert isinstance(ran, CommandObservation)
    return ran


def test_a_command_ends_with_its_status_and_its_lines_are_counted(made: Made, tmp_path: Path) -> None:
    arm = command(made, tmp_path, "llama-server", "--version").arms[0]
    assert (arm.status, arm.lines, dict(arm.counts)) == (0, 1, {"0": 1, "1": 0})
    assert {file.name for file in arm.loaded if file.built} == {"llama-server", "libmini.so.1.2.0"}


def test_a_command_that_fails_says_so(made: Made, tmp_path: Path) -> None:
    arm = command(made, tmp_path, "llama-server", "-m", "no-such-model").arms[0]
    assert (arm.status, dict(arm.counts)["1"]) == (1, 1)
    assert "no-such-model" in arm.tail[-1]


def test_a_command_that_does_not_end_is_ended(made: Made, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault) as fault:
        command(made, tmp_path, "llama-server", "-m", "{model}", "--port", "0", seconds=1)
    assert fault.value.diagnostics[0].code == "sandbox-seconds"


def test_a_program_that_was_not_built_is_told(made: Made, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault) as fault:
        command(made, tmp_path, "no-such-program", "--version")
    assert fault.value.diagnostics[0].code == "program-missing"


def test_lines_of_the_log_are_counted_and_all_of_them_too(made: Made, tmp_path: Path) -> None:
    need = tokens_session(
        model=MODEL,
        arms=(arm_of(made),),
        prompts=("The engine reads",),
        tokens=4,
        probabilities=0,
        context=256,
        marks=(Mark(name="line", pattern="^system_info: "), Mark(name="any", pattern=r"\S")),
    )
    run = seen(made, tmp_path, need)
    assert isinstance(run, RunObservation)
    assert sum(run.arms[0].mark("line")) == 1
    assert sum(run.arms[0].mark("any")) > 1
