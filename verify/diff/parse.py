"""Reads patches in git's own form, byte exact: `git diff` output, and the canonical form as its strict subset.

`parse_git_diff` takes what `git diff --full-index --binary` prints (any context, headings, similarity, index lines).
`parse_canonical` takes only what `render_patch` would print for the same value: it parses, checks the rules that a
value alone shows (line numbers, three lines of context, safe paths, one mention of each path) and prints again; a
single different byte is a fault with its line. Foreign dialects are read by `verify/diff/submission.py`.
"""

import re

from verify.diff.binary import BrokenPayload, decode_line, inflate
from verify.diff.paths import unsafe_path
from verify.diff.quote import closing_quote, quote_name, unescape, unquote_name
from verify.diff.render import file_order, render_patch
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import BlobId, RepoPath, is_object_id
from verify.model.patch import Action, BinaryChange, BinaryDelta, FileChange, Hunk, Mode, Patch

CONTEXT = 3
_HUNK = re.compile(rb"@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: .*)?", re.DOTALL)
_INDEX = re.compile(rb"index ([0-9a-f]{4,40})\.\.([0-9a-f]{4,40})(?: ([0-7]{6}))?")
_BINARY = re.compile(rb"(literal|delta) (\d{1,12})")
_NO_NEWLINE = b"\\ "


def parse_canonical(data: bytes, *, file: str) -> Patch:
    """The patch that these canonical bytes spell; any other spelling of it is a fault."""
    reader = _Reader(data, file)
    patch = reader.read()
    _check_shape(patch, reader)
    printed = render_patch(patch)
    if printed != data:
        _blame_difference(printed, reader)
    return patch


def parse_git_diff(data: bytes, *, file: str) -> Patch:
    """The patch that git printed; names must carry the `a/` and `b/` prefixes."""
    return _Reader(data, file).read()


class _Reader:
    """A cursor over the lines of one patch file."""

    def __init__(self, data: bytes, file: str) -> None:
        self.file = file
        self.lines = data.split(b"\n")
        self.open_end = self.lines[-1] != b""
        if not self.open_end:
            self.lines.pop()
        self.at = 0
        self.inflated = 0

    def fault(self, message: str, *, line: int | None = None, code: str = "patch-syntax", **more: str) -> InputFault:
        """A fault at a line (1-based, by default the current one)."""
        number = line if line is not None else min(self.at + 1, max(len(self.lines), 1))
        text = self.lines[number - 1] if number <= len(self.lines) else b""
        shown = text[:200].decode("utf-8", errors="backslashreplace")
        place = Place(file=self.file, line=number, column=1, excerpt=shown, width=max(len(shown), 1))
        notes = (more["note"],) if "note" in more else ()
        return InputFault(
            Diagnostic(code=code, message=message, place=place, notes=notes, help=more.get("help", _help(code)))
        )

    def peek(self) -> bytes | None:
        """The current line without its end; None at the end of the file."""
        return self.lines[self.at] if self.at < len(self.lines) else None

    def read(self) -> Patch:
        """Every file of the patch."""
        if self.open_end:
            raise self.fault("the patch file does not end with a line end", line=len(self.lines))
        files = []
        while (line := self.peek()) is not None:
            if not line.startswith(b"diff --git "):
                raise self.fault("expected a `diff --git` line")
            files.append(self._file())
        return Patch(files=tuple(files))

    def _file(self) -> FileChange:
        start = self.at
        header = self.lines[start][11:]
        self.at += 1
        found = self._extended_headers()
        hunks: tuple[Hunk, ...] = ()
        binary = None
        line = self.peek()
        if line == b"GIT binary patch":
            self.at += 1
            binary = self._binary()
        elif line is not None and line.startswith(b"--- "):
            found["---"] = self._side(line, b"--- ", b"a/")
            self.at += 1
            line = self.peek()
            if line is None or not line.startswith(b"+++ "):
                raise self.fault("expected a `+++` line")
            found["+++"] = self._side(line, b"+++ ", b"b/")
            self.at += 1
            hunks = self._hunks()
            if not hunks:
                raise self.fault("expected a hunk (`@@ -a,b +c,d @@`)")
        elif line is not None and line.startswith(b"Binary files "):
            raise self.fault(
                "the patch names a binary file and does not carry its content",
                code="patch-binary-missing",
            )
        return self._change(header, start + 1, found, hunks, binary)

    def _extended_headers(self) -> dict[str, bytes | None]:
        found: dict[str, bytes | None] = {}
        while (line := self.peek()) is not None:
            for key in _EXTENDED:
                if line.startswith(key):
                    name = key.decode().strip()
                    if name in found:
                        raise self.fault(f"a second `{name}` line")
                    found[name] = line if name == "index" else line[len(key) :]
                    break
            else:
                return found
            self.at += 1
        return found

    def _side(self, line: bytes, marker: bytes, prefix: bytes) -> bytes | None:
        text = line[len(marker) :]
        if text == b"/dev/null":
            return None
        name = unquote_name(text.removesuffix(b"\t"))
        if name is None:
            raise self.fault("the quoting of this name is broken")
        if not name.startswith(prefix):
            raise self.fault(f"the name does not start with `{prefix.decode()}`")
        return name[2:]

    def _change(
        self,
        header: bytes,
        line: int,
        found: dict[str, bytes | None],
        hunks: tuple[Hunk, ...],
        binary: BinaryChange | None,
    ) -> FileChange:
        action = _action(found)
        if "---" in found and (found["---"] is None) != (action is Action.CREATE):
            raise self.fault("`--- /dev/null` and `new file mode` must go together", line=line)
        if "+++" in found and (found["+++"] is None) != (action is Action.DELETE):
            raise self.fault("`+++ /dev/null` and `deleted file mode` must go together", line=line)
        old, new = self._names(header, line, found, action)
        for path in (old, new):
            if (why := unsafe_path(path)) is not None:
                shown = path.decode("utf-8", errors="backslashreplace")
                raise self.fault(f"the path `{shown}` is refused: {why}", line=line, code="patch-path-unsafe")
        modes = self._modes(found, action, line)
        old_blob, new_blob = self._index(found, line)
        return FileChange(
            action=action,
            old_path=None if action is Action.CREATE else RepoPath(old),
            new_path=None if action is Action.DELETE else RepoPath(new),
            old_mode=modes[0],
            new_mode=modes[1],
            hunks=hunks,
            binary=binary,
            old_blob=old_blob,
            new_blob=new_blob,
            source_line=line,
        )

    def _names(self, header: bytes, line: int, found: dict[str, bytes | None], action: Action) -> tuple[bytes, bytes]:
        if action in (Action.RENAME, Action.COPY):
            old = self._plain_name(found[f"{action.value} from"], line)
            new = self._plain_name(found.get(f"{action.value} to"), line)
        elif found.get("---") is not None or found.get("+++") is not None:
            old = found.get("---") or found.get("+++") or b""
            new = found.get("+++") or old
        else:
            old = new = self._header_name(header, line)
        stated = [old, new]
        for at, key in enumerate(("---", "+++")):
            if found.get(key) is not None and found[key] != stated[at]:
                raise self.fault(f"the `{key}` line names another file than the lines above it", line=line)
        if header not in _header_spellings(old, new):
            raise self.fault("the `diff --git` line names other files than the lines below it", line=line)
        return old, new

    def _plain_name(self, text: bytes | None, line: int) -> bytes:
        name = unquote_name(text) if text is not None else None
        if name is None:
            raise self.fault("a rename or copy does not say both of its names", line=line)
        return name

    def _header_name(self, header: bytes, line: int) -> bytes:
        """The name when only the `diff --git` line says it: both halves must be the same."""
        if header.startswith(b'"'):
            name = unescape(header[1 : closing_quote(header)])
        else:
            name = header[: (len(header) - 1) // 2]
        if name is None or not name.startswith(b"a/"):
            raise self.fault("this line does not name one file twice, as `a/NAME b/NAME`", line=line)
        return name[2:]

    def _modes(self, found: dict[str, bytes | None], action: Action, line: int) -> tuple[Mode | None, Mode | None]:
        def mode(key: str) -> Mode | None:
            text = found.get(key)
            if text is None:
                return None
            try:
                return Mode(text.decode("ascii", "replace"))
            except ValueError:
                raise self.fault(
                    f"`{key}` is not a mode that a git tree holds",
                    line=line,
                    note=f"met {text.decode('ascii', 'replace')!r}, expected one of {', '.join(Mode)}",
                ) from None

        if ("old mode" in found) != ("new mode" in found):
            raise self.fault("`old mode` and `new mode` must go together", line=line)
        if action is Action.CREATE:
            return None, mode("new file mode")
        if action is Action.DELETE:
            return mode("deleted file mode"), None
        return mode("old mode"), mode("new mode")

    def _index(self, found: dict[str, bytes | None], line: int) -> tuple[BlobId | None, BlobId | None]:
        text = found.get("index")
        if text is None:
            return None, None
        match = _INDEX.fullmatch(text)
        if match is None:
            raise self.fault("the `index` line is not `index OLD..NEW` with hexadecimal ids", line=line)
        return BlobId(match[1].decode()), BlobId(match[2].decode())

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks = []
        while (line := self.peek()) is not None and line.startswith(b"@@"):
            hunks.append(self._hunk(line))
        return tuple(hunks)

    def _hunk(self, header: bytes) -> Hunk:
        match = _HUNK.fullmatch(header)
        if match is None:
            raise self.fault("a hunk starts with `@@ -LINE,COUNT +LINE,COUNT @@`")
        start = self.at
        olds = int(match[2]) if match[2] is not None else 1
        news = int(match[4]) if match[4] is not None else 1
        lines: list[tuple[bytes, bytes]] = []
        self.at += 1
        while olds > 0 or news > 0:
            line = self.peek()
            sign = line[:1] if line is not None else b""
            if line is None or sign not in (b" ", b"-", b"+"):
                self._marker(lines, sign, start)
                continue
            olds -= sign != b"+"
            news -= sign != b"-"
            if olds < 0 or news < 0:
                raise self.fault("the hunk has more lines of this side than its `@@` line counts")
            lines.append((sign, line[1:] + b"\n"))
            self.at += 1
        if (self.peek() or b"").startswith(_NO_NEWLINE):
            self._marker(lines, b"\\", start)
        self._check_open_lines(lines, start)
        return Hunk(old_start=int(match[1]), new_start=int(match[3]), lines=tuple(lines), source_line=start + 1)

    def _marker(self, lines: list[tuple[bytes, bytes]], sign: bytes, start: int) -> None:
        """`\\ No newline at end of file`: the line above has no end."""
        if sign != b"\\" or not lines or not lines[-1][1].endswith(b"\n"):
            raise self.fault(
                "the hunk ends before the lines that its `@@` line counts",
                note=f"its `@@` line is line {start + 1}",
            )
        lines[-1] = (lines[-1][0], lines[-1][1][:-1])
        self.at += 1

    def _check_open_lines(self, lines: list[tuple[bytes, bytes]], start: int) -> None:
        for other in (b"+", b"-"):
            side = [text for sign, text in lines if sign != other]
            if any(not text.endswith(b"\n") for text in side[:-1]):
                raise self.fault("a line without an end is not the last one of its side", line=start + 1)

    def _binary(self) -> BinaryChange:
        forward = self._payload()
        line = self.peek()
        reverse = self._payload() if line is not None and _BINARY.fullmatch(line) else None
        return BinaryChange(forward=forward, reverse=reverse)

    def _payload(self) -> BinaryDelta:
        match = _BINARY.fullmatch(self.peek() or b"")
        if match is None:
            raise self.fault("a binary payload starts with `literal SIZE` or `delta SIZE`")
        start = self.at + 1
        stream = []
        self.at += 1
        try:
            while line := self.peek():
                stream.append(decode_line(line))
                self.at += 1
            if self.peek() is None:
                raise self.fault("a binary payload ends with an empty line")
            self.at += 1
            data = inflate(b"".join(stream), int(match[2]), before=self.inflated)
            self.inflated += len(data)
        except BrokenPayload as error:
            raise self.fault(f"the binary payload is broken: {error}", line=start) from error
        return BinaryDelta(kind=match[1].decode(), size=len(data), data=data)


_EXTENDED = (
    b"old mode ",
    b"new mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
)


def _action(found: dict[str, bytes | None]) -> Action:
    for key, action in (
        ("new file mode", Action.CREATE),
        ("deleted file mode", Action.DELETE),
        ("rename from", Action.RENAME),
        ("copy from", Action.COPY),
    ):
        if key in found:
            return action
    return Action.MODIFY


def _header_spellings(old: bytes, new: bytes) -> tuple[bytes, ...]:
    a, b = b"a/" + old, b"b/" + new
    return quote_name(a) + b" " + quote_name(b), a + b" " + b


def _check_shape(patch: Patch, reader: _Reader) -> None:
    """The rules of the canonical form that the value alone shows."""
    met: set[RepoPath] = set()
    left: set[RepoPath] = set()
    for change in patch.files:
        line = change.source_line
        modes = change.old_mode, change.new_mode
        if not (change.hunks or change.binary or change.action is not Action.MODIFY or change.old_mode):
            raise reader.fault("the file has no change in it", line=line, code="patch-not-canonical")
        if None not in modes and _kind(modes[0]) != _kind(modes[1]):
            raise reader.fault(
                "a file does not become a link or a submodule by its mode",
                line=line,
                code="patch-not-canonical",
                note="expected a deletion and a creation of the same path",
            )
        for path, seen in ((change.new_path, left), (_consumed(change), met)):
            if path is None:
                continue
            if path in seen:
                raise reader.fault("the patch names this file twice", line=line, code="patch-path-twice")
            seen.add(path)
        blobs = change.old_blob or "", change.new_blob or ""
        if change.binary is not None and not all(is_object_id(blob) for blob in blobs):
            raise reader.fault("a binary file needs both full blob ids", line=line, code="patch-not-canonical")
        _check_hunks(change, reader)
    if list(patch.files) != sorted(patch.files, key=file_order):
        raise reader.fault("the files are not in the order of their paths", line=1, code="patch-not-canonical")


def _consumed(change: FileChange) -> RepoPath | None:
    return None if change.action is Action.COPY else change.old_path


def _kind(mode: Mode | None) -> str:
    return "file" if mode in (Mode.FILE, Mode.EXECUTABLE) else str(mode)


def _check_hunks(change: FileChange, reader: _Reader) -> None:
    shift, end = 0, 0
    for at, hunk in enumerate(change.hunks):
        signs = b"".join(sign for sign, _ in hunk.lines)
        olds, news = len(signs) - signs.count(b"+"), len(signs) - signs.count(b"-")
        first = hunk.old_start if olds else hunk.old_start + 1
        if (hunk.new_start if news else hunk.new_start + 1) != first + shift:
            raise reader.fault(
                "the new line number does not follow from the old one and the hunks above",
                line=hunk.source_line,
                code="patch-line-numbers",
                note=f"expected +{first + shift - (not news)}, met +{hunk.new_start}",
            )
        if (wrong := _context_fault(signs, first, end, last=at == len(change.hunks) - 1)) is not None:
            raise reader.fault(wrong, line=hunk.source_line, code="patch-context")
        end = first + olds - 1
        shift += news - olds


def _context_fault(signs: bytes, first: int, end: int, *, last: bool) -> str | None:
    """What is wrong with a hunk's context; `first` is its first line, `end` the last line of the hunk above (or 0)."""
    lead, trail = len(signs) - len(signs.lstrip(b" ")), len(signs) - len(signs.rstrip(b" "))
    if lead == len(signs):
        return "the hunk changes nothing"
    if first <= end or (end and first == end + 1):
        return "the hunk touches the one above; in the canonical form they are one"
    if lead > CONTEXT or trail > CONTEXT or (lead < CONTEXT and first > 1) or (trail < CONTEXT and not last):
        return "the hunk does not have three lines of context around its changes"
    if b" " * (2 * CONTEXT + 1) in signs:
        return "seven or more unchanged lines stand inside the hunk; in the canonical form they split it"
    return None


def _blame_difference(printed: bytes, reader: _Reader) -> None:
    ours = printed.split(b"\n")
    for number, line in enumerate(reader.lines, start=1):
        expected = ours[number - 1] if number <= len(ours) else b""
        if line != expected:
            raise reader.fault(
                "the line is not in the canonical form",
                line=number,
                code="patch-not-canonical",
                note=f"expected {expected[:200].decode('utf-8', errors='backslashreplace')!r}",
            )
    raise reader.fault("the patch ends early", line=len(reader.lines), code="patch-not-canonical")


def _help(code: str) -> str:
    return f"stackproof explain {code}"
