"""What is wrong with a fold that a commit would become is told of the commit: its files were never written. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from builder.edit.branch import BranchCommit
from builder.edit.mapping import FoldKey
from verify.manifest.block import patch_file
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Listing, Scalar, Source, Table
from verify.manifest.syntax import read_yaml
from verify.model.diagnostic import Diagnostic, InputFault


def told_of_commits(
    fault: InputFault,
    contents: Mapping[str, bytes | None],
    commits: Mapping[FoldKey, BranchCommit],
    amend: Mapping[FoldKey, str],
) -> InputFault:
    """The same mistakes, each that lies in a draft told of the commit that it comes from; `amend` is its next step."""
    return InputFault(*(_told(each, contents, commits, amend) for each in fault.diagnostics))


def _told(
    found: Diagnostic,
    contents: Mapping[str, bytes | None],
    commits: Mapping[FoldKey, BranchCommit],
    amend: Mapping[FoldKey, str],
) -> Diagnostic:
    if found.place is None or contents.get(found.place.file) is None:
        return found
    file, line = found.place.file, found.place.line or 0
    key = next((key for key in commits if patch_file(*key) == file), None)
    if key is None and line:
        key = _fold_at((contents[file] or b"").decode("utf-8"), file, line, commits)
    if key is None:
        return found
    message = f"commit {commits[key].shown()[:80]} cannot be fold `{key[1]}`: {found.message}"
    # Only where the author is what is wrong may somebody else become it.
    author = " --reset-author" if "author" in found.message else ""
    return replace(found, message=message, place=None, help=amend[key] + author)


def _fold_at(text: str, file: str, line: int, commits: Mapping[FoldKey, BranchCommit]) -> FoldKey | None:
    """The fold whose item of the draft holds the line; the ids are in the order of the items."""
    root = read_yaml(Source(file, text), Mistakes())
    entries = root.entries if isinstance(root, Table) else ()
    folds = next((each.value for each in entries if each.key.text == "folds"), None)
    met = ""
    for item in folds.items if isinstance(folds, Listing) else ():
        if isinstance(item, Table) and item.spot.line <= line:
            ids = [each.value.text for each in item.entries if each.key.text == "id" and isinstance(each.value, Scalar)]
            met = ids[0] if ids else ""
    return next((key for key in commits if key[1] == met and file == f"blocks/{key[0]}/block.yaml"), None)
