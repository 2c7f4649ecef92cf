"""A gate on the engine's own tests is told what its runner would pass over in silence."""

from typing import Any

import pytest

from verify.gates.test_set import Params
from verify.model.ids import ConfigName
from verify.model.test_set import Runner


@pytest.mark.parametrize(
    ("runner", "given", "told"),
    [
        (Runner.CTEST, {"operators": ("ADD",)}, "does not use `operators`"),
        (Runner.BACKEND_OPS, {"operators": ("ADD",), "exclude": ("ADD: slow",)}, "does not use `exclude`"),
        (Runner.BACKEND_OPS, {}, "needs `operators`"),
        (Runner.JUNIT, {"program": "unit", "arguments": ("--xml",)}, "needs a `program`, and `arguments` with"),
        (Runner.CTEST, {"model_at": ("models/x.gguf",)}, "go together"),
        (Runner.CTEST, {"model": "tiny", "model_at": ("../x.gguf",)}, "is no place inside"),
        (Runner.CTEST, {"exclude": ("slow",)}, "left out without a reason"),
    ],
)
def test_a_choice_that_the_runner_cannot_make_is_refused(runner: Runner, given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Params(runner=runner, configuration=ConfigName("release"), minimum=1, **given)
