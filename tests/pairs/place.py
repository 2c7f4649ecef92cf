"""Pairs in which upstream changed around the fold: what lies above it, beside it, and in its function."""

import re
from collections.abc import Iterator

from tests.pairs.draft import free, lines, owed, renumbered, reviewed
from tests.pairs.pair import Draft, Kind, Label, Tree
from tests.pairs.source import Language, Part, Source, World
from verify.model.ids import RepoPath
from verify.model.patch import Mode


def fold_order(world: World) -> Iterator[Draft]:
    """The fold was reviewed above another fold and now lies below it."""
    kind, name, far, path = Kind.FOLD_ORDER, world.target, world.others[0], world.main_path
    below = reviewed(world)
    above = reviewed(world, idle=world.idle.below("rest", world.function("later")))
    yield free(kind, "other-file", Label.SAME, "the other fold is in a file that nobody uses", above, below)
    beside = world.main.swap(far, world.at(far, "c"), renumbered(world.at(far, "c")))
    reason = "the other fold is in another function of the file"
    yield free(kind, "other-function", Label.MOVED, reason, reviewed(world, beside), below)
    if world.language is Language.TEXT:
        return
    line = renumbered(world.at(name, "a"))
    around = world.main.swap(name, world.at(name, "a"), line)
    reason = "the other fold changes the function: without it, another value arrives at the fold's lines"
    yield owed(kind, "same-function", reason, reviewed(world, around), below, lines(path, line, world.at(name, "a")))
    lacking = reviewed(world, world.main.put("helper"))
    reason = "the other fold brings the function that the fold calls; below it there is none"
    yield owed(kind, "needed", reason, below, lacking, lines(path, world.at("helper", "head"), symbol="helper"))


def duplicate(world: World) -> Iterator[Draft]:
    """Two functions with the same body, or wholly the same."""
    kind, name, path, last = Kind.DUPLICATE, world.target, world.main_path, world.others[-1]
    body = world.main.part(name).lines
    twin = Part(name="twin", lines=(body[0].replace(name, "twin"), *body[1:]))
    reason = "the same lines, in the twin and not in the function that was reviewed"
    opening, between, closing = {
        Language.C: ("#ifdef WIDE", "#else", "#endif"),
        Language.CPP: ("#ifdef WIDE", "#else", "#endif"),
        Language.PYTHON: ("WIDE = 1", "WIDE = 2", "WIDE = 3"),
        Language.CMAKE: ("if(WIDE)", "else()", "endif()"),
        Language.TEXT: ("Wide", "Narrow", "All"),
    }[world.language]
    above, middle, end = (Part(name=text, lines=(text,)) for text in (opening, between, closing))
    same = world.main.above(name, above).below(name, middle, Part(name="twin", lines=body), end)
    for variant, main in (("other-name", world.main.below(last, twin)), ("same-name", same)):
        base = world.files(main)
        new = Tree(base=base, tree=world.files(world.fold(main, "twin")))
        yield owed(kind, variant, reason, reviewed(world, main), new, lines(path, *world.fold_lines))
    added = world.main.above(world.others[2], twin)
    new = Tree(base=world.files(added), tree=world.files(world.fold(added, "twin")))
    reason = "upstream added a twin above, where the old context fits first"
    yield owed(kind, "twin-added", reason, reviewed(world), new, lines(path, *world.fold_lines))
    main = world.main.below(last, twin)
    shifted = main.above(world.others[0], world.function("fresh"))
    reason = "the twin was there and the fold stays in its own function; a new function far above"
    yield free(kind, "stays", Label.MOVED, reason, reviewed(world, main), reviewed(world, shifted))


def moved_context(world: World) -> Iterator[Draft]:
    """Lines come and go elsewhere in the file."""
    name, first, last, old = world.target, world.others[0], world.others[-1], reviewed(world)
    notes = Part(name="notes", lines=tuple(world.comment(f"Note {number}") for number in range(7)))
    line = world.at(first, "c")
    cases: tuple[tuple[str, str, Source], ...] = (
        ("function-above", "a new function far above", world.main.above(first, world.function("fresh"))),
        ("function-before", "a new function right before", world.main.above(name, world.function("fresh"))),
        ("function-below", "a new function far below", world.main.below(last, world.function("fresh"))),
        ("function-removed", "a function that nobody calls is gone", world.main.put(first)),
        ("notes", "comments at the top", world.main.below("top", notes)),
        (
            "line-above",
            "a line of another function changed",
            world.main.swap(first, line, "    " + world.comment("New"), renumbered(line)),
        ),
    )
    for variant, reason, main in cases:
        yield free(
            Kind.MOVED_CONTEXT, variant, Label.MOVED, f"{reason}; the fold only moved", old, reviewed(world, main)
        )


def other_function(world: World) -> Iterator[Draft]:
    """The lines around the fold are now in another function, and the fold went with them."""
    kind, name, last = Kind.OTHER_FUNCTION, world.target, world.others[-1]
    mine, theirs = world.main.part(name).lines, world.main.part(last).lines
    shrunk = Part(name=name, lines=(*mine[:3], *mine[-2:]))
    taken = Part(name=last, lines=(theirs[0], *mine[1:13], *theirs[13:]))
    inner = Part(name="inner", lines=(mine[0].replace(name, "inner"), *mine[1:]))
    old = reviewed(world)
    for variant, where, main in (
        ("taken-over", last, world.main.put(name, shrunk).put(last, taken)),
        ("split-off", "inner", world.main.put(name, inner, shrunk)),
    ):
        new = Tree(base=world.files(main), tree=world.files(world.fold(main, where)))
        reason = "upstream moved the lines around the fold into another function, and the fold lands there"
        yield owed(kind, variant, reason, old, new, lines(world.main_path, *world.fold_lines))


def comment(world: World) -> Iterator[Draft]:
    """Comments near the fold, and what only looks like one."""
    kind, name, far, path, old = Kind.COMMENT, world.target, world.others[0], world.main_path, reviewed(world)
    note = Part(name="note", lines=(world.comment("Slow on large steps"),))
    yield free(
        kind,
        "between",
        Label.MOVED,
        "a comment between two functions",
        old,
        reviewed(world, world.main.above(name, note)),
    )
    said = "    " + world.comment("See the notes")
    line = world.at(far, "b")
    in_other = world.main.swap(far, line, said, line)
    yield free(kind, "in-other", Label.MOVED, "a comment in another function", old, reviewed(world, in_other))
    words = tuple("    " + world.comment(text) for text in ("Bounded by the limit", "Not bounded by the limit"))
    one, two = (world.files(world.fold(world.main, lines=(text, *world.fold_lines))) for text in words)
    reason = "the fold's own comment says something else"
    yield owed(kind, "own", reason, Tree(base=old.base, tree=one), Tree(base=old.base, tree=two), lines(path, *words))
    if world.language is Language.TEXT:
        return
    line = world.at(name, "b")
    inside = world.main.swap(name, line, said, line)
    reason = "upstream put a comment into the fold's function: no meaning, but it may say what the fold must mind"
    yield free(kind, "inside", Label.EITHER, reason, old, reviewed(world, inside))
    opening, closing = {
        Language.C: ("    // see the notes \\", ()),
        Language.CPP: ("    // see the notes \\", ()),
        Language.PYTHON: ('    """see the notes', ('    """',)),
        Language.CMAKE: ("    #[[ see the notes", ("    ]]",)),
    }[world.language]
    line = world.at(name, "h")
    swallowed = world.main.swap(name, line, opening, line, *closing)
    reason = "what looks like a new comment swallows a line of the fold's function"
    yield owed(kind, "swallows", reason, old, reviewed(world, swallowed), lines(path, opening, line))


def enclosing(world: World) -> Iterator[Draft]:
    """The fold's function changed where the patch shows no context."""
    if world.language is Language.TEXT:
        return
    kind, name, path, old = Kind.ENCLOSING, world.target, world.main_path, reviewed(world)
    head, a, when, late = (world.at(name, slot) for slot in ("head", "a", "if", "h"))
    leave = {
        Language.C: ("    if (x < 0) {", "        return 0;", "    }"),
        Language.CPP: ("    if (x < 0) {", "        return 0;", "    }"),
        Language.PYTHON: ("    if x < 0:", "        return 0"),
        Language.CMAKE: ("    if(x LESS 0)", "        return()", "    endif()"),
    }[world.language]
    signature = re.sub(
        r"x,? (int )?y\)", lambda met: met[0].replace("x", "z").replace("y", "x").replace("z", "y"), head
    )
    assert signature != head
    for variant, reason, line, now in (
        ("value", "another value comes in", a, (renumbered(a),)),
        ("leaves-early", "the function now leaves before the fold's lines", a, (a, *leave)),
        ("signature", "the parameters changed places", head, (signature,)),
        ("later", "what the fold computes is used in another way", late, (renumbered(late),)),
        ("condition", "the condition before the fold's lines holds from another value on", when, (renumbered(when),)),
    ):
        main = world.main.swap(name, line, *now)
        yield owed(
            kind, variant, f"{reason}, outside the patch's context", old, reviewed(world, main), lines(path, *now)
        )
    guards = {
        Language.C: ("#if 0", "#endif"),
        Language.CPP: ("#if 0", "#endif"),
        Language.CMAKE: ("if(FALSE)", "endif()"),
    }.get(world.language)
    if guards:
        opening, closing = (Part(name=text, lines=(text,)) for text in guards)
        main = world.main.above(name, opening).below(name, closing)
        reason = "the whole function is now within a condition that never holds"
        yield owed(kind, "guarded", reason, old, reviewed(world, main), lines(path, guards[0]))


def rebase(world: World) -> Iterator[Draft]:
    """Nothing near changed."""
    kind, old = Kind.REBASE, reviewed(world)
    unused = world.defs.part("unused").lines[3]
    fresh = {RepoPath(b"docs/fresh.md"): (Mode.FILE, b"# Fresh\n")}
    spare = world.defs.swap("unused", unused, renumbered(unused))
    yield free(kind, "nothing", Label.SAME, "the same base and the same tree", old, old)
    new = reviewed(world, idle=world.idle.below("rest", world.function("later")))
    yield free(kind, "other-file", Label.SAME, "upstream added to a file that nobody uses", old, new)
    reason = "upstream changed a function that the fold does not use"
    yield free(kind, "unused", Label.SAME, reason, old, reviewed(world, defs=spare))
    new = Tree(base=old.base | fresh, tree=old.tree | fresh)
    yield free(kind, "new-file", Label.SAME, "upstream added a file", old, new)
    last = world.at(world.others[-1], "d")
    main = world.main.swap(world.others[-1], last, renumbered(last))
    yield free(
        kind, "same-file", Label.MOVED, "upstream changed another function of the file", old, reviewed(world, main)
    )


def formatting(world: World) -> Iterator[Draft]:
    """A formatter ran over upstream."""

    def tabs(line: str) -> str:
        return line.replace("  ", "\t")

    kind, name, path, old = Kind.FORMATTING, world.target, world.main_path, reviewed(world)
    whole = Tree(base=world.files(world.main.each(tabs)), tree=world.files(world.fold(world.main).each(tabs)))
    reason = "a formatter changed the whole file, and the fold's lines with it: other bytes than those approved"
    yield owed(kind, "whole-file", reason, old, whole, lines(path, *map(tabs, world.fold_lines)))
    far = world.main.each(tabs, world.others[0], world.others[-1])
    yield free(kind, "far", Label.MOVED, "a formatter changed two other functions", old, reviewed(world, far))
    if world.language is Language.TEXT:
        return
    head, tail = world.fold_lines[0].split("(", 1)
    wrapped = (f"{head}(", f"        {tail}", world.fold_lines[1])
    tree = world.files(world.fold(world.main, lines=wrapped))
    reason = "the fold's line was wrapped: other bytes than those approved"
    yield owed(kind, "wrapped", reason, old, Tree(base=old.base, tree=tree), lines(path, *wrapped[:2]))
    if world.language in (Language.C, Language.CPP):
        line = world.at(name, "a")
        reason = "a formatter changed only blanks of the fold's function, outside the context"
        near = world.main.swap(name, line, line.replace(" + ", "+"))
        yield free(kind, "near", Label.EITHER, reason, old, reviewed(world, near))
