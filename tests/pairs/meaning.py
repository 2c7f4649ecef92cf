"""Pairs in which the fold and its function are the same, and what its lines use means something else."""

from collections.abc import Iterator

from tests.pairs.draft import free, lines, owed, renumbered, reviewed
from tests.pairs.pair import Draft, Kind, Label
from tests.pairs.source import Language, Part, Source, World


def far_symbol(world: World) -> Iterator[Draft]:
    """A definition that the fold's lines use changed, in its file or another."""
    if world.language is Language.TEXT:
        return
    kind, main, defs, old = Kind.FAR_SYMBOL, world.main, world.defs, reviewed(world)
    line = world.at("helper", "c")
    new = reviewed(world, main.swap("helper", line, renumbered(line)))
    what = lines(world.main_path, renumbered(line), symbol="helper")
    yield owed(kind, "function", "the function that the fold calls computes something else", old, new, what)
    line = defs.part("remote").lines[5]
    new = reviewed(world, defs=defs.swap("remote", line, renumbered(line)))
    what = lines(world.defs_path, renumbered(line), symbol="remote")
    yield owed(kind, "function-elsewhere", "a function of another file computes something else", old, new, what)
    (line,) = defs.part("LIMIT").lines
    new = reviewed(world, defs=defs.swap("LIMIT", line, renumbered(line)))
    what = lines(world.defs_path, renumbered(line), symbol="LIMIT")
    yield owed(kind, "constant", "the limit that the fold uses has another value", old, new, what)
    line = defs.part("shape").lines[min(1, len(defs.part("shape").lines) - 1)]
    wider = (line, "    int height;") if world.language in (Language.C, Language.CPP) else (line.replace("4", "8"),)
    new = reviewed(world, defs=defs.swap("shape", line, *wider))
    symbol = {Language.PYTHON: "Shape", Language.CMAKE: "SHAPE_WIDTH"}.get(world.language, "shape")
    what = lines(world.defs_path, wider[-1], symbol=symbol)
    yield owed(kind, "type", "the type that the fold measures is larger", old, new, what)
    what = lines(world.main_path, world.at("helper", "head"), symbol="helper")
    reason = "the function that the fold calls is gone from the file"
    yield owed(kind, "gone", reason, old, reviewed(world, main.put("helper")), what)
    (line,) = defs.part("SPARE").lines
    reason = "a constant that the fold does not use has another value"
    new = reviewed(world, defs=defs.swap("SPARE", line, renumbered(line)))
    yield free(kind, "unused", Label.SAME, reason, old, new)


def redefined(world: World) -> Iterator[Draft]:
    """The definition that was there is unchanged; another one follows it."""
    if world.language is Language.TEXT:
        return
    kind, name, old, main, defs = Kind.REDEFINED, world.target, reviewed(world), world.main, world.defs
    again = _again(world, "LIMIT", 8)
    reason = "the first definition of the limit is unchanged, and a second one overrides it"
    for variant, source in (("before", main.above(name, again)), ("top", main.below("top", again))):
        what = lines(world.main_path, again.lines[-1], symbol="LIMIT")
        yield owed(kind, variant, reason, old, reviewed(world, source), what)
    what = lines(world.defs_path, again.lines[-1], symbol="LIMIT")
    yield owed(kind, "elsewhere", reason, old, reviewed(world, defs=defs.below("unused", again)), what)
    opening, indent, closing = {
        Language.C: ("#ifdef WIDE", "", ("#endif",)),
        Language.CPP: ("#ifdef WIDE", "", ("#endif",)),
        Language.PYTHON: ("if __debug__:", "    ", ()),
        Language.CMAKE: ("if(WIDE)", "    ", ("endif()",)),
    }[world.language]
    inner = tuple(indent + line for line in again.lines)
    guarded = Part(name="guarded", lines=(opening, *inner, *closing))
    what = lines(world.main_path, opening, inner[-1], symbol="LIMIT")
    reason = "a second definition of the limit holds under a condition"
    yield owed(kind, "conditional", reason, old, reviewed(world, main.above(name, guarded)), what)
    macro = {
        Language.C: ("#define helper(x, y) ((x) - (y))",),
        Language.CPP: ("#define helper(x, y) ((x) - (y))",),
        Language.PYTHON: ("helper = max",),
        Language.CMAKE: ("macro(helper out x y)", '    set(${out} "${x}")', "endmacro()"),
    }[world.language]
    what = lines(world.main_path, macro[0], symbol="helper")
    source = main.above(name, Part(name="macro", lines=macro))
    reason = "the name of the function that the fold calls now means something else"
    yield owed(kind, "function-hidden", reason, old, reviewed(world, source), what)
    source = main.above(name, _again(world, "SPARE", 9))
    reason = "a constant that the fold does not use is defined again"
    yield free(kind, "unused", Label.MOVED, reason, old, reviewed(world, source))


def overload(world: World) -> Iterator[Draft]:
    """Another function of the same name stands beside the one that was reviewed."""
    if world.language is Language.TEXT:
        return
    kind, old = Kind.OVERLOAD, reviewed(world)
    reason = "another function of that name was added: which one the fold's line calls has to be seen"
    mine = _overload(world, "helper")
    near: tuple[tuple[str, Source], ...] = (
        ("near", world.main.above(world.target, mine)),
        ("beside", world.main.below("helper", mine)),
    )
    for variant, source in near:
        what = lines(world.main_path, *mine.lines[:1], symbol="helper")
        yield owed(kind, variant, reason, old, reviewed(world, source), what)
    theirs = _overload(world, "remote")
    new = reviewed(world, defs=world.defs.below("unused", theirs))
    yield owed(kind, "elsewhere", reason, old, new, lines(world.defs_path, *theirs.lines[:1], symbol="remote"))
    source = world.main.below(world.others[0], _overload(world, world.others[0]))
    reason = "another function of a name that the fold does not use"
    yield free(kind, "unused", Label.MOVED, reason, old, reviewed(world, source))


def _again(world: World, name: str, value: int) -> Part:
    part = world.constant(name, value)
    if world.language in (Language.C, Language.CPP):
        return Part(name=f"{name} again", lines=(f"#undef {name}", *part.lines))
    return Part(name=f"{name} again", lines=part.lines)


def _overload(world: World, name: str) -> Part:
    texts = {
        Language.C: (
            f"static int {name}_wide(long x, long y) {{",
            "    return (int) (x - y);",
            "}",
            f"#define {name}(x, y) _Generic((x), int: {name}_wide, default: {name}_wide)((x), (y))",
        ),
        Language.CPP: (f"inline int {name}(int x, long y) {{", "    return x - (int) y;", "}"),
        Language.PYTHON: (f"def {name}(x, y, z=0):", "    return x - y - z"),
        Language.CMAKE: (f"function({name} out x)", '    set(${out} "${x}" PARENT_SCOPE)', "endfunction()"),
    }
    return Part(name=f"{name} overload", lines=texts[world.language])
