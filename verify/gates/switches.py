"""Switches: each environment variable that the stack's lines read is declared, and each declared one is read.

Looked at are the added lines that the tip still holds; a read that a fold only moved is upstream's. A declared
switch whose read asks only whether it is set cannot be turned off by its `off` value, and is told.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.diff.switch_reads import Hints, Read, hints_of, names_in, reads_in, without_comments
from verify.diff.trace import Added, Trace
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.block import Block, Switch
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.ids import BlockName, FoldId, RepoPath, show_path
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted

_SYSTEM = frozenset(
    {"PATH", "HOME", "SHELL", "USER", "TMPDIR", "TMP", "TEMP", "LANG", "TERM", "PWD", "EDITOR", "DISPLAY"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`allowed`: variables that are read and turn nothing off, so that no block need declare them."""

    allowed: tuple[str, ...] = field(default=(), metadata={"about": "variables that are read and are no switch"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchRead:
    """One read in an added line of the tip: the variable, by whom it came, and where it stands."""

    name: str | None
    block: BlockName
    fold: FoldId
    path: RepoPath
    line: int
    patch_line: int
    presence_only: bool
    shown: str


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Reads against declarations, both ways."""
    traced = case.trace()
    if traced is None:
        reason = Diagnostic(code="lines-not-counted", message="nobody counted the lines of the tip")
        return Undecided(summary="the added lines of the tip are not known", reasons=(reason,))
    reads = switch_reads(traced)
    declared = {switch.name: (block, switch) for block in case.release.blocks for switch in block.switches}
    findings = list(_undeclared(reads, declared, frozenset(params.allowed), case))
    findings += _never_read(reads, declared, _names(traced))
    findings += (_presence(read, declared) for read in reads if read.presence_only and read.name in declared)
    if findings:
        return Failed(summary=f"{counted(len(findings), 'fault')} in switches", findings=tuple(findings))
    unknown = sum(read.name is None for read in reads)
    more = f"; {unknown} reads of a name that is not a literal" if unknown else ""
    return Passed(summary=f"{counted(len(declared), 'switch')} declared and read{more}")


def switch_reads(traced: Trace) -> tuple[SwitchRead, ...]:
    """Every read in added lines of the tip, without those that folds only moved."""
    runs = list(_runs(traced))
    hints = _together([hints_of(run.text) for run in runs])
    moved = _moved(traced, hints)
    found = []
    for run in runs:
        for read in reads_in(run.text, hints):
            if read.name is None or read.name not in moved:
                found.append(run.read(read))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Added lines in a row of one file, maybe of several folds, as one text without comments."""

    path: RepoPath
    line: int
    pieces: tuple[Added, ...]
    text: str

    def read(self, read: Read) -> SwitchRead:
        at = self.text.count("\n", 0, read.offset)
        line = self.line + at
        for piece in self.pieces:
            if at < piece.count:
                break
            at -= piece.count
        return SwitchRead(
            name=read.name,
            block=piece.block,
            fold=piece.fold,
            path=self.path,
            line=line,
            patch_line=piece.patch_line + at,
            presence_only=read.presence_only,
            shown=read.shown,
        )


def _runs(traced: Trace) -> Iterator[_Run]:
    rows: list[tuple[RepoPath, int, list[Added]]] = []
    end = (RepoPath(b""), 0)
    for path, line, piece in traced.added():
        if not piece.texts:
            continue  # a binary file
        if rows and end == (path, line):
            rows[-1][2].append(piece)
        else:
            rows.append((path, line, [piece]))
        end = (path, line + piece.count)
    for path, line, pieces in rows:
        data = b"".join(text if text.endswith(b"\n") else text + b"\n" for piece in pieces for text in piece.texts)
        text = without_comments(data.decode("utf-8", "replace"), path=path)
        yield _Run(path=path, line=line, pieces=tuple(pieces), text=text)


def _moved(traced: Trace, hints: Hints) -> frozenset[str]:
    """Variables that upstream's own lines read before folds took these lines away."""
    lost: dict[RepoPath, list[bytes]] = defaultdict(list)
    for removed in traced.removed:
        lost[removed.path].append(removed.text)
    texts = (without_comments(b"".join(lines).decode("utf-8", "replace"), path=path) for path, lines in lost.items())
    return frozenset(read.name for text in texts for read in reads_in(text, hints) if read.name is not None)


def _together(hints: list[Hints]) -> Hints:
    constants = {name: value for each in hints for name, value in each.constants.items()}
    return Hints(constants=constants, readers=frozenset().union(*(each.readers for each in hints)))


def _names(traced: Trace) -> frozenset[str]:
    return frozenset().union(*(names_in(run.text) for run in _runs(traced)))


def _undeclared(
    reads: tuple[SwitchRead, ...], declared: dict[str, tuple[Block, Switch]], allowed: frozenset[str], case: Case
) -> Iterator[Finding]:
    for read in reads:
        if read.name is None or read.name in declared or read.name in allowed | _SYSTEM:
            continue
        file = next(block.file for block in case.release.blocks if block.name == read.block)
        yield Diagnostic(
            code="switch-undeclared",
            message=f"block `{read.block}` reads the variable {read.name}, and no block declares it",
            place=Place(file=_patch_file(read), line=read.patch_line),
            notes=(f"read at {show_path(read.path)}:{read.line}",),
            help=f"declare it under `switches` in {file}, or name it in the gate's `allowed`",
        )


def _never_read(
    reads: tuple[SwitchRead, ...], declared: dict[str, tuple[Block, Switch]], named: frozenset[str]
) -> Iterator[Finding]:
    read_names = {read.name for read in reads}
    for name, (block, _) in declared.items():
        if name not in read_names and name not in named:
            yield Diagnostic(
                code="switch-never-read",
                message=f"block `{block.name}` declares the switch {name}, and no added line of the tip reads it",
                place=Place(file=block.file),
                notes=("with no effect, its off arm proves nothing",),
                help=f"remove it from `switches` in {block.file}, or read it in the block",
            )


def _presence(read: SwitchRead, declared: dict[str, tuple[Block, Switch]]) -> Finding:
    off = declared[read.name or ""][1].off
    return Diagnostic(
        code="switch-presence-only",
        message=f"{read.name} is only asked whether it is set, so that the value {off!r} does not turn it off",
        place=Place(file=_patch_file(read), line=read.patch_line),
        notes=(f"read at {show_path(read.path)}:{read.line}: {read.shown}",),
        help='compare the value in the code, as in: v == nullptr || strcmp(v, "0") != 0',
    )


def _patch_file(read: SwitchRead) -> str:
    return f"blocks/{read.block}/folds/{read.fold}/fold.patch"


KIND = Kind(
    name="switches",
    about="every environment variable that added lines read is declared, and every declared one is read for its value",
    scope=Scope.RELEASE,
    standing=False,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
