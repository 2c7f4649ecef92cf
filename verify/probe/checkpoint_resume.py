"""Probe `checkpoint-resume`: one prompt is completed, then sent again several times.

Its end has left the memory of a sliding-window or recurrent model by then, so that each repetition goes on from a
checkpoint which the server saved on the way.
"""

from verify.model.observation import Answer, RunObservation
from verify.model.session import CheckpointResumeSettings
from verify.probe.llama import Ask
from verify.probe.server import RunningServer
from verify.probe.session import Bench, Script, run_session

RECIPE = "1"


def run_checkpoint_resume(bench: Bench, settings: CheckpointResumeSettings) -> RunObservation:
    """Rounds as the settings say; the figure is what was computed until the first tokens of all resumes together."""

    def play(server: RunningServer, number: int) -> tuple[Answer, ...]:
        prompt = settings.drawn.ids(number, settings.prompt)
        names = ("first", *(f"resume-{index}" for index in range(settings.resumes)))
        return tuple(
            server.complete(Ask(request=name, prompt=prompt, tokens=settings.generate), round_number=number)
            for name in names
        )

    return run_session(
        bench,
        Script(
            settings=settings.server,
            rounds=settings.rounds,
            marks=settings.marks,
            play=play,
            figures=lambda answers: (sum(answer.first_token_cpu_seconds for answer in answers[1:]),),
        ),
    )
