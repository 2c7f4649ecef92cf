"""What the probe of slot files sees of an engine that keeps its slots, and of ones that do not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probe.fake_engine import LIMITS, SYSTEM, arm, model_file
from verify.model.evidence import Arm, ProbeNeed
from verify.model.ids import ModelName
from verify.model.progress import Silent
from verify.model.session import Drawn, ServerSettings, settings_of
from verify.model.slot_files import Damage, SlotFilesArm, SlotFilesObservation, SlotFilesSettings
from verify.probe.engine import BuiltEngine
from verify.probe.run import run_probe

Seen = Callable[..., tuple[SlotFilesArm, ...]]


@pytest.fixture
def seen(engine: BuiltEngine, tmp_path: Path) -> Seen:
    def run(*arms: Arm, damages: tuple[Damage, ...] = ()) -> tuple[SlotFilesArm, ...]:
        settings = SlotFilesSettings(
            server=ServerSettings(context=512),
            drawn=Drawn(),
            prompt=20,
            branch=12,
            fresh=4,
            generate=5,
            probabilities=1,
            seed=1,
            damages=damages,
            marks=(),
        )
        observed = run_probe(
            need=ProbeNeed(probe="slot-files", model=ModelName("tiny"), arms=arms, settings=settings_of(settings)),
            builds={each.build: engine for each in arms},
            model=model_file(tmp_path),
            scratch=tmp_path / "scratch",
            progress=Silent(),
            limits=LIMITS,
            system=SYSTEM,
        )
        assert isinstance(observed, SlotFilesObservation)
        return observed.arms

    return run


def reused(arm: SlotFilesArm) -> list[tuple[str, int, int]]:
    return [
        (live.request, live.cached_tokens, resumed.cached_tokens)
        for live, resumed in zip(arm.live, arm.resumed, strict=True)
    ]


def test_a_slot_that_comes_back_reuses_what_the_live_one_does(seen: Seen) -> None:
    (only,) = seen(arm("only"))
    assert reused(only) == [("again", 19, 19), ("further", 25, 25), ("branch", 12, 12)]
    assert (only.save.tokens, only.restore.tokens, only.files) == (25, 25, only.saved_again)


def test_a_restore_that_is_only_reported_shows(seen: Seen) -> None:
    (only,) = seen(arm("only", FAKE="forgets"))
    assert only.restore.done
    assert [resumed for _, _, resumed in reused(only)] == [0, 0, 0]


def test_every_damage_is_refused_and_the_slot_goes_on(seen: Seen) -> None:
    (only,) = seen(arm("only"), damages=tuple(Damage))
    assert [(each.damage, each.restore and each.restore.done) for each in only.refusals] == [
        (damage, False) for damage in Damage
    ]
    assert {each.after.cached_tokens for each in only.refusals if each.after} == {19}


def test_a_slot_that_is_lost_over_a_bad_file_shows(seen: Seen) -> None:
    (only,) = seen(arm("only", FAKE="loses-its-slot"), damages=(Damage.HEAD,))
    assert [each.after.cached_tokens for each in only.refusals if each.after] == [0]


def test_a_file_that_is_taken_though_it_is_none_shows(seen: Seen) -> None:
    (only,) = seen(arm("only", FAKE="takes-any-file"), damages=(Damage.FOREIGN,))
    assert [each.restore and each.restore.done for each in only.refusals] == [True]


def test_an_engine_that_breaks_down_over_a_file_is_observed(seen: Seen) -> None:
    (only,) = seen(arm("only", FAKE="breaks-over-files"), damages=(Damage.TAIL, Damage.MISSING))
    (tail, missing) = only.refusals
    assert ("SIGABRT" in tail.broke, tail.after) == (True, None)
    assert (missing.broke, missing.restore and missing.restore.done) == ("", False)


def test_a_later_arm_reads_the_file_of_the_first(seen: Seen) -> None:
    first, second = seen(arm("below"), arm("on", FAKE_SALT="3"))
    assert first.older is None
    assert second.older is not None
    # the first arm's answer is not the second's, so only the prompt is held in common
    assert (second.older.done, [each.cached_tokens for each in second.from_older]) == (True, [19])


def test_files_of_a_save_are_known_by_digest(seen: Seen, tmp_path: Path) -> None:
    one, two = seen(arm("one"), arm("two", FAKE_SALT="3"))
    assert [file.suffix for file in one.files] == [""]
    assert one.files[0].sha256 != two.files[0].sha256
    assert list((tmp_path / "scratch").iterdir()) == []


def test_an_arm_that_breaks_down_beside_one_that_serves_is_at_fault(engine: BuiltEngine, seen: Seen) -> None:
    del engine
    with pytest.raises(Exception, match="arm-broken"):
        seen(arm("below"), arm("on", FAKE="dies"))
