"""Every code that stackproof can say is explained once, and nothing is explained that it cannot say."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

import verify.explain
from tests.explain.codes import ROOT, sources, uses
from verify.explain import catalogue
from verify.explain.catalogue import AREAS, explain, explanations
from verify.model.diagnostic import InputFault

# Parts whose codes are still to be explained.
PENDING = (
    "verify/bundle/",
    "builder/measure.py",
    "builder/pipeline.py",
)


def test_every_code_in_the_sources_is_explained() -> None:
    known = explanations()
    missing = {
        f"{use.code} ({use.file})"
        for use in uses(sources())
        if use.code is not None
        and not use.file.startswith(PENDING)
        and not any(fnmatch(code, use.code) for code in known)
    }
    assert sorted(missing) == []


def test_every_code_can_be_read_off_the_sources() -> None:
    assert [f"{use.file}:{use.line}" for use in uses(sources()) if use.code is None] == []


def test_every_explained_code_stands_in_the_sources() -> None:
    said = {use.code for use in uses(sources()) if use.code is not None}
    assert [code for code in explanations() if not any(fnmatch(code, pattern) for pattern in said)] == []


def test_codes_are_kebab_case() -> None:
    assert [code for code in explanations() if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", code) is None] == []


def test_every_explanation_is_one_paragraph_of_sentences() -> None:
    odd = [code for code, text in explanations().items() if "\n" in text or not text.rstrip(")").endswith(".")]
    assert odd == []


def test_every_area_is_listed() -> None:
    (folder,) = verify.explain.__path__
    there = {path.stem for path in Path(folder).glob("*.py")} - {"__init__", "catalogue"}
    assert there == set(AREAS)


def test_one_code_is_explained_by_one_area_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "AREAS", ("manifest", "manifest"))
    with pytest.raises(ValueError, match="explained by two areas: bad-author"):
        explanations()


def test_explain_gives_what_the_catalogue_says() -> None:
    assert explain("patch-missing").startswith("A fold is declared and its fold.patch is not there.")


def test_explain_guesses_at_a_misspelled_code() -> None:
    with pytest.raises(InputFault) as fault:
        explain("patch-mising")
    assert fault.value.diagnostics[0].help == "stackproof explain patch-missing"


def test_explain_says_where_codes_are_found_when_there_is_nothing_like_it() -> None:
    with pytest.raises(InputFault) as fault:
        explain("zzzzzzzz")
    assert "stands in brackets" in fault.value.diagnostics[0].help


def test_the_scan_sees_codes_in_every_way_they_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "def fault(text, code='by-default', *, line=0): ...\n"
        "def other(*, code='by-keyword-default'): ...\n"
        "fault('x', 'by-place')\nDiagnostic(code='by-name')\nDiagnostic(code='one' if x else 'two')\n"
        "Diagnostic(code=f'with-{hole}')\nDiagnostic(code=found.code)\nDiagnostic(code=made())\n"
        "class C:\n    def add(self, code, message): ...\n"
        "code = codes.get(x, 'by-assignment')\ncodes = {1: 'in-a-table'}\n"
        "C().add('by-method', 'x')\nset().add('no-code')\n"
    )
    (tmp_path / "module.py").write_text(source)
    monkeypatch.setattr("tests.explain.codes.ROOT", tmp_path)
    found = [use.code for use in uses([tmp_path / "module.py"])]
    assert set(found) == {
        *("by-default", "by-keyword-default", "by-place", "by-name", "one", "two", "with-*", "by-method"),
        *("by-assignment", "in-a-table", None),
    }


def test_the_scan_reads_both_packages() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in sources()} == {"verify", "builder"}
