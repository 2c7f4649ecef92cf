"""The page in a real browser: no text is cut off or wider than the window, and the usual checks of accessibility pass.

Needs Chromium with its driver; the checks of accessibility also need npm. Without them the tests are skipped.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from builder.report.facts import Facts
from builder.report.make_view import view_of
from builder.report.page import render
from tests.report.axe import axe
from tests.report.browser import Browser, browser
from tests.report.facts import good_facts, hostile_facts, long_named_facts, unmeasured_facts

pytestmark = pytest.mark.campaign

PAGES: dict[str, Callable[[], Facts]] = {
    "good": good_facts,
    "unmeasured": unmeasured_facts,
    "hostile": hostile_facts,
    "long names": long_named_facts,
    "long words": lambda: hostile_facts("unbreakable" * 40),
}
SPILLED = """
for (const each of document.querySelectorAll('details')) each.open = true;
const wide = document.documentElement.clientWidth, found = [];
if (document.documentElement.scrollWidth > wide) found.push('the page is ' + document.documentElement.scrollWidth);
const boxes = 'td, th, li, dd, dt, p, h1, h2, h3, h4, caption, summary, body';
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode, parent = node.parentElement, said = node.data.trim().slice(0, 60);
  const head = parent.closest('thead');
  const aside = head && getComputedStyle(head).position === 'absolute';
  if (!said || aside || parent.closest('.unseen, .skip, style, svg')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = parent.closest(boxes).getBoundingClientRect();
  for (const at of range.getClientRects()) {
    if (!at.width) continue;
    if (at.left < -0.5 || at.right > wide + 0.5) found.push('beyond the window: ' + said);
    else if (at.left < box.left - 1 || at.right > box.right + 1) found.push('out of its box: ' + said);
  }
}
return found.slice(0, 10);
"""
CHECKED = """
const done = arguments[arguments.length - 1];
const told = each => each.id + ': ' + each.help + ' ' + each.nodes.slice(0, 3).map(node => node.html.slice(0, 120));
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
axe.run(document, {runOnly: rules}).then(found => done(found.violations.map(told)), error => done([String(error)]));
"""


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as made:
        if made is None:
            pytest.skip("there is no Chromium with its driver")
        yield made


@pytest.fixture(scope="module")
def checks() -> str:
    script = axe()
    if script is None:
        pytest.skip("axe-core cannot be had from npm")
    return script


def opened(window: Browser, which: str, folder: Path) -> Browser:
    page = folder / "page.html"
    page.write_bytes(render(view_of(PAGES[which]())))
    window.open(page)
    return window


@pytest.mark.parametrize("which", PAGES)
@pytest.mark.parametrize("width", [320, 768, 1280])
def test_no_text_is_cut_off_or_wider_than_the_window(window: Browser, which: str, width: int, tmp_path: Path) -> None:
    opened(window, which, tmp_path).show(width=width)
    assert window.run(SPILLED) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("which", ["good", "unmeasured", "hostile"])
def test_the_usual_checks_of_accessibility_pass(
    window: Browser, checks: str, which: str, width: int, dark: bool, tmp_path: Path
) -> None:
    opened(window, which, tmp_path).show(width=width, dark=dark)
    window.run(SPILLED)  # opens what is folded
    window.run(checks)
    assert window.later(CHECKED) == []


def test_dark_is_dark(window: Browser, tmp_path: Path) -> None:
    grounds = []
    for dark in (False, True):
        opened(window, "good", tmp_path).show(width=768, dark=dark)
        grounds.append(window.run("return getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(21, 24, 27)"]


def test_nothing_in_a_hostile_page_runs(window: Browser, tmp_path: Path) -> None:
    opened(window, "hostile", tmp_path)
    assert window.run("return [document.scripts.length, document.images.length]") == [0, 0]


def test_on_paper_there_is_everything_and_no_menu(window: Browser, tmp_path: Path) -> None:
    opened(window, "good", tmp_path).show(width=794, media="print")
    shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert window.run(shown, "nav") == "none"
    heights = window.run("return [...document.querySelectorAll('details')].map(each => each.scrollHeight)")
    assert heights
    assert min(heights) > 20
    assert window.paper()[:5] == b"%PDF-"
