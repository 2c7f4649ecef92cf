"""Pairs in which upstream took the fold's change, took something back, or put files elsewhere."""

from collections.abc import Iterator

from tests.core.real_git import Files
from tests.pairs.draft import free, lines, owed, renumbered, reviewed, without
from tests.pairs.pair import Draft, Kind, Label, Owed, Tree
from tests.pairs.source import NOTICE, Language, World
from verify.model.ids import RepoPath
from verify.model.patch import Mode

NOTHING_LEFT = "of the fold nothing is left: there is nothing to approve, and to drop it is a decision of its own"
LESS = "the fold does less than what was approved: the rest is upstream's now"


def squashed(world: World) -> Iterator[Draft]:
    """Upstream took the fold together with something else, as one commit."""
    kind, path, old, far = Kind.SQUASHED, world.main_path, reviewed(world), world.others[-1]
    line = world.at(far, "c")
    with_more = world.fold(world.main).swap(far, line, renumbered(line))
    new = Tree(base=world.files(with_more), tree=world.files(with_more))
    yield owed(
        kind,
        "exact",
        f"upstream has it within a larger commit; {NOTHING_LEFT}",
        old,
        new,
        lines(path, *world.fold_lines),
    )
    first, second = world.fold_lines
    theirs = first.replace("helper", "remote")
    altered = world.fold(world.main, lines=(theirs, second)).swap(far, line, renumbered(line))
    new = Tree(base=world.files(altered), tree=world.files(altered.swap(world.target, theirs, first)))
    reason = "upstream has it within a larger commit and otherwise: the fold now undoes upstream's choice"
    yield owed(kind, "altered", reason, old, new, lines(path, theirs, first))


def whole(world: World) -> Iterator[Draft]:
    """Upstream took the whole fold."""
    kind, path, old, base = Kind.UPSTREAM_WHOLE, world.main_path, reviewed(world), world.files()
    first, second = world.fold_lines
    new = Tree(base=old.tree, tree=old.tree)
    yield owed(kind, "exact", f"upstream has the same lines; {NOTHING_LEFT}", old, new, lines(path, first, second))
    theirs = world.files(world.fold(world.main, lines=(first, world.comment("taken"), second)))
    new = Tree(base=theirs, tree=theirs)
    yield owed(
        kind, "reworded", f"upstream has it with a comment more; {NOTHING_LEFT}", old, new, lines(path, first, second)
    )
    d = world.at(world.target, "d")
    once = world.files(world.main.swap(world.target, d, d, second))
    twice = world.files(world.main.swap(world.target, d, d, second, second))
    reason = "upstream has the line, and the fold adds it a second time"
    yield owed(kind, "twice", reason, Tree(base=base, tree=once), Tree(base=once, tree=twice), lines(path, second))


def part(world: World) -> Iterator[Draft]:
    """Upstream took some of the fold."""
    kind, path, base, far = Kind.UPSTREAM_PART, world.main_path, world.files(), world.others[-1]
    first, second = world.steps
    here = world.insert(world.main, first)
    there = world.insert(world.main, second, name=far)
    full = world.files(world.insert(here, second, name=far))
    old = Tree(base=base, tree=full)
    yield owed(kind, "hunk", LESS, old, Tree(base=world.files(there), tree=full), lines(path, second))
    notice: Files = {NOTICE: (Mode.FILE, b"Read the licence first.\n")}
    tree = world.files(here)
    both_files, new = Tree(base=base, tree=tree | notice), Tree(base=base | notice, tree=tree | notice)
    yield owed(kind, "file", LESS, both_files, new, Owed(path=NOTICE, lines=(b"Read the licence first.",)))
    theirs = second.replace("remote", "helper")
    altered = world.insert(world.main, theirs, name=far)
    new = Tree(base=world.files(altered), tree=world.files(world.insert(altered, first)))
    reason = "upstream took one hunk in another form and the fold keeps that form: nobody reviewed it here"
    yield owed(kind, "altered", reason, old, new, lines(path, theirs, second))
    both_lines = world.files(world.insert(world.main, first, second))
    reason = f"upstream took one of the two lines: {LESS}"
    new = Tree(base=world.files(here), tree=both_lines)
    yield owed(kind, "line", reason, Tree(base=base, tree=both_lines), new, lines(path, first))


def reverted(world: World) -> Iterator[Draft]:
    """Upstream took something back that it had before."""
    kind, path, name, far = Kind.REVERTED, world.main_path, world.target, world.others[0]
    new = reviewed(world)
    again = reviewed(world, idle=world.idle.below("rest", world.function("later")))
    reason = "a change to the fold's file came and went; only a file that nobody uses differs"
    yield free(kind, "back-again", Label.SAME, reason, new, again)
    line = world.at(far, "a")
    old = reviewed(world, world.main.swap(far, line, renumbered(line)))
    yield free(kind, "far", Label.MOVED, "upstream took back a change to another function", old, new)
    if world.language is Language.TEXT:
        return
    line = world.at(name, "a")
    old = reviewed(world, world.main.swap(name, line, renumbered(line)))
    reason = "upstream took back a change to the fold's function that the reviewer had before him"
    yield owed(kind, "enclosing", reason, old, new, lines(path, renumbered(line), line))
    line = world.at("helper", "c")
    old = reviewed(world, world.main.swap("helper", line, renumbered(line)))
    reason = "upstream took back a change to the function that the fold calls"
    yield owed(kind, "symbol", reason, old, new, lines(path, renumbered(line), line, symbol="helper"))


def deleted(world: World) -> Iterator[Draft]:
    """Upstream deleted a file."""
    kind, path, old = Kind.DELETED, world.main_path, reviewed(world)
    head = world.at(world.target, "head")
    new = Tree(base=without(old.base, path), tree=old.tree)
    reason = "upstream deleted the file and the fold now brings all of it back"
    yield owed(kind, "brought-back", reason, old, new, lines(path, head, *world.fold_lines))
    notice: Files = {NOTICE: (Mode.FILE, b"Read the licence first.\n")}
    with_notice = Tree(base=old.base, tree=old.tree | notice)
    bare = without(old.base, path)
    reason = "upstream deleted one of the fold's two files: the fold does less than what was approved"
    yield owed(kind, "lost", reason, with_notice, Tree(base=bare, tree=bare | notice), lines(path, *world.fold_lines))
    needs = (world.main.part("top"), world.main.part("helper"))
    moved_to = world.idle.above("rest", *needs).below("rest", world.main.part(world.target))
    base = without(world.files(idle=moved_to), path)
    tree = without(world.files(idle=world.fold(moved_to)), path)
    reason = "upstream deleted the file and moved the function to another, where the fold lands"
    what = lines(world.idle_path, *world.fold_lines)
    yield owed(kind, "moved-elsewhere", reason, old, Tree(base=base, tree=tree), what)
    new = Tree(base=without(old.base, world.idle_path), tree=without(old.tree, world.idle_path))
    yield free(kind, "elsewhere", Label.SAME, "upstream deleted a file that nobody uses", old, new)


def collides(world: World) -> Iterator[Draft]:
    """The fold adds a file, and upstream adds one too."""
    kind, base = Kind.COLLIDES, world.files()
    folder, dot, ending = world.main_path.rpartition(b".")
    path = RepoPath(folder + b"_extra" + dot + ending)
    ours, theirs = world.function("extra"), world.function("extra")
    text, other = ("".join(f"{line}\n" for line in part.lines).encode() for part in (ours, theirs))
    tree = base | {path: (Mode.FILE, text)}
    old, what = Tree(base=base, tree=tree), lines(path, *ours.lines)
    there = base | {path: (Mode.FILE, other)}
    reason = "upstream added a file of that name with other contents, and the fold overwrites it"
    yield owed(kind, "other-contents", reason, old, Tree(base=there, tree=tree), lines(path, *theirs.lines))
    yield owed(
        kind, "same-contents", f"upstream added the same file; {NOTHING_LEFT}", old, Tree(base=tree, tree=tree), what
    )
    link = base | {path: (Mode.SYMLINK, world.idle_path)}
    reason = "upstream added a link of that name, and the fold puts a file in its place"
    yield owed(kind, "link", reason, old, Tree(base=link, tree=tree), what)
    fresh: Files = {RepoPath(b"docs/fresh.md"): (Mode.FILE, b"# Fresh\n")}
    new = Tree(base=base | fresh, tree=tree | fresh)
    yield free(kind, "other-name", Label.SAME, "upstream added a file of another name", old, new)


def rename(world: World) -> Iterator[Draft]:
    """Files get other names."""
    kind, path, idle, old, base = Kind.RENAME, world.main_path, world.idle_path, reviewed(world), world.files()
    folder, dot, ending = path.rpartition(b".")
    one, two = (RepoPath(folder + tail + dot + ending) for tail in (b"_one", b"_two"))

    def renamed(files: Files, source: RepoPath, target: RepoPath) -> Files:
        return without(files, source) | {target: files[source]}

    new = Tree(base=renamed(base, path, one), tree=renamed(old.tree, path, one))
    reason = "upstream renamed the file and nothing else: the same lines, but what builds the file may be another"
    yield free(kind, "upstream", Label.EITHER, reason, old, new)
    exchange = tuple(files | {path: files[idle], idle: files[path]} for files in (base, old.tree))
    reason = "upstream exchanged the names of two files, and the fold is in the other path now"
    what = lines(idle, *world.fold_lines)
    yield owed(kind, "exchanged", reason, old, Tree(base=exchange[0], tree=exchange[1]), what)
    to_one, to_two = Tree(base=base, tree=renamed(base, idle, one)), Tree(base=base, tree=renamed(base, idle, two))
    yield owed(kind, "fold-other-name", "the fold renames the file to another name", to_one, to_two, Owed(path=two))
    line = world.defs.part("unused").lines[3]
    apart = world.files(defs=world.defs.swap("unused", line, renumbered(line)))
    new = Tree(base=apart, tree=renamed(apart, idle, one))
    reason = "the same rename of the same contents; upstream changed what the fold does not use"
    yield free(kind, "fold-same", Label.SAME, reason, to_one, new)
    edited = world.files(idle=world.idle.below("rest", world.function("later")))
    new = Tree(base=edited, tree=renamed(edited, idle, one))
    reason = "the fold renames the same file, but there is more in it now, which nobody saw under the new name"
    yield free(kind, "fold-under-edit", Label.EITHER, reason, to_one, new)
