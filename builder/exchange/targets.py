"""Which file of the tree a section of a submission means, by the rules of its dialect.

git goes by the names that the headers state. GNU patch takes, of the names that a section gives, the one that
exists (fewest folders, then the shortest), and for a new file the one that needs the fewest new folders.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from builder.draft import Draft
from verify.diff.paths import unsafe_path
from verify.diff.submission import Dialect, Section
from verify.model.ids import RepoPath, show_path

_SLASHES = re.compile(rb"/+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The path that the section reads (None for a new file) and the one that it writes."""

    old: RepoPath | None
    new: RepoPath
    moves: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTarget:
    """Why no file can be meant; `code` is the diagnostic's."""

    code: str
    why: str


def target_of(section: Section, draft: Draft, *, dialect: Dialect, strip: int) -> Target | NoTarget:
    """The file that the section is about."""
    if dialect is Dialect.GNU:
        found = _gnu(section, draft, strip)
    else:
        found = _git(section, draft, strip)
    if isinstance(found, Target):
        for path in (found.old, found.new):
            if path is not None and (why := unsafe_path(path)) is not None:
                return NoTarget(code="patch-path-unsafe", why=f"the path `{show_path(path)}` is refused: {why}")
    return found


def stripped(name: bytes | None, strip: int) -> RepoPath | None:
    """The name without its first `strip` folders; None when it has fewer."""
    if name is None:
        return None
    parts = _SLASHES.split(name)
    return RepoPath(b"/".join(parts[strip:])) if len(parts) > strip else None


def _git(section: Section, draft: Draft, strip: int) -> Target | NoTarget:
    if section.rename or section.copy:
        old, new = (stripped(name, max(strip - 1, 0)) for name in section.moved)
        if old is None or new is None:
            return NoTarget(code="patch-syntax", why="a rename or copy does not say both of its names")
        return Target(old=old, new=new, moves=True)
    if section.uncopy:
        copied = stripped(section.moved[0], max(strip - 1, 0))
        return _named(copied, copied)
    if section.git:
        first, second = section.header_names(strip) or (None, None)
        old = stripped(section.old.name or first, strip)
        new = stripped(section.new.name or second, strip)
        if section.created or section.old.missing:
            return _named(None, new)
        if section.deleted or section.new.missing:
            return _named(old, old)
        if old != new:
            return NoTarget(code="patch-syntax", why="the section names two files and says neither rename nor copy")
        return _named(old, new)
    name = _git_plain_name(section, strip)
    if name is None:
        return NoTarget(code="patch-syntax", why=f"no name is left after {strip} folders are stripped off it")
    is_new = section.old.missing or (_adds_only(section) and not draft.exists(name))
    return Target(old=None if is_new else name, new=name)


def _git_plain_name(section: Section, strip: int) -> RepoPath | None:
    old, new = stripped(section.old.name, strip), stripped(section.new.name, strip)
    if section.old.name is None:
        return new
    if section.new.name is None:
        return old
    if old is None or new is None:
        return new if old is None else old
    return old if new.startswith(old) and len(old) < len(new) else new


def _named(old: RepoPath | None, new: RepoPath | None) -> Target | NoTarget:
    if new is None:
        return NoTarget(code="patch-syntax", why="the headers do not say which file the section is about")
    return Target(old=old, new=new)


def _gnu(section: Section, draft: Draft, strip: int) -> Target | NoTarget:
    first, second = section.old.name, section.new.name
    if first is None and second is None and not section.old.missing and not section.new.missing:
        first, second = section.header_names(strip) or (section.index_name, section.index_name)
    old, new = stripped(first, strip), stripped(second, strip)
    if section.rename or section.copy:
        if old is None or new is None or old == new:
            return NoTarget(code="patch-syntax", why="a rename or copy does not say both of its names")
        return Target(old=old, new=new, moves=True)
    names = [name for name in (old, new) if name is not None]
    if not names and section.index_name is not None:
        names = [name for name in (stripped(section.index_name, strip),) if name is not None]
    if not names:
        return NoTarget(code="patch-syntax", why=f"no name is left after {strip} folders are stripped off it")
    present = [name for name in names if unsafe_path(name) is None and draft.exists(name)]
    if present:
        best = min(present, key=_length)
        return Target(old=best, new=best)
    best = min(names, key=lambda name: (_new_folders(name, draft.is_folder), *_length(name)))
    if section.created or section.old.missing or _adds_only(section):
        return Target(old=None, new=best)
    return Target(old=best, new=best)


def _length(name: RepoPath) -> tuple[int, int, int]:
    return name.count(b"/"), len(name.rpartition(b"/")[2]), len(name)


def _new_folders(name: RepoPath, is_folder: Callable[[RepoPath], bool]) -> int:
    parts = name.split(b"/")[:-1]
    known = next((depth for depth in range(len(parts), 0, -1) if is_folder(RepoPath(b"/".join(parts[:depth])))), 0)
    return len(parts) - known


def _adds_only(section: Section) -> bool:
    """Whether the hunks have no old line at all, as those of a new file."""
    return bool(section.hunks) and all(hunk.old_start == 0 and not hunk.old() for hunk in section.hunks)
