"""A git merge of two branches of a project: its conflicts in our files settled, and our merge driver set up."""

from collections.abc import Callable
from pathlib import Path

from builder.edit.history import HISTORY_FILE
from builder.edit.merging import Merged, Sides, both_changed, merge_file
from builder.revision import ProjectGit, file_at, project_git
from builder.write import project_lock, write_file, write_files
from verify.manifest.lock import LOCK_FILE
from verify.manifest.release import RELEASE_FILE
from verify.model.diagnostic import Diagnostic, InputFault

SETTLED = (RELEASE_FILE, LOCK_FILE, HISTORY_FILE)
ATTRIBUTES = (
    "/release.json merge=stackproof",
    "/blocks/lock.json merge=stackproof",
    "/blocks/history.json merge=stackproof",
    "/blocks/*/block.yaml merge=stackproof",
    "/blocks/*/folds/*/fold.patch merge=stackproof -text",
    "/blocks/*/folds/*/source.patch merge=stackproof -text",
)
DRIVER = "stackproof merge-driver %O %A %B %P"


def settle_merge(root: Path, *, tell: Callable[[str], None]) -> tuple[str, ...]:
    """Merge our files of a merge in progress and write them; `InputFault` names what is left by block."""
    home = project_git(root)
    open_files = unmerged(home)
    ours = [name for name in open_files if name in SETTLED or name.endswith("/block.yaml")]
    others = [name for name in open_files if name not in ours]
    found = {name: merge_file(name, _stages(home, name)) for name in ours}
    conflicts = [conflict for merged in found.values() for conflict in merged.conflicts]
    conflicts += (both_changed(name) for name in others)
    if conflicts:
        raise InputFault(*conflicts)
    if found:
        with project_lock(root, tell=tell):
            write_files(root, {name: merged.data for name, merged in found.items()})
    return tuple(found)


def unmerged(home: ProjectGit) -> tuple[str, ...]:
    """The project's files that git left in conflict."""
    listed = home.git.run("ls-files", "-u", "-z", "--full-name").split(b"\0")
    names = [line.partition(b"\t")[2].decode("utf-8", "surrogateescape") for line in listed if line]
    own = [name.removeprefix(home.prefix) for name in names if name.startswith(home.prefix)]
    return tuple(dict.fromkeys(name for name in own if name == RELEASE_FILE or name.startswith("blocks/")))


def merge_by_driver(base: Path, ours: Path, theirs: Path, name: str) -> Merged:
    """What git's driver does: merge `theirs` into the file `ours`; `name` is the path in the repository."""
    sides = Sides(base=_bytes(base), ours=_bytes(ours), theirs=_bytes(theirs))
    merged = merge_file(_within_project(name), sides)
    if not merged.conflicts:
        write_file(ours, merged.data)
    return merged


def install_driver(root: Path) -> tuple[str, ...]:
    """Name our driver in the repository's configuration and in the project's .gitattributes; gives what was done."""
    home = project_git(root)
    home.git.run("config", "merge.stackproof.name", "stackproof: release.json, blocks, lock, history")
    home.git.run("config", "merge.stackproof.driver", DRIVER)
    file = root / ".gitattributes"
    text = file.read_text("utf-8") if file.exists() else ""
    missing = [line for line in ATTRIBUTES if line not in text.splitlines()]
    if missing:
        head = text if not text or text.endswith("\n") else f"{text}\n"
        write_file(file, (head + "".join(f"{line}\n" for line in missing)).encode())
    return ("merge.stackproof.driver in the repository's configuration", *missing)


def _stages(home: ProjectGit, name: str) -> Sides:
    base, ours, theirs = (file_at(home, f":{stage}", name) for stage in (1, 2, 3))
    return Sides(base=base, ours=ours, theirs=theirs)


def _within_project(name: str) -> str:
    """The name within its project, which may lie in a folder of the repository."""
    parts = name.split("/")
    if "blocks" in parts:
        return "/".join(parts[parts.index("blocks") :])
    return parts[-1]


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputFault(
            Diagnostic(
                code="merge-unreadable",
                message=f"{path} cannot be read",
                notes=(error.strerror or "",),
                help="git mergetool --tool-help",
            )
        ) from error
