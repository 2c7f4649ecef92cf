"""A quilt series as a project: one block for the series and one fold for each patch, unless a map says otherwise.

The base is the folder as it lies on disk. Nothing is run: neither quilt nor patch nor git is needed.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from builder.commit import root_commit
from builder.exchange.ground import Ground, ground_of
from builder.exchange.lay_submission import Rules
from builder.exchange.project import write_project
from builder.exchange.series import SeriesEntry, read_series
from builder.exchange.stack_in import StackIn, Submission, slug, take_in
from builder.tree import Tree
from verify.diff.mail import read_messages
from verify.diff.submission import Dialect
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, CommitId, is_name

_MOST_BYTES = 64 << 20


def import_quilt(
    *,
    orig: Path | Ground,
    patches: Path,
    series: Path | None,
    dialect: Dialect,
    mapping: Path | None,
    out: Path,
    strict: bool,
    without: tuple[str, ...] = (),
    options: bool = True,
) -> StackIn:
    """Read the series on the folder, or on a release, and write the project; raises `InputFault` for a refused patch.

    Without `options` every patch is read with -p1, whatever its line in the series says.
    """
    ground = ground_of(orig, out, without)
    taken = read_series_on(
        ground.tree,
        commit=ground.commit,
        patches=patches,
        series=series if series is not None else patches / "series",
        dialect=dialect,
        mapping=mapping,
        name=slug(out.absolute().name),
        strict=strict,
        options=options,
    )
    write_taken(taken, out, ground.source, ground.like)
    return taken


def read_series_on(
    base: Tree,
    *,
    patches: Path,
    series: Path,
    dialect: Dialect,
    mapping: Path | None,
    name: str,
    strict: bool,
    options: bool = True,
    commit: CommitId | None = None,
) -> StackIn:
    """The series on a tree, or on its `commit`; nothing is written."""
    entries = read_series(_bytes(series, "series-missing"), file=str(series), options=options)
    block_of = _block_map(mapping, entries) if mapping is not None else dict.fromkeys((e.name for e in entries), name)
    return take_in(
        _submissions(entries, patches, dialect, block_of),
        base,
        commit or CommitId(root_commit(base.id).id),
        titles={BlockName(name): f"Series {series.name} of {name}"},
        strict=strict,
    )


def write_taken(
    taken: StackIn, out: Path, source: Mapping[str, object], like: Mapping[str, object] | None = None
) -> None:
    """The project of a series that was read."""
    write_project(
        out,
        name=slug(out.absolute().name),
        source=source,
        upstream_commit=None,
        blocks=taken.blocks,
        stack=taken.stack,
        sources={(report.block, report.fold): report.data for report in taken.reports},
        like=like,
    )


def _submissions(
    entries: tuple[SeriesEntry, ...], patches: Path, dialect: Dialect, block_of: Mapping[str, str]
) -> Iterator[Submission]:
    for entry in entries:
        file = patches / entry.name
        data = _bytes(file, "series-patch-missing")
        options = f" -p{entry.strip}" * (entry.strip != 1) + " -R" * entry.reverse
        yield Submission(
            block=BlockName(block_of[entry.name]),
            fold=entry.name.rpartition("/")[2].removesuffix(".patch").removesuffix(".diff"),
            data=data,
            messages=read_messages(data, decode=dialect is Dialect.GIT),
            rules=Rules(dialect=dialect, strip=entry.strip, reverse=entry.reverse),
            file=str(file),
            source=f"{dialect.value} series, {_plain(entry.name)}{options}",
            subject=_plain(entry.name),
        )


def _plain(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _bytes(file: Path, code: str) -> bytes:
    """A file of the series; what is too large to be one is refused before it is read."""
    try:
        size = file.stat().st_size
        data = file.read_bytes() if size <= _MOST_BYTES else b""
    except OSError as error:
        raise _unreadable(file, code, error.strerror or "it cannot be read") from error
    if size > _MOST_BYTES:
        raise _unreadable(file, code, f"it is larger than {_MOST_BYTES} bytes")
    return data


def _unreadable(file: Path, code: str, why: str) -> InputFault:
    return InputFault(
        Diagnostic(code=code, message=f"{file} cannot be read", notes=(why,), help=f"stackproof explain {code}")
    )


def _block_map(file: Path, entries: tuple[SeriesEntry, ...]) -> dict[str, str]:
    """Which block each patch goes into: a JSON object from block names to lists of patch names, in stack order."""
    text = _bytes(file, "map-missing")
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InputFault(_map_fault(file, f"it is not JSON: {error}")) from error
    if not isinstance(value, dict) or not all(isinstance(names, list) for names in value.values()):
        raise InputFault(_map_fault(file, "it must be an object from block names to lists of patch names"))
    found: dict[str, str] = {}
    faults = [_map_fault(file, f"`{block}` is no name of a block") for block in value if not is_name(block)]
    for block, names in value.items():
        for patch in names:
            if patch in found:
                faults.append(_map_fault(file, f"`{patch}` is named twice"))
            found[patch] = block
    listed = [entry.name for entry in entries]
    faults += [_map_fault(file, f"`{patch}` is not in the series") for patch in found if patch not in listed]
    faults += [_map_fault(file, f"`{patch}` of the series is in no block") for patch in listed if patch not in found]
    if not faults:
        faults += _order_faults(file, [found[patch] for patch in listed])
    if faults:
        raise InputFault(*faults)
    return found


def _order_faults(file: Path, blocks: list[str]) -> Iterator[Diagnostic]:
    seen: list[str] = []
    for block in blocks:
        if block not in seen:
            seen.append(block)
        elif seen[-1] != block:
            text = f"the patches of block `{block}` do not stand side by side in the series"
            yield _map_fault(file, text)
            return


def _map_fault(file: Path, text: str) -> Diagnostic:
    return Diagnostic(code="map-wrong", message=f"the map {file.name}: {text}", help="stackproof explain map-wrong")
