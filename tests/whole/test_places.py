"""Places that a command is given: caches in which nothing can be built, logs that must be found, refusals by name."""

import errno
from pathlib import Path

import pytest

from builder.cli import session
from builder.cli.located import with_full_paths
from verify.model.diagnostic import Diagnostic, InputFault


@pytest.mark.parametrize("name", ['a"b', "a$b", "a;b", "a:b", "a'b", "a\\b", "a\nb"])
def test_a_cache_in_which_no_tool_can_work_is_refused_up_front(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STACKPROOF_CACHE", str(tmp_path / name))
    with pytest.raises(InputFault, match="cache-path-special"):
        session.cache_root()


def test_a_cache_may_have_spaces_and_letters_of_any_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STACKPROOF_CACHE", str(tmp_path / "mein Künstler (1)"))
    assert session.cache_root() == tmp_path / "mein Künstler (1)"


def test_a_cache_that_is_no_folder_is_told_with_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STACKPROOF_CACHE", "/dev/null")
    with pytest.raises(InputFault, match="cache-not-a-folder") as caught:
        session.cache_root()
    assert caught.value.diagnostics[0].notes == ("STACKPROOF_CACHE=/dev/null",)


def test_a_log_is_named_so_that_it_is_found_from_anywhere() -> None:
    told = Diagnostic(code="x", message="x", notes=("log: logs/a.log", "step: b"), help="less logs/a.log")
    (located,) = with_full_paths([told], Path("/my cache"))
    assert located.help == "less '/my cache/logs/a.log'"
    assert located.notes == ("log: /my cache/logs/a.log", "step: b")


@pytest.mark.parametrize("name", ["/a/b", b"/a/b"])
def test_what_the_system_refuses_is_told_with_its_path(name: str | bytes, tmp_path: Path) -> None:
    told = session._refused(PermissionError(errno.EACCES, "Permission denied", name), tmp_path)
    assert told.message == "the system refused: Permission denied: /a/b"


def test_a_refusal_without_a_path_names_the_cache(tmp_path: Path) -> None:
    assert str(tmp_path) in session._refused(OSError(errno.EIO, "bad"), tmp_path).notes[0]


def test_a_refusal_on_a_full_disk_is_about_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.disk.TOO_LITTLE", 1 << 62)
    assert session._refused(OSError(errno.EIO, "bad"), tmp_path).code == "no-space"
