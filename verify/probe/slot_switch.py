"""Probe `slot-switch`: two conversations take turns, each turn a switch from one to the other.

No request names a slot: which one a conversation finds, and whether its state is still there or comes back from the
cache of prompts, is the server's own choice.
"""

from dataclasses import replace

from verify.model.observation import Answer, RunObservation
from verify.model.slot_switch import SlotSwitchSettings
from verify.probe.llama import Ask
from verify.probe.server import RunningServer
from verify.probe.session import Bench, Script, run_session

RECIPE = "1"
_ANY, _BOTH = -1, ("one", "other")


def run_slot_switch(bench: Bench, settings: SlotSwitchSettings) -> RunObservation:
    """Rounds as the settings say; the figure is what was computed until the first token of all turns behind the first.

    A turn asks for one token, which the slot does not hold afterwards: so the next one goes on from all of it.
    """

    def play(server: RunningServer, number: int) -> tuple[Answer, ...]:
        last = settings.turns + 1
        held: dict[str, tuple[int, ...]] = dict.fromkeys(_BOTH, ())
        answers: list[Answer] = []
        for turn in range(last + 1):
            for at, who in enumerate(_BOTH):
                stream = (number * (last + 1) + turn) * len(_BOTH) + at
                held[who] += settings.drawn.ids(stream, settings.fresh if turn else settings.history)
                ask = Ask(request=f"{who}-{turn}", prompt=held[who], tokens=1, slot=_ANY)
                if turn == last:
                    ask = replace(
                        ask,
                        request=f"{who}-end",
                        tokens=settings.generate,
                        probabilities=settings.probabilities,
                        streamed=False,
                    )
                answers.append(server.complete(ask, round_number=number))
        return tuple(answers)

    def switched(answers: tuple[Answer, ...]) -> float:
        return sum(each.first_token_cpu_seconds for each in answers[len(_BOTH) : -len(_BOTH)])

    return run_session(
        bench,
        Script(
            settings=settings.server,
            rounds=settings.rounds,
            marks=settings.marks,
            play=play,
            figures=lambda answers: (switched(answers),),
            options=(
                *("--cache-ram", str(settings.cache_mib)),
                *("--slot-prompt-similarity", str(settings.similarity)),
            ),
        ),
    )
