"""Who stands behind a line: a fold with all its credit, or upstream."""

from tests.edit.workshop import Workshop
from tests.who.conftest import Run, lines_of


def test_a_changed_line_belongs_to_its_fold(shop: Workshop, run: Run) -> None:
    (line,) = lines_of(run("owner", "src/a.cpp:3", "-C", shop.root, "--json"))
    assert (line["block"], line["fold"], line["author"]["name"]) == ("alpha", "turn", "Ada Lovelace")
    assert line["co_authored_by"] == ["B <b@c.org>"]


def test_the_lines_around_are_upstreams(shop: Workshop, run: Run) -> None:
    out = run("owner", "src/a.cpp", "-C", shop.root).out
    assert [line.split()[0] for line in out.splitlines()] == ["1-2", "3", "4-40"]
    assert "upstream, src/a.cpp:4" in out


def test_a_file_that_no_fold_touches_is_upstreams(shop: Workshop, run: Run) -> None:
    assert "upstream, README:1" in run("owner", "README", "-C", shop.root).out


def test_a_patch_line_is_where_the_line_stands_in_the_patch(shop: Workshop, run: Run) -> None:
    (line,) = lines_of(run("owner", "src/a.cpp:3", "-C", shop.root, "--json"))
    text = (shop.root / line["patch"]).read_text().splitlines()
    assert text[line["patch_line"] - 1] == "+line 3 changed"


def test_a_line_behind_the_end_is_told(shop: Workshop, run: Run) -> None:
    done = run("owner", "src/a.cpp:41", "-C", shop.root)
    assert (done.code, "owner-lines" in done.err) == (2, True)


def test_an_unknown_file_is_told_with_a_guess(shop: Workshop, run: Run) -> None:
    done = run("owner", "a.cpp", "-C", shop.root)
    assert "owner-no-file" in done.err
    assert "src/a.cpp" in done.err
