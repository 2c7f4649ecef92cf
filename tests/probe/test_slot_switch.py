"""What the probe of two conversations that take turns asks for, and what it sees."""

from tests.probe.conftest import Measure
from tests.probe.fake_engine import arm
from verify.model.evidence import ProbeNeed
from verify.model.ids import ModelName
from verify.model.session import Drawn, Rounds, ServerSettings, settings_of
from verify.model.slot_switch import SlotSwitchSettings


def need() -> ProbeNeed:
    settings = SlotSwitchSettings(
        server=ServerSettings(context=64, slots=2, unified=True),
        drawn=Drawn(seed=1),
        history=9,
        fresh=2,
        turns=2,
        generate=5,
        probabilities=0,
        cache_mib=7,
        similarity=0.1,
        rounds=Rounds(least=3, most=3, precision=1.0),
        marks=(),
    )
    return ProbeNeed(
        probe="slot-switch", model=ModelName("tiny"), arms=(arm("off"), arm("on")), settings=settings_of(settings)
    )


def test_conversations_take_turns_and_each_goes_on_from_its_own(measure: Measure) -> None:
    run = measure(need())
    first = [each for each in run.arms[0].answers if each.round == 0]
    assert [(each.request, each.prompt_tokens, len(each.ids)) for each in first] == [
        ("one-0", 9, 1),
        ("other-0", 9, 1),
        ("one-1", 11, 1),
        ("other-1", 11, 1),
        ("one-2", 13, 1),
        ("other-2", 13, 1),
        ("one-end", 15, 5),
        ("other-end", 15, 5),
    ]


def test_the_cache_of_prompts_is_on(measure: Measure) -> None:
    command = measure(need()).arms[0].command
    assert command[-4:] == ("--cache-ram", "7", "--slot-prompt-similarity", "0.1")
