"""The toy library as if it had been built, and gates run on it with a fault on one of their arms."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from tests.gates.good import bare_case, good_release, key_of
from tests.probe.fake_engine import LIMITS, SYSTEM, built, model_file
from verify.evidence import make_key
from verify.gates.case import Case, Recorded
from verify.gates.kinds import KINDS
from verify.model.diagnostic import EnvironmentFault
from verify.model.evidence import Arm, ProbeNeed
from verify.model.ids import ConfigName, Sha256
from verify.model.observation import ProbeObservation
from verify.model.progress import Silent
from verify.model.verdict import Outcome
from verify.probe.engine import Bindings, BuiltEngine, Limits
from verify.probe.run import run_probe

HERE = Path(__file__).parent
CONFIGURATION = ConfigName("release")
BINDINGS = Bindings(
    adapter=HERE / "adapter.py",
    folder=HERE,
    sha256=Sha256(sha256((HERE / "adapter.py").read_bytes()).hexdigest()),
)


def build_toy(folder: Path) -> BuiltEngine:
    """Compile it into `bin` under a folder."""
    (folder / "bin").mkdir(parents=True)
    library = folder / "bin" / "libtoy.so"
    compiler = shutil.which("cc")
    assert compiler is not None
    subprocess.run([compiler, "-O0", "-shared", "-fPIC", "-o", library, HERE / "toy.c", "-lm"], check=True, timeout=60)
    return BuiltEngine(key=make_key("build", {"tree": "toy"}), observation=built(library), folder=folder)


def play(
    toy: BuiltEngine,
    scratch: Path,
    need: ProbeNeed,
    faults: Mapping[str, str],
    limits: Limits = LIMITS,
    bindings: Bindings = BINDINGS,
) -> ProbeObservation:
    """A need's probe, with a fault on some of its arms."""

    def faulty(arm: Arm) -> Arm:
        return replace(arm, env=(*arm.env, ("TOY_FAULT", faults[arm.name]))) if arm.name in faults else arm

    scratch.mkdir(exist_ok=True)
    return run_probe(
        need=replace(need, arms=tuple(map(faulty, need.arms))),
        builds={arm.build: toy for arm in need.arms},
        model=model_file(scratch),
        scratch=scratch / "scratch",
        progress=Silent(),
        limits=limits,
        system=SYSTEM,
        bindings=bindings,
        keep_logs=True,
    )


def judged(toy: BuiltEngine, scratch: Path, kind: str, params: object, faults: Mapping[str, str]) -> Outcome:
    """How a gate ends whose probe really ran on the toy library."""
    case, need = asked(kind, params)
    builds = {arm.build: Recorded(key=key_of(arm.build), observation=toy.observation) for arm in need.arms}
    case = replace(case, builds=builds)
    try:
        seen = play(toy, scratch, need, faults)
    except EnvironmentFault as fault:
        case = replace(case, faults={need: fault.diagnostics})
    else:
        case = replace(case, probes={need: Recorded(key=key_of(need), observation=seen)})
    return KINDS[kind].check(params, case)


def asked(kind: str, params: object) -> tuple[Case, ProbeNeed]:
    """The only need of a gate."""
    case = bare_case(good_release())
    (need,) = KINDS[kind].needs(params, case)
    assert isinstance(need, ProbeNeed)
    return case, need
