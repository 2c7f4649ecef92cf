"""The register of accepted deviations as text: printed from its values, with an entry more or one that is over.

Pure. The file is printed anew only when it stands as we print it; somebody's own comments and order would be lost
otherwise, so then the entry alone is given, to be put there by hand.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from verify.model.deviation import Deviation, EndedDeviation, Trigger, Until
from verify.model.ids import GateName

SCHEMA = "stackproof/deviations/1"
_FIELD = {Trigger.RELEASE: "release", Trigger.BASE: "tree", Trigger.UPSTREAM: "commit", Trigger.DATE: "day"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """Everything that the register holds."""

    accepted: tuple[Deviation, ...]
    ended: tuple[EndedDeviation, ...]

    def last(self) -> int:
        """The last number that was given; 0 for none."""
        numbers = [each.number for each in self.accepted] + [each.number for each in self.ended]
        return max(numbers, default=0)

    def accepting(self, deviation: Deviation) -> "Register":
        """The register with one more, under the next number."""
        return replace(self, accepted=(*self.accepted, replace(deviation, number=self.last() + 1)))

    def ending(self, number: int, why: str) -> "Register | None":
        """The register in which that one is over; None where it does not stand."""
        gate = next((each.gate for each in self.accepted if each.number == number), None)
        if gate is None:
            return None
        left = tuple(each for each in self.accepted if each.number != number)
        return Register(accepted=left, ended=(*self.ended, EndedDeviation(number=number, gate=gate, ended=why)))


def render_register(register: Register) -> str:
    """The whole file."""
    return "".join(
        (
            f"schema: {SCHEMA}\nlast: {register.last()}\naccepted:{'' if register.accepted else ' []'}\n",
            *(render_deviation(each) for each in register.accepted),
            f"ended:{'' if register.ended else ' []'}\n",
            *(_ended(each) for each in register.ended),
        )
    )


def render_deviation(deviation: Deviation) -> str:
    """One entry of `accepted`."""
    return (
        f"  - number: {deviation.number}\n"
        f"    gate: {deviation.gate}\n"
        f"    finding: {deviation.finding}\n"
        f"    names: {_list(deviation.names)}\n"
        f"    reason: {_text(deviation.reason)}\n"
        f"    evidence: {_list(deviation.evidence)}\n"
        f"    owner: {_text(f'{deviation.owner.name} <{deviation.owner.email}>')}\n"
        f'    since: "{deviation.since}"\n'
        f"    until: {_until(deviation.until)}\n"
    )


def parse_until(text: str, *, base_tree: str, upstream: str | None) -> Until | None:
    """`passes`, `base`, `upstream`, `release:NAME` or `date:YYYY-MM-DD` as people give it; None for anything else."""
    word, _, value = text.partition(":")
    match word:
        case "passes" if not value:
            return Until(trigger=Trigger.PASSES, value="")
        case "base" if not value:
            return Until(trigger=Trigger.BASE, value=base_tree)
        case "upstream" if not value and upstream is not None:
            return Until(trigger=Trigger.UPSTREAM, value=upstream)
        case "release" | "date" if value:
            return Until(trigger=Trigger(word), value=value)
        case _:
            return None


def _ended(each: EndedDeviation) -> str:
    return f"  - number: {each.number}\n    gate: {GateName(each.gate)}\n    ended: {_text(each.ended)}\n"


def _until(until: Until) -> str:
    field = _FIELD.get(until.trigger)
    return f"{{trigger: {until.trigger}" + (f', {field}: "{until.value}"}}' if field else "}")


def _text(text: str) -> str:
    # JSON's quoted text is YAML's, as long as nothing in it is spelled as half a character.
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Sequence[str] | Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"
