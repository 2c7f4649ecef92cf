"""Workflows for hosted CI: from the same plan, valid by their schemas, no permission and no constant too many."""

import json
import os
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from builder.ci import Setup, gitlab, packages_of, parts_of
from builder.github import MATRIX, RELEASE, VALIDATE, workflows
from tests.requires.blocks import BRINGS, CONFIGURATION
from tests.requires.conftest import Plant
from tests.whole.command import say
from verify.model.ids import ConfigName

PARTS = parts_of([(ConfigName("release"), 3), (ConfigName("debug"), 2), (ConfigName("idle"), 0)])
SETUP = Setup(install="make .venv/.run", program=".venv/bin/stackproof", packages=packages_of(["performance", "build"]))
ON_GITHUB = workflows(PARTS, SETUP, image=True)
TEXTS = {**ON_GITHUB, "gitlab": gitlab(PARTS, SETUP)}


def read(text: str) -> dict[str, Any]:
    # YAML 1.1 reads the key `on` as true
    value = yaml.safe_load(text.replace("\non:", '\n"on":'))
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("host", sorted(TEXTS))
def test_the_workflow_is_valid_by_its_schema(host: str) -> None:
    schema = (
        files("check_jsonschema")
        / f"builtin_schemas/vendor/{'gitlab-ci' if host == 'gitlab' else 'github-workflows'}.json"
    )
    Draft7Validator(json.loads(schema.read_text())).validate(read(TEXTS[host]))


@pytest.mark.parametrize("host", sorted(TEXTS))
def test_no_constant_is_repeated(host: str) -> None:
    pinned = re.findall(r"@[0-9a-f]{40}|ubuntu-[\d.]+|python:[\w.-]+|make \S+|timeout\S*: \S+", TEXTS[host])
    assert sorted(set(pinned)) == sorted(pinned)


def test_every_configuration_with_builds_is_a_job_of_the_matrix() -> None:
    include = read(TEXTS[MATRIX])["jobs"]["proof"]["strategy"]["matrix"]["include"]
    assert [each["command"] for each in include] == ["build --configuration release", "build --configuration debug"]
    commands = read(TEXTS["gitlab"])["proof"]["parallel"]["matrix"][0]["COMMAND"]
    assert commands == ["check", "build --configuration release", "build --configuration debug"]


@pytest.mark.parametrize("host", [MATRIX, RELEASE, "gitlab"])
def test_what_gates_measure_with_is_installed_and_nothing_else(host: str) -> None:
    assert TEXTS[host].count("apt-get install -y -qq valgrind\n") == 1
    bare = workflows(PARTS, Setup(install="make .venv/.run", program=".venv/bin/stackproof"), image=True)
    assert "apt-get" not in "".join(bare.values())


def permissions(image: bool) -> dict[str, object]:
    """Every permission that is asked for beside reading the repository, by workflow and job."""
    found: dict[str, object] = {}
    for file, text in workflows(PARTS, SETUP, image=image).items():
        workflow = read(text)
        assert workflow["permissions"] == {"contents": "read"}, file
        asked = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
        found |= {f"{file.rpartition('-')[2]} {name}": each for name, each in asked.items()}
    return found


def test_only_what_publishes_may_write_and_packages_only_where_an_image_is_pushed() -> None:
    files = {"release.yml files": {"contents": "write"}}
    assert permissions(image=False) == files
    assert permissions(image=True) == {**files, "release.yml image": {"contents": "read", "packages": "write"}}


def test_no_secret_is_named_and_only_publishing_sees_the_built_in_token() -> None:
    assert "secrets." not in "".join(ON_GITHUB.values())
    jobs = read(TEXTS[RELEASE])["jobs"]
    with_token = {name for name, job in jobs.items() for step in job["steps"] if "github.token" in str(step)}
    assert with_token == {"files", "image"}
    assert "github.token" not in TEXTS[VALIDATE] + TEXTS[MATRIX]


@pytest.mark.parametrize("file", sorted(ON_GITHUB))
def test_actions_are_pinned_and_what_strangers_write_is_never_part_of_a_script(file: str) -> None:
    steps = [step for job in read(TEXTS[file])["jobs"].values() for step in job["steps"]]
    assert all(re.search(r"@[0-9a-f]{40}$", step["uses"]) for step in steps if "uses" in step)
    assert not [step for step in steps if "${{" in step.get("run", "")]
    assert all(step["with"]["persist-credentials"] is False for step in steps if "checkout" in step.get("uses", ""))


def test_a_release_is_started_by_a_tag_and_judged_before_anything_is_published() -> None:
    workflow = read(TEXTS[RELEASE])
    assert workflow["on"] == {"push": {"tags": ["**"]}}
    runs = [step["run"] for step in workflow["jobs"]["seal"]["steps"] if "run" in step]
    assert runs[-2:] == ['.venv/bin/stackproof check --tag "$GITHUB_REF_NAME"', ".venv/bin/stackproof release"]
    assert {name: job.get("needs") for name, job in workflow["jobs"].items()} == {
        "seal": None, "files": "seal", "image": "seal",
    }  # fmt: skip


GH = """#!/bin/sh
echo "$*" >> "$GH_LOG"
case "$1 $2 $GH_STATE" in
  "release view none") exit 1;;
  "release view "*) echo "$GH_STATE";;
esac
"""


@pytest.mark.parametrize(
    ("state", "asked"),
    [("none", ["view", "create", "upload", "edit"]), ("true", ["view", "upload", "edit"]), ("false", ["view"])],
)
def test_a_release_of_the_host_is_a_draft_until_the_last_step(state: str, asked: list[str], tmp_path: Path) -> None:
    (script,) = (step["run"] for step in read(TEXTS[RELEASE])["jobs"]["files"]["steps"] if "run" in step)
    bundle = tmp_path / "dist/engine-1"
    bundle.mkdir(parents=True)
    (bundle / "NOTES.md").write_text("# engine-1\n")
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_REF_NAME": "engine-1", "GH_STATE": state,
        "GH_LOG": str(tmp_path / "log"),
    }  # fmt: skip

    subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, env=env, check=True, capture_output=True)

    said = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert [words[1] for words in said] == asked
    assert all("--draft" in words for words in said if words[1] == "create")
    assert (tmp_path / "engine-1.bundle.tar.gz").exists() is (state != "false")


def test_the_release_of_another_tag_is_refused_at_once(plant: Plant) -> None:
    project = plant(BRINGS)
    name = str(project.release()["name"])
    told = say("check", "--tag", f"v{name}", root=project.root, cache=project.cache)
    assert (told.exit, told.codes()) == (1, {"tag-other"})
    assert "tag-other" not in say("check", "--tag", name, root=project.root, cache=project.cache).codes()


def test_the_files_are_written_once_and_told_when_the_plan_moves_on(plant: Plant) -> None:
    project = plant(BRINGS)
    assert say("ci", "github", "--check", root=project.root, cache=project.cache).codes() == {"ci-stale"}
    assert say("ci", "github", root=project.root, cache=project.cache).document["written"] is True
    assert say("ci", "github", "--check", root=project.root, cache=project.cache).exit == 0
    release = project.release()
    project.write_release({**release, "configurations": {"other": dict(CONFIGURATION)}, "gates": {}})
    assert say("ci", "github", "--check", root=project.root, cache=project.cache).exit == 1


def test_one_configuration_is_built_by_itself(plant: Plant) -> None:
    project = plant(BRINGS, proofs=("tip",))
    release = project.release()
    one = {**CONFIGURATION, "proofs": ["tip"]}
    project.write_release({**release, "configurations": {"library": one, "other": one}, "gates": {}})
    said = say("build", "--plan", "--configuration", "other", root=project.root, cache=project.cache)
    plan = said.document["plan"]
    assert isinstance(plan, list)
    assert [step["configuration"] for step in plan] == ["other", "other"]
    wrong = say("build", "--plan", "--configuration", "othr", root=project.root, cache=project.cache)
    assert wrong.codes() == {"unknown-configuration"}
