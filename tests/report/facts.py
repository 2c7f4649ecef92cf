"""Facts of the good release, as `gather` would give them, for tests of what is made of them; nothing is read."""

from dataclasses import replace

from builder.report.facts import BuildFact, Facts, Foreign, MutantFact, Tools
from builder.weight import Weight
from tests.gates.good import AFTER_QUEUE, BASE, MODEL, QUEUE, RELEASE_CONFIG, good_case, oid
from verify.evidence import make_key
from verify.gates.case import Case
from verify.judge import rulings
from verify.model.block import NotTaken, Person, Refusal
from verify.model.deviation import Deviation, Trigger, Until
from verify.model.evidence import BuildNeed, Evidence
from verify.model.ids import CommitId, FoldId, GateName, Sha256
from verify.model.mutation import GateOnMutant, MutationObservation, Noticed
from verify.review.packet import Packet, PacketFold
from verify.review.standing import State

HOSTILE = "<script>alert(1)</script>\"'&\x00\u202e</style>--><img src=x onerror=alert(2)>{{ 7*7 }}"
"""What a text of a release may hold and a page may not."""


def facts_of(case: Case) -> Facts:
    """The case with everything that may stand beside it."""
    return Facts(
        case=case,
        base_commit=CommitId(oid("base commit")),
        results=rulings(case.release, case),
        builds=(build(case, "base"), build(case, "prefix queue"), replace(build(case, "queue alone"), built=None)),
        records=tuple(record(case, need) for need in case.builds if isinstance(need, BuildNeed)),
        mutants=(
            MutantFact(name="queue", block=QUEUE, observation=mutation(Noticed.BEHAVIOUR)),
            MutantFact(name="queue/rotate", block=QUEUE, observation=None),
        ),
        packet=Packet(
            folds=(
                PacketFold(
                    block=QUEUE,
                    fold=FoldId("rotate"),
                    subject="Rotate",
                    state=State.UNREVIEWED,
                    grade=None,
                    approved_by=(),
                    why="nobody has reviewed it",
                    files=(),
                    reasons=(),
                ),
            ),
            claims=(),
            conditions=(),
        ),
        tools=Tools(digest=Sha256("7" * 64), about="c++ 12, x86_64, cmake 4", parts={"cmake": "4.4.5"}),
        foreign=(Foreign(signer="ada", role="contributor", hardware="gpu", records=3, counts=False),),
        troubles=(),
    )


def good_facts() -> Facts:
    """Everything holds."""
    return facts_of(good_case())


def unmeasured_facts() -> Facts:
    """Nothing was built or run."""
    case = replace(good_case(), builds={}, probes={}, abi={})
    made = facts_of(case)
    mutants = tuple(replace(each, observation=None) for each in made.mutants)
    return replace(made, builds=tuple(replace(each, built=None) for each in made.builds), mutants=mutants)


def long_named_facts() -> Facts:
    """Nothing was measured, and gates have names that are longer than a phone is wide."""
    case = replace(good_case(), builds={}, probes={}, abi={})
    blocks = tuple(
        replace(
            block, gates=tuple(replace(each, name=GateName(f"{each.name}-{'and-so-on-' * 6}")) for each in block.gates)
        )
        for block in case.release.blocks
    )
    return facts_of(replace(case, release=replace(case.release, blocks=blocks)))


def hostile_facts(text: str = HOSTILE) -> Facts:
    """The good release with this text wherever people write text."""
    case = good_case()
    who = Person(name=text, email="a@b.c")
    blocks = tuple(
        replace(
            block,
            title=text,
            why=text,
            until=text,
            claims=(text,),
            switches=tuple(replace(switch, about=text) for switch in block.switches),
            folds=tuple(
                replace(fold, subject=text, author=who, source=text, reason=text, body=f"Tested-by: {text}")
                for fold in block.folds
            ),
            not_taken=(
                NotTaken(
                    id=FoldId("other"),
                    subject=text,
                    author=who,
                    date="",
                    source=text,
                    disposition=Refusal.DROPPED,
                    reason=text,
                    numbers=text,
                ),
            ),
        )
        for block in case.release.blocks
    )
    deviation = Deviation(
        number=1,
        gate=GateName("golden"),
        finding="golden-differs",
        names=(text,),
        reason=text,
        evidence=(text,),
        owner=who,
        since="2026-11-30",
        until=Until(trigger=Trigger.PASSES, value=""),
    )
    return facts_of(replace(case, release=replace(case.release, blocks=blocks, deviations=(deviation,), engine=text)))


def build(case: Case, title: str) -> BuildFact:
    """One proof."""
    base = title == "base"
    need = BuildNeed(tree=BASE if base else AFTER_QUEUE, configuration=RELEASE_CONFIG)
    weight = Weight(
        warnings=(),
        errors=(),
        objects=("queue.o",),
        object_bytes=-512,
        compile_seconds=2.5,
        binary_bytes=0,
        came=None,
        gone=None,
    )
    return BuildFact(
        title=title,
        block=None if base else QUEUE,
        need=need,
        built=case.builds.get(need),
        reasons=case.missing((need,)),
        below="" if base else "base",
        weight=None if base else weight,
    )


def record(case: Case, need: BuildNeed) -> Evidence:
    """The record of a build, under the key that the case has it by."""
    key = replace(make_key("build", {"tree": need.tree}), digest=case.builds[need].key)
    return Evidence(
        key=key, observation={}, made_by="local", made_on="Linux", made_at="2026-11-30T12:00:00Z", seconds=61.0
    )


def mutation(noticed: Noticed) -> MutationObservation:
    """A mutant that one gate was asked about."""
    asked = GateOnMutant(
        gate=GateName("queue-arm"),
        block=QUEUE,
        models=(MODEL,),
        outcome="failed",
        codes=("arm-without-effect",),
        evidence=(),
    )
    return MutationObservation(block=QUEUE, fold=None, also=(), noticed=noticed, why="", gates=(asked,), seconds=1.0)
