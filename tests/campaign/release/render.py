"""Renders the newest stored campaign of releases into docs/benchmarks-releases.md; `--check` compares the page."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"
PAGE = Path(__file__).parents[3] / "docs" / "benchmarks-releases.md"


def main() -> None:
    """Write the page, or compare it."""
    newest = sorted(RESULTS.glob("release-*.json"))[-1]
    text = render(json.loads(newest.read_text()), newest.name)
    if "--check" in sys.argv:
        raise SystemExit(PAGE.read_text() != text)
    PAGE.write_text(text)


def render(document: dict[str, Any], name: str) -> str:
    """The page of one stored run."""
    machine, sealed = document["machine"], document["seal"]
    lines = [
        "# What sealing, publishing and checking come to",
        "",
        f"Measured {document['date']} by `python -m tests.campaign.release`, stored in tests/campaign/results/{name}.",
        f"Machine: {machine['cpu']}, {machine['cores']} cores, shared, load {machine['load'][0]} at the end; so wall",
        "seconds say what others left over. CPU seconds are those of the command and all that it starts.",
        "",
        f"The release is `{document['release']}`: {sealed['gates']} gates, a bundle of {sealed['files']} files and",
        f"{sealed['bytes']:,} bytes, signed with an ssh key.",
        "",
        "| what | CPU s | wall s | |",
        "|---|---|---|---|",
        _row("`stackproof seal`, nothing built or measured", sealed["seal"]),
        _row("`python -m verify`, with base and signers", min(sealed["verify"], key=lambda each: float(each["cpu"]))),
        *_out(document["out"]),
        "",
        *_came_back(document["out"]),
        "",
        *_twice(document["twice"]),
        "",
        *_tampered(document["tampered"]),
        "",
        *_stopped(document["stopped"]),
    ]
    return "\n".join(lines) + "\n"


def _row(what: str, figures: dict[str, Any], more: str = "") -> str:
    return f"| {what} | {figures['cpu']} | {figures['wall']} | {more} |"


def _out(out: dict[str, Any]) -> Iterator[str]:
    for name, figures in out.items():
        if name.startswith("publish"):
            yield _row(name, figures, figures["how"])
    yield _row("`stackproof pull`, empty HOME", out["pull"])
    yield _row("`python -m verify` of what was pulled", out["verify"])
    yield _row("`skopeo copy` of the image", out["skopeo copy"])


def _came_back(out: dict[str, Any]) -> Iterator[str]:
    said, told = out["server said"], out["skopeo"]
    tree = "the release's" if out["tag's tree"] == out["release's tree"] else "ANOTHER THAN THE RELEASE'S"
    yield f"The registry is Debian's docker-registry; skopeo finds an image for {told['Os']}/{told['Architecture']} in"
    yield f"{told['layers']} layers, and in the layout {' and '.join(f'`{each}`' for each in out['layout lists'])}."
    yield f"The tree of the git remote's tag is {tree}. The server of the pulled image, in a root of its own and as its"
    yield f"own user, answers `{said['health']}`" + (
        f" and goes on with `{' '.join(said['completion'].split())}`." if "completion" in said else "."
    )


def _twice(twice: dict[str, Any]) -> Iterator[str]:
    yield "## Sealed twice"
    yield ""
    differing = ", ".join(twice["differing"]) or "none"
    yield f"The second was {twice['second was']}. Of {twice['files']} files and folders, with their permissions and"
    yield f"times, differ: {differing}."


def _tampered(tampered: dict[str, Any]) -> Iterator[str]:
    yield "## Tampered with, and every checksum made again"
    yield ""
    yield "The reader names the signers. *Named* means that a finding names the very member."
    yield ""
    yield "| what was done to each member in turn | tried | caught | named |"
    yield "|---|---|---|---|"
    for way, each in tampered.items():
        if isinstance(each, dict):
            yield f"| {way} | {each['tried']} | {each['caught']} | {each['named']} |"
    missed = sorted({name for each in tampered.values() if isinstance(each, dict) for name in each["missed"]})
    unnamed = sorted({name for each in tampered.values() if isinstance(each, dict) for name in each["unnamed"]})
    yield ""
    yield f"Missed: {', '.join(f'`{name}`' for name in missed) or 'nothing'}. Caught, and another member named:"
    yield f"{', '.join(f'`{name}`' for name in unnamed) or 'nothing'}."


def _stopped(stopped: dict[str, Any]) -> Iterator[str]:
    yield "## Stopped on the way"
    yield ""
    yield "| what happened | tried | half visible | repeating finished | said |"
    yield "|---|---|---|---|---|"
    for way, each in stopped.items():
        if "half visible" in each:
            said = ", ".join(f"`{code}`" for code in each.get("said", []))
            yield f"| {way} | {each['tried']} | {each['half visible']} | {each['repeating finished']} | {said} |"
    yield ""
    yield "| somebody else was faster | tried | refused | theirs kept |"
    yield "|---|---|---|---|"
    for way, each in stopped.items():
        if "theirs kept" in each:
            yield f"| {way} | {each['tried']} | {each['refused']} | {each['theirs kept']} |"
    yield ""
    gap = next(each["in the gap"] for each in stopped.values() if "in the gap" in each)
    yield "A registry cannot set a tag only where there is none. Where somebody sets it between our last look and the"
    yield f"tag itself, a gap of one request: {gap}. What stands is whole; immutable tags close the gap."


if __name__ == "__main__":
    main()
