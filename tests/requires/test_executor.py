"""Builds somewhere else: a job in a process of its own, on another cache, and what comes back."""

import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from builder.compile.build import build_folder
from builder.compile.collect import stored_build
from builder.compile.recipe import build_key
from builder.compile.toolchain import find_toolchain
from builder.executor import LOCAL, Job, NotDone
from builder.remote import Packed, pack_tree, perform, unpack
from builder.store import Store
from builder.tree import Tree, file_state
from tests.compile.small import CONFIGURATION, FILES
from verify.evidence import make_key
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import BuildNeed
from verify.model.ids import EMPTY_TREE, RepoPath
from verify.model.patch import Mode

SLOW = {
    **FILES,
    "CMakeLists.txt": FILES["CMakeLists.txt"] + "execute_process(COMMAND sleep 60)\n",
}


def job_of(store: Store, files: dict[str, str]) -> Job:
    changes = {RepoPath(path.encode()): file_state(text.encode(), Mode.FILE) for path, text in files.items()}
    tree = Tree.at(store, EMPTY_TREE).with_changes(changes)
    assert isinstance(tree, Tree)
    store.write(tree.new_objects())
    need = BuildNeed(tree=tree.id, configuration=CONFIGURATION.name)
    key = build_key(need, CONFIGURATION, find_toolchain())
    return Job(need=need, key=key, configuration=CONFIGURATION, fresh=False, what="small")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "objects.git")


def test_a_job_is_built_on_another_cache_and_comes_back_whole(store: Store, tmp_path: Path) -> None:
    job = job_of(store, dict(FILES))
    packed = perform(job, (pack_tree(store, job.need.tree),), tmp_path / "worker", lambda: False)
    assert isinstance(packed, Packed), packed
    folder = unpack(job, packed, tmp_path / "own")
    assert folder == build_folder(tmp_path / "own", job.key)
    assert stored_build(folder, job.key) == packed.observation


def test_what_comes_back_under_another_key_is_refused(store: Store, tmp_path: Path) -> None:
    job = job_of(store, dict(FILES))
    packed = perform(job, (pack_tree(store, job.need.tree),), tmp_path / "worker", lambda: False)
    assert isinstance(packed, Packed)
    other = replace(job, key=make_key("build", {"tree": "another"}))
    with pytest.raises(EnvironmentFault) as fault:
        unpack(other, packed, tmp_path / "own")
    assert fault.value.diagnostics[0].code == "job-ended"
    assert not build_folder(tmp_path / "own", other.key).exists()


def test_a_worker_with_other_tools_builds_nothing(store: Store, tmp_path: Path) -> None:
    job = replace(job_of(store, dict(FILES)), key=make_key("build", {"toolchain": "another"}))
    outcome = perform(job, (pack_tree(store, job.need.tree),), tmp_path / "worker", lambda: False)
    assert isinstance(outcome, NotDone)
    assert outcome.diagnostics[0].code == "worker-other-tools"
    assert not (tmp_path / "worker/lanes").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
def test_a_cancelled_job_leaves_no_process_and_no_build(store: Store, tmp_path: Path) -> None:
    from tests.compile.test_run import marked

    lane = tmp_path / "worker/lanes/release"
    job = job_of(store, SLOW)
    cancel = threading.Event()
    outcomes: list[object] = []
    pack = pack_tree(store, job.need.tree)
    thread = threading.Thread(target=lambda: outcomes.append(perform(job, (pack,), tmp_path / "worker", cancel.is_set)))
    thread.start()
    while not marked(lane):
        assert thread.is_alive()
        time.sleep(0.02)
    cancel.set()
    thread.join()
    assert marked(lane) == []
    assert isinstance(outcomes[0], NotDone)
    assert list((tmp_path / "worker").glob("builds/*")) == []


def test_a_job_that_cannot_be_done_here_does_not_stop_the_others(store: Store) -> None:
    job = job_of(store, dict(FILES))

    def here(each: Job) -> object:
        raise EnvironmentFault(Diagnostic(code="no-space", message=each.what))

    outcomes = [outcome for _, outcome in LOCAL.run([job, job], here)]  # type: ignore[arg-type]
    assert [isinstance(each, NotDone) for each in outcomes] == [True, True]
