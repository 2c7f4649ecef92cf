"""Languages and their grammars: the only door to tree-sitter. A grammar is imported when a file of it is first read."""

from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.ids import RepoPath

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Query, Tree


class Language(StrEnum):
    """A language that is read by its grammar."""

    C = "c"
    CPP = "cpp"
    CUDA = "cuda"
    PYTHON = "python"
    CMAKE = "cmake"


_BY_ENDING = {
    b".c": Language.C,
    b".cpp": Language.CPP,
    b".cc": Language.CPP,
    b".cxx": Language.CPP,
    b".hpp": Language.CPP,
    b".hh": Language.CPP,
    b".inl": Language.CPP,
    b".h": Language.CPP,  # a header of C is one of C++ with few exceptions, and those stand in the table of macros
    b".cu": Language.CUDA,
    b".cuh": Language.CUDA,
    b".py": Language.PYTHON,
    b".cmake": Language.CMAKE,
}


def language_of(path: RepoPath) -> Language | None:
    """The language of a file by its name; None where no grammar is known for it."""
    name = path.rsplit(b"/", 1)[-1]
    if name == b"CMakeLists.txt":
        return Language.CMAKE
    stem, dot, ending = name.rpartition(b".")
    return _BY_ENDING.get(dot + ending.lower()) if stem else None


def parse(language: Language, text: bytes) -> "Tree":
    """The syntax tree of a text; a grammar always gives one, with error nodes where it lost its way."""
    from tree_sitter import Parser

    return Parser(_grammar(language)).parse(text)


@lru_cache(maxsize=64)
def query(language: Language, pattern: str) -> "Query":
    """A pattern, compiled for a language."""
    from tree_sitter import Query

    return Query(_grammar(language), pattern)


@lru_cache(maxsize=8)
def _grammar(language: Language) -> "Grammar":
    try:
        from tree_sitter import Language as Grammar

        return Grammar(import_module(f"tree_sitter_{language.value}").language())
    except ImportError as error:
        raise EnvironmentFault(
            Diagnostic(
                code="grammar-missing",
                message=f"the grammar of {language.value} cannot be loaded",
                notes=(str(error),),
                help="pip install -r requirements/run.txt",
            )
        ) from error
