"""The commands on a project: propose, show, resolve, accept, undo, and what is remembered the second time."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.edit.test_commands import Console
from tests.edit.workshop import BASE, Workshop, edited
from verify.manifest.read import read_release

LINES = BASE["src/a.cpp"]


@pytest.fixture
def console(shop: Workshop) -> Console:
    return Console(shop)


def upstream(shop: Workshop, name: str = "newer", **texts: str | None) -> str:
    """Another version of the engine as a folder beside the project's own; `src__a` is src/a.cpp."""
    folder = shop.root / name
    files: dict[str, str | None] = {**BASE, **{f"{key.replace('__', '/')}.cpp": text for key, text in texts.items()}}
    for path, text in files.items():
        if text is not None:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
    return str(folder)


def bump(console: Console, *words: str, status: int = 0) -> str:
    """`stackproof bump WORDS`, in the project."""
    from typer.testing import CliRunner

    from builder.cli.main import app

    env = {"STACKPROOF_CACHE": str(console.shop.cache), "NO_COLOR": "1", "COLUMNS": "200"}
    result = CliRunner().invoke(app, ["bump", *words, "-C", str(console.shop.root)], env=env)
    assert result.exit_code == status, result.output
    return result.stdout


def bump_json(console: Console, *words: str, status: int = 0) -> Any:
    return json.loads(bump(console, *words, "--json", status=status))


def test_a_bump_is_proposed_shown_accepted_and_taken_back(console: Console) -> None:
    shop = console.shop
    before = shop.files()
    told = bump(console, "--to", upstream(shop, src__a="// new\n" + LINES))
    assert "alpha/turn: moved" in told
    assert shop.files() == before
    assert bump_json(console, "show")["clean"]
    bump(console, "accept", "--name", "engine-2-r1")
    release = read_release(shop.root)
    assert (release.name, release.parent) == ("engine-2-r1", "engine-1-r1")
    assert release.bump is not None
    assert release.bump.from_base != release.bump.to_base
    console("check")
    console("undo")
    assert shop.files() == before


def test_a_bump_to_the_same_base_changes_no_fold(console: Console) -> None:
    shop = console.shop
    before = shop.files()
    bump(console, "--to", str(shop.root / "engine"))
    bump(console, "accept")
    after = shop.files()
    assert {name for name in after if after[name] != before.get(name)} == {"blocks/bump.json"}


def test_there_and_back_is_where_it_was(console: Console) -> None:
    shop = console.shop
    before = {name: data for name, data in shop.files().items() if name.endswith("fold.patch")}
    bump(console, "--to", upstream(shop, src__a="// new\n" + LINES))
    bump(console, "accept")
    assert {name: data for name, data in shop.files().items() if name.endswith("fold.patch")} != before
    bump(console, "--to", str(shop.root / "engine"))
    bump(console, "accept")
    assert {name: data for name, data in shop.files().items() if name.endswith("fold.patch")} == before
    console("check")


def conflicting(shop: Workshop, name: str = "newer") -> str:
    return upstream(shop, name, src__a=LINES.replace("line 3\n", "line 3 of upstream\n"))


def test_a_conflict_is_resolved_once_and_remembered(console: Console, tmp_path: Path) -> None:
    shop = console.shop
    before = shop.files()
    told = bump(console, "--to", conflicting(shop), status=1)
    assert "alpha/turn: conflict" in told
    assert "+line 3 of upstream" in told
    assert "bump-open" in refused(console, "accept")
    bump(console, "resolve", str(tmp_path / "hands"), status=1)
    file = tmp_path / "hands/src/a.cpp"
    text = file.read_text()
    assert "<<<<<<< upstream\nline 3 of upstream\n||||||| as it was recorded\nline 3\n=======\nline 3 changed\n" in text
    assert "resolve-markers" in refused(console, "resolve", str(tmp_path / "hands"))
    file.write_text(LINES.replace("line 3\n", "line 3 of upstream, changed\n"))
    told = bump(console, "resolve", str(tmp_path / "hands"))
    assert "nothing is open" in told
    assert bump_json(console, "show")["folds"][0]["outcome"] == "resolved"
    bump(console, "accept")
    console("check")
    drift = json.loads((shop.root / "blocks/bump.json").read_text())["folds"][0]["files"][0]
    assert drift["decision"] == "resolved"
    console("undo")
    assert bump(console, "--to", conflicting(shop)).count("alpha/turn: resolved") == 1
    console("undo")
    assert shop.files() == before


def test_a_resolution_is_never_used_for_another_file(console: Console, tmp_path: Path) -> None:
    shop = console.shop
    bump(console, "--to", conflicting(shop), status=1)
    bump(console, "resolve", str(tmp_path / "hands"), status=1)
    (tmp_path / "hands/src/a.cpp").write_text(LINES.replace("line 3\n", "line 3 of upstream, changed\n"))
    bump(console, "resolve", str(tmp_path / "hands"))
    # The same conflict, in a file that differs in a line far away.
    other = LINES.replace("line 3\n", "line 3 of upstream\n").replace("line 30\n", "line thirty\n")
    assert "alpha/turn: conflict" in bump(console, "--to", upstream(shop, "other", src__a=other), status=1)


def test_a_resolution_that_was_edited_is_not_believed(console: Console, tmp_path: Path) -> None:
    shop = console.shop
    bump(console, "--to", conflicting(shop), status=1)
    bump(console, "resolve", str(tmp_path / "hands"), status=1)
    (tmp_path / "hands/src/a.cpp").write_text(LINES.replace("line 3\n", "line 3 of upstream, changed\n"))
    bump(console, "resolve", str(tmp_path / "hands"))
    patch = next((shop.root / "blocks/alpha/resolutions").glob("*.patch"))
    patch.write_text(patch.read_text().replace("upstream, changed", "upstream, edited"))
    told = bump_json(console, "show", status=1)
    assert [each["code"] for each in told["diagnostics"]] == ["resolution-broken"]
    assert told["folds"][0]["outcome"] == "conflict"


def test_a_change_beside_the_conflict_is_refused(console: Console, tmp_path: Path) -> None:
    bump(console, "--to", conflicting(console.shop), status=1)
    bump(console, "resolve", str(tmp_path / "hands"), status=1)
    (tmp_path / "hands/src/b.cpp").write_text("int stray;\n")
    assert "resolve-strays" in refused(console, "resolve", str(tmp_path / "hands"))


def test_what_upstream_took_is_left_empty_or_dropped_with_its_record(console: Console) -> None:
    shop = console.shop
    told = bump(console, "--to", upstream(shop, src__a=edited(3)))
    assert "upstream has all of block alpha" in told
    bump(console, "accept")
    fold = read_release(shop.root).blocks[0].folds[0]
    assert (fold.disposition, fold.patch_bytes) == ("upstreamed", b"")
    console("check")
    console("undo")
    bump(console, "--to", upstream(shop, src__a=edited(3)))
    bump(console, "accept", "--drop", "alpha", "--unproven")
    release = read_release(shop.root)
    assert [block.name for block in release.blocks] == ["beta"]
    assert [(each.id, each.disposition) for each in release.not_taken] == [("turn", "upstreamed")]
    console("check")


def test_a_fold_that_upstream_does_not_have_is_dropped_with_a_reason_alone(console: Console) -> None:
    shop = console.shop
    bump(console, "--to", conflicting(shop), status=1)
    assert "bump-drop-reason" in refused(console, "accept", "--drop", "alpha", "--unproven")
    bump(console, "accept", "--drop", "alpha", "--unproven", "--reason", "it is not worth it")
    console("check")


def test_a_file_that_upstream_moved_is_followed_when_told(console: Console) -> None:
    shop = console.shop
    newer = upstream(shop, src__a=None, src__moved=LINES.replace("line 30\n", "line thirty\n"))
    told = bump(console, "--to", newer, status=1)
    assert "src/a.cpp may be src/moved.cpp now" in told
    told = bump(console, "--to", newer, "--follow", "src/a.cpp=src/moved.cpp")
    assert "alpha/turn: unchanged" in told or "alpha/turn: moved" in told
    bump(console, "accept")
    release = read_release(shop.root)
    assert release.blocks[0].folds[0].patch.files[0].new_path == b"src/moved.cpp"
    assert "src/moved.cpp" in release.blocks[0].owns
    console("check")


def test_bases_are_compared(console: Console, tmp_path: Path) -> None:
    shop = console.shop
    repository = tmp_path / "upstream"
    history = [LINES, "// new\n" + LINES, "// new\n" + LINES.replace("line 3\n", "line 3 of upstream\n")]
    commits = commit_all(repository, history)
    told = bump_json(
        console, "--advise", f"{repository}@{commits[0]}..{commits[2]}", "--advise", str(shop.root / "engine")
    )
    assert [each["open_hunks"] for each in told["bases"]] == [0, 1, 0]
    assert told["first"] == {"alpha": f"{repository}@{commits[2][:12]}"}
    assert told["cheapest"] in (f"{repository}@{commits[1][:12]}", str(shop.root / "engine"))
    bump(console, "--to", f"{repository}@{commits[1][:12]}")
    bump(console, "accept")
    console("check")


def commit_all(repository: Path, history: list[str]) -> list[str]:
    """A repository in which src/a.cpp has these texts, one a commit."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(repository.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        env |= {f"{name}_NAME": "u", f"{name}_EMAIL": "u@example.org", f"{name}_DATE": "@1790000000 +0000"}

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=repository, env=env, capture_output=True, check=True).stdout.decode()

    repository.mkdir()
    git("init", "--quiet")
    commits = []
    for text in history:
        for path, content in {**BASE, "src/a.cpp": text}.items():
            (repository / path).parent.mkdir(exist_ok=True)
            (repository / path).write_bytes(content.encode())
        git("-c", "core.autocrlf=false", "add", "--force", "--all")
        git("commit", "--quiet", "--message", "upstream")
        commits.append(git("rev-parse", "HEAD").strip())
    return commits


def test_without_a_proposal_there_is_nothing_to_do(console: Console, tmp_path: Path) -> None:
    assert "bump-none" in refused(console, "show")
    assert "bump-none" in refused(console, "resolve", str(tmp_path / "x"))
    assert "no bump was proposed" in bump(console, "drop")
    assert "bump-source" in refused(console, "--to", "nothing/like/it")


def refused(console: Console, *words: str) -> str:
    """What a command that cannot go on says."""
    from typer.testing import CliRunner

    from builder.cli.main import app

    env = {"STACKPROOF_CACHE": str(console.shop.cache), "NO_COLOR": "1", "COLUMNS": "200"}
    result = CliRunner().invoke(app, ["bump", *words, "-C", str(console.shop.root)], env=env)
    assert result.exit_code == 2, result.output
    return result.output
