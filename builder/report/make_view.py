"""Facts → the page's view: pure, and the same for the same facts."""

from collections.abc import Iterator

from builder.report.built import builds_of
from builder.report.covered import coverage_of, mutants_of
from builder.report.facts import Facts
from builder.report.judged import anchors_of, areas_of, gates_tables
from builder.report.measured import families_of
from builder.report.provenance import provenance_of, source_of
from builder.report.reviewed import accepted_of, contributors_of, reviews_of, standings_of
from builder.report.spelled import short
from builder.report.stacked import blocks_of, not_taken_of, stuck_at
from builder.report.view import Cell, View
from builder.report.words import failing_of, glance_of, problem, sentence_of, state_of, unknown_of, words_of
from verify.model.wording import count


def view_of(facts: Facts) -> View:
    """The whole page."""
    release = facts.case.release
    anchors, areas = anchors_of(facts.results), areas_of(facts)
    evidence = frozenset(each.key.digest for each in facts.records)
    state = state_of(facts.results)
    return View(
        release=release.name,
        engine=release.engine,
        parent=release.parent or "",
        state=state,
        sentence=sentence_of(state),
        words=tuple(words_of(facts)),
        facts=tuple(_facts(facts)),
        glance=glance_of(areas),
        failing=tuple(failing_of(facts, anchors)),
        unknown=unknown_of(facts, anchors),
        troubles=tuple(problem(each) for each in facts.troubles),
        blocks=tuple(blocks_of(facts, standings_of(facts.packet))),
        stuck=stuck_at(facts),
        not_taken=not_taken_of(facts),
        builds=tuple(builds_of(facts)),
        gates=tuple(gates_tables(areas, anchors, evidence)),
        families=tuple(families_of(facts, anchors)),
        coverage=tuple(coverage_of(facts)),
        mutants=tuple(mutants_of(facts)),
        reviews=tuple(reviews_of(facts)),
        accepted=tuple(accepted_of(facts, anchors)),
        contributors=contributors_of(facts),
        provenance=provenance_of(facts),
    )


def _facts(facts: Facts) -> Iterator[tuple[str, Cell]]:
    """What one wants to see first."""
    case = facts.case
    tip = case.tip_tree()
    built = sum(each.built is not None and each.built.observation.ok for each in facts.builds)
    yield "base", Cell(text=source_of(case.release.base.source).split(", sha256", 1)[0])
    yield "base tree", Cell(text=short(case.base_tree), fixed=True)
    yield "tip tree", Cell(text=short(tip), fixed=True) if tip else Cell(text="none: the stack sticks")
    yield "builds", Cell(text=f"{built} of {count(len(facts.builds), 'proof')} build")
    yield "evidence", Cell(text=count(len(facts.records), "record"))
