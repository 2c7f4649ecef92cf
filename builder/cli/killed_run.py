"""A run that was killed while it wrote the project: every command goes on with it before it reads anything."""

import sys
from pathlib import Path

from builder.journal import Recovered, is_interrupted


def go_on_with_killed_run(root: Path) -> None:
    """Finish or undo what lies half-written, and say so; a run that is writing just now is waited for."""
    if not is_interrupted(root):
        return
    from builder.write import project_lock

    with project_lock(root, tell=_tell) as found:
        if found is not Recovered.NOTHING:
            _tell(f"a run was killed while it wrote {root}; what it had begun is {found}")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
