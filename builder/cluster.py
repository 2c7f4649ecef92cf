"""Builds on many machines: jobs as tasks of a Dask cluster (optional extra `cluster`).

A worker needs this same software, the same compiler and a folder: `$STACKPROOF_CACHE` there, else its own scratch. A
task may be run again when its worker is lost: its outcome is the same. Whoever can reach the scheduler can run
programs on every worker, so it listens on trusted networks alone.
"""

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builder.compile.build import Built
from builder.executor import Job, NotDone, Outcome
from builder.remote import Travelled, pack_tree, perform, unpack
from builder.store import Store
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.ids import TreeId

if TYPE_CHECKING:
    from distributed import Client

_RETRIES = 3
_CONNECT_SECONDS = 20


class DaskExecutor:
    """Jobs on the workers of one scheduler."""

    def __init__(self, *, address: str, store: Store, base_tree: TreeId, cache: Path) -> None:
        self._address = address
        self._store = store
        self._base = base_tree
        self._cache = cache

    def run(self, jobs: Sequence[Job], here: Callable[[Job], Built]) -> Iterator[tuple[Job, Outcome]]:
        """See `Executor`: every job on some worker, each outcome as it comes."""
        del here
        if not jobs:
            return
        client = self._connect()
        from distributed import Event, as_completed

        cancel = Event(f"stackproof-cancel-{uuid.uuid4().hex}", client=client)
        base = client.scatter(pack_tree(self._store, self._base), hash=True)
        asked = {}
        try:
            for job in jobs:
                own = pack_tree(self._store, job.need.tree, without=self._base)
                future = client.submit(
                    run_on_worker, job, base, own, cancel.name, key=f"stackproof-{job.key.digest}-{cancel.name[-8:]}",
                    retries=_RETRIES, pure=False,
                )  # fmt: skip
                asked[future] = job
            for future in as_completed(list(asked), loop=client.loop):
                yield asked[future], self._outcome(asked[future], future)
        finally:
            cancel.set()
            client.cancel(list(asked))
            client.close()

    def _connect(self) -> "Client":
        try:
            from distributed import Client
        except ImportError as error:
            raise EnvironmentFault(
                Diagnostic(
                    code="executor-missing",
                    message="builds on a cluster need Dask's `distributed`, which is not installed here",
                    help="pip install 'stackproof[cluster]'",
                )
            ) from error
        try:
            return Client(self._address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise EnvironmentFault(
                Diagnostic(
                    code="executor-unreachable",
                    message=f"no scheduler answers at `{self._address}`",
                    notes=(str(error),),
                    help="dask scheduler --host 127.0.0.1 --port 8786; dask worker tcp://127.0.0.1:8786 --nthreads 1",
                )
            ) from error

    def _outcome(self, job: Job, future: Any) -> Outcome:
        error = future.exception()
        if error is not None:
            lost = Diagnostic(
                code="job-ended",
                message=f"a build on a worker did not come to its end: {error}",
                notes=("it says nothing about the tree and is not recorded",),
                help="run the same command again; what was finished is remembered",
            )
            return NotDone(diagnostics=(lost,))
        travelled: Travelled = future.result()
        if isinstance(travelled, NotDone):
            return travelled
        try:
            folder = unpack(job, travelled, self._cache)
        except EnvironmentFault as fault:
            return NotDone(diagnostics=fault.diagnostics)
        return Built(need=job.need, key=job.key, observation=travelled.observation, folder=folder, reused=False)


def run_on_worker(job: Job, base: bytes, own: bytes, cancel: str) -> Travelled:
    """What a worker does; its cache is `$STACKPROOF_CACHE` there, else its scratch folder."""
    from distributed import Event, get_client, get_worker

    named = os.environ.get("STACKPROOF_CACHE")
    cache = Path(named) if named else Path(get_worker().local_directory) / "stackproof"
    cache.mkdir(parents=True, exist_ok=True)
    event = Event(cancel, client=get_client())
    return perform(job, (base, own), cache, lambda: bool(event.is_set()))
