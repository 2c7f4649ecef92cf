"""One installed fake engine for all tests of probes, and a way to run sessions on it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probe.fake_engine import LIMITS, SYSTEM, fake_engine, model_file
from verify.model.evidence import ProbeNeed
from verify.model.observation import RunObservation
from verify.model.progress import Silent
from verify.probe.engine import BuiltEngine, Limits
from verify.probe.run import run_probe

Measure = Callable[..., RunObservation]


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> BuiltEngine:
    return fake_engine(tmp_path_factory.mktemp("engine"))


@pytest.fixture
def measure(engine: BuiltEngine, tmp_path: Path) -> Measure:
    def run(need: ProbeNeed, limits: Limits = LIMITS) -> RunObservation:
        seen = run_probe(
            need=need,
            builds={arm.build: engine for arm in need.arms},
            model=model_file(tmp_path),
            scratch=tmp_path / "scratch",
            progress=Silent(),
            limits=limits,
            system=SYSTEM,
            keep_logs=True,
        )
        assert isinstance(seen, RunObservation)
        return seen

    return run
