"""A library that computes another thing, or another each time, and observations that prove nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from tests.gates.good import probe_of
from tests.sabotage.ways import Sabotage, Way, broken, regated, unknown, unprobed
from verify.gates.case import Case, Recorded
from verify.model.diagnostic import Diagnostic
from verify.model.ids import Sha256
from verify.model.library import (
    LogitsObservation,
    LogitsRun,
    MemoryArm,
    MemoryObservation,
    OperationDifference,
    Row,
    StateObservation,
    StateOutcome,
    TraceArm,
    TraceObservation,
)
from verify.model.observation import LoadedFile, ProbeObservation

O = TypeVar("O", bound=ProbeObservation)  # noqa: E741 (an observation)

UNFIT = Diagnostic(code="bindings-do-not-fit", message="`llama_context_params` has 168 bytes in the library")
NONE = Diagnostic(code="no-bindings", message="the base carries no bindings")
BROKEN = Diagnostic(code="arm-broken", message="arm `upstream` served and arm `tip` broke down")


def seen(gate: str, kind: type[O], edit: Callable[[O], ProbeObservation], at: int = 0) -> Way:
    """What a gate's probe saw is another thing."""

    def way(case: Case) -> Case:
        need = probe_of(case, gate, at)
        edited = Recorded(key=case.probes[need].key, observation=edit(case.seen(need, kind)))
        return replace(case, probes={**case.probes, need: edited})

    return way


def runs(gate: str, chosen: Callable[[LogitsRun], bool], edit: Callable[[Row], Row], at: int = 0) -> Way:
    """Every row of some runs is another one."""

    def edited(run: LogitsRun) -> LogitsRun:
        prompts = tuple(replace(each, rows=tuple(map(edit, each.rows))) for each in run.prompts)
        return replace(run, prompts=prompts) if chosen(run) else run

    return seen(gate, LogitsObservation, lambda all_: replace(all_, runs=tuple(map(edited, all_.runs))), at)


def logits(gate: str, edit: Callable[[LogitsRun], LogitsRun], arm: str = "tip") -> Way:
    """The runs of one arm are others."""
    return seen(
        gate,
        LogitsObservation,
        lambda all_: replace(all_, runs=tuple(edit(each) if each.arm == arm else each for each in all_.runs)),
    )


def one_bit(row: Row) -> Row:
    """Another digest, and hardly another number."""
    return replace(row, sha256="f" * 64, difference=1e-7, relative=1e-9)


def on(name: str) -> Callable[[LogitsRun], bool]:
    """Runs of an arm."""
    return lambda run: run.arm == name


def any_run(run: LogitsRun) -> bool:
    """All of them."""
    return bool(run.arm)


def states(scenario: str, **fields: Any) -> Way:
    """The outcomes of a scenario have other fields."""

    def edit(outcome: StateOutcome) -> StateOutcome:
        return replace(outcome, **fields) if outcome.scenario == scenario else outcome

    return seen(
        "states",
        StateObservation,
        lambda all_: replace(
            all_, arms=tuple(replace(arm, outcomes=tuple(map(edit, arm.outcomes))) for arm in all_.arms)
        ),
    )


def sizes(**fields: Any) -> Way:
    """The tip has other sizes."""

    def edit(arm: MemoryArm) -> MemoryArm:
        return replace(arm, **fields) if arm.arm == "tip" else arm

    return seen("memory", MemoryObservation, lambda all_: replace(all_, arms=tuple(map(edit, all_.arms))))


def traced(**fields: Any) -> Way:
    """The trace went otherwise."""
    return seen("operations", TraceObservation, lambda all_: replace(all_, **fields))


def stranger(run: LogitsRun) -> LogitsRun:
    """It had another file loaded than was built."""
    return replace(run, loaded=(LoadedFile(name="llama-server", sha256=Sha256("e" * 64), built=True),))


KQV = OperationDifference(
    index=11,
    prompt="drawn-0",
    name="kqv-0",
    op="MUL_MAT",
    layer=0,
    type="f32",
    shape=(64, 16, 4, 1),
    relative=1e-7,
    maximum=1e-6,
)


def without_operations(arm: TraceArm) -> TraceArm:
    """Nothing was computed."""
    return replace(arm, operations=0)


SABOTAGES: tuple[Sabotage, ...] = (
    broken("one bit of a logit is another", "logits", "logits-differ", runs("logits", on("tip"), one_bit)),
    broken(
        "the tip generates other tokens",
        "logits",
        "logits-differ",
        logits("logits", lambda run: replace(run, prompts=tuple(replace(p, generated=(9,)) for p in run.prompts))),
    ),
    broken(
        "no logit is a number",
        "logits",
        "logits-degenerate",
        runs("logits", any_run, lambda row: replace(row, finite=False)),
    ),
    broken(
        "all logits of a row are alike",
        "logits",
        "logits-degenerate",
        runs("logits", any_run, lambda row: replace(row, spread=0.0)),
    ),
    broken(
        "every position has the same logits",
        "logits",
        "logits-degenerate",
        runs("logits", any_run, lambda row: replace(row, sha256="a" * 64)),
    ),
    broken(
        "there is no row",
        "logits",
        "logits-degenerate",
        seen(
            "logits",
            LogitsObservation,
            lambda all_: replace(
                all_,
                runs=tuple(replace(run, prompts=tuple(replace(p, rows=()) for p in run.prompts)) for run in all_.runs),
            ),
        ),
    ),
    broken("logits of no prompt", "logits", "no-cases", regated("logits", prompts=(" ",))),
    broken("the tip's library breaks down", "logits", "arm-broken", unprobed("logits", BROKEN)),
    unknown("the bindings do not fit", "logits", "bindings-do-not-fit", unprobed("logits", UNFIT)),
    unknown("there are no bindings", "logits", "no-bindings", unprobed("logits", NONE)),
    unknown("the library was not asked", "logits", "not-probed", unprobed("logits")),
    unknown("the library is another build's", "logits", "foreign-library", logits("logits", stranger)),
    unknown(
        "an arm has fewer rows",
        "logits",
        "session-incomplete",
        logits("logits", lambda run: replace(run, prompts=tuple(replace(p, rows=p.rows[:3]) for p in run.prompts))),
    ),
    unknown(
        "an arm was not run",
        "logits",
        "session-incomplete",
        seen("logits", LogitsObservation, lambda all_: replace(all_, runs=all_.runs[:1])),
    ),
    broken(
        "a width gives other logits",
        "widths",
        "axis-differs",
        runs("widths", lambda run: run.variant == "width-4", one_bit),
    ),
    broken(
        "widths of a block's build differ with its switch on",
        "cache-widths",
        "axis-differs",
        runs("cache-widths", lambda run: (run.arm, run.variant) == ("on", "width-2"), one_bit),
    ),
    broken(
        "a block mends what was not broken",
        "cache-widths",
        "axis-without-teeth",
        seen(
            "cache-widths",
            LogitsObservation,
            lambda all_: replace(
                all_,
                runs=tuple(
                    replace(run, prompts=all_.runs[0].prompts) if run.arm == "off" else run for run in all_.runs
                ),
            ),
        ),
    ),
    broken(
        "a switch that is off changes a width",
        "cache-threads",
        "off-arm-differs",
        runs("cache-threads", lambda run: (run.arm, run.variant) == ("off", "width-3"), one_bit, at=1),
    ),
    broken(
        "a block moves what it takes as the reference",
        "cache-threads",
        "axis-reference-moved",
        runs("cache-threads", lambda run: (run.arm, run.variant) == ("on", "width-1"), one_bit, at=1),
    ),
    unknown(
        "the block below was not run at a width",
        "cache-threads",
        "session-incomplete",
        seen("cache-threads", LogitsObservation, lambda all_: replace(all_, runs=all_.runs[1:]), at=1),
    ),
    unknown(
        "a width was not run",
        "widths",
        "session-incomplete",
        seen("widths", LogitsObservation, lambda all_: replace(all_, runs=all_.runs[:-1])),
    ),
    broken(
        "the second process gives other logits",
        "repeats",
        "run-differs",
        runs("repeats", lambda run: run.variant == "run-2", one_bit),
    ),
    broken("repeats of no prompt", "repeats", "no-cases", regated("repeats", prompts=("",))),
    broken("a state is not taken back", "states", "state-refused", states("own", refused="it took 0 bytes")),
    broken("a state is empty", "states", "state-empty", states("whole", size=0)),
    broken("a restored state is another one", "states", "state-not-repeatable", states("own", again="f" * 64)),
    broken(
        "a restored state goes on otherwise by one bit",
        "states",
        "state-continues-otherwise",
        states("shared", differ=1, first=0, difference=0.0),
    ),
    broken(
        "moved cells give quite other logits",
        "states",
        "state-continues-otherwise",
        states("shared-holes", difference=0.4),
    ),
    broken(
        "a restored state goes on with no numbers",
        "states",
        "state-continues-otherwise",
        states("shared-holes", difference=-1.0),
    ),
    unknown(
        "a scenario was not run",
        "states",
        "session-incomplete",
        seen(
            "states",
            StateObservation,
            lambda all_: replace(all_, arms=tuple(replace(arm, outcomes=arm.outcomes[:3]) for arm in all_.arms)),
        ),
    ),
    broken("the peak is too large", "memory", "memory-over-upstream", sizes(peak_kib=60_000)),
    broken("a state is larger than upstream's", "memory", "memory-over-upstream", sizes(sequence_bytes=25_445)),
    broken("the cache is larger than upstream's", "memory", "memory-over-upstream", sizes(cache_bytes=300_000)),
    broken(
        "contexts are not given back",
        "memory",
        "memory-not-given-back",
        sizes(resident_kib=tuple(38_000 + 500 * cycle for cycle in range(6))),
    ),
    broken("the peak is over its own bound", "memory", "memory-over-budget", regated("memory", peak_max_kib=39_000)),
    unknown("nothing was weighed", "memory", "session-incomplete", sizes(sequence_bytes=0)),
    broken(
        "an operation gives another result",
        "operations",
        "operation-differs",
        traced(differ=1, first=(KQV,)),
    ),
    broken(
        "an operation cannot be compared by numbers",
        "operations",
        "operation-differs",
        traced(differ=1, first=(replace(KQV, relative=-1.0, maximum=-1.0),)),
    ),
    broken("the graph is another one", "operations", "graph-differs", traced(lacking=("tip: extra ADD",))),
    unknown("no operation was seen", "operations", "session-incomplete", traced(compared=0)),
    unknown(
        "an arm computed nothing",
        "operations",
        "session-incomplete",
        seen(
            "operations",
            TraceObservation,
            lambda all_: replace(all_, arms=tuple(map(without_operations, all_.arms))),
        ),
    ),
)
