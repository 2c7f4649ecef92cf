"""Checks a certificate again, by other means than it was made with. Pure.

Takes both changes and a three-way merge of whole files that is not ours (git's). Nothing of the grader is used: units
are cut out of the texts and spliced, sides are compared file by file, names are counted in the patches themselves.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator

from verify.model.ids import RepoPath, show_path
from verify.model.outline import Outline
from verify.model.patch import Patch
from verify.model.review import Certificate, Grade
from verify.review.identity import Change
from verify.review.sources import Sources

Merge = Callable[[bytes, bytes, bytes], bytes | None]
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")


def certificate_problems(
    certificate: Certificate, reviewed: Change, present: Change, *, differing: Iterable[RepoPath], merge: Merge
) -> tuple[str, ...]:
    """Everything that is wrong with a certificate; `merge` is (ours, base, theirs) → merged text or None."""
    return tuple(_problems(certificate, reviewed, present, tuple(differing), merge))


def _problems(
    certificate: Certificate, reviewed: Change, present: Change, differing: tuple[RepoPath, ...], merge: Merge
) -> Iterator[str]:
    if certificate.reviewed != reviewed.id or certificate.present != present.id:
        yield "it is about other changes"
        return
    grade = certificate.grade
    if grade is Grade.CHANGED:
        return
    paths = sorted({path for change in (reviewed, present) for path in _paths(change.patch)})
    same = all(
        _entry(reviewed, path, side) == _entry(present, path, side) for path in paths for side in ("before", "after")
    )
    if grade is Grade.SAME_BLOBS and not same:
        yield "a file's content or mode is another one"
    if grade is Grade.SAME_TREE and (reviewed.id.before, reviewed.id.after) != (present.id.before, present.id.after):
        yield "the trees are other ones"
    words = {word for change in (reviewed, present) for word in _words(change.patch)}
    unnamed = {word.decode("utf-8", "backslashreplace") for word in words} - set(certificate.names) - _KEYWORDS
    if grade in (Grade.SAME_BLOBS, Grade.SAME_FUNCTIONS) and unnamed:
        yield f"names on the change's lines were not looked at: {', '.join(sorted(unnamed)[:5])}"
    if certificate.differing != len(differing) and grade is not Grade.SAME_TREE:
        yield f"it looked at {certificate.differing} files that differ, and there are {len(differing)}"
    if not same and grade in (Grade.SAME_FUNCTIONS, Grade.MESSAGE_ONLY, Grade.MOVED):
        if _change_lines(reviewed.patch) != _change_lines(present.patch):
            yield "other lines are removed or added"
        if grade is not Grade.MOVED:
            yield from _merged(reviewed, present, paths, merge)
            yield from _surroundings(certificate, reviewed, present)


_KEYWORDS = {"if", "else", "for", "while", "return", "int", "void", "const", "static", "char"}


def _merged(reviewed: Change, present: Change, paths: Iterable[RepoPath], merge: Merge) -> Iterator[str]:
    for path in paths:
        base, theirs = reviewed.before.content(path), reviewed.after.content(path)
        ours, wanted = present.before.content(path), present.after.content(path)
        if (base, theirs) == (ours, wanted):
            continue
        if base is None or theirs is None or ours is None or wanted is None:
            yield f"{show_path(path)} is made or removed, and its content differs"
        elif merge(ours, base, theirs) != wanted:
            yield f"git merges the reviewed change into {show_path(path)} otherwise"


def _surroundings(certificate: Certificate, reviewed: Change, present: Change) -> Iterator[str]:
    """Functions that a side changed are the same texts then and now, and nothing outside of them was changed more."""
    for fact in certificate.files:
        if fact.same:
            continue
        path = RepoPath(fact.path.encode("utf-8", "backslashreplace"))
        then, now = _changed_functions(reviewed, path), _changed_functions(present, path)
        if then != now:
            yield f"other functions of {fact.path} are changed than when it was reviewed"
        digests = {digest for unit in fact.units for digest in (*unit.before, *unit.after)}
        for name, digest in (*now[0], *now[1]):
            if digest not in digests:
                yield f"the certificate does not name the text of `{name}` in {fact.path}"


Functions = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]


def _changed_functions(change: Change, path: RepoPath) -> Functions:
    """The outermost functions with a text that the other side of the change does not have: before and after."""
    before, after = _functions(change.before, path), _functions(change.after, path)
    return tuple(sorted(before - after)), tuple(sorted(after - before))


def _functions(sources: Sources, path: RepoPath) -> set[tuple[str, str]]:
    outline: Outline | None = sources.outline(path)
    if outline is None:
        return set()
    found: set[tuple[str, str]] = set()
    end = -1
    for each in sorted(outline.functions, key=lambda each: (each.span.start, -each.span.end)):
        if each.span.start >= end:
            end = each.span.end
            digest = hashlib.sha256(outline.of(each.span)).hexdigest()
            found.add((each.name.decode("utf-8", "backslashreplace"), digest))
    return found


def _entry(change: Change, path: RepoPath, side: str) -> object:
    found = next((each for each in change.files if each.path == path), None)
    return None if found is None else (found.before if side == "before" else found.after)


def _paths(patch: Patch) -> Iterator[RepoPath]:
    return (path for change in patch.files for path in (change.old_path, change.new_path) if path is not None)


def _change_lines(patch: Patch) -> list[tuple[object, ...]]:
    return sorted(
        (
            change.old_path or b"",
            change.new_path or b"",
            str(change.new_mode),
            tuple(line for hunk in change.hunks for line in hunk.lines if line[0] != b" "),
        )
        for change in patch.files
    )


def _words(patch: Patch) -> Iterator[bytes]:
    for change in patch.files:
        for hunk in change.hunks:
            for sign, text in hunk.lines:
                if sign != b" ":
                    yield from _NAME.findall(text)
