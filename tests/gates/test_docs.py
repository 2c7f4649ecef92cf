"""docs/gates.md lists the kinds and parameters that there are."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from verify.gates.kind import AnyKind
from verify.gates.kinds import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "gates.md"
BEGIN = "<!-- kinds: rendered, checked by tests/gates/test_docs.py -->\n"
END = "<!-- end of kinds -->"


def test_the_page_lists_every_kind_and_parameter() -> None:
    written = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert written == "".join(table())


def table() -> Iterator[str]:
    yield "| kind | about | declared in | parameters |\n|---|---|---|---|\n"
    for kind in KINDS.values():
        marks = [word for word, true in (("standing", kind.standing), ("structural", kind.structural)) if true]
        name = f"`{kind.name}`" + (f" ({', '.join(marks)})" if marks else "")
        where = {"release": "release.json", "block": "block.yaml", "any": "either"}[kind.scope]
        yield f"| {name} | {kind.about} | {where} | {parameters(kind)} |\n"


def parameters(kind: AnyKind) -> str:
    return ", ".join(parameter(field) for field in fields(kind.params)) or "none"


def parameter(field: "Field[Any]") -> str:
    if field.default is MISSING:
        return f"**{field.name}**"
    if isinstance(field.default, bool):
        return f"{field.name} ({str(field.default).lower()})"
    shown = {
        (): "all" if field.name == "configurations" else "none",
        "": "as `model`" if field.name.endswith("_model") else "none",
    }.get(field.default, str(field.default))
    return f"{field.name} ({shown})"
