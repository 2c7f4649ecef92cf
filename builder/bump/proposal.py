"""The bump that is proposed and not accepted: which base, and which files are followed. It is no part of blocks/.

Only what was asked for is kept, in the project's own folder. What it means is worked out anew each time it is shown or
accepted, so that it never speaks of folds or resolutions that have changed since.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builder.disk import DISK, Disk
from builder.journal import OWN_FOLDER, own_folder
from builder.write import write_file
from verify.diff.quote import quote_name, unquote_name
from verify.manifest.document import open_document
from verify.manifest.mistakes import Mistakes
from verify.manifest.release import read_base
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import RepoPath
from verify.model.release import ArchiveSource, Base, FolderSource, GitSource, ReleaseSource, SdistSource

PROPOSAL_FILE = f"{OWN_FOLDER}/bump.json"
_SCHEMA = "stackproof/bump-proposal/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What was asked for: the words, the base they name, and files of upstream's that are followed to a new name."""

    asked: str
    base: Base
    follow: tuple[tuple[RepoPath, RepoPath], ...] = ()


def read_proposal(root: Path) -> Proposal:
    """The project's proposal; raises `InputFault` when there is none."""
    file = root / PROPOSAL_FILE
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise InputFault(
            Diagnostic(
                code="bump-none",
                message="no bump is proposed",
                help="stackproof bump --to SOURCE",
            )
        ) from None
    try:
        return _proposal(json.loads(data))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputFault(
            Diagnostic(
                code="bump-unreadable",
                message="the proposed bump is not what stackproof wrote",
                place=Place(file=PROPOSAL_FILE),
                notes=(str(error),),
                help="stackproof bump drop",
            )
        ) from error


def _proposal(document: dict[str, Any]) -> Proposal:
    if document["schema"] != _SCHEMA:
        raise ValueError(f"expected schema {_SCHEMA}")
    mistakes = Mistakes()
    base = read_base(open_document(PROPOSAL_FILE, json.dumps(document["base"]).encode(), mistakes))
    mistakes.raise_if_any()
    follow = tuple((_path(old), _path(new)) for old, new in document["follow"])
    return Proposal(asked=str(document["asked"]), base=base, follow=follow)


def write_proposal(root: Path, proposal: Proposal, *, disk: Disk = DISK) -> None:
    """Keep the proposal, instead of one that was there; the caller holds the project's lock."""
    document = {
        "schema": _SCHEMA,
        "asked": proposal.asked,
        "base": base_value(proposal.base),
        "follow": [[quote_name(old).decode("ascii"), quote_name(new).decode("ascii")] for old, new in proposal.follow],
    }
    own_folder(root, disk)
    write_file(root / PROPOSAL_FILE, (json.dumps(document, indent=2) + "\n").encode(), disk=disk)


def forget_proposal(root: Path) -> bool:
    """Take the proposal away; whether there was one."""
    file = root / PROPOSAL_FILE
    there = file.exists()
    file.unlink(missing_ok=True)
    return there


def base_value(base: Base) -> dict[str, object]:
    """A base as release.json spells it."""
    source: dict[str, object]
    match base.source:
        case SdistSource() as sdist:
            source = {
                "kind": "sdist",
                "package": sdist.package,
                "version": sdist.version,
                "sha256": sdist.sha256,
                "folder": sdist.folder,
            }
            source |= {"git_dir": sdist.git_dir} if sdist.git_dir else {}
            source |= {"of_commit": True} if sdist.of_commit else {}
        case ArchiveSource() as archive:
            source = {"kind": "archive", "file": archive.file, "sha256": archive.sha256, "folder": archive.folder}
        case GitSource() as git:
            source = {"kind": "git", "repository": git.repository, "commit": git.commit}
        case FolderSource() as folder:
            source = {"kind": "folder", "path": folder.path}
            source |= {"without": list(folder.without)} if folder.without else {}
        case ReleaseSource() as other:
            source = {
                "kind": "release",
                "release": other.release,
                "digest": other.digest,
                "bundle": other.bundle,
            }
            source |= {"base": other.base} if other.base else {}
    return {"source": source, "upstream_commit": base.upstream_commit}


def _path(spelled: str) -> RepoPath:
    path = unquote_name(spelled.encode("utf-8"))
    if path is None:
        raise ValueError(f"{spelled!r} is not spelled as git quotes paths")
    return RepoPath(path)
