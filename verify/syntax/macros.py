"""Macros that a grammar cannot read without the preprocessor, as a table; `blank.py` takes them out of its sight.

Found by parsing every file of the engine and looking at what stood where a grammar lost its way. A macro that reads
as an ordinary call or identifier is not here.
"""

from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """How much of a macro is blanked.

    `word` is its name alone; `call` its name and everything in its parentheses; `wrap` its name, its parentheses and
    the last argument, so that the others stay (`DEPRECATED(declaration, "hint")`).
    """

    WORD = "word"
    CALL = "call"
    WRAP = "wrap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Macros:
    """Macros of one form: `names` is a regular expression for the whole name."""

    form: Form
    names: bytes
    why: str


C_FAMILY: tuple[Macros, ...] = (
    Macros(form=Form.WORD, names=rb"PRI[diouxX](?:8|16|32|64|MAX|PTR)", why="a format between two strings"),
    Macros(form=Form.WORD, names=rb"[A-Z][A-Z0-9_]*_API(?=[ \t]+[A-Za-z_])", why="says how a function is exported"),
    Macros(form=Form.WORD, names=rb"(?:[A-Z][A-Z0-9_]*_)?RESTRICT|__restrict(?:__)?", why="qualifies a pointer"),
    Macros(
        form=Form.WORD,
        names=rb"(?:[A-Z][A-Z0-9_]*_)?(?:NORETURN|ALWAYS_INLINE|NOINLINE)|ESIMD_INLINE"
        rb"|JNICALL|JNIEXPORT|__dpct_inline__|__forceinline__",
        why="qualifies a function",
    ),
    Macros(
        form=Form.WORD,
        names=rb"GGML_TENSOR_(?:UNARY|BINARY|TERNARY)_OP_LOCALS(?:01)?|LLAMA_LOAD_LOCALS",
        why="declarations without parentheses and semicolon",
    ),
    Macros(form=Form.CALL, names=rb"GGML_TENSOR_LOCALS(?:_[1-4])?", why="a type among the arguments"),
    Macros(
        form=Form.CALL,
        names=rb"(?:[A-Z][A-Z0-9_]*_)?ATTRIBUTE_FORMAT|__attribute__|__(?:dpct_)?align__",
        why="an attribute",
    ),
    Macros(form=Form.WRAP, names=rb"(?:[A-Z][A-Z0-9_]*_)?DEPRECATED", why="a whole declaration as an argument"),
)

# A call in capitals that stands alone and has no semicolon: what it is, only the preprocessor knows.
STATEMENT = rb"^[ \t]*(?P<name>[A-Z][A-Z0-9_]{3,})[ \t]*\("
