"""Each block alone: the trees, what is needed for text alone, and what builds say of `requires`."""

from dataclasses import replace

from tests.requires.blocks import BESIDE, BRINGS, NEEDLESS, USES, USES_AND_SAYS, WARNS
from tests.requires.conftest import Plant, case_of, ruled, told
from verify.gates.alone import AloneTree
from verify.gates.case import Case
from verify.model.ids import RepoPath
from verify.model.verdict import Passed


def alone(case: Case, block: str, without: str | None = None) -> AloneTree:
    return next(each for each in case.alone or () if (each.block, each.without) == (block, without))


def test_a_block_alone_has_nothing_of_the_blocks_below_that_it_does_not_require(plant: Plant) -> None:
    case = case_of(plant(BRINGS, USES, NEEDLESS))
    tree = alone(case, "uses")
    assert (tree.below, tree.textual) == ((), ())
    assert tree.tree not in {tree for _, tree in case.prefix_trees()}


def test_a_block_that_requires_all_below_it_is_its_prefix(plant: Plant) -> None:
    case = case_of(plant(BRINGS, WARNS, replace(BESIDE, requires=("brings", "warns"))))
    tree = alone(case, "beside")
    assert (tree.tree, tree.textual) == (case.tip_tree(), ())
    assert tree.trace == case.trace()


def test_what_a_block_requires_is_laid_below_it(plant: Plant) -> None:
    case = case_of(plant(BRINGS, WARNS, USES_AND_SAYS))
    assert alone(case, "uses").below == ("brings",)
    assert alone(case, "uses", without="brings").below == ()


def test_a_hunk_that_meets_lines_of_an_earlier_block_is_a_need_for_text_and_is_named(plant: Plant) -> None:
    case = case_of(plant(WARNS, BRINGS, BESIDE))
    tree = alone(case, "beside")
    assert tree.below == ("brings",)
    (need,) = tree.textual
    assert (need.block, need.fold, need.on) == ("beside", "beside", "brings")
    place = need.findings[0].place
    assert place is not None
    assert place.file.endswith("blocks/beside/folds/beside/fold.patch")


def test_lines_of_a_moved_fold_are_followed_to_the_patch_as_it_is_recorded(plant: Plant) -> None:
    case = case_of(plant(BRINGS, USES))
    path = RepoPath(b"src/model.c")
    tree = alone(case, "uses")
    (found,) = [piece for path_, _, piece in tree.trace.added() if path_ == path]
    patch = case.release.blocks[1].folds[0].patch_bytes.split(b"\n")
    assert patch[found.patch_line - 1] == b"+    return mini_brought(-1);"


def test_a_missing_requirement_is_named_with_the_place_of_use_and_the_patch_that_brings_it(plant: Plant) -> None:
    findings = told(plant(BRINGS, USES), "build")
    assert [finding.code for finding in findings] == ["block-does-not-stand-alone", "requires-missing"]
    said = findings[1]
    assert "`mini_brought`" in said.message
    assert "`brings`" in said.message
    assert said.place is not None
    assert said.place.file == "src/model.c"
    assert any("blocks/brings/folds/brings/fold.patch:" in note for note in said.notes)
    assert any("block `uses`" in note and "fold.patch:" in note for note in findings[0].notes)


def test_a_requirement_that_is_said_is_enough_and_is_missed_when_it_is_left_out(plant: Plant) -> None:
    project = plant(BRINGS, USES_AND_SAYS)
    assert told(project, "build") == ()
    outcome = ruled(project, "requires")
    assert isinstance(outcome, Passed)
    assert "`uses` without `brings`: src/model.c:" in outcome.summary
    assert "mini_brought" in outcome.summary


def test_a_needless_requirement_is_reported(plant: Plant) -> None:
    (finding,) = told(plant(BRINGS, NEEDLESS), "requires")
    assert finding.code == "requires-unneeded"
    assert "`needless` requires `brings`" in finding.message


def test_a_forward_reference_is_named_with_symbol_use_and_the_later_fold(plant: Plant) -> None:
    findings = told(plant(USES, BRINGS, proofs=("prefix",)), "build")
    assert [finding.code for finding in findings] == ["block-does-not-build", "forward-reference"]
    said = findings[1]
    assert "`mini_brought`" in said.message
    assert "later block `brings`" in said.message
    assert any(note.startswith("used: src/model.c:") for note in said.notes)


def test_a_warning_is_named_with_its_line_in_the_tree_and_in_the_patch(plant: Plant) -> None:
    (finding,) = told(plant(BRINGS, WARNS, proofs=("prefix",)), "warnings")
    assert finding.code == "new-warning"
    assert "`warns`" in finding.message
    assert finding.place is not None
    assert (finding.place.file, finding.place.line) == ("src/model.c", 47)
    assert any("blocks/warns/folds/warns/fold.patch:" in note for note in finding.notes)
