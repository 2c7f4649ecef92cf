"""`release` and `seal` end in packing: the answer says by what the release holds and where it is."""

import dataclasses
from pathlib import Path

import pytest

from builder.cli.packing import pack
from builder.cli.session import Answer
from builder.measure import Bench
from builder.pipeline import Stacked, Workshop
from builder.stack import Derived
from builder.upstream import Imported
from tests.seal.project import Project, make_project
from verify.model.diagnostic import ExitCode, InputFault, Severity
from verify.model.progress import Silent


def packed(project: Project, out: Path, cache: Path) -> Answer:
    stacked = Stacked(
        release=project.release,
        imported=Imported(tree=project.stack.base_tree, commit=project.stack.base_commit, from_cache=True),
        derived=Derived(result=project.stack, findings=(), objects=()),
        store=project.store,
    )
    workshop = Workshop(root=project.root, cache=cache, offline=True, progress=Silent())
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    bench.evidence.put(project.evidence[0])
    bench.built.update(project.built())
    return pack(project.holds, case=project.case, bench=bench, out=out)


def test_the_answer_holds_and_says_where_the_bundle_is(project: Project, tmp_path: Path) -> None:
    answer = packed(project, tmp_path / "dist", tmp_path / "cache")

    assert answer.exit is ExitCode.HOLDS
    assert f"{tmp_path / 'dist' / project.release.name} packed" in answer.text
    bundle = answer.data["bundle"]
    assert isinstance(bundle, dict)
    assert (bundle["how"], bundle["files"]) == ("new", 34)
    assert answer.diagnostics == ()


def test_packing_twice_says_that_it_was_there(project: Project, tmp_path: Path) -> None:
    packed(project, tmp_path / "dist", tmp_path / "cache")

    assert "packed already" in packed(project, tmp_path / "dist", tmp_path / "cache").text


def test_replacing_a_bundle_of_the_same_name_is_told(project: Project, tmp_path: Path) -> None:
    packed(project, tmp_path / "dist", tmp_path / "cache")

    answer = packed(make_project(tmp_path / "other", seconds=2.5), tmp_path / "dist", tmp_path / "cache")

    assert [(each.code, each.severity) for each in answer.diagnostics] == [("seal-replaced", Severity.WARNING)]
    assert answer.exit is ExitCode.HOLDS


def test_a_record_of_another_run_stops_the_packing(project: Project, tmp_path: Path) -> None:
    other = make_project(tmp_path / "other", seconds=2.5)
    with pytest.raises(InputFault):
        packed(dataclasses.replace(project, evidence=other.evidence), tmp_path / "dist", tmp_path / "cache")

    assert not (tmp_path / "dist").exists()
