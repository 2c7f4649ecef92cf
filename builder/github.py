"""The workflows for GitHub Actions: validate, matrix and release; pure.

Each may do the least that it needs. All read the repository; of the release, which a tag starts, one job may write a
release of the host and one an image, both with the token that the host gives to every run. No secret is named, actions
are pinned by commit, and each constant stands once in its file.
"""

from collections.abc import Sequence

from builder.ci import HEAD, Part, Setup, note, packages_step

VALIDATE = ".github/workflows/stackproof-validate.yml"
MATRIX = ".github/workflows/stackproof-matrix.yml"
RELEASE = ".github/workflows/stackproof-release.yml"
REGISTRY = "ghcr.io"
"""The host's own registry: the only one that the built-in token is good for."""

_CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"
_CACHE = "actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3"
_UPLOAD = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2"
_DOWNLOAD = "actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093 # v4.3.0"
_MACHINE = "ubuntu-24.04"
_KEY = "stackproof-${{ github.job }}-${{ matrix.name || 'all' }}-"


def workflows(parts: Sequence[Part], setup: Setup, *, image: bool) -> dict[str, str]:
    """Every workflow by its file; `image` says whether the release gives an image away."""
    return {VALIDATE: _validate(setup), MATRIX: _matrix(parts, setup), RELEASE: _release(setup, image=image)}


def _head(name: str, on: str, *, again: bool) -> str:
    """Name, trigger and the least permission; `again` lets a newer run end an older one."""
    return (
        HEAD.format(name="github")
        + f"""\
name: {name}
on: {on}
permissions: {{contents: read}}
concurrency: {{group: "{name}-${{{{ github.ref }}}}", cancel-in-progress: {str(again).lower()}}}

jobs:
"""
    )


def _validate(setup: Setup) -> str:
    return (
        _head("stackproof-validate", "[push, pull_request]", again=True)
        + f"""\
  validate:
    runs-on: {_MACHINE}
    timeout-minutes: 20
    steps:
      - uses: {_CHECKOUT}
        with: {{persist-credentials: false, fetch-depth: 0}}
{_cache()}      - run: {setup.install}
      - run: {setup.program} check
      - run: {setup.program} ci github --check
      - if: github.event_name == 'pull_request'
        env: {{RANGE: "${{{{ github.event.pull_request.base.sha }}}}..${{{{ github.event.pull_request.head.sha }}}}"}}
        run: {setup.program} ci review "$RANGE"
"""
    )


def _matrix(parts: Sequence[Part], setup: Setup) -> str:
    built = [part for part in parts if part.builds] or parts  # the rest is validated
    rows = "".join(f"          - {{name: {part.name}, command: {part.command}}} {note(part)}\n" for part in built)
    return (
        _head("stackproof-matrix", "[push, pull_request]", again=True)
        + f"""\
  proof:
    name: ${{{{ matrix.name }}}}
    runs-on: &machine {_MACHINE}
    timeout-minutes: &longest 240
    strategy:
      fail-fast: false
      matrix:
        include:
{rows}    env: {{COMMAND: "${{{{ matrix.command }}}}"}}
    steps: &steps
      - uses: {_CHECKOUT}
        with: {{persist-credentials: false}}
{_cache()}{packages_step("      - run: ", setup, by="sudo ")}      - run: {setup.install}
      - run: {setup.program} $COMMAND
      - if: always()
        uses: {_UPLOAD}
        with:
          name: ${{{{ github.job }}}}-${{{{ matrix.name || 'all' }}}}
          if-no-files-found: ignore
          path: |
            dist/
            ~/.cache/stackproof/logs/

  battery:
    needs: proof
    runs-on: *machine
    timeout-minutes: *longest
    env: {{COMMAND: release}}
    steps: *steps
"""
    )


def _release(setup: Setup, *, image: bool) -> str:
    return (
        _head("stackproof-release", '{push: {tags: ["**"]}}', again=False)
        + f"""\
  seal:
    runs-on: &machine {_MACHINE}
    timeout-minutes: 240
    steps:
      - &checkout
        uses: {_CHECKOUT}
        with: {{persist-credentials: false}}
      - &cache
{_cache().replace("      - ", "        ", 1)}{packages_step("      - run: ", setup, by="sudo ")}      - &install
        run: {setup.install}
      - run: {setup.program} check --tag "$GITHUB_REF_NAME"
      - run: {setup.program} release
      - uses: {_UPLOAD}
        with: {{name: &bundle bundle, path: dist/, if-no-files-found: error}}

  files:
    needs: seal
    runs-on: *machine
    timeout-minutes: &soon 30
    permissions: {{contents: write}} # a release of the host, with the bundle as its file
    steps:
      - &download
        uses: {_DOWNLOAD}
        with: {{name: *bundle, path: dist/}}
      - env: {{GH_TOKEN: "${{{{ github.token }}}}", GH_REPO: "${{{{ github.repository }}}}"}}
        run: |
{_FILES}{_image(setup) if image else ""}"""
    )


_FILES = """\
          state=$(gh release view "$GITHUB_REF_NAME" --json isDraft --jq .isDraft || echo none)
          if [ "$state" = false ]; then echo "is published already, and is never replaced"; exit 0; fi
          tar -C dist --sort=name --owner=0 --group=0 --numeric-owner -cf bundle.tar "$GITHUB_REF_NAME"
          gzip -n bundle.tar && mv bundle.tar.gz "$GITHUB_REF_NAME.bundle.tar.gz"
          notes="dist/$GITHUB_REF_NAME/NOTES.md"
          [ "$state" = true ] || gh release create "$GITHUB_REF_NAME" --verify-tag --draft --notes-file "$notes"
          gh release upload "$GITHUB_REF_NAME" --clobber "$GITHUB_REF_NAME.bundle.tar.gz"
          gh release edit "$GITHUB_REF_NAME" --draft=false
"""
"""A draft first, which nobody sees; the last line makes all of it visible."""


def _image(setup: Setup) -> str:
    return f"""
  image:
    needs: seal
    runs-on: *machine
    timeout-minutes: *soon
    permissions: {{contents: read, packages: write}} # the image, and the bundle beside it
    steps:
      - *checkout
      - *cache
      - *install
      - *download
      - env:
          STACKPROOF_REGISTRY_USER: ${{{{ github.actor }}}}
          STACKPROOF_REGISTRY_TOKEN: ${{{{ github.token }}}}
        run: {setup.program} publish --to "oci:{REGISTRY}/${{GITHUB_REPOSITORY,,}}"
"""


def _cache() -> str:
    return f"""\
      - uses: {_CACHE}
        with:
          path: ~/.cache/stackproof
          key: {_KEY}${{{{ hashFiles('release.json', 'blocks/**') }}}}
          restore-keys: |
            {_KEY}
            stackproof-
"""
