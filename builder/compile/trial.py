"""Tries a compiler: one tiny program is compiled, linked and run.

A compiler that answers every question and makes nothing, or programs that do not run, would let each build fail, or
worse, seem to go well. The trial is made once a process for each compiler, named by its command and its parts.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from builder.compile.ask import ask
from builder.disk import nearly_full
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.ids import Sha256

_ANSWER = "it compiles"
_PROGRAM = {
    "C": ("trial.c", f'#include <stdio.h>\nint main(void) {{ puts("{_ANSWER}"); return 0; }}\n'),
    "C++": ("trial.cpp", f'#include <cstdio>\nint main() {{ std::puts("{_ANSWER}"); }}\n'),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    language: str
    command: tuple[str, ...]
    parts: tuple[tuple[str, Sha256], ...]


_PASSED: set[_Tried] = set()


def try_compiler(
    language: str,
    command: tuple[str, ...],
    parts: tuple[tuple[str, Sha256], ...],
    *,
    path: tuple[str, ...],
    advice: str,
) -> None:
    """Raise `EnvironmentFault` where the compiler makes no program that runs."""
    tried = _Tried(language=language, command=command, parts=parts)
    if tried in _PASSED:
        return
    name, text = _PROGRAM[language]
    with tempfile.TemporaryDirectory(prefix="stackproof-trial-") as made:
        folder = Path(made).resolve()
        (folder / name).write_text(text)
        why = _trial(command, folder, name, path, advice)
        full = nearly_full([folder])
        if why and full is not None:
            raise EnvironmentFault(full)
    if why:
        raise EnvironmentFault(
            Diagnostic(
                code="compiler-broken",
                message=f"the {language} compiler makes no program that runs: `{' '.join(command)}`",
                notes=(why,),
                help=advice,
            )
        )
    _PASSED.add(tried)


def _trial(command: tuple[str, ...], folder: Path, name: str, path: tuple[str, ...], advice: str) -> str:
    """What went wrong, empty when nothing did."""
    program = folder / "trial"
    try:
        said = ask([*command, name, "-o", str(program)], path=path, advice=advice, folder=folder)
    except OSError as error:
        return str(error)
    if said.status != 0:
        return said.errors.strip()[-400:] or f"exit status {said.status}"
    if not program.is_file():
        return "it says that all went well, and there is no program"
    try:
        ran = ask([str(program)], path=path, advice=advice, folder=folder)
    except PermissionError:
        return ""  # programs may not be run from every temporary folder; that it was made has to do
    except OSError as error:
        return f"what it made cannot be run: {error}"
    if (ran.status, ran.text.strip()) != (0, _ANSWER):
        return f"what it made ends with status {ran.status} and says {ran.text.strip()[:80]!r}"
    return ""
