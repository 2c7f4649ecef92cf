"""The recipe in the docs is run as it stands there: what it prints are the trees of stack.json."""

import json
import os
import re
import subprocess
from pathlib import Path

from tests.seal.project import Project

DOCS = Path(__file__).parents[2] / "docs/bundle.md"


def test_the_recipe_in_the_docs_gives_the_recorded_trees(project: Project, sealed: Path, tmp_path: Path) -> None:
    (recipe,) = re.findall(r"```sh\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    home = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}

    done = subprocess.run(
        ["sh", "-e", "-c", recipe],
        cwd=sealed,
        env={**home, "GIT_DIR": str(project.store.git_dir), "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    stack = json.loads((sealed / "stack.json").read_bytes())
    trees = [fold["tree"] for block in stack["blocks"] for fold in block["folds"]]
    assert [line.split()[0] for line in done.stdout.splitlines()] == [*trees, stack["tip"]["tree"]]


def test_every_check_and_every_member_is_explained(sealed: Path) -> None:
    from verify.bundle.check import check_bundle

    text = DOCS.read_text("utf-8")
    for check in check_bundle(sealed, base=None).checks:
        assert f"| {check.name} |" in text
    for path in sealed.iterdir():
        assert f"`{path.name}" in text
