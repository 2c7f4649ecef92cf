"""Where every mistake in the declared files is collected, so that one run tells all of them.

Readers add what they find and go on with a stand-in value; `read_release` raises once at the end. Stand-ins never
leave it, since a single mistake is enough to raise.
"""

import difflib
from collections.abc import Iterable

from verify.model.diagnostic import Diagnostic, InputFault, Place

_MOST_TOLD = 500
_MOST_KEPT = 10_000
_LONGEST_GUESSED = 120
_MOST_LISTED = 12


class Mistakes:
    """Diagnostics found so far, in any order."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []
        self._count = 0

    def add(self, code: str, message: str, place: Place, *, notes: tuple[str, ...] = (), step: str = "") -> None:
        """Record one mistake; a file made of nothing else is not told in full."""
        self._count += 1
        if self._count > _MOST_KEPT:
            return
        self._found.append(Diagnostic(code=code, message=message, place=place, notes=notes, help=step))

    def take(self, found: Iterable[Diagnostic]) -> None:
        """Record what another reader found."""
        before = len(self._found)
        self._found.extend(found)
        self._count += len(self._found) - before

    def __len__(self) -> int:
        return self._count

    def raise_if_any(self) -> None:
        """Raise one fault with every mistake, by file, line and column; files in the order they were complained of."""
        if not self._found:
            return
        files = {file: rank for rank, file in enumerate(dict.fromkeys(_file(found) for found in self._found))}
        ranked = sorted(self._found, key=lambda found: (files[_file(found)], *_line_and_column(found)))
        told = ranked[:_MOST_TOLD]
        if self._count > len(told):
            told.append(
                Diagnostic(
                    code="too-many-mistakes",
                    message=f"{self._count - len(told)} more mistakes are not shown",
                    help="correct those above and run again",
                )
            )
        raise InputFault(*told)


def guess(met: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant."""
    if len(met) > _LONGEST_GUESSED:
        return None
    words = list(known)
    folded = {word.casefold().replace("_", "-"): word for word in words}
    same = folded.get(met.casefold().replace("_", "-"))
    if same is not None:
        return same
    close = difflib.get_close_matches(met, words, n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(met: str, known: Iterable[str]) -> str:
    """A help line that names the word that was probably meant; empty when none is near."""
    near = guess(met, known)
    return f"did you mean `{near}`?" if near is not None else ""


def listed(what: str, known: Iterable[str]) -> tuple[str, ...]:
    """A note that lists what there is, when that is short enough to read."""
    words = list(known)
    if not words:
        return (f"{what}: none",)
    if len(words) > _MOST_LISTED:
        return (f"{what}: {', '.join(words[:_MOST_LISTED])} and {len(words) - _MOST_LISTED} more",)
    return (f"{what}: {', '.join(words)}",)


def _file(found: Diagnostic) -> str:
    return found.place.file if found.place else ""


def _line_and_column(found: Diagnostic) -> tuple[int, int]:
    if found.place is None:
        return (0, 0)
    return (found.place.line or 0, found.place.column or 0)
