import os
import subprocess
from pathlib import Path

import pytest

from builder.review.pull_request import annotation
from tests.review.project import BASE, FOLDED, Project, make_project
from verify.model.diagnostic import Diagnostic, Place


def git(project: Project, *arguments: str) -> str:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.cache),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@analytical.org",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@analytical.org",
    }
    done = subprocess.run(["git", "-C", str(project.root.parent), *arguments], env=env, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(project: Project) -> str:
    git(project, "add", "project")
    git(project, "commit", "--quiet", "-m", "A state")
    return git(project, "rev-parse", "HEAD")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = make_project(tmp_path, monkeypatch, {})
    git(made, "init", "--quiet")
    assert made.say("pin").exit == 0
    return made


def test_a_pull_request_is_checked_and_told_fold_by_fold(project: Project) -> None:
    base = commit(project)
    project.lay(folded=FOLDED.replace("clamp(i)", "clamp(i + 1)"))
    assert project.say("pin").exit == 0
    head = commit(project)
    said = project.say("ci", "review", f"{base}..{head}")
    assert said.exit == 0, said.document
    assert said.document["words"] == [
        "0 of 1 folds are the same change as at the base",
        "bound/bound: changed (+1/-1)",
    ]
    at = "file=project/blocks/bound/folds/bound/fold.patch,line=1,title=review-to-do"
    why = "fold `bound` of block `bound` is changed here, and nobody has approved it as it is"
    assert said.document["annotations"] == [f"::notice {at}::{why}%0Ahelp: stackproof review packet bound/bound"]


def test_a_finding_is_an_annotation_at_its_line(project: Project) -> None:
    base = commit(project)
    calls = BASE.replace("    finish(q);\n", "    push(q, n);\n    finish(q);\n")
    project.lay(base=calls, folded=calls.replace("push(q, i)", "push(q, clamp(i))"))
    assert project.say("pin").exit == 0
    said = project.say("ci", "review", f"{base}..{commit(project)}")
    assert said.exit == 1
    annotations = said.document["annotations"]
    assert isinstance(annotations, list)
    assert annotations[0].startswith("::error file=project/blocks/bound/block.yaml,line=7,col=5,title=claim-fails::")


def test_a_project_that_cannot_be_read_is_annotated_too(project: Project) -> None:
    base = commit(project)
    (project.root / "blocks/bound/block.yaml").write_text("schema: stackproof/block/1\ntitle: X\n")
    said = project.say("ci", "review", f"{base}..{commit(project)}")
    assert said.exit == 2
    annotations = said.document["annotations"]
    assert isinstance(annotations, list)
    assert all(each.startswith("::error file=project/blocks/bound/block.yaml,line=") for each in annotations)


def test_another_head_than_what_is_checked_out_is_refused(project: Project) -> None:
    first = commit(project)
    project.lay(folded=FOLDED.replace("clamp(i)", "clamp(i + 1)"))
    commit(project)
    assert project.say("ci", "review", f"{first}..{first}").codes() == ["ci-not-checked-out"]


@pytest.mark.parametrize("text", ["main", "..", "nowhere..HEAD"])
def test_what_is_no_range_is_refused(project: Project, text: str) -> None:
    commit(project)
    assert project.say("ci", "review", text).exit == 2


def test_text_cannot_end_an_annotation() -> None:
    found = Diagnostic(code="x", message="a\n::error::b 100%", place=Place(file="a,b:c", line=3))
    assert annotation(found, "") == "::error file=a%2Cb%3Ac,line=3,title=x::a%0A::error::b 100%25"
