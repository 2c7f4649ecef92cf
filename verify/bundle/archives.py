"""Checks the archives against what they are made of: the sources give the tip's tree, the binaries are those built.

The sources need no base: their tree is computed from the files. Binaries are compared with the record of the tip's
build, which the verdict rests on, and their licences with the sources.
"""

from collections.abc import Iterator

from verify.bundle.builds import built_files, given_away, tip_build
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import BINARIES, RELEASE, SOURCE, binaries_member, source_member
from verify.bundle.sources import Sources, Unreadable
from verify.bundle.tarball import Entry, read_tarball
from verify.bundle.tree_id import tree_id
from verify.model.artifact import BinariesDecl
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.ids import RepoPath
from verify.model.patch import Mode
from verify.model.verdict import Outcome
from verify.model.wording import count


def check_source(bundle: Bundle, sources: Sources | Unreadable) -> Outcome:
    """The files of the source archive are those of the tip."""
    name = source_member(bundle.release.name)
    if isinstance(sources, Unreadable):
        return ruled([sources.finding], "")
    met, expected = tree_id(sources.files), bundle.stack.tip.tree
    findings = []
    if met != expected:
        findings.append(differs("bundle-source-differs", f"`{name}` is not the tip", name, met=met, expected=expected))
    findings += _strays(bundle, SOURCE, {name})
    return ruled(findings, f"{count(len(sources.files), 'file')} give the tip {expected}")


def check_binaries(bundle: Bundle, sources: Sources | Unreadable) -> Outcome:
    """Each declared archive holds what was built of the tip, with the licences of the sources, and nothing else."""
    findings: list[Diagnostic] = []
    names = set()
    for declared in bundle.release.artifacts.binaries:
        names.add(binaries_member(bundle.release.name, declared.configuration))
        findings += _binaries(bundle, declared, sources)
    findings += _strays(bundle, BINARIES, names)
    if not names:
        return ruled(findings, f"none: `{RELEASE}` gives no binaries away")
    return ruled(findings, f"{count(len(names), 'archive')} of what was built of the tip, with licences")


def _binaries(bundle: Bundle, declared: BinariesDecl, sources: Sources | Unreadable) -> Iterator[Diagnostic]:
    name = binaries_member(bundle.release.name, declared.configuration)
    data = bundle.data(name)
    if data is None:
        yield finding("bundle-binaries-differ", f"`{name}` is missing", name)
        return
    expected = expected_binaries(bundle, declared)
    if expected is None:
        message = f"no evidence tells what was built of the tip in configuration `{declared.configuration}`"
        yield finding("bundle-binaries-differ", message, name)
        return
    try:
        entries = read_tarball(data, seconds=bundle.stack.seconds())
    except CodecError as error:
        yield finding("bundle-binaries-differ", f"`{name}` cannot be read: {error}", name)
        return
    top = f"{bundle.release.name}-{declared.configuration}/".encode()
    inside = {entry.path.removeprefix(top): entry for entry in entries if entry.path.startswith(top)}
    if len(inside) != len(entries):
        yield finding("bundle-binaries-differ", f"`{name}` holds files outside of its one folder", name)
    yield from compared_binaries(name, inside, expected)
    if not isinstance(sources, Unreadable):
        yield from compared_licences(name, inside, sources.licences)


def expected_binaries(bundle: Bundle, declared: BinariesDecl) -> dict[bytes, str] | None:
    """SHA-256 of each built file that is given away, by its path in the archive; None without a record of the build."""
    configuration = bundle.release.configuration(declared.configuration)
    record = None if configuration is None else tip_build(configuration, bundle.stack.tip.tree, bundle.records())
    if record is None:
        return None
    kept = [each for each in built_files(record) if given_away(each.name, declared)]
    return {b"bin/" + each.name.encode(): each.sha256 for each in kept}


def compared_binaries(name: str, inside: dict[bytes, Entry], expected: dict[bytes, str]) -> Iterator[Diagnostic]:
    """What of `bin/` is not what was built; a link names a built file beside it."""
    for path, digest in sorted(expected.items()):
        entry = inside.get(path)
        if entry is None:
            yield finding("bundle-binaries-differ", f"`{name}` lacks {path.decode()}, which was built", name)
        elif entry.sha256() != digest or entry.mode is not Mode.EXECUTABLE:
            message = f"{path.decode()} in `{name}` is not the file that was built"
            yield differs("bundle-binaries-differ", message, name, met=entry.sha256(), expected=digest)
    for path, entry in sorted(inside.items()):
        linked = entry.mode is Mode.SYMLINK and b"bin/" + entry.data in expected
        if path not in expected and not path.startswith(b"licences/") and not (path.startswith(b"bin/") and linked):
            message = f"{path.decode('utf-8', 'replace')} in `{name}` was not built"
            yield finding("bundle-binaries-differ", message, name)


def compared_licences(name: str, inside: dict[bytes, Entry], licences: dict[RepoPath, bytes]) -> Iterator[Diagnostic]:
    """What of `licences/` is not that of the sources."""
    met = {path.removeprefix(b"licences/"): each for path, each in inside.items() if path.startswith(b"licences/")}
    for path in sorted(met.keys() | licences.keys()):
        entry, expected = met.get(path), licences.get(RepoPath(path))
        if entry is None or entry.data != expected:
            message = f"the licence {path.decode('utf-8', 'replace')} in `{name}` is not that of the sources"
            yield finding("bundle-binaries-differ", message, name)


def _strays(bundle: Bundle, folder: str, known: set[str]) -> Iterator[Diagnostic]:
    for name in sorted(bundle.files):
        if name.startswith(f"{folder}/") and name not in known:
            yield finding("bundle-file-unknown", f"`{name}` has no place in this bundle", name)
