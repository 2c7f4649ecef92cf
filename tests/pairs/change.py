"""Pairs in which the fold itself became another one, or only its words did; upstream mostly stays as it was."""

from collections.abc import Iterator
from dataclasses import replace

from tests.pairs.draft import both, free, lines, owed, reviewed
from tests.pairs.pair import AUTHOR, MESSAGE, Draft, Kind, Label, Owed, Tree
from tests.pairs.source import BINARY, LINK, NOTICE, SCRIPT, Language, World
from verify.model.patch import Mode

BYTES = "the fold's own lines are other bytes than those approved"


def white_space(world: World) -> Iterator[Draft]:
    """Blanks and tabs in the fold's lines, or in upstream's."""
    kind, path, base, old = Kind.WHITE_SPACE, world.main_path, world.files(), reviewed(world)
    first, second = world.fold_lines
    last = world.at(world.target, "last")
    inside, outside = "    " + first, first
    deep, flat = (world.files(world.main.swap(world.target, last, last, line)) for line in (inside, outside))
    yield owed(
        kind,
        "indent",
        "one line left its block: only its indent differs, and the indent may be the meaning",
        Tree(base=base, tree=deep),
        Tree(base=base, tree=flat),
        lines(path, inside, outside),
    )
    head, _, tail = first.rpartition(" ")
    for variant, line in (("trailing", first + "  "), ("tab", f"{head}\t{tail}")):
        tree = world.files(world.fold(world.main, lines=(line, second)))
        yield owed(kind, variant, f"{BYTES}: white space counts", old, Tree(base=base, tree=tree), lines(path, line))
    name, far = world.target, world.others[0]
    moved = world.main.swap(far, world.at(far, "a"), world.at(far, "a") + "  ")
    yield free(
        kind, "upstream-far", Label.MOVED, "blanks at a line's end in another function", old, reviewed(world, moved)
    )
    if world.language in (Language.C, Language.PYTHON):
        near = world.main.swap(name, world.at(name, "a"), world.at(name, "a") + "  ")
        reason = "upstream put blanks at the end of a line of the function: no meaning, but not the same bytes"
        yield free(kind, "upstream-near", Label.EITHER, reason, old, reviewed(world, near))
    if world.language is Language.PYTHON:
        out = last.removeprefix("    ")
        reason = "upstream took a line of the function out of its condition: its indent alone differs"
        yield owed(
            kind, "upstream-indent", reason, old, reviewed(world, world.main.swap(name, last, out)), lines(path, out)
        )


def binary(world: World) -> Iterator[Draft]:
    """Contents without lines."""
    kind, old, seen = Kind.BINARY, reviewed(world), bytes(reversed(range(256))) * 4
    other = seen[:77] + b"\1" + seen[78:]
    assert len(other) == len(seen)
    assert other != seen
    a, b = {BINARY: (Mode.FILE, seen)}, {BINARY: (Mode.FILE, other)}
    with_a, base = Tree(base=old.base, tree=old.tree | a), old.base
    what = Owed(path=BINARY)
    reason = "the binary file has the same size and other contents"
    yield owed(kind, "contents-beside-lines", reason, with_a, Tree(base=base, tree=old.tree | b), what)
    yield owed(kind, "contents", reason, Tree(base=base, tree=base | a), Tree(base=base, tree=base | b), what)
    reason = "upstream changed the binary file; the fold now overwrites contents that nobody weighed"
    yield owed(kind, "preimage", reason, with_a, Tree(base=base | b, tree=old.tree | a), what)
    new = reviewed(world, idle=world.idle.below("rest", world.function("later")))
    reason = "the same contents before and after; upstream only added to a file that nobody uses"
    yield free(kind, "same", Label.SAME, reason, with_a, replace(new, tree=new.tree | a))


def line_order(world: World) -> Iterator[Draft]:
    """The same lines in another order."""
    kind, path, base, old = Kind.LINE_ORDER, world.main_path, world.files(), reviewed(world)
    first, second = world.steps
    far = world.others[-1]
    ordered = Tree(base=base, tree=world.files(world.insert(world.main, first, second)))
    reason = "the two lines changed places: what is read before it is written is another program"
    swapped = world.files(world.insert(world.main, second, first))
    yield owed(kind, "lines", reason, ordered, Tree(base=base, tree=swapped), lines(path, first, second))
    one = world.insert(world.insert(world.main, first), second, name=far)
    two = world.insert(world.insert(world.main, second), first, name=far)
    reason = "the two hunks changed places: each function got the other's line"
    trees = Tree(base=base, tree=world.files(one)), Tree(base=base, tree=world.files(two))
    yield owed(kind, "hunks", reason, *trees, lines(path, first, second))
    both_files = Tree(base=base, tree=old.tree | {NOTICE: (Mode.FILE, b"Read the licence first.\n")})
    reason = "the patch names its files in another order; both trees are the same"
    yield replace(free(kind, "files", Label.SAME, reason, both_files, both_files), swapped=True)


def mode(world: World) -> Iterator[Draft]:
    """The executable bit, in the fold and in its base."""
    kind, old, base = Kind.MODE, reviewed(world), world.files()
    run = {SCRIPT: (Mode.EXECUTABLE, base[SCRIPT][1])}
    with_mode, what = Tree(base=base, tree=old.tree | run), Owed(path=SCRIPT)
    yield owed(kind, "lost", "the fold no longer makes the script executable", with_mode, old, what)
    yield owed(kind, "gained", "the fold makes a script executable that it did not touch", old, with_mode, what)
    reason = "upstream made the script executable itself; of the fold nothing is left, and to drop it is a decision"
    only = Tree(base=base, tree=base | run)
    yield owed(kind, "taken", reason, only, Tree(base=base | run, tree=base | run), what)
    yield free(
        kind, "elsewhere", Label.SAME, "another file became executable", old, Tree(base=base | run, tree=old.tree | run)
    )
    path = world.main_path
    new = Tree(
        base=base | {path: (Mode.EXECUTABLE, base[path][1])},
        tree=old.tree | {path: (Mode.EXECUTABLE, old.tree[path][1])},
    )
    reason = "upstream made the fold's file executable: its lines are the same, but modes count"
    yield free(kind, "base", Label.EITHER, reason, old, new)


def crlf(world: World) -> Iterator[Draft]:
    """Line ends."""
    kind, path, base, old = Kind.CRLF, world.main_path, world.files(), reviewed(world)
    first, second = (line + "\r" for line in world.fold_lines)
    tree = world.files(world.fold(world.main, lines=(first, second)))
    yield owed(kind, "fold", f"{BYTES}: line ends count", old, Tree(base=base, tree=tree), lines(path, first, second))

    def windows(tree: Tree) -> Tree:
        old_bytes, new_bytes = (files[path][1].replace(b"\n", b"\r\n") for files in (tree.base, tree.tree))
        return Tree(base=tree.base | {path: (Mode.FILE, old_bytes)}, tree=tree.tree | {path: (Mode.FILE, new_bytes)})

    reason = "upstream gave the whole file other line ends, and the fold's lines followed"
    yield owed(kind, "file", reason, old, windows(old), lines(path, first, second))
    new = windows(reviewed(world, world.main.above(world.others[0], world.function("fresh"))))
    yield free(kind, "moved", Label.MOVED, "the same line ends on both sides; a new function above", windows(old), new)


def no_newline(world: World) -> Iterator[Draft]:
    """The last line's end."""
    kind, path, old = Kind.NO_NEWLINE, world.main_path, reviewed(world)
    text = world.main.render()
    end = world.comment("The end")
    whole, cut = ({path: (Mode.FILE, text + end.encode() + tail)} for tail in (b"\n", b""))
    base = world.files()
    for variant, was, now in (("lost", whole, cut), ("gained", cut, whole)):
        reason = f"{BYTES}: the file's last line {variant} its line end"
        yield owed(
            kind, variant, reason, Tree(base=base, tree=base | was), Tree(base=base, tree=base | now), lines(path, end)
        )
    short = Tree(
        base=base | {path: (Mode.FILE, text[:-1])}, tree=old.tree | {path: (Mode.FILE, old.tree[path][1][:-1])}
    )
    reason = "upstream dropped the line end of the file's last line, in another function"
    yield free(kind, "upstream-far", Label.MOVED, reason, old, short)


def symlink(world: World) -> Iterator[Draft]:
    """Where a link points, and whether it is one."""
    kind, base, what = Kind.SYMLINK, world.files(), Owed(path=LINK)
    here, there = (base | {LINK: (Mode.SYMLINK, path)} for path in (world.idle_path, world.defs_path))
    old = Tree(base=base, tree=here)
    yield owed(kind, "target", "the fold points the link elsewhere", old, Tree(base=base, tree=there), what)
    reason = "upstream pointed the link elsewhere; the fold now overwrites a choice that nobody weighed"
    yield owed(kind, "preimage", reason, old, Tree(base=there, tree=here), what)
    plain = base | {LINK: (Mode.FILE, world.idle_path)}
    yield owed(kind, "regular", "the link became a file with the same bytes", old, Tree(base=base, tree=plain), what)
    new_base, new_tree = both(base, here, {SCRIPT: (Mode.FILE, b"#!/bin/sh\nexec false\n")})
    yield free(kind, "same", Label.SAME, "an unrelated file changed", old, Tree(base=new_base, tree=new_tree))


def message(world: World) -> Iterator[Draft]:
    """Words only."""
    old = reviewed(world)
    spelt = replace(old, message=MESSAGE.replace(b"could run past", b"was able to run past"))
    reason = "one word of the message: the code is byte for byte the approved one"
    yield free(Kind.MESSAGE, "spelling", Label.SAME, reason, old, spelt)
    new = reviewed(world, idle=world.idle.below("rest", world.function("later")))
    reason = "one word of the message, and upstream added to a file that nobody uses"
    yield free(Kind.MESSAGE, "spelling-and-base", Label.SAME, reason, old, replace(new, message=spelt.message))
    claim = replace(old, message=MESSAGE.replace(b"The step could run past the limit.", b"Makes the step faster."))
    reason = "the code is the approved one, but the message now says that it does something else"
    yield free(Kind.MESSAGE, "claim", Label.EITHER, reason, old, claim)


def author(world: World) -> Iterator[Draft]:
    """Credit only."""
    old = reviewed(world)
    new = replace(old, author=AUTHOR.replace(b"ada@example.org", b"ada@example.net"))
    yield free(Kind.AUTHOR, "address", Label.SAME, "the author's address: the code is the approved one", old, new)
    based = reviewed(world, idle=world.idle.below("rest", world.function("later")))
    reason = "the author's address, and upstream added to a file that nobody uses"
    yield free(Kind.AUTHOR, "address-and-base", Label.SAME, reason, old, replace(based, author=new.author))
    other = replace(old, author=b"Bob Example <bob@example.org>")
    yield free(Kind.AUTHOR, "credit", Label.EITHER, "the code is the approved one, the credit another's", old, other)
