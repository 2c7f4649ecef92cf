"""What people see: plain text that says everything, whatever the user's own text holds."""

import io

import pytest

from verify.model.diagnostic import Diagnostic, Place, Severity
from verify.report.terminal import encodable, print_diagnostics, render_diagnostics, visible, wants_colour

STRAY = Diagnostic(
    code="fold-strays",
    message="fold `pr-106` of block `moe` changes a file the block does not own",
    place=Place(
        file="blocks/moe/folds/pr-106/fold.patch",
        line=41,
        column=7,
        excerpt="+++ b/src/llama-sampling.cpp",
        width=22,
        label="owned by `common`",
    ),
    notes=("met this\nand that", "expected other"),
    help="move the hunk to a fold of `common`",
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


def test_a_diagnostic_is_laid_out_as_the_style_guide_shows() -> None:
    assert render_diagnostics([STRAY]) == (
        "error[fold-strays]: fold `pr-106` of block `moe` changes a file the block does not own\n"
        "  --> blocks/moe/folds/pr-106/fold.patch:41:7\n"
        "   |  +++ b/src/llama-sampling.cpp\n"
        "   |        ^^^^^^^^^^^^^^^^^^^^^^ owned by `common`\n"
        "   = note: met this\n"
        "           and that\n"
        "   = note: expected other\n"
        "   = help: move the hunk to a fold of `common`\n"
    )


def test_nothing_to_tell_is_nothing_printed() -> None:
    assert render_diagnostics([]) == ""


def test_several_errors_are_counted_and_warnings_are_not() -> None:
    warning = Diagnostic(code="w", message="careful", severity=Severity.WARNING)
    assert render_diagnostics([STRAY, warning, STRAY]).endswith("\n\n2 errors\n")
    assert "errors" not in render_diagnostics([STRAY, warning])
    assert "warning[w]: careful\n" in render_diagnostics([STRAY, warning])


def test_a_place_without_a_line_shows_the_file_alone() -> None:
    assert render_diagnostics([Diagnostic(code="x", message="m", place=Place(file="f"))]) == "error[x]: m\n  --> f\n"


@pytest.mark.parametrize(
    ("excerpt", "column", "width", "under"),
    [
        ("abc", 2, 1, " ^"),
        ("\tabc", 2, 2, "    ^^"),
        ("漢字x", 3, 1, "    ^"),
        ("e\u0301x", 3, 1, " ^"),
        ("ab\x1bx", 4, 1, "      ^"),
        ("abc", 4, 1, "   ^"),
        ("abc", 2, 99, " ^^"),
        ("", 1, 1, "^"),
    ],
)
def test_the_underline_stands_under_what_is_meant(excerpt: str, column: int, width: int, under: str) -> None:
    place = Place(file="f", line=1, column=column, excerpt=excerpt, width=width)
    shown = render_diagnostics([Diagnostic(code="x", message="m", place=place)]).splitlines()
    assert shown[-1] == "   |  " + under


def test_a_long_line_is_cut_around_what_is_meant() -> None:
    place = Place(file="f", line=1, column=501, excerpt="a" * 500 + "here" + "b" * 500, width=4)
    line, under = render_diagnostics([Diagnostic(code="x", message="m", place=place)]).splitlines()[-2:]
    assert len(line) < 180
    assert (line[6], line[-1]) == ("…", "…")
    assert line[under.index("^") : under.rindex("^") + 1] == "here"


@pytest.mark.parametrize("text", ["\x1b[2J", "\r", "\x9b31m", "\u202e", "\u2066", "\u200b", "\x07", "\x00", "\udcff"])
def test_no_text_of_a_user_moves_the_cursor_or_hides(text: str) -> None:
    shown = render_diagnostics(
        [Diagnostic(code="x", message=text, place=Place(file=text, line=1, column=1, excerpt=text), notes=(text,))]
    )
    assert text not in shown
    assert all(character.isprintable() or character == "\n" for character in shown)


def test_a_file_name_cannot_fake_a_line_of_its_own() -> None:
    shown = render_diagnostics([Diagnostic(code="x", message="m", place=Place(file="a\nerror[y]: b"))])
    assert len(shown.splitlines()) == 2


def test_line_ends_stay_visible_as_lines() -> None:
    assert visible("a\nb\tc") == "a\nb    c"


def test_a_pipe_gets_no_colour() -> None:
    stream = io.StringIO()
    print_diagnostics([STRAY], stream, environ={})
    assert stream.getvalue() == render_diagnostics([STRAY])


@pytest.mark.parametrize(
    ("environ", "expected"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_gets_colour_unless_it_is_unwanted(environ: dict[str, str], expected: bool) -> None:
    assert wants_colour(Terminal(), environ) is expected


def test_colour_adds_nothing_but_colour() -> None:
    import re

    stream = Terminal()
    tricky = Diagnostic(code="x", message="[bold]not markup[/bold] :smile: https://host/x", help="[/] [red]")
    print_diagnostics([STRAY, tricky], stream, environ={"TERM": "xterm-256color"})
    coloured = stream.getvalue()
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render_diagnostics([STRAY, tricky])


def test_a_stream_that_lacks_characters_gets_their_escapes() -> None:
    stream = Terminal("ascii")
    print_diagnostics([Diagnostic(code="x", message="é漢")], stream, environ={"NO_COLOR": "1"})
    assert stream.getvalue() == "error[x]: \\xe9\\u6f22\n"
    assert encodable("é", io.StringIO()) == "é"
