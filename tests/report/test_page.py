"""The page: well-formed, the same for the same facts, safe with any text, and telling all that it should."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from xml.etree.ElementTree import Element

import html5lib
import pytest

from builder.report.facts import Facts
from builder.report.make_view import view_of
from builder.report.page import render
from tests.gates.good import BASE, QUEUE, failed_build, good_case, marked, with_build, with_probe
from tests.report.facts import facts_of, good_facts, hostile_facts, unmeasured_facts
from verify.model.diagnostic import Diagnostic
from verify.model.ids import FoldId
from verify.model.stack import Stuck
from verify.model.verdict import Undecided

FACTS = {"good": good_facts, "unmeasured": unmeasured_facts, "hostile": hostile_facts}


def page(facts: Facts) -> str:
    return render(view_of(facts)).decode()


def parsed(text: str) -> Element:
    """The page's elements; any error that a browser would mend is an error here."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    root = parser.parse(text)
    assert isinstance(root, Element)
    for each in root.iter():
        if isinstance(each.tag, str):
            each.tag = each.tag.rpartition("}")[2]  # pictures have a namespace of their own
    return root


def words(element: Element) -> str:
    return " ".join(" ".join(element.itertext()).split())


def failing_facts() -> Facts:
    """A gate of a block fails, and a build does."""
    case = with_probe(good_case(), "queue-arm", marked("on", {"seen": 0}), 1)
    return facts_of(case)


@pytest.mark.parametrize("which", FACTS)
def test_it_is_valid_html_with_ids_of_their_own_and_links_that_lead_somewhere(which: str) -> None:
    root = parsed(page(FACTS[which]()))
    ids = Counter(each.get("id") for each in root.iter() if each.get("id"))
    assert [name for name, number in ids.items() if number > 1] == []
    targets = [each.get("href", "") for each in root.iter() if each.get("href")]
    assert targets
    assert [target for target in targets if target[:1] != "#" or target[1:] not in ids] == []
    named = [each.get("aria-labelledby", "").split() for each in root.iter()]
    assert [name for names in named for name in names if name not in ids] == []


@pytest.mark.parametrize("which", FACTS)
def test_headings_go_down_one_level_at_a_time_and_there_is_one_title(which: str) -> None:
    levels = [int(each.tag[1]) for each in parsed(page(FACTS[which]())).iter() if re.fullmatch("h[1-6]", str(each.tag))]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []


@pytest.mark.parametrize("which", FACTS)
def test_every_table_has_a_caption_and_says_what_its_rows_and_columns_are(which: str) -> None:
    for table in parsed(page(FACTS[which]())).iter("table"):
        caption = table.find("caption")
        assert caption is not None
        assert words(caption)
        assert {each.get("scope") for each in table.iter("th")} == {"col", "row"}
        columns = len(table.findall("thead/tr/th"))
        assert {len(row) for row in table.findall("tbody/tr")} == {columns}


def test_pictures_say_in_words_what_they_show_and_the_others_are_left_out_for_readers() -> None:
    pictures = [each for each in parsed(page(good_facts())).iter("svg") if each.get("class") != "signs"]
    assert any(each.get("role") == "img" for each in pictures)
    for each in pictures:
        if each.get("role") == "img":
            said = [each.find(name) for name in ("title", "desc")]
            assert all(one is not None and words(one) for one in said)
        else:
            assert each.get("aria-hidden") == "true"


@pytest.mark.parametrize("which", FACTS)
def test_nothing_comes_from_elsewhere_and_nothing_runs(which: str) -> None:
    text = page(FACTS[which]())
    root = parsed(text)
    assert {str(each.tag) for each in root.iter()} & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "form",
    } == set()
    assert [
        name for each in root.iter() for name in each.attrib if name.startswith("on") or name in ("src", "style")
    ] == []
    assert re.findall(r"url\(|@import|https?://", text) == []
    assert "default-src 'none'" in text


def test_hostile_text_is_shown_as_text_and_characters_that_cannot_be_seen_are_spelled() -> None:
    text = page(hostile_facts())
    assert "<script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7*7 }}" in text
    assert "\x00" not in text
    assert "\u202e" not in text
    assert r"\x00\u202e" in text
    assert len(list(parsed(text).iter("style"))) == 1


def test_the_same_facts_are_the_same_bytes() -> None:
    assert render(view_of(good_facts())) == render(view_of(good_facts()))


def test_a_release_that_holds_says_so_and_names_what_it_is() -> None:
    text = words(parsed(page(good_facts())))
    assert "This release holds." in text
    assert re.search(r"All \d+ required gates passed\.", text)
    assert "No gate failed." in text
    assert BASE in text


def test_what_was_not_measured_is_undecided_and_every_such_gate_is_told_with_its_next_step() -> None:
    facts = unmeasured_facts()
    root = parsed(page(facts))
    text = words(root)
    assert "Nobody can say yet whether this release holds." in text
    assert "Nothing that compares numbers was measured." in text
    assert "nobody has asked" in text
    told = [table for table in root.iter("table") if words(table[0]) == "Gates that could not be decided"]
    named = [each.get("href") for row in told[0].findall("tbody/tr") for each in row[1].iter("a")]
    undecided = sum(isinstance(each.outcome, Undecided) for each in facts.results)
    assert len(set(named)) == len(named) == undecided > 10
    assert len(told[0].findall("tbody/tr")) < undecided
    assert "stackproof build" in words(told[0])


def test_a_gate_that_fails_is_told_at_the_top_with_code_place_and_gate() -> None:
    root = parsed(page(failing_facts()))
    text = words(root)
    assert "This release does not hold." in text
    problems = [each for each in root.iter("li") if each.get("class") == "problem"]
    assert any("arm-without-effect" in words(each) and "queue/queue-arm" in words(each) for each in problems)


def test_a_stack_that_sticks_says_where_and_what_follows_has_no_tree() -> None:
    case = good_case()
    stuck = Stuck(done=(), block=QUEUE, fold=FoldId("rotate"), findings=(Diagnostic(code="x", message="no place"),))
    facts = replace(facts_of(replace(case, stack=stuck, builds={}, probes={}, abi={})), packet=None, mutants=())
    text = words(parsed(page(facts)))
    assert "The stack sticks at fold rotate of block queue" in text
    assert "none: the stack sticks" in text


def test_a_build_that_fails_shows_its_first_error() -> None:
    text = words(parsed(page(facts_of(with_build(good_case(), BASE, failed_build)))))
    assert re.search(r"fails \w{8} src/queue.cpp:12: 'slot' was not declared", text)


def test_words_between_backticks_are_set_as_code_and_an_odd_one_stays() -> None:
    facts = replace(good_facts(), troubles=(Diagnostic(code="c", message="no `a<b` here", notes=("one ` alone",)),))
    text = page(facts)
    assert "no <code>a&lt;b</code> here" in text
    assert "one ` alone" in text
