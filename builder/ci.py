"""What a hosted CI runs, from the same plan that a build follows, and GitLab's pipeline of it; pure.

Takes what the configurations promise and gives the jobs: one for the files and trees, one for each configuration, and
the release behind them. `builder/github.py` writes the same for GitHub.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verify.model.ids import ConfigName

GITLAB = ".gitlab-ci.yml"

HEAD = (
    "# Written by `stackproof ci {name}`; `stackproof ci {name} --check` says whether it is still what the plan says.\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One job of the matrix: its name, the command with its arguments, and how many builds it makes."""

    name: str
    command: str
    builds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How the software gets there, what the system must have for it (packages of Debian), and how it is called."""

    install: str
    program: str
    packages: tuple[str, ...] = ()


PACKAGES = {"abi": "abigail-tools", "performance": "valgrind"}
"""What gates of a kind measure with and a hosted machine does not have."""


def packages_of(kinds: Iterable[str]) -> tuple[str, ...]:
    """The system's packages that gates of these kinds measure with."""
    return tuple(sorted({PACKAGES[kind] for kind in kinds if kind in PACKAGES}))


def parts_of(builds: Sequence[tuple[ConfigName, int]]) -> tuple[Part, ...]:
    """The jobs that prove a release: what needs no compiler first, then each configuration that has builds."""
    check = Part(name="check", command="check", builds=0)
    return (
        check,
        *(Part(name=f"build-{name}", command=f"build --configuration {name}", builds=n) for name, n in builds if n),
    )


def packages_step(before: str, setup: Setup, *, by: str) -> str:
    """The line that installs the system's packages; none where there are none."""
    if not setup.packages:
        return ""
    return f"{before}{by}apt-get update -qq && {by}apt-get install -y -qq {' '.join(setup.packages)}\n"


def gitlab(parts: Sequence[Part], setup: Setup) -> str:
    """The pipeline for GitLab CI."""
    rows = "".join(f"          - {part.command} {note(part)}\n" for part in parts)
    return (
        HEAD.format(name="gitlab")
        + f"""\
default:
  image: python:3.12-bookworm
  timeout: 4h
  interruptible: true
  cache:
    key: stackproof-$CI_COMMIT_REF_SLUG
    fallback_keys: [stackproof-$CI_DEFAULT_BRANCH]
    paths: [.stackproof-cache/]
  before_script:
{packages_step("    - ", setup, by="")}    - {setup.install}
  artifacts:
    when: always
    paths: [dist/, .stackproof-cache/logs/]

variables:
  STACKPROOF_CACHE: $CI_PROJECT_DIR/.stackproof-cache

stages: [proof, release]

proof:
  stage: proof
  parallel:
    matrix:
      - COMMAND:
{rows}  script: &run
    - {setup.program} $COMMAND

release:
  stage: release
  variables:
    COMMAND: release
  script: *run
"""
    )


def note(part: Part) -> str:
    """How much a part builds, as a remark."""
    return f"# {part.builds} builds" if part.builds else "# nothing is built"
