"""llama.cpp's server: its command line with every setting pinned, its requests, and what its answers mean.

The one place that knows this engine's options and JSON names; another engine is another module of this shape.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verify.model.observation import Answer, TokenChoice
from verify.model.session import ServerSettings
from verify.model.slot_files import SlotAction
from verify.probe.http import BrokenAnswer, Dial, Refused, ask_for_events


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One greedy completion: a text or token ids, how many tokens, in which slot, with what it holds or anew.

    A streamed answer has arrival times, and the server withholds the ids of tokens that end inside a character; an
    answer in one piece has all ids and no times.
    """

    request: str
    prompt: str | tuple[int, ...]
    tokens: int
    slot: int = 0
    reuse: bool = True
    probabilities: int = 0
    seed: int = 1
    streamed: bool = True


def server_options(settings: ServerSettings) -> tuple[str, ...]:
    """The options after program and model.

    Port 0 lets the system choose, so that nobody can take the port in between. The prompt cache in host memory, the
    choice of a slot by similarity and the fitting of sizes to the machine are off: each would let the outcome depend
    on what ran before or on how much memory is free.
    """
    options = ["--host", "127.0.0.1", "--port", "0"]
    options += ["-t", str(settings.threads), "-tb", str(settings.threads)]
    options += ["-c", str(settings.context), "-np", str(settings.slots)]
    options += ["-b", str(settings.batch), "-ub", str(settings.microbatch)]
    options += ["-fa", "on" if settings.flash_attention else "off"]
    options += ["--repack" if settings.repack else "--no-repack"]
    options += ["--kv-unified" if settings.unified else "--no-kv-unified"]
    options += ["-fit", "off", "--no-warmup", "--cache-ram", "0", "--slot-prompt-similarity", "0"]
    return (*options, "-lv", "4", "--log-colors", "off", "--no-log-prefix")


def complete(
    dial: Dial,
    ask: Ask,
    *,
    round_number: int,
    seconds: float,
    computed: Callable[[], float],
    on_batch: Callable[[], None] | None = None,
    on_first: Callable[[], None] | None = None,
) -> Answer:
    """Send a completion and gather its stream.

    `computed` tells the seconds that the server has computed so far; `on_batch` is called for each batch of the
    prompt that was read, `on_first` when the first token came.
    """
    sent, used = time.monotonic(), computed()
    gathered = _Gathered()
    for event in ask_for_events(dial, "/completion", _body(ask), seconds):
        progress = event.get("prompt_progress")
        if isinstance(progress, Mapping):
            if _number(progress, "processed") > _number(progress, "cache"):
                gathered.batches += 1
                if on_batch is not None:
                    on_batch()
            continue
        if gathered.take(event, time.monotonic() - sent, computed() - used) and on_first is not None:
            on_first()
        if gathered.ended:
            break
    return gathered.answer(ask, round_number, time.monotonic() - sent)


def slot_action(dial: Dial, action: str, *, slot: int, filename: str, seconds: float) -> SlotAction:
    """Tell the server to `save` a slot to a file in its folder of slots, or to `restore` it; a refusal is an answer."""
    try:
        (event,) = ask_for_events(dial, f"/slots/{slot}?action={action}", {"filename": filename}, seconds)
    except Refused as refused:
        return SlotAction(done=False, tokens=0, said=str(refused))
    return SlotAction(done=True, tokens=int(_number(event, "n_saved" if action == "save" else "n_restored")), said="")


def _body(ask: Ask) -> dict[str, object]:
    return {
        "prompt": ask.prompt if isinstance(ask.prompt, str) else list(ask.prompt),
        "id_slot": ask.slot,
        "n_predict": ask.tokens,
        "temperature": 0.0,
        "seed": ask.seed,
        "ignore_eos": True,
        "cache_prompt": ask.reuse,
        "n_probs": ask.probabilities,
        "stream": ask.streamed,
        "return_tokens": True,
        "return_progress": ask.streamed,
    }


class _Gathered:
    """The parts of one streamed answer."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.text = ""
        self.candidates: list[tuple[TokenChoice, ...]] = []
        self.batches = 0
        self.first = 0.0
        self.first_cpu = 0.0
        self.ended = False
        self.timings: Mapping[str, object] = {}

    def take(self, event: Mapping[str, object], seconds: float, computed: float) -> bool:
        """Add an event; whether it brought the first token."""
        ids = [_integer(part) for part in _listed(event, "tokens")]
        is_first = bool(ids) and not self.ids
        if is_first:
            self.first, self.first_cpu = seconds, computed
        self.ids += ids
        content = event.get("content", "")
        if not isinstance(content, str):
            raise BrokenAnswer(f"`content` is {content!r:.80}, expected text")
        self.text += content
        self.candidates += _candidates(event)
        self.ended = event.get("stop") is True
        timings = event.get("timings")
        if self.ended and isinstance(timings, Mapping):
            self.timings = timings
        return is_first

    def answer(self, ask: Ask, round_number: int, seconds: float) -> Answer:
        if not self.ended:
            raise BrokenAnswer(
                f"the answer to `{ask.request}` ended after {len(self.ids)} tokens without its last event"
            )
        # tokens that end inside a character have none, so there may be fewer
        if ask.probabilities and self.ids and not 0 < len(self.candidates) <= len(self.ids):
            raise BrokenAnswer(f"{len(self.candidates)} lists of probabilities came for {len(self.ids)} tokens")
        cached = int(_number(self.timings, "cache_n"))
        return Answer(
            request=ask.request,
            round=round_number,
            generated=int(_number(self.timings, "predicted_n")),
            ids=tuple(self.ids),
            text=self.text.encode("utf-8", "replace").decode("utf-8"),
            candidates=tuple(self.candidates),
            prompt_tokens=cached + int(_number(self.timings, "prompt_n")),
            cached_tokens=cached,
            batches=self.batches,
            waited_batches=0,
            first_token_seconds=round(self.first, 6) if ask.streamed else 0.0,
            first_token_cpu_seconds=round(self.first_cpu, 6) if ask.streamed else 0.0,
            prompt_seconds=round(_number(self.timings, "prompt_ms") / 1000, 6),
            seconds=round(seconds, 6),
        )


def _candidates(event: Mapping[str, object]) -> Iterator[tuple[TokenChoice, ...]]:
    for step in _listed(event, "completion_probabilities"):
        if not isinstance(step, Mapping):
            raise BrokenAnswer(f"probabilities are {step!r:.80}, expected an object")
        yield tuple(_choice(each) for each in _listed(step, "top_logprobs"))


def _choice(value: object) -> TokenChoice:
    if not isinstance(value, Mapping):
        raise BrokenAnswer(f"a candidate is {value!r:.80}, expected an object")
    return TokenChoice(id=int(_number(value, "id")), logprob=_number(value, "logprob"))


def _listed(event: Mapping[str, object], name: str) -> Sequence[object]:
    value = event.get(name, [])
    if not isinstance(value, list):
        raise BrokenAnswer(f"`{name}` is {value!r:.80}, expected a list")
    return value


def _integer(value: object) -> int:
    if type(value) is not int:
        raise BrokenAnswer(f"a token id is {value!r:.80}, expected a whole number")
    return value


def _number(event: Mapping[str, object], name: str) -> float:
    value = event.get(name)
    if type(value) not in (int, float):
        raise BrokenAnswer(f"`{name}` is {value!r:.80}, expected a number")
    assert isinstance(value, (int, float))
    return float(value)
