"""A command whose outcome would show nothing is refused when it is declared."""

from typing import Any

import pytest

from verify.gates.command import Params as Command
from verify.gates.config_dump import Params as ConfigDump
from verify.gates.exercise import Exercise
from verify.gates.log_invariant import Params as LogInvariant
from verify.model.ids import ConfigName, ModelName

CONFIGURATION, MODEL = ConfigName("release"), ModelName("tiny")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"command": ("llama-server", "--version")}, "an exit status alone shows little"),
        ({"command": ("/bin/true",), "same_output": True}, "is no program of the build"),
        ({"command": ("llama-server", "-m", "{model}"), "same_output": True}, "go together"),
        ({"command": ("llama-server",), "model": "tiny", "same_output": True}, "go together"),
        ({"command": ("llama-server",), "lines": ("usage",)}, "is no count of lines"),
        ({"command": ("llama-server",), "lines": ("1: (",)}, "is no count of lines"),
    ],
)
def test_a_command_that_would_show_nothing_is_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Command(configuration=CONFIGURATION, **given)


def test_a_feature_without_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="does not say what it must be"):
        ConfigDump(model=MODEL, configuration=CONFIGURATION, features=("CPU.AVX2",))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"exercise": Exercise.TOKENS}, "go together"),
        ({"exercise": Exercise.WARM_BEHIND_COLD, "prompts": ("one",)}, "go together"),
        ({"exercise": Exercise.WARM_BEHIND_COLD, "on_min": 2, "on_max": 1}, "is more than"),
    ],
)
def test_bounds_and_exercises_that_cannot_be_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        LogInvariant(line="rotated", model=MODEL, configuration=CONFIGURATION, **given)
