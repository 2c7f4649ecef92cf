"""A command that is killed by the system while it writes: the next one, whichever it is, finds a whole project."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from builder.cli.main import app
from tests.edit.workshop import Workshop, edited

DYING = (
    "import os, signal, sys\n"
    "from builder.disk import Disk\n"
    "at, real, calls = int(sys.argv.pop(1)), Disk.rename, []\n"
    "def rename(disk, old, new):\n"
    "    calls.append(new)\n"
    "    if len(calls) == at: os.kill(os.getpid(), signal.SIGKILL)\n"
    "    real(disk, old, new)\n"
    "Disk.rename = rename\n"
    "from builder.cli.main import main\n"
    "main()\n"
)


def run(shop: Workshop, *words: str) -> int:
    env = {"STACKPROOF_CACHE": str(shop.cache), "NO_COLOR": "1"}
    result = CliRunner().invoke(app, [*words, "-C", str(shop.root)], env=env)
    return result.exit_code


def killed(shop: Workshop, at: int, *words: str) -> bool:
    """Whether the command was killed before its rename number `at`; it made fewer else."""
    env = {**os.environ, "STACKPROOF_CACHE": str(shop.cache)}
    line = [sys.executable, "-c", DYING, str(at), *words, "-C", str(shop.root)]
    return subprocess.run(line, env=env, capture_output=True, check=False).returncode == -signal.SIGKILL


@pytest.mark.parametrize("reading", [True, False])
def test_a_killed_first_sync_is_finished_or_undone_by_the_next_command(tmp_path: Path, reading: bool) -> None:
    tried = 0
    for at in range(1, 7):
        shop = Workshop.new(tmp_path / str(at))
        shop.checkout()
        shop.commit("Turn line 3", src__a=edited(3))
        again = ("sync", str(shop.branch), "--assign", "HEAD=alpha/turn")
        if not killed(shop, at, *again):
            break
        if reading:
            run(shop, "status")
            assert not (shop.root / ".stackproof/journal").exists()
            shop.release()
        assert run(shop, *again) == 0, at
        assert [[fold.id for fold in block.folds] for block in shop.release().blocks] == [["turn"], []]
        tried += 1
    assert tried >= 4


def test_a_killed_amend_and_a_killed_pin_are_finished_or_undone(tmp_path: Path) -> None:
    shop = Workshop.new(tmp_path).with_two_folds()
    for at in range(1, 6):
        words = ("amend", "turn", "--subject", f"Turn {at}", "--body", "Why not.")
        if not killed(shop, at, *words):
            break
        run(shop, "status")
        subject = shop.release().blocks[0].folds[0].subject
        assert (subject == f"Turn {at}") is (at > 1), at
        assert run(shop, *words) == 0
        if killed(shop, at, "pin", "--rebind"):
            assert run(shop, "pin", "--rebind") == 0
        shop.release(pinned=True)


def test_what_was_edited_after_a_killed_run_is_named_and_kept(tmp_path: Path) -> None:
    shop = Workshop.new(tmp_path).with_two_folds()
    assert killed(shop, 2, "amend", "turn", "--subject", "Other")
    file = shop.root / "blocks/alpha/block.yaml"
    file.write_text(file.read_text() + "# mine\n")
    result = CliRunner().invoke(app, ["status", "-C", str(shop.root)], env={"NO_COLOR": "1"})
    assert result.exit_code == 2
    assert "journal-edited" in result.stderr
    assert file.read_text().endswith("# mine\n")
