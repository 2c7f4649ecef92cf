"""Finds every diagnostic code that stands in the sources.

A code is what is given as `code=`, as the argument that a function of ours takes as its parameter `code`, or what is
assigned to `code` or `codes`. In a conditional expression both ends count; in an f-string each hole is a `*`; a code
handed on (`code`, `x.code`) is found where it was first given.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("verify", "builder")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One code where it stands; `code` is None where it is given and cannot be read off."""

    code: str | None
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """A function with a parameter `code`: at which place, and how many arguments it needs."""

    place: int
    least: int


def sources() -> tuple[Path, ...]:
    """Every module of both packages."""
    return tuple(sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")))


def uses(paths: Iterable[Path]) -> tuple[Use, ...]:
    """Every code given in these modules."""
    return tuple(use for path in paths for use in _uses(path))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _own_takers(path: Path) -> dict[str, Taker]:
    found = {}
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.posonlyargs + node.args.args]
            if "code" in names:
                method = names[0] == "self"
                least = len(names) - len(node.args.defaults) - method
                found[node.name] = Taker(place=names.index("code") - method, least=least)
    return found


@cache
def _imported(path: Path) -> frozenset[Path]:
    """The modules of ours that a module imports from."""
    names = (node.module for node in ast.walk(_tree(path)) if isinstance(node, ast.ImportFrom) and node.module)
    files = (ROOT / (name.replace(".", "/") + ".py") for name in names if name.split(".")[0] in PACKAGES)
    return frozenset(file for file in files if file.exists())


@cache
def _takers(path: Path) -> dict[str, Taker]:
    """What a module can call: its own functions, and the public ones of every module of ours that it needs."""
    found: dict[str, Taker] = {}
    needed, todo = {path}, [path]
    while todo:
        new = _imported(todo.pop()) - needed
        needed |= new
        todo.extend(new)
    for module in needed:
        found |= {name: taker for name, taker in _own_takers(module).items() if not name.startswith("_")}
    return found | _own_takers(path)


def _uses(path: Path) -> Iterator[Use]:
    file = path.relative_to(ROOT).as_posix()
    for node in ast.walk(_tree(path)):
        given: Iterable[ast.expr] = ()
        if isinstance(node, ast.Call):
            given = _given(node, _takers(path))
        elif isinstance(node, ast.FunctionDef):
            given = _default(node)
        elif isinstance(node, ast.Assign) and any(_is_for_codes(target) for target in node.targets):
            given = [each for each in ast.walk(node.value) if isinstance(each, ast.Constant) and _is_word(each.value)]
        for value in given:
            yield from (Use(code=code, file=file, line=value.lineno) for code in _spelled(value))


def _is_for_codes(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id.strip("_").lower() in {"code", "codes"}


def _is_word(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[a-z0-9-]+", value) is not None


def _given(call: ast.Call, takers: dict[str, Taker]) -> Iterator[ast.expr]:
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "code")
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    taker = takers.get(name)
    if taker is not None and taker.place < len(call.args) and taker.least <= len(call.args) + len(call.keywords):
        yield call.args[taker.place]


def _default(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What `code` is when a caller does not give it."""
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    pairs = [*zip(reversed(positional), reversed(arguments.defaults), strict=False)]
    pairs += [
        (one, default) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default
    ]
    yield from (default for argument, default in pairs if argument.arg == "code")


def _spelled(value: ast.expr) -> Iterator[str | None]:
    match value:
        case ast.Constant(value=str(code)):
            yield code
        case ast.IfExp(body=body, orelse=orelse):
            yield from _spelled(body)
            yield from _spelled(orelse)
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts)
        case ast.Name(id="code") | ast.Attribute(attr="code"):
            return
        case _:
            yield None
