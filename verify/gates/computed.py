"""What gates ask of the engine's library: sessions with everything pinned, and what makes one unusable.

Shared by the kinds that compare what the library computes; not a gate itself.
"""

from collections.abc import Iterable, Iterator, Sequence

from verify.gates.case import Case
from verify.gates.exercise import SEED
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, BuildNeed, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.library import LogitsObservation, LogitsRun, LogitsSettings, MemoryArm, Prompt, StateArm, TraceArm
from verify.model.session import Drawn, settings_of

BITWISE = 0.0
"""As a bound of differences: not one bit."""


def upstream_and_tip(case: Case, configuration: ConfigName) -> tuple[Arm, ...]:
    """Both arms, upstream at the same base first; none where the stack is stuck."""
    tip = case.tip_tree()
    if tip is None:
        return ()
    return tuple(
        Arm(name=name, build=BuildNeed(tree=tree, configuration=configuration))
        for name, tree in (("upstream", case.base_tree), ("tip", tip))
    )


def own_arm(case: Case, configuration: ConfigName) -> tuple[Arm, ...]:
    """The tip, which is what ships, for a block's gate as well; none where the stack is stuck."""
    tree = case.tip_tree()
    return () if tree is None else (Arm(name="tip", build=BuildNeed(tree=tree, configuration=configuration)),)


def stuck() -> tuple[Diagnostic]:
    """The reason where there is no arm to run."""
    return (Diagnostic(code="stack-stuck", message="there is no tip to run: the stack is stuck"),)


def texts(prompts: Iterable[str]) -> tuple[Prompt, ...]:
    """Prompts of texts, those that are blank left out."""
    return tuple(Prompt(name=f"prompt-{index}", text=text) for index, text in enumerate(prompts) if text.strip())


def drawn(count: int, stream: int = 0) -> Prompt:
    """A prompt of that many drawn tokens."""
    return Prompt(name=f"drawn-{stream}", ids=Drawn(seed=SEED).ids(stream, count))


def no_prompts() -> Finding:
    """A gate whose prompts are all blank."""
    return Diagnostic(
        code="no-cases",
        message="the gate has no prompt with any text, so it would compare nothing",
        help="give `prompts` at least one text",
    )


def logits_need(settings: LogitsSettings, model: ModelName, arms: tuple[Arm, ...]) -> ProbeNeed:
    """The need of a logits session."""
    return ProbeNeed(probe="logits", model=model, arms=arms, settings=settings_of(settings))


def unusable_arms(
    need: ProbeNeed, arms: Sequence[StateArm | MemoryArm | TraceArm | LogitsRun], case: Case
) -> tuple[Diagnostic, ...]:
    """Why a session that was measured cannot be used: it lacks an arm, or ran on other files than were built."""
    if tuple(dict.fromkeys(arm.arm for arm in arms)) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    asked = {arm.name: arm for arm in need.arms}
    reasons = (reason for arm in arms for reason in foreign_libraries(need, asked[arm.arm], arm.loaded, case))
    return tuple(dict.fromkeys(reasons))


def unusable_logits(
    need: ProbeNeed, settings: LogitsSettings, seen: LogitsObservation, case: Case
) -> tuple[Diagnostic, ...]:
    """Why a logits session cannot be used: an arm, a variant, a prompt or its rows are not there."""
    if reasons := unusable_arms(need, seen.runs, case):
        return reasons
    for arm in need.arms:
        for variant in settings.variants:
            run = seen.run(arm.name, variant.name)
            if run is None:
                return (session_incomplete(need, f"arm `{arm.name}` was not run with `{variant.name}`"),)
            if [each.prompt for each in run.prompts] != [each.name for each in settings.prompts]:
                return (session_incomplete(need, f"arm `{arm.name}` does not have the prompts that were asked for"),)
            reference = seen.runs[0]
            if [len(each.rows) for each in run.prompts] != [len(each.rows) for each in reference.prompts]:
                return (session_incomplete(need, f"arm `{arm.name}` has another number of rows"),)
    return ()


def degenerate_logits(run: LogitsRun) -> Iterator[Finding]:
    """Logits that prove nothing when they are equal: none, not finite, all alike within a row or from row to row."""
    for each in run.prompts:
        rows = each.rows
        why = ""
        if not rows:
            why = "there is none"
        elif any(not row.finite for row in rows):
            why = f"{sum(not row.finite for row in rows)} of {len(rows)} rows are not finite"
        elif any(row.spread == 0.0 for row in rows):
            why = "all tokens of a row have the same one"
        elif len(rows) > 1 and len({row.sha256 for row in rows}) == 1:
            why = "they are the same at every position"
        if why:
            yield Diagnostic(
                code="logits-degenerate",
                message=f"arm `{run.arm}`: the logits of `{each.prompt}` are degenerate: {why}",
                notes=(f"variant `{run.variant}`",),
            )


def rows_apart(
    run: LogitsRun, reference: LogitsRun, *, max_difference: float, same_top: float, start: int
) -> Iterator[tuple[str, ...]]:
    """Per prompt how its rows differ from the reference run's beyond the bounds: a sentence and notes to it.

    `start` is the position of the first row.
    """
    for mine, theirs in zip(run.prompts, reference.prompts, strict=True):
        pairs = list(zip(mine.rows, theirs.rows, strict=True))
        apart = [at for at, (one, two) in enumerate(pairs) if one.sha256 != two.sha256]
        shared = sum(one.top == two.top for one, two in pairs)
        largest = max((row.difference for row in mine.rows), default=0.0)
        tokens = mine.generated != theirs.generated
        within = largest <= max_difference and shared >= same_top * len(pairs) and not tokens
        if (not apart and not tokens) or (max_difference > BITWISE and within):
            continue
        first = start + apart[0] if apart else -1
        notes = (
            f"largest difference of a logit: {largest:.6g}"
            + (f", at most {max_difference:.6g} is declared" if max_difference > BITWISE else ", none is declared"),
            f"relative L2 there: {max((row.relative for row in mine.rows), default=0.0):.3g} at most",
            f"same most probable token: {shared} of {len(pairs)}",
            *((f"generated: {_ids(theirs.generated)} against {_ids(mine.generated)}",) if tokens else ()),
        )
        yield (
            f"{len(apart)} of {len(pairs)} rows of `{mine.prompt}` differ, the first at position {first}",
            *notes,
        )


def _ids(ids: tuple[int, ...]) -> str:
    return " ".join(map(str, ids[:12])) + (" …" if len(ids) > 12 else "")
