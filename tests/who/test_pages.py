"""The worklog's numbers, and tables in pages."""

import pytest

from builder.documents import read_documents
from tests.edit.workshop import Workshop
from tests.gates.good import good_release
from tests.who.conftest import Run
from verify.pages.tables import TABLES, places_in, rendered
from verify.pages.worklog import entries_of, next_number, references_in, with_entry

TABLE = "# Page\n\n<!-- stackproof:table switches -->\nold\n<!-- stackproof:end -->\n\nAfter.\n"
LOG = with_entry("", number="261130.001", title="First", body="Why.")
GONE = ".".join(("261130", "777"))  # written so that it is no reference of ours


@pytest.mark.parametrize(
    ("day", "number"), [("261130", "261130.002"), ("261201", f"261201.{1:03}"), ("251130", "261130.002")]
)
def test_numbers_rise(day: str, number: str) -> None:
    assert next_number(entries_of(LOG), day) == number


@pytest.mark.parametrize(
    ("text", "count"),
    [(GONE, 1), (f"see {GONE}, and", 1), (f"1.{GONE}", 0), (f"{GONE}.5", 0), ("261330.001", 0), ("991130.001", 0)],
)
def test_only_numbers_that_can_be_entries_are_references(text: str, count: int) -> None:
    assert len(list(references_in(text, entries_of(LOG)))) == count


def test_a_table_is_rendered_between_its_markers() -> None:
    page = rendered(TABLE, good_release())
    assert "| `QUEUE` | `0` | `queue` | turns it off |" in page
    assert page.startswith("# Page\n")
    assert page.endswith("<!-- stackproof:end -->\n\nAfter.\n")
    assert rendered(page, good_release()) == page


def test_a_marker_in_a_code_block_is_text() -> None:
    assert places_in(f"```\n{TABLE}```\n") == ()


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_as_many_cells_in_each_row(name: str) -> None:
    rows = [len(row) for row in TABLES[name](good_release())]
    assert len(set(rows)) == 1


def test_an_entry_is_added_with_the_next_number(shop: Workshop, run: Run) -> None:
    first = run("worklog", "add", "One", "--date", "2026-11-30", "-m", "Why.", "-C", shop.root, "--json").json()
    second = run("worklog", "add", "Two", "--date", "2026-11-30", "-C", shop.root).out.strip()
    assert (first["number"], second) == ("261130.001", "261130.002")
    assert "261130.002  0           Two" in run("worklog", "list", "-C", shop.root).out


def test_operations_become_entries_once(shop: Workshop, run: Run) -> None:
    file = shop.root / "blocks/beta/folds/change/fold.patch"
    file.write_text(file.read_text().replace("+int c;", "+int e;"))
    run("pin", "-C", shop.root)
    first = run("worklog", "collect", "-C", shop.root, "--json").json()["added"]
    assert isinstance(first, list)
    assert len(first) == sum("operation" in line for line in (shop.root / "WORKLOG.md").read_text().splitlines()) >= 1
    assert run("worklog", "collect", "-C", shop.root, "--json").json()["added"] == []


def test_check_tells_a_drifted_table_and_docs_render_mends_it(shop: Workshop, run: Run) -> None:
    (shop.root / "README.md").write_text(TABLE.replace("switches", "folds"))
    assert "docs-drift" in run("check", "-C", shop.root).err
    run("docs", "render", "-C", shop.root)
    assert run("check", "-C", shop.root).code == 0
    assert "Turn line 3" in (shop.root / "README.md").read_text()


def test_check_tells_a_reference_to_no_entry(shop: Workshop, run: Run) -> None:
    (shop.root / "WORKLOG.md").write_text(LOG)
    (shop.root / "docs").mkdir()
    (shop.root / "docs/page.md").write_text(f"As {GONE} says.\n")
    done = run("check", "-C", shop.root)
    assert (done.code, "worklog-dangling" in done.err) == (1, True)


def test_the_engines_sources_are_no_text_of_the_project(shop: Workshop) -> None:
    (shop.root / "engine/notes.md").write_text("x\n")
    assert "engine/notes.md" in read_documents(shop.root)
    assert "engine/notes.md" not in read_documents(shop.root, without=("engine",))


def test_switches_are_listed_with_what_nobody_declares(shop: Workshop, run: Run) -> None:
    done = run("switches", "-C", shop.root, "--json")
    assert (done.code, done.json()["reads"]) == (0, [])
