"""Probe `warm-behind-cold`: a conversation goes on in one slot while another reads a long prompt.

Slot 1 first reads the conversation's history. Then slot 0 is given the cold prompt and, when its first batch was
read, slot 1 the history with something new behind it: so the warm request always meets a cold one that is under way.
"""

import threading
from dataclasses import replace

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.observation import Answer, RunObservation
from verify.model.session import WarmBehindColdSettings
from verify.probe.llama import Ask
from verify.probe.server import RunningServer
from verify.probe.session import Bench, Script, run_session

RECIPE = "1"
_COLD, _WARM = 0, 1


def run_warm_behind_cold(bench: Bench, settings: WarmBehindColdSettings) -> RunObservation:
    """Rounds as the settings say; the figures are what was computed until each request's first token."""

    def play(server: RunningServer, number: int) -> tuple[Answer, ...]:
        history, fresh, long = (
            settings.drawn.ids(3 * number + part, count)
            for part, count in enumerate((settings.history, settings.warm, settings.cold))
        )
        begin = server.complete(Ask(request="history", prompt=history, tokens=1, slot=_WARM), round_number=number)
        ask = Ask(request="cold", prompt=long, tokens=settings.generate, slot=_COLD)
        beside = _Beside(server, ask, number)
        beside.start()
        beside.begun.wait(server.limits.answer_seconds)
        before, at_first = beside.batches, [0]

        def on_first() -> None:
            at_first[0] = beside.batches

        ask = Ask(request="warm", prompt=history + fresh, tokens=settings.generate, slot=_WARM)
        warm = server.complete(ask, round_number=number, on_first=on_first)
        return begin, beside.answer(), replace(warm, waited_batches=at_first[0] - before)

    return run_session(
        bench,
        Script(
            settings=settings.server,
            rounds=settings.rounds,
            marks=settings.marks,
            play=play,
            figures=lambda answers: tuple(answer.first_token_cpu_seconds for answer in answers[1:]),
        ),
    )


class _Beside(threading.Thread):
    """A completion in a thread of its own: how many batches of it were read, and an event for the first of them.

    The event is also set when the request ends without one, so that nobody waits for ever.
    """

    def __init__(self, server: RunningServer, ask: Ask, number: int) -> None:
        super().__init__(daemon=True)
        self.begun = threading.Event()
        self.batches = 0
        self._server, self._ask, self._number = server, ask, number
        self._answer: Answer | EnvironmentFault | None = None

    def run(self) -> None:
        """Send the request and keep what came of it."""
        try:
            self._answer = self._server.complete(self._ask, round_number=self._number, on_batch=self._on_batch)
        except EnvironmentFault as fault:
            self._answer = fault
        finally:
            self.begun.set()

    def _on_batch(self) -> None:
        self.batches += 1
        self.begun.set()

    def answer(self) -> Answer:
        """Wait for the end and give the answer or raise the fault."""
        self.join()
        if isinstance(self._answer, EnvironmentFault):
            raise self._answer
        if self._answer is None:
            raise EnvironmentFault(Diagnostic(code="answer-broken", message=f"`{self._ask.request}` gave nothing"))
        return self._answer
