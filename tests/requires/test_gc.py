"""`gc`: bounds the cache and never takes what the release needs."""

import os
from pathlib import Path

from builder.gc import Item, Kind, Needed, items_in, remove, to_remove
from tests.mini_engine.project import MiniProject, write_project
from tests.requires.blocks import BRINGS, CONFIGURATION
from tests.whole.command import say
from verify.model.ids import Sha256


def item(name: str, used_at: float, *, kind: Kind = Kind.BUILD, needed: bool = False) -> Item:
    return Item(kind=kind, path=Path(name), size=10, used_at=used_at, needed=needed)


def test_the_longest_unused_go_first_until_the_rest_fits() -> None:
    items = (item("old", 1), item("new", 3), item("older", 0), item("needed", -9, needed=True))
    assert [each.path.name for each in to_remove(items, limit=25)] == ["older", "old"]


def test_what_is_needed_stays_however_small_the_limit() -> None:
    assert to_remove([item("needed", 0, needed=True)], limit=0) == ()


def test_what_a_killed_run_left_over_goes_whatever_the_limit() -> None:
    left = item(".part", 9, kind=Kind.LEFT_OVER)
    assert to_remove([left, item("build", 0)], limit=1000) == (left,)


def test_a_lane_that_is_in_use_is_left_alone(tmp_path: Path) -> None:
    from filelock import FileLock

    lane = tmp_path / "lanes/release"
    (lane / "src").mkdir(parents=True)
    needed = Needed(builds=(), lanes=(), logs=(), records=(Sha256("0" * 64),))
    items = items_in(tmp_path, needed)
    with FileLock(tmp_path / "lanes/release.lock"):
        assert remove(items, tmp_path) == ()
    assert remove(items, tmp_path) == items
    assert not lane.exists()


def built(folder: Path) -> MiniProject:
    project = write_project(folder / "project", folder / "cache", blocks=(BRINGS,), gates={})
    project.write_release({**project.release(), "configurations": {"library": {**CONFIGURATION, "proofs": ["tip"]}}})
    assert say("build", root=project.root, cache=project.cache).exit == 0
    return project


def test_nothing_that_the_release_needs_is_built_again_after_the_smallest_limit(tmp_path: Path) -> None:
    project = built(tmp_path)
    strange = project.cache / "builds" / ("f" * 64)
    strange.mkdir()
    (strange / "file").write_text("of another release")
    os.utime(strange, (1, 1))
    dry = say("gc", "--size", "0", "--dry-run", root=project.root, cache=project.cache).document["removed"]
    assert isinstance(dry, list)
    assert str(strange) in {each["path"] for each in dry}
    assert strange.exists()
    assert say("gc", "--size", "0", root=project.root, cache=project.cache).exit == 0
    assert not strange.exists()
    plan = say("build", "--plan", root=project.root, cache=project.cache).document["plan"]
    assert isinstance(plan, list)
    assert all(step["known"] for step in plan)
