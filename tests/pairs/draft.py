"""The two sides of a pair from sources: the fold as reviewed on the old upstream, and as it stands on a new one."""

import re

from tests.core.real_git import Files
from tests.pairs.pair import Draft, Kind, Label, Owed, Tree
from tests.pairs.source import Source, World
from verify.model.ids import RepoPath


def reviewed(world: World, main: Source | None = None, defs: Source | None = None, idle: Source | None = None) -> Tree:
    """The fold's two lines in the target, on the old upstream unless other sources are given."""
    main = main or world.main
    return Tree(base=world.files(main, defs, idle), tree=world.files(world.fold(main), defs, idle))


def both(old: Files, new: Files, change: Files) -> tuple[Files, Files]:
    """Two trees with the same files put into both."""
    return old | change, new | change


def without(files: Files, path: RepoPath) -> Files:
    """A tree without one file."""
    return {name: entry for name, entry in files.items() if name != path}


def renumbered(line: str) -> str:
    """The line with another constant."""
    changed = re.sub(r"\d+", lambda met: str(int(met[0]) + 1000), line)
    assert changed != line, line
    return changed


def lines(path: RepoPath, *texts: str, symbol: str = "") -> Owed:
    """Lines of a file that are owed."""
    return Owed(path=path, symbol=symbol, lines=tuple(text.encode() for text in texts))


def owed(kind: Kind, variant: str, reason: str, old: Tree, new: Tree, *what: Owed) -> Draft:
    """A pair that must not carry by itself."""
    assert what, variant
    return Draft(kind=kind, variant=variant, label=Label.OWED, reason=reason, old=old, new=new, owed=what)


def free(kind: Kind, variant: str, label: Label, reason: str, old: Tree, new: Tree) -> Draft:
    """A pair that owes nothing, or about which reviewers differ."""
    assert label is not Label.OWED
    return Draft(kind=kind, variant=variant, label=label, reason=reason, old=old, new=new)
