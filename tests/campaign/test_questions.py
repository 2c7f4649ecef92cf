"""The questions on the real engine: is each of our blocks missed by its own gates, is a planted fold found?

Run after `make release`, whose cache they share. Some five minutes each on two cores that others use too.
"""

import shutil
from pathlib import Path

import pytest

from builder.cli.session import cache_root
from tests.whole.command import Said, say

pytestmark = pytest.mark.campaign

OURS = Path(__file__).parents[2]
PLANTED = """\
diff --git a/tools/server/server-context.cpp b/tools/server/server-context.cpp
--- a/tools/server/server-context.cpp
+++ b/tools/server/server-context.cpp
@@ -4045,4 +4045,6 @@ private:
             {
                 scoped_timer timer(t_sampl, n_sampl);
                 id = common_sampler_sample(slot.smpl.get(), slot.ctx_tgt, tok_idx);
+                static int planted = 0;
+                if (++planted % 7 == 6) { id = (id + 1) % 1000; }
             }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Our own release, copied."""
    root = tmp_path / "project"
    root.mkdir()
    shutil.copy(OURS / "release.json", root)
    shutil.copytree(OURS / "blocks", root / "blocks")
    return root


def ask(root: Path, *arguments: str) -> Said:
    return say(*arguments, root=root, cache=cache_root())


def test_every_block_of_ours_is_missed_by_what_its_gates_see(project: Path) -> None:
    said = ask(project, "gate", "--mutate")
    mutants = said.document["mutants"]
    assert isinstance(mutants, list)
    assert said.exit == 0, said.document["diagnostics"]
    assert {each["noticed"] for each in mutants if each["fold"] is None} == {"behaviour"}
    assert {each["noticed"] for each in mutants} <= {"behaviour", "build", "text"}


def test_a_fold_that_changes_text_is_found_in_the_middle_of_the_stack(project: Path, tmp_path: Path) -> None:
    patch = tmp_path / "planted.patch"
    patch.write_text(PLANTED)
    block, fold = "prefill-rotation", "rotation"
    taken = ask(
        project,
        *("fold", str(patch), "--block", block, "--id", "planted", "--after", fold, "--source", "planted"),
        *("--subject", "server : choose another token now and then", "--author", "Grace Hopper <grace@navy.mil>"),
    )
    assert taken.exit == 0, taken.document["diagnostics"]
    said = ask(project, "bisect", "golden-smollm2")
    found, green, red = (said.document[name] for name in ("found", "green", "red"))
    assert said.exit == 0, said.document["diagnostics"]
    assert isinstance(found, dict)
    assert isinstance(green, dict)
    assert isinstance(red, dict)
    assert (found["block"], found["fold"], found["subject"][:6]) == (block, "planted", "server")
    assert green["folds"][-1] == f"{block}/{fold}"
    assert red["evidence"]
