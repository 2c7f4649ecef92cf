"""Reads patches as people send them: git's or any `diff -u`, with whatever text around, in one of two dialects.

git and GNU patch read the same bytes by different rules (where a name ends, which lines a hunk may hold, what a
section without content means), so the dialect is always named and never guessed. What comes out is what the text
says, section by section and hunk by hunk; which file a section means and where its hunks go is decided against a
tree (`builder/exchange/lay_submission.py`). Text that is no patch is skipped, as both tools do.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from verify.diff.binary import BrokenPayload, decode_line, inflate
from verify.diff.quote import closing_quote, unescape, unquote_name
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import BlobId
from verify.model.patch import BinaryChange, BinaryDelta, Hunk, Mode


class Dialect(StrEnum):
    """Whose rules a patch was written for: `git apply`, or GNU patch (as `dpkg-source` and quilt run it)."""

    GIT = "git"
    GNU = "gnu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a section: the name as written (None where no line says one) and whether it is no file at all."""

    name: bytes | None = None
    missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One file of a submission.

    `old` and `new` are the `---` and `+++` lines, `header` the text of a `diff --git` line (`turned` swaps its names),
    `moved` those of
    rename or copy lines. Names are unquoted and not stripped. `contentless` is a section that says a binary file
    differs and does not carry it; `uncopy` one that takes a copy back.
    """

    git: bool = False
    old: Side = Side()
    new: Side = Side()
    header: bytes | None = None
    turned: bool = False
    moved: tuple[bytes | None, bytes | None] = (None, None)
    index_name: bytes | None = None
    rename: bool = False
    copy: bool = False
    uncopy: bool = False
    created: bool = False
    deleted: bool = False
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    old_blob: BlobId | None = None
    new_blob: BlobId | None = None
    hunks: tuple[Hunk, ...] = ()
    binary: BinaryChange | None = None
    contentless: bool = False
    source_line: int = 1

    def header_names(self, strip: int) -> tuple[bytes, bytes] | None:
        """Both names of the `diff --git` line, where that is certain once `strip` folders are taken off."""
        names = _split_header(self.header, strip) if self.header is not None else None
        return names if names is None or not self.turned else (names[1], names[0])

    def reversed(self) -> "Section":
        """The section that undoes this one; a binary payload without its reverse becomes contentless."""
        binary = self.binary
        if binary is not None:
            back = binary.reverse
            binary = None if back is None else BinaryChange(forward=back, reverse=binary.forward)
        return replace(
            self,
            old=self.new,
            new=self.old,
            turned=not self.turned,
            moved=(self.moved[1], self.moved[0]),
            created=self.deleted,
            deleted=self.created,
            copy=False,
            uncopy=self.copy,
            old_mode=self.new_mode,
            new_mode=self.old_mode,
            old_blob=self.new_blob,
            new_blob=self.old_blob,
            hunks=tuple(reverse_hunk(hunk) for hunk in self.hunks),
            binary=binary,
            contentless=self.contentless or (binary is None and self.binary is not None),
        )


def reverse_hunk(hunk: Hunk) -> Hunk:
    """The hunk that undoes this one; within a change the removed lines stay in front of the added ones."""
    lines: list[tuple[bytes, bytes]] = []
    added: list[tuple[bytes, bytes]] = []
    previous = b""
    for sign, text in hunk.lines:
        if sign != b"+" and (sign == b" " or previous == b"+"):
            lines += added
            added = []
        if sign == b"-":
            added.append((b"+", text))
        else:
            lines.append((b"-" if sign == b"+" else sign, text))
        previous = sign
    return Hunk(
        old_start=hunk.new_start,
        new_start=hunk.old_start,
        lines=(*lines, *added),
        source_line=hunk.source_line,
    )


def parse_sections(data: bytes, *, file: str, dialect: Dialect, first_line: int = 1) -> tuple[Section, ...]:
    """Every section of a submitted patch; `first_line` is the number of its first line in `file`."""
    return _Scanner(data, file, dialect, first_line).scan()


_GIT_HEADERS = re.compile(
    rb"(old mode|new mode|deleted file mode|new file mode|rename from|rename to|rename old|rename new|copy from|copy to"
    rb"|similarity index|dissimilarity index|index) (.*)",
    re.DOTALL,
)
_HUNK = re.compile(rb"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@")
_INDEX = re.compile(rb"([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: ([0-7]{6}))?")
_BINARY = re.compile(rb"(literal|delta) (\d{1,12})")
_NO_CONTENT = re.compile(rb"(?:Binary files|Files|Binary file) .* differ\r?", re.DOTALL)
_DATE = re.compile(
    rb"(\d{4}-\d\d-\d\d) (\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?: *([+-])(\d\d):?(\d\d))?\s*", re.DOTALL
)
_TRAILING_DATE = re.compile(
    rb"[ \t]+(?:[A-Z][a-z]{2},? )?\d{2,4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: *[+-]\d\d:?\d\d)?\s*$"
)
_EPOCH_BY_NAME = re.compile(rb"\s*Thu Jan +1 00:00:00(?:\.0+)?(?: UTC| GMT)? 1970\s*")
_LONGEST_NAMES = 2 * 4096 + 8
_MISSING_AT_END = 3  # GNU patch takes up to two blank context lines that an editor cut off the end


class _Scanner:
    def __init__(self, data: bytes, file: str, dialect: Dialect, first_line: int) -> None:
        self.lines = data.split(b"\n")
        self.ends_open = bool(self.lines[-1])
        if not self.ends_open:
            self.lines.pop()
        self.file = file
        self.gnu = dialect is Dialect.GNU
        self.first_line = first_line
        self.at = 0
        self.inflated = 0
        self.sections: list[Section] = []

    def scan(self) -> tuple[Section, ...]:
        index_name: bytes | None = None
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith(b"diff --git "):
                self._git_section(line)
                index_name = None
            elif self._starts_unified():
                self._plain_section(index_name)
                index_name = None
            elif line.startswith(b"Index: "):
                index_name = self._name(line[7:], keep_spaces=True)
                self.at += 1
            elif line.startswith(b"@@ -") and _HUNK.match(line):
                raise self._fault("a hunk without the names of a file above it")
            elif line.startswith(b"*** ") and self._starts_context_diff():
                raise self._fault("a context diff (`diff -c`); only unified diffs and git's own are read")
            elif _NO_CONTENT.fullmatch(line):
                self.sections.append(Section(contentless=True, source_line=self._number()))
                self.at += 1
            else:
                self.at += 1
        return tuple(self.sections)

    def _number(self, at: int | None = None) -> int:
        return (self.at if at is None else at) + self.first_line

    def _fault(self, message: str, *, at: int | None = None, code: str = "patch-syntax", note: str = "") -> InputFault:
        where = self.at if at is None else at
        text = self.lines[where] if where < len(self.lines) else b""
        shown = text[:200].decode("utf-8", errors="backslashreplace")
        line = self._number(min(where, max(len(self.lines) - 1, 0)))
        place = Place(file=self.file, line=line, column=1, excerpt=shown, width=max(len(shown), 1))
        notes = (note,) if note else ()
        return InputFault(
            Diagnostic(code=code, message=message, place=place, notes=notes, help=f"stackproof explain {code}")
        )

    def _line(self, offset: int = 0) -> bytes:
        at = self.at + offset
        return self.lines[at] if at < len(self.lines) else b""

    def _starts_unified(self) -> bool:
        return (
            self._line().startswith(b"--- ")
            and self._line(1).startswith(b"+++ ")
            and _HUNK.match(self._line(2)) is not None
        )

    def _starts_context_diff(self) -> bool:
        return self._line(1).startswith(b"--- ") and self._line(2).startswith(b"***************")

    def _plain_section(self, index_name: bytes | None) -> None:
        start = self._number()
        old, new = self._side(self._line()[4:], git=False), self._side(self._line(1)[4:], git=False)
        self.at += 2
        hunks = self._hunks()
        self.sections.append(Section(old=old, new=new, index_name=index_name, hunks=hunks, source_line=start))

    def _git_section(self, line: bytes) -> None:
        start = self._number()
        found: dict[str, bytes] = {}
        self.at += 1
        while self.at < len(self.lines):
            match = _GIT_HEADERS.fullmatch(_no_cr(self._line()))
            if match is None:
                break
            found.setdefault(match[1].decode(), match[2])
            self.at += 1
        old = new = Side()
        hunks: tuple[Hunk, ...] = ()
        binary, contentless = None, False
        here = _no_cr(self._line())
        if here.startswith(b"--- ") and self._line(1).startswith(b"+++ "):
            old, new = self._side(self._line()[4:], git=True), self._side(self._line(1)[4:], git=True)
            self.at += 2
            hunks = self._hunks()
        elif here == b"GIT binary patch":
            self.at += 1
            binary = self._binary()
        elif _NO_CONTENT.fullmatch(here):
            contentless = True
            self.at += 1
        section = Section(
            git=True,
            old=old,
            new=new,
            header=_no_cr(line[11:]),
            moved=self._moved(found),
            rename="rename from" in found or "rename old" in found,
            copy="copy from" in found,
            created="new file mode" in found,
            deleted="deleted file mode" in found,
            hunks=hunks,
            binary=binary,
            contentless=contentless,
            source_line=start,
        )
        self.sections.append(self._with_modes(section, found))

    def _with_modes(self, section: Section, found: dict[str, bytes]) -> Section:
        index = _INDEX.fullmatch(found.get("index", b""))
        old = found.get("old mode", found.get("deleted file mode"))
        new = found.get("new mode", found.get("new file mode"))
        return replace(
            section,
            old_mode=self._mode(old),
            new_mode=self._mode(new),
            old_blob=BlobId(index[1].decode()) if index else None,
            new_blob=BlobId(index[2].decode()) if index else None,
        )

    def _mode(self, text: bytes | None) -> Mode | None:
        if text is None:
            return None
        try:
            kind = int(text, 8) >> 12
            if kind == 0o10:  # some tools print 100664 or 100600: only the owner's execute bit counts
                return Mode.EXECUTABLE if int(text, 8) & 0o100 else Mode.FILE
            return Mode(text.decode("ascii", "replace"))
        except ValueError:
            raise self._fault(f"{text.decode('ascii', 'replace')!r} is not a mode that a git tree holds") from None

    def _moved(self, found: dict[str, bytes]) -> tuple[bytes | None, bytes | None]:
        old = found.get("rename from", found.get("rename old", found.get("copy from")))
        new = found.get("rename to", found.get("rename new", found.get("copy to")))
        return (
            None if old is None else self._name(old, keep_spaces=True),
            None if new is None else self._name(new, keep_spaces=True),
        )

    def _side(self, text: bytes, *, git: bool) -> Side:
        text = _no_cr(text)
        name, stamp = self._name_and_stamp(text, git=git)
        if name == b"/dev/null":
            return Side(missing=True)
        return Side(name=name, missing=not git and _is_epoch(stamp))

    def _name_and_stamp(self, text: bytes, *, git: bool) -> tuple[bytes, bytes]:
        if text.startswith(b'"'):
            end = closing_quote(text)
            name = unescape(text[1:end]) if end > 0 else None
            if name is None:
                raise self._fault("the quoting of a name is broken")
            return name, text[end + 1 :].strip()
        name, tab, stamp = text.partition(b"\t")
        if tab:
            return (name.lstrip(b" ") if self.gnu else name), stamp.strip()
        if self.gnu:
            words = text.split(None, 1)
            return (words[0] if words else b""), (words[1] if len(words) > 1 else b"")
        if not git and (match := _TRAILING_DATE.search(text, max(len(text) - 80, 0))):
            return text[: match.start()], match[0].strip()
        return text, b""

    def _name(self, text: bytes, *, keep_spaces: bool) -> bytes:
        text = _no_cr(text)
        if not keep_spaces:
            text = text.split(b" ")[0]
        name = unquote_name(text)
        if name is None:
            raise self._fault("the quoting of a name is broken")
        return name

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        strip = False
        while (match := _HUNK.match(self._line())) is not None:
            if not hunks:
                strip = self._line().endswith(b"\r")  # the whole patch was given CRs on its way: take them off again
            hunks.append(self._hunk(match, strip=strip))
        return tuple(hunks)

    def _hunk(self, match: re.Match[bytes], *, strip: bool) -> Hunk:
        start = self.at
        olds = int(match[2]) if match[2] is not None else 1
        news = int(match[4]) if match[4] is not None else 1
        lines: list[tuple[bytes, bytes]] = []
        self.at += 1
        while olds > 0 or news > 0:
            if self.at >= len(self.lines):
                if self.gnu and olds == news and news < _MISSING_AT_END:
                    lines += [(b" ", b"\n")] * news
                    break
                raise self._fault("the patch ends inside a hunk", note=f"the hunk starts in line {self._number(start)}")
            line = self.lines[self.at]
            if line.startswith(b"\\"):
                self._no_newline(lines)
                continue
            sign, text = self._signed(line, start)
            olds -= sign != b"+"
            news -= sign != b"-"
            if olds < 0 or news < 0:
                raise self._fault("the hunk has more lines of this side than its `@@` line counts")
            lines.append((sign, (_no_cr(text) if strip else text) + b"\n"))
            self.at += 1
        if self._line().startswith(b"\\"):
            self._no_newline(lines)
        return Hunk(
            old_start=int(match[1]), new_start=int(match[3]), lines=tuple(lines), source_line=self._number(start)
        )

    def _signed(self, line: bytes, start: int) -> tuple[bytes, bytes]:
        sign = line[:1]
        if sign in (b" ", b"-", b"+"):
            return sign, line[1:]
        if line in (b"", b"\r"):
            return b" ", line  # an empty context line whose space was cut off
        if self.gnu and sign == b"\t":
            return b" ", line
        if self.gnu and sign == b"=":
            return b" ", line[1:]
        raise self._fault(
            "the hunk ends before the lines that its `@@` line counts",
            note=f"the hunk starts in line {self._number(start)}",
        )

    def _no_newline(self, lines: list[tuple[bytes, bytes]]) -> None:
        if not lines or not lines[-1][1].endswith(b"\n"):
            raise self._fault("`\\ No newline at end of file` without a line that it could mean")
        lines[-1] = (lines[-1][0], lines[-1][1][:-1])
        self.at += 1

    def _binary(self) -> BinaryChange:
        forward = self._payload()
        reverse = self._payload() if _BINARY.fullmatch(_no_cr(self._line())) else None
        return BinaryChange(forward=forward, reverse=reverse)

    def _payload(self) -> BinaryDelta:
        match = _BINARY.fullmatch(_no_cr(self._line()))
        if match is None:
            raise self._fault("a binary payload starts with `literal SIZE` or `delta SIZE`")
        start = self.at
        stream = []
        self.at += 1
        try:
            while line := _no_cr(self._line()):
                stream.append(decode_line(line))
                self.at += 1
            self.at += 1
            data = inflate(b"".join(stream), int(match[2]), before=self.inflated)
            self.inflated += len(data)
        except BrokenPayload as error:
            raise self._fault(f"the binary payload is broken: {error}", at=start) from error
        return BinaryDelta(kind=match[1].decode(), size=len(data), data=data)


def _split_header(text: bytes, strip: int) -> tuple[bytes, bytes] | None:
    if text.startswith(b'"'):
        end = closing_quote(text)
        old = unescape(text[1:end])
        new = unquote_name(text[end + 1 :].lstrip(b" "))
        return None if old is None or new is None else (old, new)
    if text.endswith(b'"') and b' "' in text:
        first, _, rest = text.partition(b' "')
        quoted = unquote_name(b'"' + rest)
        return None if quoted is None else (first, quoted)
    if text.count(b" ") == 1:
        first, _, second = text.partition(b" ")
        return first, second
    for at, byte in enumerate(text if len(text) <= _LONGEST_NAMES else b""):
        if byte == 0x20:
            below = _below(text[:at], strip)
            if below and below == _below(text[at + 1 :], strip):
                return text[:at], text[at + 1 :]
    return None


def _below(name: bytes, strip: int) -> bytes:
    return b"/".join(name.split(b"/")[strip:])


def _no_cr(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line


def _is_epoch(stamp: bytes) -> bool:
    """Whether a time stamp is the beginning of 1970, by which `diff -N` says that there is no file."""
    if _EPOCH_BY_NAME.fullmatch(stamp):
        return True
    match = _DATE.fullmatch(stamp)
    if match is None or match[1] not in (b"1969-12-31", b"1970-01-01") or int(match[4] or 0) or int(match[5] or 0):
        return False
    minutes = int(match[2]) * 60 + int(match[3]) - (1440 if match[1] == b"1969-12-31" else 0)
    zone = (int(match[7] or 0) * 60 + int(match[8] or 0)) * (-1 if match[6] == b"-" else 1)
    return minutes == zone
