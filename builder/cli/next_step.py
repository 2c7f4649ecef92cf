"""The step that follows an edit of the stack: pinning, where the release's name is still free for it."""

from pathlib import Path

from builder.edit.history import sealed_reference
from verify.model.ids import ReleaseName
from verify.model.release import Reference
from verify.model.stack import Stack


def next_step(root: Path, name: ReleaseName, stack: Stack, *, then: str = "") -> str:
    """What to run next on a project whose folds now give this stack; `then` is a command for after the pin."""
    derived = Reference(base_tree=stack.base_tree, tip_tree=stack.tip_tree(), tip_commit=stack.tip_commit())
    sealed = sealed_reference(root / "dist" / name)
    after = f", then {then}" if then else ""
    if sealed is None or sealed == derived:
        return f"next: stackproof pin{after}, or stackproof undo"
    return (
        f"next: `{name}` is sealed in dist/{name} with other content: set `name` in release.json to the next one and "
        f'`parent` to "{name}", then stackproof pin{after}; or, where nobody has that bundle, '
        f"stackproof pin --rebind; or stackproof undo"
    )
