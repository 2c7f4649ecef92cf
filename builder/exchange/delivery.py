"""A delivery repository: release.json, patches/NNNN-*.patch in order, and a combined diff, each with recorded hashes.

Makers spell release.json in their own ways, so it is not read by a schema: wherever an object names a file of the
delivery beside a SHA-256, that file must have it; a tree id under a key that speaks of a tree is the base's or the
tip's by the words of its path. Each patch is a block unless its message names block and fold; what else a message
says of pull requests is kept in the fold's source. The combined diff must give the very tree that the patches give;
what it gives beyond them becomes the block `rest` when that is asked for.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from builder.commit import BLOCK_TRAILER, FOLD_TRAILER, root_commit
from builder.exchange.folder_tree import folder_tree
from builder.exchange.lay_submission import Refused, Rules, lay_submission
from builder.exchange.patch_folder import bounded_bytes
from builder.exchange.project import folder_source, write_project
from builder.exchange.rest import REST, rest_submission
from builder.exchange.stack_in import StackIn, Submission, slug, take_in
from builder.tree import Tree
from verify.diff.mail import Message, read_messages
from verify.diff.submission import Dialect, parse_sections
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import BlockName, CommitId, TreeId, is_name, is_object_id, is_sha256

_RULES = Rules(dialect=Dialect.GIT, drop_empty=False)
_NUMBERED = re.compile(r"\d{3,5}-(.+?)\.(?:patch|diff)")
_TRAILER = re.compile(rf"(?m)^(?:{BLOCK_TRAILER}|{FOLD_TRAILER}): *(\S+) *$\n?")
_REQUEST = re.compile(r"(?<![\w/])(?:PR[ \t]*#?|pull/|#)(\d{1,6})\b")
_COMBINED = ("combined.diff", "combined.patch", "all.patch", "all.diff", "full.patch", "full.diff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a delivery records: files with their hashes, the trees it promises, its name and its combined diff."""

    name: str
    hashes: tuple[tuple[str, str], ...]
    base_tree: TreeId | None
    tip_tree: TreeId | None
    combined: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """The imported delivery, what it recorded, and how many hashes were compared."""

    taken: StackIn
    recorded: Recorded
    compared: int
    rest: bool


def import_delivery(*, folder: Path, orig: Path, out: Path, rest: bool) -> Delivered:
    """Read the delivery on the folder `orig` and write the project; raises `InputFault` with every mismatch."""
    recorded = read_recorded(folder)
    files = patch_files(folder)
    findings = [found for name, digest in recorded.hashes for found in _hash(folder, name, digest)]
    base = folder_tree(orig)
    if recorded.base_tree is not None and recorded.base_tree != base.id:
        findings.append(_tree("base", recorded.base_tree, base.id))
    if findings:
        raise InputFault(*findings)
    submitted = list(_submissions(folder, files))
    titles = {each.block: each.subject for each in reversed(submitted)}
    commit = CommitId(root_commit(base.id).id)
    taken = take_in(submitted, base, commit, titles=titles)
    more = None
    if recorded.combined is not None:
        combined = _combined(folder / recorded.combined, base)
        more = rest_submission(taken.tip, combined, source=f"delivery {recorded.name}, {recorded.combined}")
        if more is not None and not rest:
            raise InputFault(_combined_differs(recorded.combined, combined.id, taken.tip.id))
    if more is not None:
        taken = take_in([*submitted, more], base, commit, titles=titles | {REST: "What no other block gives"})
    if recorded.tip_tree is not None and recorded.tip_tree != taken.tip.id:
        raise InputFault(_tree("tip", recorded.tip_tree, taken.tip.id))
    write_project(
        out,
        name=slug(out.absolute().name),
        source=folder_source(orig, out),
        upstream_commit=None,
        blocks=taken.blocks,
        stack=taken.stack,
        sources={(report.block, report.fold): report.data for report in taken.reports if report.block != REST},
    )
    return Delivered(taken=taken, recorded=recorded, compared=len(recorded.hashes), rest=more is not None)


def read_recorded(folder: Path) -> Recorded:
    """What release.json of a delivery says, in whatever words."""
    file = folder / "release.json"
    try:
        document = json.loads(bounded_bytes(file))
    except (ValueError, RecursionError) as error:
        raise InputFault(_fault("delivery-unreadable", f"{file} is not JSON", str(error))) from error
    if not isinstance(document, dict):
        raise InputFault(_fault("delivery-unreadable", f"{file} is no JSON object", "expected an object"))
    trees: dict[str, TreeId] = {}
    hashes: dict[str, str] = {}
    for path, value in _walk(document, ()):
        if isinstance(value, dict):
            hashes |= _hashes(value, folder)
        elif isinstance(value, str) and is_object_id(value):
            kind = _kind_of_tree(path)
            if kind is not None:
                trees.setdefault(kind, TreeId(value))
    combined = next((name for name in (*hashes, *_COMBINED) if _is_combined(name) and (folder / name).is_file()), None)
    return Recorded(
        name=str(document.get("name") or document.get("release") or folder.absolute().name),
        hashes=tuple(sorted(hashes.items())),
        base_tree=trees.get("base"),
        tip_tree=trees.get("tip"),
        combined=combined,
    )


def patch_files(folder: Path) -> list[Path]:
    """The numbered patches in order."""
    found = sorted((each for each in (folder / "patches").glob("*") if _NUMBERED.fullmatch(each.name)), key=_by_name)
    if not found:
        raise InputFault(
            _fault("patches-missing", f"{folder}/patches holds no numbered patch", "expected NNNN-name.patch")
        )
    return found


def _by_name(path: Path) -> str:
    return path.name


def _walk(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    yield path, value
    if len(path) > 12:
        return
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _walk(below, (*path, str(key).lower()))
    elif isinstance(value, list):
        for below in value:
            yield from _walk(below, path)


def _hashes(value: dict[str, object], folder: Path) -> dict[str, str]:
    """Files of the delivery that an object gives a SHA-256 for: `{file, sha256}`, or `{name: sha256}`."""
    found: dict[str, str] = {}
    texts = {key: text for key, text in value.items() if isinstance(text, str)}
    digests = {key: text.lower() for key, text in texts.items() if is_sha256(text.lower())}
    for key, digest in digests.items():
        if (name := _member(key, folder)) is not None:
            found[name] = digest
    names = [name for key, text in texts.items() if key not in digests and (name := _member(text, folder))]
    if len(names) == 1 and len(digests) == 1:
        found[names[0]] = next(iter(digests.values()))
    return found


def _member(text: str, folder: Path) -> str | None:
    if not text or len(text) > 400 or text.startswith("/") or ".." in text.split("/"):
        return None
    for name in (text, f"patches/{text}"):
        try:
            if (folder / name).is_file():
                return name
        except (OSError, ValueError):
            continue
    return None


def _kind_of_tree(path: tuple[str, ...]) -> str | None:
    words = "/".join(path)
    if "tree" not in words:
        return None
    if re.search(r"base|upstream|parent", words):
        return "base"
    return "tip" if re.search(r"tip|reference|result|head|final|release|^tree$", words) else None


def _is_combined(name: str) -> bool:
    last = name.rpartition("/")[2].lower()
    return _NUMBERED.fullmatch(last) is None and (
        last in _COMBINED or ("combined" in last and last.endswith((".diff", ".patch")))
    )


def _hash(folder: Path, name: str, digest: str) -> Iterator[Diagnostic]:
    met = hashlib.sha256(bounded_bytes(folder / name)).hexdigest()
    if met != digest:
        yield Diagnostic(
            code="delivery-hash",
            message=f"{name} is not the file that the delivery records",
            place=Place(file=str(folder / "release.json")),
            notes=(f"recorded sha256 {digest}", f"met      sha256 {met}"),
            help="fetch the delivery again, or ask its maker",
        )


def _submissions(folder: Path, files: list[Path]) -> Iterator[Submission]:
    for file in files:
        match = _NUMBERED.fullmatch(file.name)
        assert match is not None
        data = bounded_bytes(file)
        messages = read_messages(data)
        first = next((each for each in messages if each.subject), messages[0])
        named = _named_in(first)
        requests = dict.fromkeys(f"#{number}" for each in messages for number in _REQUEST.findall(_prose(each)))
        said = f"; {', '.join(requests)}" if requests else ""
        yield Submission(
            block=named[0] if named else BlockName(slug(match[1])),
            fold=named[1] if named else "delivered",
            data=data,
            messages=tuple(_without_trailers(each) for each in messages),
            rules=_RULES,
            file=str(file),
            source=f"delivery {folder.absolute().name}, {file.name}{said}",
            subject=first.subject or match[1],
        )


def _prose(message: Message) -> str:
    return f"{message.subject}\n{message.body}"


def _named_in(message: Message) -> tuple[BlockName, str] | None:
    found = dict(line.split(": ", 1) for line in message.body.split("\n") if _TRAILER.fullmatch(line))
    block, fold = found.get(BLOCK_TRAILER, "").strip(), found.get(FOLD_TRAILER, "").strip()
    return (BlockName(block), fold) if is_name(block) and is_name(fold) else None


def _without_trailers(message: Message) -> Message:
    return replace(message, body=_TRAILER.sub("", message.body).strip("\n"))


def _combined(file: Path, base: Tree) -> Tree:
    sections = [
        parse_sections(each.text, file=str(file), dialect=Dialect.GIT) for each in read_messages(bounded_bytes(file))
    ]
    made = lay_submission(sections, base, _RULES, file=str(file))
    if isinstance(made, Refused):
        raise InputFault(*made.findings)
    return made.tree


def _combined_differs(name: str, combined: TreeId, patches: TreeId) -> Diagnostic:
    return Diagnostic(
        code="delivery-combined-differs",
        message=f"{name} does not give the tree that the patches give",
        notes=(f"by the patches: {patches}", f"by {name}: {combined}"),
        help="ask the maker which one is right; with --rest the difference becomes a block of its own",
    )


def _tree(which: str, recorded: TreeId, met: TreeId) -> Diagnostic:
    return Diagnostic(
        code="delivery-tree",
        message=f"the {which} is not the tree that the delivery records",
        notes=(f"recorded {recorded}", f"met      {met}"),
        help="give the very sources with --orig that the delivery was made on",
    )


def _fault(code: str, message: str, note: str) -> Diagnostic:
    return Diagnostic(code=code, message=message, notes=(note,), help=f"stackproof explain {code}")
