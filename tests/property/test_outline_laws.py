"""Whatever the bytes: reading ends, and every place lies in the text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.ids import RepoPath
from verify.syntax.blank import blank
from verify.syntax.language import Language
from verify.syntax.read import read_outline

PIECES = st.sampled_from(
    [b"f(", b")", b"{", b"}", b"GGML_API ", b"PRId64 ", b'"', b"'", b"\n", b"#if X\n", b"#endif\n", b"return;",
     b"DEPRECATED(", b"SETUP_ALL(", b",", b";", b"[[", b"]]", b"\\", b"//", b"/*", b"*/", b"\xff", b"int x",
     b"if(A)\n", b"endif()\n", b"def f():\n "]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=40).map(b"".join)


@given(TEXTS)
@settings(derandomize=True, deadline=None, max_examples=150)
def test_blanking_keeps_every_place(text: bytes) -> None:
    made = blank(Language.CPP, text)
    assert len(made.text) == len(text)
    assert made.text.count(b"\n") == text.count(b"\n")


@given(st.sampled_from([b"x.cpp", b"x.c", b"x.cu", b"x.py", b"x.cmake"]), TEXTS)
@settings(derandomize=True, deadline=None, max_examples=150)
def test_every_place_of_an_outline_lies_in_its_text(name: bytes, text: bytes) -> None:
    outline = read_outline(RepoPath(name), text)
    assert outline is not None
    for span in (*outline.loops, *outline.broken, *(each.span for each in outline.functions)):
        assert 0 <= span.start <= span.end <= len(text)
    for name_ in outline.names:
        assert text.startswith(name_.text, name_.start)
