"""Tables in pages that are rendered from the release, so that no id, count or name is repeated by hand.

A table stands between `<!-- stackproof:table NAME -->` and `<!-- stackproof:end -->`, each on a line of its own and
not within a code block. What stands between them is replaced as a whole.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verify.diff.trailers import written_with
from verify.model.release import ArchiveSource, FolderSource, GitSource, Release, ReleaseSource, SdistSource

_BEGIN = re.compile(r"^<!-- stackproof:table ([a-z0-9-]+) -->\s*$")
_END = re.compile(r"^<!-- stackproof:end -->\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One table in a page: its name, the lines of its two markers (1-based; `end` is None where it is missing)."""

    name: str
    begin: int
    end: int | None


def places_in(text: str) -> tuple[Place, ...]:
    """Every place of a table in a page."""
    found: list[Place] = []
    fenced = False
    for number, line in enumerate(text.split("\n"), start=1):
        if _FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        if (match := _BEGIN.match(line)) is not None:
            found.append(Place(name=match[1], begin=number, end=None))
        elif _END.match(line) and found and found[-1].end is None:
            found[-1] = Place(name=found[-1].name, begin=found[-1].begin, end=number)
    return tuple(found)


def rendered(text: str, release: Release) -> str:
    """The page with every table that is known and closed as it should be."""
    lines = text.split("\n")
    for place in reversed(places_in(text)):
        if place.end is not None and place.name in TABLES:
            lines[place.begin : place.end - 1] = table_lines(place.name, release)
    return "\n".join(lines)


def table_lines(name: str, release: Release) -> list[str]:
    """A table's lines in Markdown."""
    head, *rows = TABLES[name](release)
    return [_row(head), f"|{'---|' * len(head)}", *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').split()) for cell in cells)} |"


def _release(release: Release) -> Iterator[Sequence[str]]:
    yield "what", "value"
    yield "release", f"`{release.name}`"
    yield "parent", f"`{release.parent}`" if release.parent else "none"
    yield "engine", release.engine
    yield "base", _source(release)
    yield "upstream commit", f"`{release.base.upstream_commit}`" if release.base.upstream_commit else "none"
    yield "blocks", str(len(release.blocks))
    yield "folds", str(sum(len(block.folds) for block in release.blocks))
    if release.reference is not None:
        yield "base tree", f"`{release.reference.base_tree}`"
        yield "tip tree", f"`{release.reference.tip_tree}`"
        yield "tip commit", f"`{release.reference.tip_commit}`"


def _source(release: Release) -> str:
    match release.base.source:
        case SdistSource(package=package, version=version):
            return f"sdist {package} {version}"
        case ArchiveSource(file=file):
            return f"archive {file}"
        case GitSource(repository=repository, commit=commit):
            return f"{repository} at `{commit}`"
        case FolderSource(path=path):
            return f"folder {path}"
        case ReleaseSource(release=name):
            return f"release {name}"


def _blocks(release: Release) -> Iterator[Sequence[str]]:
    yield "block", "what it is", "folds", "until"
    for block in release.blocks:
        yield f"`{block.name}`", block.title, str(len(block.folds)), block.until


def _folds(release: Release) -> Iterator[Sequence[str]]:
    yield "block", "fold", "subject", "author", "source", "disposition"
    for block in release.blocks:
        for fold in block.folds:
            yield (
                f"`{block.name}`", f"`{fold.id}`", fold.subject, fold.author.name, fold.source, fold.disposition.value,
            )  # fmt: skip


def _switches(release: Release) -> Iterator[Sequence[str]]:
    yield "switch", "off", "block", "what it does"
    for block in release.blocks:
        for switch in block.switches:
            yield f"`{switch.name}`", f"`{switch.off}`", f"`{block.name}`", switch.about


def _contributors(release: Release) -> Iterator[Sequence[str]]:
    yield "who", "folds", "blocks"
    folds: dict[str, int] = {}
    blocks: dict[str, dict[str, None]] = {}
    for block in release.blocks:
        for fold in block.folds:
            others = (who.partition(" <")[0] for who in written_with(fold.body))
            for name in dict.fromkeys((fold.author.name, *others)):
                folds[name] = folds.get(name, 0) + 1
                blocks.setdefault(name, {})[f"`{block.name}`"] = None
    for name in sorted(folds, key=lambda each: (-folds[each], each)):
        yield name, str(folds[name]), ", ".join(blocks[name])


def _gates(release: Release) -> Iterator[Sequence[str]]:
    yield "gate", "kind", "declared by", "required"
    for gate in release.all_gates():
        yield f"`{gate.name}`", f"`{gate.kind}`", f"`{gate.block}`" if gate.block else "release", _yes(gate.required)


def _coverage(release: Release) -> Iterator[Sequence[str]]:
    blocks = [block.name for block in release.blocks]
    yield "gate", "models", "needs", *(f"`{block}`" for block in blocks)
    for gate in release.all_gates():
        models = ", ".join(f"`{model}`" for model in gate.models())
        if models:  # a gate that runs no model looks at files, trees and builds of all blocks alike
            yield (
                f"`{gate.name}`",
                models,
                f"`{gate.hardware}`" if gate.hardware else "",
                *("yes" if gate.block in (None, block) else "" for block in blocks),
            )


def _models(release: Release) -> Iterator[Sequence[str]]:
    yield "model", "sha256", "licence"
    for model in release.models:
        yield f"`{model.name}`", f"`{model.sha256}`", model.licence


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


TABLES: Mapping[str, Callable[[Release], Iterator[Sequence[str]]]] = {
    "release": _release,
    "blocks": _blocks,
    "folds": _folds,
    "switches": _switches,
    "contributors": _contributors,
    "gates": _gates,
    "coverage": _coverage,
    "models": _models,
}
