"""Probe `test-set`: the engine's own tests on every arm, each test's end by name.

The runner's exit status alone is never believed: a run of no tests exits with 0. Which libraries the test programs get
is asked of the system's own loader before they run, in the very environment in which they will run.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from verify.model.codec import CodecError, from_json
from verify.model.configured import Configured
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place
from verify.model.evidence import Arm
from verify.model.observation import LoadedFile
from verify.model.test_set import Runner, TestSetArm, TestSetObservation, TestSetSettings
from verify.probe.backend_ops import PROGRAM, backend_ops_options, read_backend_ops
from verify.probe.ctest import choose_tests, find_ctest, write_list
from verify.probe.engine import BuiltEngine
from verify.probe.environment import clean_environment
from verify.probe.junit import Report, read_junit
from verify.probe.loader import files_of_programs
from verify.probe.session import Bench
from verify.sandbox.bounds import Bounds, Ended
from verify.sandbox.confined import confined
from verify.sandbox.told import breach_told

RECIPE = "2"
_CTEST_OPTIONS = ("--output-junit", "report.xml", "-j", "1")


def run_test_set(bench: Bench, settings: TestSetSettings) -> TestSetObservation:
    """Every arm once, the first one first."""
    started = time.monotonic()
    arms = []
    for number, (arm, engine) in enumerate(bench.arms):
        bench.stage.tell(f"tests of arm `{arm.name}`")
        folder = bench.scratch / f"tests-{number}"
        folder.mkdir()
        arms.append(_Runs(bench, settings, arm, engine, folder).run())
    return TestSetObservation(arms=tuple(arms), seconds=round(time.monotonic() - started, 3))


def configured_of(engine: BuiltEngine) -> Configured:
    """What a kept build says of its configuration; a fault where it says nothing."""
    path = engine.folder / "configured.json"
    try:
        return from_json(Configured, json.loads(path.read_bytes()))
    except (OSError, ValueError, CodecError) as error:
        raise EnvironmentFault(
            Diagnostic(
                code="build-not-described",
                message="the build does not say what it was configured with and which tests it has",
                place=Place(file=str(path)),
                notes=(str(error),),
                help="stackproof build --fresh",
            )
        ) from error


@dataclass(frozen=True, slots=True)
class _Ran:
    """A finished program: its output and how it ended."""

    out: bytes
    ended: Ended


@dataclass(frozen=True, slots=True)
class _Runs:
    """One arm's run."""

    bench: Bench
    settings: TestSetSettings
    arm: Arm
    engine: BuiltEngine
    folder: Path

    def run(self) -> TestSetArm:
        began = time.monotonic()
        match self.settings.runner:
            case Runner.CTEST:
                seen = self._by_ctest()
            case Runner.BACKEND_OPS:
                settings = self.settings
                options = backend_ops_options(settings.backend, settings.operators, settings.cases)
                seen = self._by_program(PROGRAM, options, from_file=False)
            case Runner.JUNIT:
                options = self.settings.arguments
                seen = self._by_program(self.settings.program, options, from_file=True)
        report, not_run, status, loaded, command = seen
        return TestSetArm(
            arm=self.arm.name,
            tests=report.tests,
            not_run=not_run,
            trouble=report.trouble,
            status=status,
            loaded=loaded,
            command=command,
            seconds=round(time.monotonic() - began, 3),
        )

    def _by_ctest(self) -> "_Seen":
        programs = frozenset(artifact.name for artifact in self.engine.observation.artifacts)
        settings = self.settings
        chosen = choose_tests(
            configured_of(self.engine),
            names=settings.names,
            labels=settings.labels,
            exclude=settings.exclude,
            programs=programs,
        )
        for place in settings.model_at:
            path = self.folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(self.bench.model_file().path.absolute())
        write_list(chosen.run, bin_folder=self._bin(), folder=self.folder)
        loaded = self._loaded(sorted({test.program() for test in chosen.run}))
        options = _CTEST_OPTIONS
        ran = self._run([find_ctest(), *options], "ctest")
        return (
            self._file_report(self.folder / "report.xml"),
            chosen.not_run,
            ran.ended.status,
            loaded,
            ("ctest", *options),
        )

    def _by_program(self, program: str, options: Sequence[str], *, from_file: bool) -> "_Seen":
        command = (program, *options)
        if not self.engine.program(program).is_file():
            why = f"its program `{program}` is not among what was built"
            return Report(tests=(), trouble=()), ((program, why),), 0, (), command
        loaded = self._loaded([program])
        out = self.folder / "report.xml"
        ran = self._run([self._bin() / program, *(word.replace("{out}", str(out)) for word in options)], program)
        report = self._file_report(out) if from_file else read_backend_ops(ran.out.decode("utf-8", "replace"))
        if ran.ended.status < 0:
            trouble = (*report.trouble, f"`{program}` was ended by signal {-ran.ended.status}")
            report = Report(tests=report.tests, trouble=trouble)
        return report, (), ran.ended.status, loaded, command

    def _file_report(self, path: Path) -> Report:
        try:
            return read_junit(path.read_bytes())
        except FileNotFoundError:
            return Report(tests=(), trouble=("no report was written",))

    def _run(self, command: Sequence[str | Path], name: str) -> _Ran:
        """To the end, whatever the status; a fault where a bound was broken."""
        out, err = self.folder / f"{name}.out", self.folder / f"{name}.err"
        with (
            out.open("wb") as to_out,
            err.open("wb") as to_err,
            confined(
                command,
                folder=self.folder,
                environment={
                    **clean_environment(self.arm, self._bin(), self.folder),
                    "OMP_THREAD_LIMIT": str(self.settings.threads),
                },
                bounds=self._bounds(),
                stdout=to_out,
                stderr=to_err,
            ) as program,
        ):
            program.wait()
        ended = program.end()
        if ended.breach is not None:
            raise EnvironmentFault(breach_told(ended.breach, f"`{name}` of arm `{self.arm.name}`"))
        return _Ran(out.read_bytes(), ended)

    def _bounds(self) -> Bounds:
        limits = self.bench.limits
        return Bounds(seconds=self.settings.seconds, memory_bytes=limits.memory_bytes, file_bytes=limits.log_bytes)

    def _bin(self) -> Path:
        return (self.engine.folder / "bin").absolute()

    def _loaded(self, programs: Sequence[str]) -> tuple[LoadedFile, ...]:
        environment = clean_environment(self.arm, self._bin(), self.folder)
        return files_of_programs(
            self.bench, self.engine, programs, folder=self.folder, environment=environment, bounds=self._bounds()
        )


_Seen = tuple[Report, tuple[tuple[str, str], ...], int, tuple[LoadedFile, ...], tuple[str, ...]]
