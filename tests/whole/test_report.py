"""`report` the whole way: the page and both files of a released project, and what CI gets of a broken one."""

import json
import shutil
from pathlib import Path

from builder.review.receipt import read_report
from tests.whole.command import say
from tests.whole.given import Whole


def test_a_released_project_gives_the_same_page_and_files_each_time(whole: Whole, tmp_path: Path) -> None:
    names = ("page.html", "gates.xml", "findings.sarif")
    made = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        page, gates, findings = (str(folder / name) for name in names)
        said = say(
            *("report", "--offline", "--out", page, "--junit", gates, "--sarif", findings),
            root=whole.project.root,
            cache=whole.project.cache,
        )
        assert said.exit == 0
        assert said.outcomes() == whole.said.outcomes()
        made.append([(folder / name).read_bytes() for name in names])
    assert made[0] == made[1]
    page_bytes, gates_bytes, findings_bytes = made[0]
    assert b"This release holds." in page_bytes
    report = read_report(gates_bytes, file="gates.xml")
    assert (report.tests, report.failures) == (len(whole.said.outcomes()), 0)
    assert json.loads(findings_bytes)["runs"][0]["results"] == []


def test_a_project_that_cannot_be_read_gives_ci_its_findings_at_their_lines(whole: Whole, tmp_path: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(whole.project.root, root)
    value = json.loads((root / "release.json").read_bytes())
    (root / "release.json").write_text(json.dumps({**value, "blokcs": []}, indent=2))
    gates, findings = tmp_path / "gates.xml", tmp_path / "findings.sarif"
    said = say("report", "--junit", str(gates), "--sarif", str(findings), root=root, cache=whole.project.cache)
    assert said.exit == 2
    assert read_report(gates.read_bytes(), file="gates.xml").failures == 1
    (result,) = json.loads(findings.read_bytes())["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == "release.json"
    assert where["region"]["startLine"] > 1
    assert list(root.rglob("*.html")) == []
