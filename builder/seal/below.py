"""What a bundle carries of the releases that its own stands on, byte for byte as they declared it."""

from pathlib import Path

from builder.base_release import line_of
from builder.seal.declared import declared_files
from verify.bundle.layout import BASE_FOLDER, STACK
from verify.manifest.files import LOCK_LIMIT, Files
from verify.manifest.mistakes import Mistakes
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.release import Base, ReleaseSource


def carried_members(base: Base, root: Path) -> dict[str, bytes]:
    """Declared files and stack.json of each release of the line, by member; none for a base that is upstream itself."""
    if not isinstance(base.source, ReleaseSource):
        return {}
    members: dict[str, bytes] = {}
    prefix = ""
    for below in line_of(base.source, root):
        prefix += f"{BASE_FOLDER}/"
        members |= {prefix + name: data for name, data in declared_files(below.folder, below.release)}
        mistakes = Mistakes()
        stack = Files(below.folder, mistakes).read(STACK, limit=LOCK_LIMIT)
        mistakes.raise_if_any()
        if stack is None:
            raise InputFault(
                Diagnostic(
                    code="base-release-differs",
                    message=f"the bundle of release `{below.release.name}` has no {STACK}",
                    place=Place(file=str(below.folder)),
                    help="get that release's bundle again",
                )
            )
        members[prefix + STACK] = stack
    return members
