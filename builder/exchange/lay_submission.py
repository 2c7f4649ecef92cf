"""A submission on a tree: every section's file found, every hunk placed, and one canonical patch out of it.

Either every hunk is settled and the patch comes with the fate of each, or nothing of the submission is taken and
every reason is told. Where the tree still holds the very blob that a git header names, a hunk must stand exactly at
its line; where it holds another and the recorded one is to be had, hunks go two ways; else by dialect rule, one way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from builder.by_rule import place_by_rule
from builder.draft import Draft, Drafted, DraftFile, compose, literal, whole_file
from builder.exchange.targets import NoTarget, Target, stripped, target_of
from builder.layer import Laid, lay
from builder.placement import Fate, Placement, runs_of, with_runs
from builder.tree import Tree, file_state, is_submodule_text
from builder.two_ways import place_two_ways
from verify.diff.binary import BrokenPayload, apply_delta
from verify.diff.render import render_patch
from verify.diff.submission import Dialect, Section
from verify.model.diagnostic import Diagnostic, Place
from verify.model.ids import BlobId, RepoPath, show_path
from verify.model.patch import Hunk, Mode, Patch
from verify.model.release import LockedFile

Recorded = Callable[[BlobId], bytes | None]
RecordedAt = Callable[[RepoPath], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a submission is to be read: its dialect, folders to strip, whether to undo it, what empty files mean.

    `drop_empty` is the rule of `patch -E`, which dpkg-source runs: a file that a patch leaves empty is removed. With
    `take_present` what the tree has already counts as done; without it, it is a reason to stop.
    """

    dialect: Dialect
    strip: int = 1
    reverse: bool = False
    drop_empty: bool = True
    take_present: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HunkFate:
    """What became of one hunk of the submission.

    `reason` is empty when exactly one canonical hunk holds exactly this hunk's changes; else one of `joined` (one
    canonical hunk holds changes of several), `split` (several hold its changes), `empty` (it changes nothing),
    `already-there`, `superseded` (a later section takes its lines away again). `homes` are the canonical hunks, by path
    and number (from 1), that hold its changes.
    """

    path: RepoPath
    number: int
    source_line: int
    placement: Placement
    reason: str = ""
    homes: tuple[tuple[RepoPath, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionNote:
    """A section that did something other than its hunks say: skipped, left empty and removed, …."""

    path: RepoPath
    source_line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The submission as one canonical patch, laid on the tree."""

    patch: Patch
    text: bytes
    tree: Tree
    files: tuple[LockedFile, ...]
    fates: tuple[HunkFate, ...]
    notes: tuple[SectionNote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why nothing of the submission was taken: every hunk and file that did not settle."""

    findings: tuple[Diagnostic, ...]
    fates: tuple[HunkFate, ...]


def lay_submission(
    messages: Sequence[Sequence[Section]],
    tree: Tree,
    rules: Rules,
    *,
    file: str,
    recorded: Recorded | None = None,
    recorded_at: RecordedAt | None = None,
) -> Taken | Refused:
    """The sections of each message on the tree, in order.

    `recorded` finds a blob by a full or short id; `recorded_at` is the file at a path as the patch met it when it was
    made.
    """
    work = _Work(tree, rules, file, recorded, recorded_at)
    for sections in reversed(messages) if rules.reverse else messages:
        turned = [section.reversed() for section in reversed(sections)] if rules.reverse else sections
        work.start(turned)
        for section in turned:
            work.take(section)
        work.finish()
    if work.findings:
        return Refused(findings=tuple(work.findings), fates=tuple(work.fates))
    drafted = work.draft.finish()
    text = render_patch(drafted.patch)
    laid = lay(drafted.patch, tree, file=file, text=text)
    if not isinstance(laid, Laid):
        return Refused(findings=laid.findings, fates=tuple(work.fates))
    return Taken(
        patch=drafted.patch,
        text=text,
        tree=laid.tree,
        files=laid.files,
        fates=tuple(_mapped(work.fates, drafted)),
        notes=tuple(work.notes),
    )


def _mapped(fates: Sequence[HunkFate], drafted: Drafted) -> list[HunkFate]:
    """The fates with the canonical hunks that hold each hunk's changes."""
    homes: dict[int, list[tuple[RepoPath, int]]] = {}
    for (path, number), sources in drafted.sources.items():
        for source in sources:
            homes.setdefault(source, []).append((path, number))
    return [
        replace(
            fate,
            homes=tuple((path, number + 1) for path, number in homes.get(at, [])),
            reason=_reason(fate, homes.get(at, []), drafted),
        )
        for at, fate in enumerate(fates)
    ]


def _reason(fate: HunkFate, homes: Sequence[tuple[RepoPath, int]], drafted: Drafted) -> str:
    if not fate.placement.runs:
        return "already-there" if fate.placement.fate is Fate.ALREADY_THERE else "empty"
    if not homes:
        return "superseded"
    if len(homes) > 1:
        return "split"
    return "joined" if len(drafted.sources[homes[0]]) > 1 else ""


class _Work:
    """The draft while sections go on, and what there is to tell."""

    def __init__(
        self, tree: Tree, rules: Rules, file: str, recorded: Recorded | None, recorded_at: RecordedAt | None
    ) -> None:
        self.draft = Draft(tree)
        self.rules = rules
        self.file = file
        self.recorded = recorded
        self.recorded_at = recorded_at
        self.findings: list[Diagnostic] = []
        self.fates: list[HunkFate] = []
        self.notes: list[SectionNote] = []
        self.before_moves: dict[RepoPath, DraftFile | None] = {}
        self.uncopied: list[tuple[RepoPath, bytes, Section]] = []

    def start(self, sections: Sequence[Section]) -> None:
        """Begin a message: all moves of a git message refer to the files before it, so that names may be swapped."""
        self.before_moves = {}
        if self.rules.dialect is not Dialect.GIT:
            return
        for section in sections:
            target = target_of(section, self.draft, dialect=Dialect.GIT, strip=self.rules.strip)
            if isinstance(target, Target) and target.moves and target.old is not None:
                self.before_moves[target.old] = self.draft.get(target.old)
        for section in sections:
            if section.rename and (old := stripped(section.moved[0], max(self.rules.strip - 1, 0))) is not None:
                self.draft.remove(old)

    def finish(self) -> None:
        """End a message: a copy that was taken back must have been one of what its origin holds now."""
        for origin, content, section in self.uncopied:
            file = self.draft.get(origin)
            if file is None or file.content != content:
                text = f"the copy of `{show_path(origin)}` is not what the patch made, so it is not taken back"
                self._find("delete-incomplete", text, section.source_line)
        self.uncopied = []

    def take(self, section: Section) -> None:
        """One section on the draft."""
        if section.contentless:
            self._contentless(section)
            return
        target = target_of(section, self.draft, dialect=self.rules.dialect, strip=self.rules.strip)
        if isinstance(target, NoTarget):
            self._find(target.code, target.why, section.source_line)
            return
        file = self._start(section, target)
        if file is None:
            return
        if section.binary is not None:
            changed = self._binary(section, target, file)
        else:
            changed = self._text(section, target, file)
        if changed is not None:
            self._settle(section, target, changed)

    def _contentless(self, section: Section) -> None:
        if self.rules.dialect is Dialect.GIT:
            text = "the patch says that a binary file differs and does not carry its content"
            self._find("patch-binary-missing", text, section.source_line)
            return
        name = (section.header_names(self.rules.strip) or (b"", b""))[1]
        reason = "names a binary file without its content, which GNU patch skips"
        self.notes.append(SectionNote(path=RepoPath(name), source_line=section.source_line, reason=reason))

    def _start(self, section: Section, target: Target) -> DraftFile | None:
        """The file that the section changes."""
        if target.old is None:
            present = self.draft.get(target.new)
            if present is not None and (present.content or section.created):
                text = f"the patch creates `{show_path(target.new)}`, which is there already"
                same = _created_content(section) == present.content
                if same and self.rules.take_present:
                    self._note(target.new, section, "creates a file that is there already, with the same content")
                    return None
                notes = ["it holds exactly what the patch would create"] if same else []
                self._find("path-exists", text, section.source_line, *notes)
                return None
            return DraftFile(origin=None, base=b"", content=b"", mode=section.new_mode or Mode.FILE)
        file = self.before_moves.get(target.old) if target.moves else None
        file = file or self.draft.get(target.old)
        if file is None and section.deleted and not section.hunks and self._drops_empty():
            # The way back over a patch that made an empty file: by the same rule that file was never there.
            self._note(target.old, section, "deletes an empty file, which by the rule of `patch -E` is not there")
            return None
        if file is None and section.deleted and self.rules.take_present:
            self._note(target.old, section, "deletes a file that is gone already")
            return None
        if file is None and section.rename and self.rules.take_present and (moved := self.draft.get(target.new)):
            self._note(target.old, section, f"moves a file that is at `{show_path(target.new)}` already")
            return moved if section.new_mode is None else replace(moved, mode=section.new_mode)
        if file is None:
            self._find(
                "path-missing", f"the patch changes `{show_path(target.old)}`, which is not there", section.source_line
            )
            return None
        if target.moves and self.draft.exists(target.new):
            text = f"the patch moves a file to `{show_path(target.new)}`, which is there already"
            self._find("path-exists", text, section.source_line)
            return None
        if section.old_mode is not None and not self._is_same_mode(section, file):
            note = f"the patch expects mode {section.old_mode}, the tree has {file.mode}"
            self._find("path-mode", f"`{show_path(target.old)}` has another mode", section.source_line, note)
            return None
        if section.copy and self.recorded_at is not None and self.recorded_at(target.old) != file.content:
            self._note(target.old, section, "copies a file that changed since it was recorded")
        if section.new_mode is not None:
            file = replace(file, mode=section.new_mode)
        return file

    def _text(self, section: Section, target: Target, file: DraftFile) -> DraftFile | None:
        if not section.hunks:
            return file
        placements = self._place(section.hunks, section, file)
        first = len(self.fates)
        path = target.old or target.new
        for number, (hunk, placement) in enumerate(zip(section.hunks, placements, strict=True), start=1):
            fate = HunkFate(path=path, number=number, source_line=hunk.source_line, placement=placement)
            self.fates.append(fate)
            if not self._is_settled(placement):
                self._unplaced(fate)
        if not all(self._is_settled(placement) for placement in placements):
            return None
        marked = [
            replace(placement, runs=tuple(replace(run, sources=(first + at,)) for run in placement.runs))
            for at, placement in enumerate(placements)
        ]
        runs = runs_of(marked)
        content = with_runs(file.content, runs)
        if file.binary is not None:
            return replace(file, content=content, binary=literal(content))
        if file.origin is None:
            sources = tuple(dict.fromkeys(source for run in (*file.runs, *runs) for source in run.sources))
            return replace(file, content=content, runs=whole_file(content, sources))
        return replace(file, content=content, runs=compose(file.base, file.runs, runs))

    def _is_same_mode(self, section: Section, file: DraftFile) -> bool:
        """Whether the file is of the stated kind; a recorded one must have the stated mode, or the new one."""
        if self.recorded_at is not None:
            return file.mode in (section.old_mode, section.new_mode)
        return section.old_mode is None or _kind(section.old_mode) == _kind(file.mode)

    def _is_settled(self, placement: Placement) -> bool:
        return placement.placed or (self.rules.take_present and placement.fate is Fate.ALREADY_THERE)

    def _place(self, hunks: tuple[Hunk, ...], section: Section, file: DraftFile) -> tuple[Placement, ...]:
        known = self.recorded_at(file.origin) if self.recorded_at is not None and file.origin is not None else None
        if known is not None:
            return place_two_ways(file.content, hunks, known)
        stated = section.old_blob if file.origin is not None and (section.old_blob or "").strip("0") else None
        if stated is None:
            return place_by_rule(file.content, hunks, self.rules.dialect)
        if file_state(file.content, Mode.FILE).blob.startswith(stated):
            return place_two_ways(file.content, hunks, file.content)
        known = self.recorded(stated) if self.recorded is not None else None
        if known is not None:
            return place_two_ways(file.content, hunks, known)
        return place_by_rule(file.content, hunks, self.rules.dialect, changed=True)

    def _unplaced(self, fate: HunkFate) -> None:
        codes = {Fate.ALREADY_THERE: "hunk-already-there", Fate.AMBIGUOUS: "hunk-ambiguous"}
        code = codes.get(fate.placement.fate, "hunk-conflict")
        text = f"hunk {fate.number} of `{show_path(fate.path)}`: {_SAID.get(code, _SAID['hunk-conflict'])}"
        self._find(code, text, fate.source_line, *fate.placement.notes)

    def _binary(self, section: Section, target: Target, file: DraftFile) -> DraftFile | None:
        if section.binary is None:
            return file
        met = file_state(file.content, Mode.FILE).blob
        stated = section.old_blob or ""
        if self.rules.take_present and section.new_blob is not None and met.startswith(section.new_blob):
            self._note(target.new, section, "makes a binary file that is there already")
            return file
        if target.old is not None and not met.startswith(stated):
            note = f"expected blob {stated}, met {met}"
            text = "the binary file is not the one that the patch changes"
            self._find("binary-mismatch", text, section.source_line, note)
            return None
        forward = section.binary.forward
        try:
            content = forward.data if forward.kind == "literal" else apply_delta(file.content, forward.data)
        except BrokenPayload as error:
            self._find("binary-mismatch", f"the binary payload does not fit: {error}", section.source_line)
            return None
        made = file_state(content, Mode.FILE).blob
        if section.new_blob is not None and section.new_blob.strip("0") and not made.startswith(section.new_blob):
            note = f"expected blob {section.new_blob}, made {made}"
            self._find("binary-mismatch", "the binary payload makes another file", section.source_line, note)
            return None
        as_sent = file.content == file.base
        return replace(file, content=content, runs=(), binary=section.binary if as_sent else literal(content))

    def _settle(self, section: Section, target: Target, file: DraftFile) -> None:
        if section.uncopy:
            origin = stripped(section.moved[1], max(self.rules.strip - 1, 0)) or target.new
            self.uncopied.append((origin, file.content, section))
            self.draft.remove(target.new)
            return
        removes = section.deleted or section.new.missing
        if removes and file.content:
            text = f"the patch deletes `{show_path(target.new)}` and does not remove all of its lines"
            self._find("delete-incomplete", text, section.source_line)
            return
        if file.mode is Mode.SUBMODULE and not removes and not is_submodule_text(file.content):
            text = "a submodule holds one line, `Subproject commit` and a full commit id"
            self._find("submodule-line", text, section.source_line)
            return
        drops = self._drops_empty() and not file.content
        if section.rename and target.old is not None and target.old not in self.before_moves:
            self.draft.remove(target.old)
        if removes or drops:
            if drops and not removes:
                reason = "left empty, and by the rule of `patch -E` removed"
                self.notes.append(SectionNote(path=target.new, source_line=section.source_line, reason=reason))
            self.draft.remove(target.new, file.runs)
            return
        self.draft.put(target.new, file)

    def _note(self, path: RepoPath, section: Section, reason: str) -> None:
        self.notes.append(SectionNote(path=path, source_line=section.source_line, reason=reason))

    def _drops_empty(self) -> bool:
        return self.rules.dialect is Dialect.GNU and self.rules.drop_empty

    def _find(self, code: str, message: str, line: int, *notes: str) -> None:
        place = Place(file=self.file, line=line)
        self.findings.append(
            Diagnostic(code=code, message=message, place=place, notes=notes, help=f"stackproof explain {code}")
        )


_SAID = {
    "hunk-already-there": "the file holds its result already, so it is not applied again",
    "hunk-ambiguous": "its place is not certain",
    "hunk-conflict": "it does not fit the file",
}


def _created_content(section: Section) -> bytes:
    return b"".join(text for hunk in section.hunks for sign, text in hunk.lines if sign == b"+")


def _kind(mode: Mode) -> str:
    return "file" if mode in (Mode.FILE, Mode.EXECUTABLE) else mode.value
