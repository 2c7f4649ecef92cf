"""What an sdist says of the upstream repository in it: its refs, and where in an archive an engine's folder is."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from verify.archive import Limits, Member, members
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import CommitId, RepoPath, is_object_id

_MOST_ASKED = 400
_PACKED = re.compile(r"([0-9a-f]{40}) (\S+)")


def read_heads(archive: Path, git_dir: str) -> Mapping[str, CommitId]:
    """Every ref of the repository (`HEAD`, `refs/…`) and its commit; none where there is no repository."""
    prefix = git_dir.strip("/").encode() + b"/"
    found: dict[str, CommitId] = {}
    links: dict[str, str] = {}
    for member in members(archive, limits=Limits()):
        path = member.path.partition(b"/")[2]
        if not isinstance(member, Member) or not path.startswith(prefix):
            continue
        name = path[len(prefix) :].decode("utf-8", "replace")
        if name == "packed-refs":
            packed = (_PACKED.fullmatch(line.strip()) for line in member.data.decode("utf-8", "replace").splitlines())
            for each in packed:
                if each is not None:
                    found.setdefault(each[2], CommitId(each[1]))
        elif name == "HEAD" or name.startswith("refs/"):
            text = member.data.decode("utf-8", "replace").strip()
            if is_object_id(text):
                found[name] = CommitId(text)
            elif text.startswith("ref: "):
                links[name] = text[5:].strip()
    for name, target in links.items():
        if target in found:
            found[name] = found[target]
    return found


def commit_of(heads: Mapping[str, CommitId], wanted: str, archive: Path) -> CommitId:
    """The commit that a ref or id names; raises `InputFault` with the refs that there are."""
    if is_object_id(wanted):
        return CommitId(wanted)
    spellings = (wanted, f"refs/{wanted}", f"refs/heads/{wanted}", f"refs/remotes/{wanted}", f"refs/tags/{wanted}")
    for each in spellings:
        if each in heads:
            return heads[each]
    starting = {commit for commit in heads.values() if len(wanted) >= 7 and commit.startswith(wanted)}
    if len(starting) == 1:
        return starting.pop()
    raise InputFault(
        Diagnostic(
            code="bump-ref-unknown",
            message=f"the upstream repository in {archive.name} has no `{wanted}`",
            notes=tuple(f"{name} is {commit}" for name, commit in sorted(heads.items())[:12]),
            help="name one of its refs, or a whole commit id",
        )
    )


def find_folder(archive: Path, paths: Iterable[RepoPath], *, below_top: bool) -> str | None:
    """The folder of an archive that holds most of these paths; None where none of them is in it.

    Only names are looked at, and deep ones, since a README is everywhere.
    """
    asked = sorted(paths, key=lambda path: (-path.count(b"/"), path))[:_MOST_ASKED]
    by_name: dict[bytes, list[RepoPath]] = {}
    for path in asked:
        by_name.setdefault(path.rpartition(b"/")[2], []).append(path)
    votes: Counter[bytes] = Counter()
    for member in members(archive, limits=Limits()):
        inner = member.path.partition(b"/")[2] if below_top else member.path
        for path in by_name.get(inner.rpartition(b"/")[2], ()):
            if inner == path:
                votes[b"."] += 1
            elif inner.endswith(b"/" + path):
                votes[inner[: -len(path) - 1]] += 1
    best = votes.most_common(1)
    return best[0][0].decode("utf-8", "replace") if best else None
