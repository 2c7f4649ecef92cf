"""Where nobody can hear: closed streams, full ones, a folder that is gone. No traceback, and never a false verdict."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.whole.command import RUN, environment

ROOT = Path(__file__).parents[2]


def shell(line: str, folder: Path) -> "subprocess.CompletedProcess[bytes]":
    """Run a line in which `$stackproof` is the command."""
    command = " ".join(f"'{part}'" for part in RUN)
    return subprocess.run(
        ["/bin/sh", "-c", f'stackproof() {{ {command} "$@"; }}; {line}'],
        env=environment(folder, folder),
        cwd=folder,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("line", ["stackproof explain interrupted 2>&-", "stackproof explain interrupted >&-"])
def test_a_closed_stream_changes_no_exit_status(line: str, tmp_path: Path) -> None:
    assert shell(line, tmp_path).returncode == 0


@pytest.mark.parametrize("options", ["", "--json"])
def test_a_result_that_cannot_be_written_is_told(options: str, tmp_path: Path) -> None:
    ended = shell(f"stackproof explain interrupted {options} >/dev/full", tmp_path)
    assert ended.returncode == 2
    assert b"error[output-refused]" in ended.stderr
    assert b"Traceback" not in ended.stderr


def test_a_reader_that_went_away_is_no_error(tmp_path: Path) -> None:
    ended = shell("stackproof gate --help | head -1", tmp_path)
    assert b"Traceback" not in ended.stderr


def test_a_working_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    ended = shell("mkdir gone; cd gone; rmdir ../gone; stackproof status", tmp_path)
    assert ended.returncode == 2
    assert b"Traceback" not in ended.stderr
    assert b"error[" in ended.stderr


def test_the_bundle_check_tells_that_its_result_could_not_be_written(tmp_path: Path) -> None:
    ended = shell(f"cd {ROOT}; {sys.executable} -m verify {tmp_path} >/dev/full", tmp_path)
    assert ended.returncode == 2
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("line", ["build --nope --json", "--json", "nope --json"])
def test_a_command_line_that_is_not_understood_is_a_document_too(line: str, tmp_path: Path) -> None:
    ended = shell(f"stackproof {line}", tmp_path)
    assert ended.returncode == 2
    assert json.loads(ended.stdout)["diagnostics"][0]["code"] == "usage"
    assert ended.stderr
