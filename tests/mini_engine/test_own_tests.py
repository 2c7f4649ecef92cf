"""The mini engine's tests by the real CTest, on builds that no longer have their sources."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.mini_engine.conftest import Made
from verify.gates.own_tests import need_of_tests
from verify.model.diagnostic import EnvironmentFault
from verify.model.evidence import Arm, BuildNeed
from verify.model.ids import ConfigName, ModelName, Sha256
from verify.model.progress import Silent
from verify.model.test_set import End, Runner, TestSetArm, TestSetObservation, TestSetSettings
from verify.probe.engine import BuiltEngine, ModelFile
from verify.probe.run import run_probe


def ran(
    made: Made,
    folder: Path,
    *,
    names: str = "^mini-(step|byte|flaky)$",
    seconds: int = 60,
    model: ModelFile | None = None,
) -> TestSetArm:
    assert made.tip.folder is not None
    build = BuildNeed(tree=made.stack.tip_tree(), configuration=ConfigName("release"))
    need = need_of_tests(
        (Arm(name="tip", build=build),),
        TestSetSettings(
            runner=Runner.CTEST,
            names=names,
            labels=("main",) if names.startswith("^") else (),
            model_at=("models/tiny.gguf",) if model is not None else (),
            seconds=seconds,
        ),
        model.name if model is not None else None,
    )
    engine = BuiltEngine(folder=made.tip.folder, key=made.tip.key, observation=made.tip.observation)
    seen = run_probe(need=need, builds={build: engine}, model=model, scratch=folder, progress=Silent())
    assert isinstance(seen, TestSetObservation)
    return seen.arms[0]


def test_each_test_ends_by_its_own_rules(made: Made, tmp_path: Path) -> None:
    seen = ran(made, tmp_path)
    assert seen.ends() == {"mini-byte": End.PASS, "mini-flaky": End.SKIP, "mini-step": End.PASS}
    assert (seen.trouble, seen.not_run) == ((), ())


def test_the_libraries_of_a_test_are_the_builds(made: Made, tmp_path: Path) -> None:
    assert {file.name for file in ran(made, tmp_path).loaded if file.built} == {"libmini.so.1.2.0", "mini-test"}


def test_a_test_that_needs_sources_is_told(made: Made, tmp_path: Path) -> None:
    assert ran(made, tmp_path, names="sources").not_run == (("mini-sources", "it reads the source tree"),)


def test_a_run_of_no_tests_has_no_tests(made: Made, tmp_path: Path) -> None:
    assert ran(made, tmp_path, names="none").tests == ()


def test_tests_that_do_not_end_are_ended(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.probe.test_set.find_ctest", lambda: "/bin/sleep")
    monkeypatch.setattr("verify.probe.test_set._CTEST_OPTIONS", ("600",))
    with pytest.raises(EnvironmentFault) as fault:
        ran(made, tmp_path, seconds=1)
    assert fault.value.diagnostics[0].code == "sandbox-seconds"


def test_a_model_lies_where_its_test_looks_for_it(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF")
    model = ModelFile(name=ModelName("tiny"), path=path, sha256=Sha256(sha256(b"GGUF").hexdigest()))
    assert ran(made, tmp_path, names="file", model=model).ends() == {"mini-file": End.PASS}
    assert ran(made, tmp_path, names="file").ends() == {"mini-file": End.FAIL}
