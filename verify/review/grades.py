"""How much of a review carries over: one grade a fold, with a certificate that a machine can check. Pure.

Takes the change as it was reviewed and as it stands now, paired by declared id and never by likeness. Bytes, modes,
binary contents and order count (hazards E1, E2). Nothing is concluded from what could not be read.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from verify.model.ids import RepoPath, TreeId, show_path
from verify.model.outline import Outline
from verify.model.patch import Action, FileChange
from verify.model.release import LockedFile
from verify.model.review import Certificate, FileFact, Grade, UnitFact
from verify.review.identity import Change
from verify.review.runs import Run, runs_of
from verify.review.symbols import Redefined, redefined, used_on
from verify.review.units import Unit, Unread, units_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing that keeps the grade down: the file, its line now (0: none), and why.

    `delta` is what is to be read beside the change, as lines of a diff: the text around it, or behind a name.
    """

    path: RepoPath
    line: int
    why: str
    symbol: Redefined | None = None
    delta: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A grade with its certificate, and everything that kept it from a better one."""

    grade: Grade
    certificate: Certificate
    reasons: tuple[Reason, ...]


Remerge = Callable[[], TreeId | None]


def grade(reviewed: Change, present: Change, *, differing: Iterable[RepoPath], remerge: Remerge) -> Graded:
    """The grade of a change against its review.

    `differing` are the paths that differ between the trees that both met; `remerge` lays the reviewed change on the
    tree that the present one met, by context and by three-way merge, and gives the tree or None for a conflict.
    """
    worker = _Worker(reviewed, present, tuple(differing), remerge)
    code = worker.code()
    words = reviewed.id.message != present.id.message
    carries = code in (Grade.SAME_TREE, Grade.SAME_BLOBS, Grade.SAME_FUNCTIONS)
    made = Grade.MESSAGE_ONLY if words and carries else code
    return Graded(grade=made, certificate=worker.certificate(made), reasons=tuple(worker.reasons))


class _Worker:
    def __init__(self, reviewed: Change, present: Change, differing: tuple[RepoPath, ...], remerge: Remerge) -> None:
        self.reviewed, self.present = reviewed, present
        self.differing = differing
        self.remerge = remerge
        self.reasons: list[Reason] = []
        self.facts: list[FileFact] = []
        self.names: frozenset[bytes] = frozenset()
        self.merged = ""

    def certificate(self, made: Grade) -> Certificate:
        return Certificate(
            grade=made,
            reviewed=self.reviewed.id,
            present=self.present.id,
            files=tuple(self.facts),
            remerged=self.merged,
            names=tuple(sorted(name.decode("utf-8", "backslashreplace") for name in self.names)),
            differing=len(self.differing),
        )

    def code(self) -> Grade:
        old, new = self.reviewed, self.present
        if (old.id.before, old.id.after) == (new.id.before, new.id.after):
            return Grade.SAME_TREE
        same_files = _sides(old.files) == _sides(new.files)
        if not same_files and old.id.identity != new.id.identity:
            self.reasons.append(Reason(path=_first_path(new, old), line=0, why="the change itself is another one"))
            return Grade.CHANGED
        if not same_files:
            self._files()
        self._symbols()
        if same_files:
            self.facts = [FileFact(path=show_path(each.path), same=True, units=()) for each in new.files]
            return Grade.MOVED if self.reasons else Grade.SAME_BLOBS
        if not self.reasons:
            merged = self.remerge()
            self.merged = merged or ""
            if merged != new.id.after:
                why = "a three-way merge of the reviewed change gives " + (
                    "a conflict" if merged is None else "another tree"
                )
                self.reasons.append(Reason(path=_first_path(new, old), line=0, why=why))
        return Grade.MOVED if self.reasons else Grade.SAME_FUNCTIONS

    def _symbols(self) -> None:
        changes = (*self.reviewed.patch.files, *self.present.patch.files)
        touched = {each.path for each in (*self.reviewed.files, *self.present.files)}
        lines = (text for change in changes for hunk in change.hunks for _, text in hunk.lines)
        used = used_on(lines, sorted(touched))
        self.names = used.names
        both = sorted({*self.differing, *touched})
        found: dict[bytes, Redefined] = {}
        for old, new in (
            (self.reviewed.before, self.present.before),
            (self.reviewed.after, self.present.after),
        ):
            found |= {each.name: each for each in redefined(used, old, new, both) if each.name not in found}
        for each in found.values():
            told = (*each.new, *each.old)
            name = each.name.decode("utf-8", "backslashreplace")
            why = f"`{name}` is {_how(each)}"
            delta = diff_lines(b"\n".join(was.text for was in each.old), b"\n".join(now.text for now in each.new))
            line = told[0].line if each.new else 0
            self.reasons.append(Reason(path=told[0].path, line=line, why=why, symbol=each, delta=delta))

    def _files(self) -> None:
        old_sides, new_sides = _sides(self.reviewed.files), _sides(self.present.files)
        old_changes = {_path(change): change for change in self.reviewed.patch.files}
        for change in self.present.patch.files:
            path = _path(change)
            paths = {each for each in (change.old_path, change.new_path) if each is not None}
            if all(old_sides.get(each) == new_sides.get(each) for each in paths):
                self.facts.append(FileFact(path=show_path(path), same=True, units=()))
                continue
            was = old_changes[path]
            self.facts.append(FileFact(path=show_path(path), same=False, units=tuple(self._units(was, change))))

    def _units(self, was: FileChange, change: FileChange) -> Iterator[UnitFact]:
        path = _path(change)
        if change.action is not Action.MODIFY or change.binary is not None or not change.hunks:
            why = "the file is another one than it was, and the change moves it, removes it or sets its mode"
            self.reasons.append(Reason(path=path, line=0, why=why))
            return
        modes = [_modes(each.files, path) for each in (self.reviewed, self.present)]
        if modes[0] != modes[1]:
            self.reasons.append(Reason(path=path, line=0, why="the file's mode is another one"))
            return
        outlines = {
            side: (sources.outline(path), sources.content(path) or b"")
            for side, sources in (
                ("old before", self.reviewed.before),
                ("old after", self.reviewed.after),
                ("new before", self.present.before),
                ("new after", self.present.after),
            )
        }
        for before, after in zip(runs_of(was), runs_of(change), strict=True):
            fact = self._unit(path, before, after, outlines)
            if fact is not None:
                yield fact

    def _unit(
        self, path: RepoPath, was: Run, run: Run, outlines: dict[str, tuple[Outline | None, bytes]]
    ) -> UnitFact | None:
        sides: list[tuple[Unit, ...]] = []
        for side, lines, of in (
            ("old before", was.old, was),
            ("new before", run.old, run),
            ("old after", was.new, was),
            ("new after", run.new, run),
        ):
            outline, text = outlines[side]
            found = units_of(outline, path, text, lines, (*of.above[-3:], *of.below[:3]))
            if isinstance(found, Unread):
                why = f"the grammar lost its way around it, at line {found.line} of the {side.split()[0]} text"
                self.reasons.append(Reason(path=path, line=run.new[0], why=why))
                return None
            sides.append(found)
        befores, afters = ("old before", "new before"), ("old after", "new after")
        for old, new, at in ((sides[0], sides[1], befores), (sides[2], sides[3], afters)):
            if tuple(map(_same, old)) != tuple(map(_same, new)):
                texts = [_texts(each, outlines[side][1]) for each, side in ((old, at[0]), (new, at[1]))]
                known = {each.delta for each in self.reasons}
                delta = diff_lines(*texts)
                if not delta or delta not in known:  # one function around several runs is read once
                    self.reasons.append(Reason(path=path, line=run.new[0], why=_unlike(old, new), delta=delta))
                return None
        names = dict.fromkeys(unit.name.decode("utf-8", "backslashreplace") for unit in (*sides[0], *sides[2]))
        return UnitFact(
            name=", ".join(name for name in names if name) or "outside of functions",
            before=tuple(unit.text for unit in sides[1]),
            after=tuple(unit.text for unit in sides[3]),
        )


def _same(unit: Unit) -> tuple[object, ...]:
    return unit.name, unit.within, unit.text, unit.line, unit.twin, unit.twins


def _unlike(old: tuple[Unit, ...], new: tuple[Unit, ...]) -> str:
    names = [unit.name.decode("utf-8", "backslashreplace") for unit in (*old, *new) if unit.name]
    if not names:
        return "the lines around it are other ones"
    if [unit.name for unit in old] != [unit.name for unit in new]:
        was = ", ".join(unit.name.decode("utf-8", "backslashreplace") or "no function" for unit in old)
        now = ", ".join(unit.name.decode("utf-8", "backslashreplace") or "no function" for unit in new)
        return f"it stood in {was}, and stands in {now}"
    return f"`{names[0]}` around it is another text"


def _texts(units: tuple[Unit, ...], text: bytes) -> bytes:
    return b"\n".join(text[unit.span.start : unit.span.end] for unit in units)


def diff_lines(old: bytes, new: bytes) -> tuple[bytes, ...]:
    """What differs between two texts, as the lines of a diff with three lines of context, without its heads."""
    made = difflib.diff_bytes(difflib.unified_diff, old.splitlines(), new.splitlines(), n=3, lineterm=b"")
    return tuple(made)[2:]


def _how(each: Redefined) -> str:
    if not each.old:
        return "defined once more"
    return "defined otherwise" if each.new else "no longer defined as it was"


def _sides(files: Iterable[LockedFile]) -> dict[RepoPath, tuple[object, object]]:
    return {each.path: (each.before, each.after) for each in files}


def _modes(files: Iterable[LockedFile], path: RepoPath) -> tuple[object, object] | None:
    found = next((each for each in files if each.path == path), None)
    if found is None:
        return None
    return (found.before and found.before.mode, found.after and found.after.mode)


def _path(change: FileChange) -> RepoPath:
    return change.new_path or change.old_path or RepoPath(b"")


def _first_path(*changes: Change) -> RepoPath:
    return next((each.path for change in changes for each in change.files), RepoPath(b""))
