"""What each diagnostic code means: the areas' catalogues as one, and `explain`.

An area is a module beside this one with `EXPLANATIONS` (code to two to five sentences: what it means, why it
matters, what to do). Areas are imported late, since only `stackproof explain` reads them.
"""

import difflib
from collections.abc import Mapping
from importlib import import_module

from verify.model.diagnostic import Diagnostic, InputFault

AREAS = (
    "manifest", "core", "exchange", "base", "git", "edit", "fold", "compile", "probe", "judge", "cli", "seal",
    "publish", "write", "who", "bump", "review", "scenarios", "own_tests", "programs", "sandbox", "evidence", "library",
    "numbers", "overlay",
)  # fmt: skip


def explanations() -> Mapping[str, str]:
    """Every code with its explanation, sorted by code."""
    found: dict[str, str] = {}
    for area in AREAS:
        entries: dict[str, str] = import_module(f"verify.explain.{area}").EXPLANATIONS
        twice = found.keys() & entries.keys()
        if twice:
            raise ValueError(f"explained by two areas: {', '.join(sorted(twice))}")
        found.update(entries)
    return dict(sorted(found.items()))


def explain(code: str) -> str:
    """What a code means; raises `InputFault` for a code that there is not."""
    known = explanations()
    text = known.get(code.strip())
    if text is not None:
        return text
    near = difflib.get_close_matches(code[:100], known, n=3, cutoff=0.5)
    raise InputFault(
        Diagnostic(
            code="unknown-code",
            message=f"there is no diagnostic code `{code[:100]}`",
            notes=(f"close to it: {', '.join(near)}",) if near else (),
            help=f"stackproof explain {near[0]}" if near else "a code stands in brackets, as in error[patch-missing]",
        )
    )
