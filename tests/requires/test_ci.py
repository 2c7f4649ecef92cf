"""Workflows for hosted CI: from the same plan, valid by their schemas, no permission and no constant too many."""

import json
import re
from importlib.resources import files

import pytest
import yaml
from jsonschema import Draft7Validator

from builder.ci import Setup, github, gitlab, packages_of, parts_of
from tests.requires.blocks import BRINGS, CONFIGURATION
from tests.requires.conftest import Plant
from tests.whole.command import say
from verify.model.ids import ConfigName

PARTS = parts_of([(ConfigName("release"), 3), (ConfigName("debug"), 2), (ConfigName("idle"), 0)])
SETUP = Setup(install="make .venv/.run", program=".venv/bin/stackproof", packages=packages_of(["performance", "build"]))
TEXTS = {"github": github(PARTS, SETUP), "gitlab": gitlab(PARTS, SETUP)}
SCHEMAS = {"github": "github-workflows", "gitlab": "gitlab-ci"}


def read(text: str) -> dict[str, object]:
    # YAML 1.1 reads the key `on` as true
    value = yaml.safe_load(text.replace("\non:", '\n"on":'))
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("host", sorted(TEXTS))
def test_the_workflow_is_valid_by_its_schema(host: str) -> None:
    schema = files("check_jsonschema") / f"builtin_schemas/vendor/{SCHEMAS[host]}.json"
    Draft7Validator(json.loads(schema.read_text())).validate(read(TEXTS[host]))


@pytest.mark.parametrize("host", sorted(TEXTS))
def test_no_constant_is_repeated(host: str) -> None:
    pinned = re.findall(r"@[0-9a-f]{40}|ubuntu-[\d.]+|python:[\w.-]+|make \S+|timeout\S*: \S+", TEXTS[host])
    assert sorted(set(pinned)) == sorted(pinned)


def test_every_configuration_with_builds_is_a_job_of_the_matrix() -> None:
    jobs = read(TEXTS["github"])["jobs"]
    assert isinstance(jobs, dict)
    commands = [each["command"] for each in jobs["proof"]["strategy"]["matrix"]["include"]]
    assert commands == ["check", "build --configuration release", "build --configuration debug"]
    proof = read(TEXTS["gitlab"])["proof"]
    assert isinstance(proof, dict)
    assert proof["parallel"]["matrix"][0]["COMMAND"] == commands


@pytest.mark.parametrize("host", sorted(TEXTS))
def test_what_gates_measure_with_is_installed_and_nothing_else(host: str) -> None:
    assert "apt-get install -y -qq valgrind\n" in TEXTS[host]
    bare = github(PARTS, Setup(install="make .venv/.run", program=".venv/bin/stackproof"))
    assert "apt-get" not in bare


def test_a_workflow_may_read_the_repository_and_nothing_else() -> None:
    workflow = read(TEXTS["github"])
    assert workflow["permissions"] == {"contents": "read"}
    jobs = workflow["jobs"]
    assert isinstance(jobs, dict)
    assert all("permissions" not in job for job in jobs.values())
    assert "secrets." not in TEXTS["github"]
    assert all(re.search(r"@[0-9a-f]{40} ", f"{step['uses']} ") for step in jobs["proof"]["steps"] if "uses" in step)


def test_the_file_is_written_once_and_told_when_the_plan_moves_on(plant: Plant) -> None:
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
