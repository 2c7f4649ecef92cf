"""The hazards of docs/architecture.md as tests, each in many shapes: where usual tools answer wrong without a word.

E3 and E4 are in `test_placement.py`, E7 in `test_mail.py`, more shapes of E10 in `tests/exchange/test_hostile.py`.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from builder.by_rule import place_by_rule
from builder.layer import Laid, NotLaid, lay
from builder.placement import Fate
from tests.core.memory import tree_in_memory
from tests.core.random_edits import edited, hunks_of, lines_of, random_files, random_patch, random_runs
from tests.core.real_git import Files, RealGit
from tests.exchange.folders import random_series
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.diff.submission import Dialect
from verify.model.patch import Action, FileChange, Hunk, Mode, Patch
from verify.rederive import rederive

SHAPES = range(20)
HOSTILE = """[apply]
\twhitespace = fix
\tignoreWhitespace = change
[core]
\tautocrlf = true
\teol = crlf
\twhitespace = trailing-space,space-before-tab,cr-at-eol
\tignoreCase = true
[diff]
\tnoprefix = true
\tcontext = 0
\tsuppressBlankEmpty = true
\trenames = copies
\talgorithm = patience
[format]
\tuseAutoBase = true
[rerere]
\tenabled = true
\tautoupdate = true
"""


def case(seed: int) -> tuple[Files, bytes, Files]:
    rng = random.Random(seed)
    files = random_files(rng, 20)
    patch, after = random_patch(rng, files, 12)
    return files, render_patch(patch), after


@pytest.mark.parametrize("seed", SHAPES)
@pytest.mark.parametrize("dialect", list(Dialect))
def test_e5_a_changed_context_line_is_never_overlooked(seed: int, dialect: Dialect) -> None:
    rng = random.Random(seed)
    lines = [b"line %d\n" % number for number in range(40)]
    at = rng.randint(8, 30)
    hunk = Hunk(
        old_start=at - 2,
        new_start=at - 2,
        lines=tuple(
            (sign, text)
            for sign, text in (
                *((b" ", line) for line in lines[at - 3 : at]),
                (b"+", b"new\n"),
                *((b" ", line) for line in lines[at : at + 3]),
            )
        ),
        source_line=1,
    )
    changed = list(lines)
    changed[at + rng.choice((-3, -2, -1, 0, 1, 2))] = b"upstream\n"
    (placement,) = place_by_rule(b"".join(changed), (hunk,), dialect)
    assert placement.fate is Fate.CONFLICT


@pytest.mark.parametrize("seed", SHAPES)
def test_e6_and_e9_trees_do_not_depend_on_the_folder_or_on_anybodys_configuration(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, text, _ = case(seed)
    tree, _source = tree_in_memory(files)
    laid = lay(parse_canonical(text, file="p"), tree, file="p", text=text)
    assert isinstance(laid, Laid)
    git = RealGit(tmp_path)
    assert git.tree_of(files) == tree.id
    other = tmp_path / "other/sub/folder"
    other.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True, capture_output=True)
    (tmp_path / "hostile").write_text(HOSTILE)
    (tmp_path / ".gitconfig").write_text(HOSTILE)
    monkeypatch.chdir(other)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "hostile"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert rederive(git_dir=tmp_path / "repo.git", base_tree=tree.id, patches=[text]) == (laid.tree.id,)


@pytest.mark.parametrize("seed", SHAPES)
def test_e8_line_ends_of_every_kind_are_bytes(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    ends = (b"\r\n", b"\n", b"\r\r\n", b"\r", b" \r\n")
    content = b"".join(b"word%d" % rng.randint(0, 3) + rng.choice(ends[: 2 + seed % 4]) for _ in range(50))
    files: Files = dict.fromkeys(random_files(rng, 3), (Mode.FILE, content))
    path = next(iter(files))
    runs = random_runs(rng, content)
    hunks = hunks_of(content, runs)
    change = FileChange(
        action=Action.MODIFY, old_path=path, new_path=path, old_mode=None, new_mode=None, hunks=hunks, binary=None,
        old_blob=None, new_blob=None, source_line=0,
    )  # fmt: skip
    text = render_patch(Patch(files=(change,) if hunks else ()))
    tree, _source = tree_in_memory(files)
    laid = lay(parse_canonical(text, file="p"), tree, file="p", text=text)
    assert isinstance(laid, Laid)
    assert laid.tree.blob(path) == edited(content, runs)
    git = RealGit(tmp_path)
    git.tree_of(files)
    assert git.apply(tree.id, text) == laid.tree.id, git.why


@pytest.mark.parametrize("seed", SHAPES)
def test_e12_a_patch_goes_on_whole_or_not_at_all(seed: int) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 30)
    patch, _ = random_patch(rng, files, 25)
    texts = {path for path, (mode, _) in files.items() if mode in (Mode.FILE, Mode.EXECUTABLE)}
    with_hunks = [change for change in patch.files if change.hunks and change.old_path in texts]
    if not with_hunks:
        return
    victim = rng.choice(with_hunks)
    path = victim.old_path or victim.new_path
    assert path is not None
    mode, data = files[path]
    other = dict(files)
    other[path] = (mode, b"upstream\n" + b"".join(lines_of(data)))
    tree, _source = tree_in_memory(other)
    text = render_patch(patch)

    laid = lay(parse_canonical(text, file="p"), tree, file="p", text=text)

    assert isinstance(laid, NotLaid)
    assert tree.id == tree_in_memory(other)[0].id


@pytest.mark.parametrize("seed", range(2))
def test_e10_what_is_written_does_not_depend_on_the_surroundings(seed: int, tmp_path: Path) -> None:
    random_series(seed, tmp_path, 4)
    (tmp_path / "hostile").write_text(HOSTILE)
    plain = {"PATH": "", "HOME": str(tmp_path), "LC_ALL": "C", "TZ": "UTC"}
    hostile = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu",
        "GIT_CONFIG_GLOBAL": str(tmp_path / "hostile"), "GIT_DIR": "/nowhere", "PYTHONHASHSEED": "7",
    }  # fmt: skip
    written = []
    for number, (env, umask) in enumerate(((plain, 0o022), (hostile, 0o077))):
        out = tmp_path / str(number) / "out"
        code = (
            f"import os; os.umask({umask}); from builder.cli.main import main; import sys; sys.argv = ['stackproof', "
            f"'import', 'quilt', '--dialect', 'git', '--orig', {str(tmp_path / 'orig')!r}, '--patches', "
            f"{str(tmp_path / 'patches')!r}, '--out', {str(out)!r}]; main()"
        )
        done = subprocess.run([sys.executable, "-c", code], env=env, cwd=Path.cwd(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        files = sorted(path for path in out.rglob("*") if path.is_file() and ".stackproof" not in str(path))
        written.append([(path.relative_to(out), path.read_bytes()) for path in files])
    assert written[0] == written[1]
    assert written[0]
