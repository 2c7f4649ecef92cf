"""Slot files: a slot that is saved and restored in a new server goes on as the live one does.

The engine's answer to a restore proves nothing: it may report success and then read the whole prompt again. So each
request is asked twice, of the live slot and of the restored one, and both must reuse as many tokens and give the same
ones. A file that is damaged or is no slot's must be refused, and the slot must be left as it was. With a `switch` the
arms are the build below the block, the block's own with the switch off (equal to below, file bytes included), and the
tip with it on. Without one they are upstream and the tip.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import answer_difference, moved_difference, unmet
from verify.gates.case import Case
from verify.gates.exercise import SEED, no_such_arm, own_arms, switch_arms
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, BuildNeed, Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import Answer
from verify.model.session import Drawn, ServerSettings, settings_of
from verify.model.slot_files import Damage, Refusal, SlotFilesArm, SlotFilesObservation, SlotFilesSettings
from verify.model.verdict import Failed, Outcome, Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """A restored slot may reuse `slack` tokens fewer than the live one.

    `keeps`: a slot whose restore is refused holds what it held before. `takes_older`: a file that the first arm saved
    loads on the last one. `moved_difference`: how far log-probabilities may lie apart where tokens and text are equal,
    since a memory that is restored may have its cells elsewhere, and sums are then taken in another order.
    `live_difference`: the same of live slots between the arms, since a block above may round otherwise.
    """

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    switch: str = field(default="", metadata={"refers": "switch"})
    slack: int = field(default=8, metadata={"min": 0, "max": 4096})
    moved_difference: float = field(default=0.0, metadata={"min": 0.0, "max": 1.0})
    live_difference: float = field(default=0.0, metadata={"min": 0.0, "max": 1.0})
    keeps: bool = True
    takes_older: bool = True
    prompt_tokens: int = field(default=600, metadata={"min": 16, "max": 131072})
    branch_tokens: int = field(default=500, metadata={"min": 1, "max": 131072})
    fresh_tokens: int = field(default=40, metadata={"min": 1, "max": 131072})
    generate: int = field(default=24, metadata={"min": 1, "max": 4096})
    probabilities: int = field(default=5, metadata={"min": 0, "max": 20})
    batch: int = field(default=128, metadata={"min": 8, "max": 4096})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session: below, off and on; or upstream and the tip."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """The last arm goes on from its file as from its slot, refuses what it must, and off is as below."""
    need = _need(params, case)
    if need is None:
        return unmet(_no_arms(params, case))
    if reasons := _unusable(need, case):
        return unmet(reasons)
    arms = case.seen(need, SlotFilesObservation).arms
    first, last = arms[0], arms[-1]
    findings = tuple(_complete(params, arms)) + tuple(_judged(params, last, older=len(arms) > 1))
    if params.switch:
        off = arms[1]
        findings += tuple(_equal(first, off)) + tuple(_same_text(params, off, last))
        if not findings and not any(_judged(params, off, older=False)):
            findings = (_without_effect(params),)
    else:
        findings += tuple(_same_text(params, first, last))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    reused = ", ".join(f"{each.request} {each.cached_tokens}" for each in last.resumed)
    return Passed(summary=f"tokens reused from the file: {reused}; {len(last.refusals)} bad files refused")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = _arms(params, case)
    if arms is None:
        return None
    room = params.prompt_tokens + params.fresh_tokens + 2 * params.generate + 64
    settings = SlotFilesSettings(
        server=ServerSettings(context=room, batch=params.batch, microbatch=min(params.batch, 512)),
        drawn=Drawn(seed=SEED),
        prompt=params.prompt_tokens,
        branch=min(params.branch_tokens, params.prompt_tokens),
        fresh=params.fresh_tokens,
        generate=params.generate,
        probabilities=params.probabilities,
        seed=SEED,
        damages=tuple(Damage),
        marks=(),
    )
    return ProbeNeed(probe="slot-files", model=params.model, arms=arms, settings=settings_of(settings))


def _arms(params: Params, case: Case) -> tuple[Arm, ...] | None:
    if not params.switch:
        tip = case.tip_tree()
        if tip is None:
            return None
        return tuple(
            Arm(name=name, build=BuildNeed(tree=tree, configuration=params.configuration))
            for name, tree in (("upstream", case.base_tree), ("tip", tip))
        )
    own = own_arms(case, params.switch, params.configuration)
    on_tip = switch_arms(case, params.switch, params.configuration)
    return None if own is None or on_tip is None else (*own[:2], on_tip[1])


def _no_arms(params: Params, case: Case) -> tuple[Diagnostic, ...]:
    if params.switch:
        return no_such_arm(case, params.switch)
    return (Diagnostic(code="stack-stuck", message="there is no tip to run: the stack is stuck"),)


def _unusable(need: ProbeNeed, case: Case) -> tuple[Diagnostic, ...]:
    """Why the session cannot be used; empty when it is there, whole, and ran on the builds it names."""
    if reasons := case.missing((need,)):
        return reasons
    seen = case.seen(need, SlotFilesObservation).arms
    if tuple(arm.arm for arm in seen) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    reasons = ()
    for asked, arm in zip(need.arms, seen, strict=True):
        if not arm.live or [each.request for each in arm.live] != [each.request for each in arm.resumed]:
            reasons += (session_incomplete(need, f"arm `{arm.arm}` does not have the same requests twice"),)
        reasons += foreign_libraries(need, asked, arm.loaded, case)
    return reasons


def _complete(params: Params, arms: tuple[SlotFilesArm, ...]) -> Iterator[Finding]:
    """Every answer is whole, and a live slot does reuse something: else there would be nothing to compare."""
    for arm in arms:
        for answer in (*arm.live, *arm.resumed):
            if answer.generated != params.generate or len(answer.ids) != params.generate:
                yield Diagnostic(
                    code="answer-cut-short",
                    message=f"arm `{arm.arm}`: `{answer.request}` gave {len(answer.ids)} of {params.generate} tokens",
                )
        for answer in arm.live:
            if answer.cached_tokens <= params.slack:
                yield Diagnostic(
                    code="scenario-without-effect",
                    message=f"arm `{arm.arm}`: even the live slot reuses {answer.cached_tokens} tokens "
                    f"for `{answer.request}`",
                    help="give the gate more `prompt_tokens`",
                )


def _judged(params: Params, arm: SlotFilesArm, *, older: bool) -> Iterator[Finding]:
    """What one arm does wrong by itself."""
    if not arm.save.done or not arm.restore.done or not arm.files or arm.restore.tokens != arm.save.tokens:
        yield Diagnostic(
            code="slot-not-restored",
            message=f"arm `{arm.arm}`: a slot of {arm.save.tokens} tokens did not come back from its file",
            notes=(f"save: {arm.save.said or 'done'}", f"restore: {arm.restore.said or 'done'}"),
        )
        return
    for live, resumed in zip(arm.live, arm.resumed, strict=True):
        if resumed.cached_tokens < live.cached_tokens - params.slack:
            yield _read_again(arm, live, resumed, f"`{live.request}` after the restore")
        yield from _differs(params, arm, live, resumed, f"`{live.request}` after the restore")
    if arm.saved_again != arm.files:
        yield Diagnostic(
            code="slot-file-differs",
            message=f"arm `{arm.arm}`: a restored slot that is saved again gives another file",
            notes=(f"first: {_shown(arm.files)}", f"again: {_shown(arm.saved_again)}"),
        )
    if {refusal.damage for refusal in arm.refusals} != set(Damage):
        yield Diagnostic(code="slot-damage-untried", message=f"arm `{arm.arm}`: not every damage was tried")
    for refusal in arm.refusals:
        yield from _refused(params, arm, refusal)
    if older and params.takes_older:
        yield from _older(params, arm)


def _refused(params: Params, arm: SlotFilesArm, refusal: Refusal) -> Iterator[Finding]:
    what = f"a slot file with damage `{refusal.damage}`" + (f" in `{refusal.suffix}`" if refusal.suffix else "")
    if refusal.broke or refusal.restore is None or refusal.after is None:
        yield Diagnostic(
            code="slot-file-breaks-engine",
            message=f"arm `{arm.arm}`: the engine breaks down over {what}",
            notes=(refusal.broke,),
        )
        return
    if refusal.restore.done:
        yield Diagnostic(
            code="slot-file-not-refused",
            message=f"arm `{arm.arm}`: {what} is taken as if nothing were wrong",
            notes=(f"{refusal.restore.tokens} tokens restored",),
        )
    again = arm.live[0]
    if params.keeps and refusal.after.cached_tokens < again.cached_tokens - params.slack:
        yield _read_again(arm, again, refusal.after, f"the slot's own prompt after {what} was refused")
    if params.keeps:
        yield from _differs(params, arm, again, refusal.after, f"the slot's own prompt after {what} was refused")


def _older(params: Params, arm: SlotFilesArm) -> Iterator[Finding]:
    if arm.older is None or not arm.older.done or not arm.from_older:
        yield Diagnostic(
            code="older-slot-file-refused",
            message=f"arm `{arm.arm}`: the file that the first arm saved does not load",
            notes=(arm.older.said if arm.older else "it was not tried",),
        )
        return
    if arm.from_older[0].ids != arm.live[0].ids:
        yield from _differs(
            params, arm, arm.live[0], arm.from_older[0], "the prompt after the first arm's file was restored"
        )


def _read_again(arm: SlotFilesArm, live: Answer, other: Answer, what: str) -> Finding:
    return Diagnostic(
        code="slot-read-again",
        message=f"arm `{arm.arm}`: {what}: {other.cached_tokens} of {other.prompt_tokens} tokens are reused",
        notes=(f"the live slot reuses {live.cached_tokens}",),
    )


def _differs(params: Params, arm: SlotFilesArm, live: Answer, other: Answer, what: str) -> Iterator[Finding]:
    far = moved_difference(live, other)
    if far is not None and far <= params.moved_difference:
        return
    if why := answer_difference(live, other):
        yield Diagnostic(
            code="slot-text-differs",
            message=f"arm `{arm.arm}`: {what}: other than from the live slot: {why[0]}",
            notes=(*why[1:], f"live: {live.text!r:.120}", f"here: {other.text!r:.120}"),
        )


def _equal(below: SlotFilesArm, off: SlotFilesArm) -> Iterator[Finding]:
    """With its switch off a block is not there: same files byte for byte, same answers, same refusals."""
    if below.files != off.files:
        yield _off_differs("its slot file is another", f"below: {_shown(below.files)}", f"off: {_shown(off.files)}")
    for one, two in zip((*below.live, *below.resumed), (*off.live, *off.resumed), strict=True):
        if one.cached_tokens != two.cached_tokens:
            yield _off_differs(f"`{one.request}` reuses {two.cached_tokens} tokens, below {one.cached_tokens}")
        elif why := answer_difference(one, two):
            yield _off_differs(f"`{one.request}`: {why[0]}", *why[1:])
    for was, now in zip(below.refusals, off.refusals, strict=False):
        if (_ended(was), was.damage) != (_ended(now), now.damage):
            yield _off_differs(f"damage `{was.damage}`: below {_ended(was)}, off {_ended(now)}")


def _ended(refusal: Refusal) -> str:
    return "breaks down" if refusal.restore is None else "taken" if refusal.restore.done else "refused"


def _off_differs(what: str, *notes: str) -> Finding:
    return Diagnostic(
        code="off-arm-differs", message=f"with the switch off the block is not the block below: {what}", notes=notes
    )


def _same_text(params: Params, reference: SlotFilesArm, other: SlotFilesArm) -> Iterator[Finding]:
    """Live slots never see a file, so their answers are the same on both arms."""
    for one, two in zip(reference.live, other.live, strict=True):
        far = moved_difference(one, two)
        if far is not None and far <= params.live_difference:
            continue
        if why := answer_difference(one, two):
            yield Diagnostic(
                code="on-arm-differs",
                message=f"`{one.request}` of the live slot differs between arms `{reference.arm}` and "
                f"`{other.arm}`: {why[0]}",
                notes=why[1:],
            )


def _without_effect(params: Params) -> Finding:
    return Diagnostic(
        code="scenario-without-effect",
        message=f"with switch `{params.switch}` off nothing is wrong either, so the scenario shows nothing",
        help="use a model on which the engine without the block reads the prompt again",
    )


def _shown(files: tuple[object, ...]) -> str:
    return ", ".join(str(each) for each in files) or "none"


KIND = Kind(
    name="slot-files",
    about="a slot saved to a file goes on in a new server as the live one does, and bad files are refused",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
