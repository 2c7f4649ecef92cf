"""A lane: for one process at a time, with a clean environment and an empty build folder."""

import threading
import time
from pathlib import Path

import pytest

from builder.compile.lane import Lane, hold_lane
from builder.compile.toolchain import Toolchain
from tests.compile.small import Heard
from verify.model.progress import Silent


def environment(cache: Path, toolchain: Toolchain, *, cold: bool = False) -> dict[str, str]:
    with hold_lane(cache=cache, name="release", progress=Silent()) as lane:
        return lane.environment(toolchain=toolchain, ccache=cache / "ccache", cold=cold)


def test_a_build_sees_nothing_of_the_caller_s_environment(
    tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = environment(tmp_path, toolchain)
    for name in ("SECRET_TOKEN", "CXXFLAGS", "LD_PRELOAD", "CCACHE_PREFIX", "CMAKE_PREFIX_PATH", "HOME", "LANG"):
        monkeypatch.setenv(name, "from-the-caller")
    assert environment(tmp_path, toolchain) == before
    assert "from-the-caller" not in str(before)


def test_a_build_has_fixed_time_language_and_places(tmp_path: Path, toolchain: Toolchain) -> None:
    given = environment(tmp_path, toolchain)
    assert (given["LC_ALL"], given["TZ"], given["SOURCE_DATE_EPOCH"]) == ("C", "UTC", "1262304000")
    assert Path(given["HOME"]).is_relative_to(tmp_path)
    assert Path(given["TMPDIR"]).is_relative_to(tmp_path)


def test_the_compiler_cache_tells_compilers_apart_by_the_whole_toolchain(tmp_path: Path, toolchain: Toolchain) -> None:
    given = environment(tmp_path, toolchain)
    assert given["CCACHE_COMPILERCHECK"] == f"string:{toolchain.digest}"
    assert given["CCACHE_BASEDIR"] == str(tmp_path / "lanes/release")


def test_a_cold_build_asks_the_compiler_cache_for_nothing(tmp_path: Path, toolchain: Toolchain) -> None:
    assert "CCACHE_RECACHE" in environment(tmp_path, toolchain, cold=True)
    assert "CCACHE_RECACHE" not in environment(tmp_path, toolchain)


def test_a_lane_begins_with_an_empty_build_folder_and_keeps_its_sources(tmp_path: Path) -> None:
    with hold_lane(cache=tmp_path, name="release", progress=Silent()) as lane:
        lane.source.mkdir()
        for folder in (lane.build, lane.source):
            (folder / "left").write_text("x")
        lane.statistics.write_text("# old\n")
    with hold_lane(cache=tmp_path, name="release", progress=Silent()) as lane:
        assert list(lane.build.iterdir()) == []
        assert [path.name for path in lane.source.iterdir()] == ["left"]
        assert not lane.statistics.exists()


def test_whoever_comes_second_waits_and_is_told_for_whom(tmp_path: Path) -> None:
    heard = Heard()
    order: list[str] = []

    def second() -> None:
        with hold_lane(cache=tmp_path, name="release", progress=heard):
            order.append("second")

    with hold_lane(cache=tmp_path, name="release", progress=Silent()):
        thread = threading.Thread(target=second)
        thread.start()
        while not heard.details:
            time.sleep(0.01)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert heard.stages == ["wait for lane release"]
    assert heard.details[0].endswith("builds there")


def test_another_lane_need_not_wait(tmp_path: Path) -> None:
    with (
        hold_lane(cache=tmp_path, name="release", progress=Silent()) as one,
        hold_lane(cache=tmp_path, name="debug", progress=Silent()) as other,
    ):
        assert isinstance(one, Lane)
        assert one.folder != other.folder
