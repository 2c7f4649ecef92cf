"""The workflow of a hosted CI, written from the same plan that a build follows; pure.

Takes what the configurations promise and gives the file: one job for the files and trees, one for each configuration,
and the release behind them. Nothing but reading the repository is permitted, actions are pinned by commit, and each
constant stands once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verify.model.ids import ConfigName

GITHUB = ".github/workflows/stackproof.yml"
GITLAB = ".gitlab-ci.yml"

_CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"
_CACHE = "actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3"
_UPLOAD = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2"
_HEAD = (
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


def _step(before: str, setup: Setup, *, by: str) -> str:
    """The line that installs the system's packages; none where there are none."""
    if not setup.packages:
        return ""
    return f"{before}{by}apt-get update -qq && {by}apt-get install -y -qq {' '.join(setup.packages)}\n"


def github(parts: Sequence[Part], setup: Setup) -> str:
    """The workflow for GitHub Actions."""
    rows = "".join(f"          - {{name: {part.name}, command: {part.command}}} {_note(part)}\n" for part in parts)
    return (
        _HEAD.format(name="github")
        + f"""\
name: stackproof
on: [push, pull_request]
permissions: {{contents: read}}
concurrency: {{group: "stackproof-${{{{ github.ref }}}}", cancel-in-progress: true}}

jobs:
  proof:
    name: ${{{{ matrix.name }}}}
    runs-on: &machine ubuntu-24.04
    timeout-minutes: &longest 240
    strategy:
      fail-fast: false
      matrix:
        include:
{rows}    env: {{COMMAND: "${{{{ matrix.command }}}}"}}
    steps: &steps
      - uses: {_CHECKOUT}
        with: {{persist-credentials: false}}
      - uses: {_CACHE}
        with:
          path: ~/.cache/stackproof
          key: stackproof-${{{{ github.job }}}}-${{{{ matrix.name }}}}-${{{{ hashFiles('release.json', 'blocks/**') }}}}
          restore-keys: |
            stackproof-${{{{ github.job }}}}-${{{{ matrix.name }}}}-
            stackproof-proof-
{_step("      - run: ", setup, by="sudo ")}      - run: {setup.install}
      - run: {setup.program} $COMMAND
      - if: always()
        uses: {_UPLOAD}
        with:
          name: ${{{{ github.job }}}}-${{{{ matrix.name || 'all' }}}}
          if-no-files-found: ignore
          path: |
            dist/
            ~/.cache/stackproof/logs/

  release:
    needs: proof
    runs-on: *machine
    timeout-minutes: *longest
    env: {{COMMAND: release}}
    steps: *steps
"""
    )


def gitlab(parts: Sequence[Part], setup: Setup) -> str:
    """The pipeline for GitLab CI."""
    rows = "".join(f"          - {part.command} {_note(part)}\n" for part in parts)
    return (
        _HEAD.format(name="gitlab")
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
{_step("    - ", setup, by="")}    - {setup.install}
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


def _note(part: Part) -> str:
    return f"# {part.builds} builds" if part.builds else "# nothing is built"
