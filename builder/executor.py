"""Where builds are run: the port, and the default that runs them here, one after another.

A job names a build completely, so that it may be run anywhere, more than once, and by two at the same time: its outcome
is stored under the job's key, whole or not at all. How a job is run on another machine is in `builder/cluster.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from builder.compile.build import Built
from verify.model.diagnostic import Diagnostic, Fault
from verify.model.evidence import BuildNeed, Key
from verify.model.release import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One build that is to be made; `what` is its name for people."""

    need: BuildNeed
    key: Key
    configuration: Configuration
    fresh: bool
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotDone:
    """Why a job has no outcome; says nothing about the tree."""

    diagnostics: tuple[Diagnostic, ...]


Outcome = Built | NotDone


class Executor(Protocol):
    """Runs jobs somewhere and gives each outcome as it comes, in any order."""

    def run(self, jobs: Sequence[Job], here: Callable[[Job], Built]) -> Iterator[tuple[Job, Outcome]]:
        """Run the jobs; `here` runs one in this process. A caller that stops listening ends what still runs."""


class LocalExecutor:
    """One after another in this process: a build keeps all processors busy by itself."""

    def run(self, jobs: Sequence[Job], here: Callable[[Job], Built]) -> Iterator[tuple[Job, Outcome]]:
        """See `Executor`."""
        for job in jobs:
            try:
                outcome: Outcome = here(job)
            except Fault as fault:
                outcome = NotDone(diagnostics=fault.diagnostics)
            yield job, outcome


LOCAL = LocalExecutor()
