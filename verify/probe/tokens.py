"""Probe `tokens`: greedy completions of given prompts, one after the other, each from an empty slot."""

from verify.model.observation import Answer, RunObservation
from verify.model.session import Rounds, TokenSettings
from verify.probe.llama import Ask
from verify.probe.server import RunningServer
from verify.probe.session import Bench, Script, run_session

RECIPE = "1"


def run_tokens(bench: Bench, settings: TokenSettings) -> RunObservation:
    """One round: token ids do not vary at one setting, so a second would show nothing."""

    def play(server: RunningServer, number: int) -> tuple[Answer, ...]:
        return tuple(
            server.complete(
                Ask(
                    request=f"prompt-{index}",
                    prompt=prompt,
                    tokens=settings.tokens,
                    reuse=False,
                    probabilities=settings.probabilities,
                    seed=settings.seed,
                    streamed=False,
                ),
                round_number=number,
            )
            for index, prompt in enumerate(settings.prompts)
        )

    once = Rounds(least=1, most=1, precision=1.0)
    return run_session(
        bench,
        Script(settings=settings.server, rounds=once, marks=settings.marks, play=play, figures=lambda _: ()),
    )
