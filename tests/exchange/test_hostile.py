"""Hazard E10: what somebody configured for git's own diffs and mails changes no byte that is imported or exported.

Each shape is a branch of three commits on which git's own output does change (that is asserted too): blank lines in
the context, a file that moves and is edited, edits that stand close to each other, and a random edit of a random tree.
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files, RealGit
from tests.exchange.folders import plain
from verify.model.ids import RepoPath
from verify.model.patch import Mode

SHAPES = range(20)
# Those that change what git prints of every shape, and others that may.
TELLING = (
    ("diff.noprefix", "true"),
    ("diff.context", "0"),
    ("diff.suppressBlankEmpty", "true"),
    ("diff.renames", "false"),
)
SETTINGS = (
    *TELLING, ("diff.mnemonicPrefix", "true"), ("diff.interHunkContext", "9"), ("diff.algorithm", "patience"),
    ("diff.external", "false"), ("diff.wsErrorHighlight", "all"), ("diff.submodule", "log"), ("color.ui", "always"),
    ("core.abbrev", "40"), ("core.autocrlf", "true"), ("core.eol", "crlf"), ("core.quotePath", "false"),
    ("core.ignoreCase", "true"), ("core.fileMode", "false"), ("apply.whitespace", "fix"),
    ("format.useAutoBase", "true"), ("format.noprefix", "true"), ("format.subjectPrefix", "HOSTILE"),
    ("format.signature", "hostile"), ("format.signOff", "true"), ("format.attach", "hostile"),
    ("format.suffix", ".hostile"), ("format.from", "true"), ("i18n.commitEncoding", "latin1"),
    ("i18n.logOutputEncoding", "latin1"), ("commit.gpgSign", "true"), ("user.name", "Hostile"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Runs:
    """What two runs wrote of each shape, and what git itself prints of each shape: as it is, and by each setting."""

    plain: dict[str, dict[str, str]]
    hostile: dict[str, dict[str, str]]
    by_git: dict[str, dict[int, bytes]]


def history(seed: int) -> list[Files]:
    rng = random.Random(seed)
    text = [b"\n" if number % 2 else b"line %d\n" % number for number in range(40)]
    moved, kept = RepoPath(b"moved %d" % seed), RepoPath(b"kept")
    steps = [{**plain(random_files(rng, 8)), moved: (Mode.FILE, b"".join(text)), kept: (Mode.FILE, b"".join(text))}]
    at = rng.randrange(4, 20)
    edited = list(text)
    edited[at], edited[at + rng.choice((2, 8, 10))] = b"edited\n", b"also\n"
    after: Files = {**steps[0], kept: (Mode.FILE, b"".join(edited))}
    steps.append(after)
    if seed % 2:
        others = {path: state for path, state in after.items() if path != moved}
        steps.append({**plain(random_patch(rng, others, 4)[1]), moved: after[moved]})
    last = dict(steps[-1])
    last.pop(moved, None)
    last[RepoPath(b"new/name")] = (Mode.FILE, b"".join([*edited[:-3], b"end\n"]))
    return [*steps, last]


def write_histories(git: RealGit) -> None:
    """All branches by one process."""
    stream = []
    for seed in SHAPES:
        for number, files in enumerate(history(seed)):
            text = f"Shape {seed}\n\n---\nBody of {number}\n".encode()
            head = b"commit refs/heads/s%d\nmark :%d\ncommitter a <a@example.org> %d +0130\ndata %d\n%s\n"
            stream.append(head % (seed, seed * 10 + number + 1, 1700000000 + number, len(text), text))
            stream.append(b"from :%d\ndeleteall\n" % (seed * 10 + number) if number else b"")
            for path, (mode, data) in files.items():
                name = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
                stream.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), name, len(data), data))
        stream.append(b"reset refs/heads/b%d\nfrom :%d\n\n" % (seed, seed * 10 + 1))
    git.run("fast-import", "--quiet", stdin=b"".join(stream))


def written(folder: Path, env: Mapping[str, str], umask: int) -> dict[str, dict[str, str]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.exchange.hostile", str(folder), *map(str, SHAPES)], cwd=Path.cwd(), umask=umask,
        env={"HOME": str(folder), "STACKPROOF_CACHE": str(folder / "cache"), **env}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def printed(git: RealGit, *options: str) -> dict[int, bytes]:
    """What git prints of each shape's branch, one process for all."""
    log = git.run(*options, "log", "-p", "--format=%x00%s", "--reverse", "--branches=s*", "--not", "--branches=b*")
    found: dict[int, bytes] = {}
    for text in log.split(b"\0Shape ")[1:]:
        seed, _, diff = text.partition(b"\n")
        found[int(seed)] = found.get(int(seed), b"") + diff
    return found


def make_hostile(folder: Path) -> dict[str, str]:
    """The settings at every place where git looks: user, system, environment, and the repository itself."""
    text = "".join("[{}]\n\t{} = {}\n".format(*name.split("."), value) for name, value in SETTINGS)
    (folder / "git").mkdir()
    for file in (".gitconfig", "system", "git/config"):
        (folder / file).write_text(text)
    own = folder / "repo.git/config"
    own.write_text(own.read_text() + text)
    (folder / "repo.git/info").mkdir(exist_ok=True)
    (folder / "repo.git/info/attributes").write_text("* text=auto eol=crlf diff=hostile\n")
    given = {f"GIT_CONFIG_KEY_{number}": name for number, (name, _) in enumerate(SETTINGS)}
    given |= {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(SETTINGS)}
    return given | {
        "PATH": os.environ["PATH"], "GIT_CONFIG_COUNT": str(len(SETTINGS)), "XDG_CONFIG_HOME": str(folder),
        "GIT_CONFIG_GLOBAL": str(folder / ".gitconfig"), "GIT_CONFIG_SYSTEM": str(folder / "system"),
        "GIT_DIR": "/nowhere", "GIT_DIFF_OPTS": "-u0", "GIT_EXTERNAL_DIFF": "false", "GIT_AUTHOR_NAME": "Hostile",
        "GIT_COMMITTER_DATE": "@1 +0000", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "7",
    }  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("hostile")
    write_histories(RealGit(folder))
    quiet = written(folder, {"PATH": "/nowhere", "LC_ALL": "C", "TZ": "UTC"}, 0o022)
    (folder / "repo.git").rename(folder / "first.git")
    git = RealGit(folder)
    write_histories(git)
    by_git = {name: printed(git, "-c", f"{name}={value}") for name, value in TELLING}
    by_git[""] = printed(git)
    return Runs(plain=quiet, hostile=written(folder, make_hostile(folder), 0o077), by_git=by_git)


@pytest.mark.parametrize("seed", SHAPES)
def test_e10_the_same_bytes_come_in_and_go_out_whatever_is_configured(seed: int, runs: Runs) -> None:
    assert runs.hostile[str(seed)] == runs.plain[str(seed)]


@pytest.mark.parametrize("seed", SHAPES)
def test_e10_what_went_out_comes_in_as_it_was(seed: int, runs: Runs) -> None:
    found = runs.hostile[str(seed)]
    assert found["import of the branch, folds"] == found["import, folds"]
    assert found["import of the branch, tip"] == found["branch"]
    assert found["import of the series, tip"] in (found["tip"], "not for quilt")


@pytest.mark.parametrize("name", [name for name, _ in TELLING])
def test_e10_git_itself_prints_every_shape_in_another_way(name: str, runs: Runs) -> None:
    assert len(runs.by_git[""]) == len(SHAPES)
    assert [seed for seed in SHAPES if runs.by_git[name][seed] == runs.by_git[""][seed]] == []


def test_e10_most_shapes_go_out_as_a_series_too(runs: Runs) -> None:
    assert sum("series" in found for found in runs.plain.values()) >= 10
