"""Which base to take: the stack tried on each, what it costs to read and resolve, and which breaks a block first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from builder.bump.analysis import Analysis, analyse
from builder.bump.source import Bench, Source, find_source, git_of
from builder.edit.desk import Desk
from verify.git import GitFailed
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, CommitId, TreeId
from verify.model.release import Base, GitSource

_MOST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One base: whether the stack goes on by itself, hunks that need a hand, lines to read, and blocks that break."""

    text: str
    tree: TreeId
    clean: bool
    open_hunks: int
    owed: int
    upstream: int
    breaks: tuple[BlockName, ...]

    def cost(self) -> tuple[int, int]:
        """What orders bases: hands first, then reading."""
        return self.open_hunks, self.owed


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Every base in the order given; `first` is for each block the first base that breaks it."""

    bases: tuple[Tried, ...]
    first: tuple[tuple[BlockName, str], ...]
    cheapest: str | None


def spread(texts: Sequence[str], *, now: Base, bench: Bench, folder: str) -> tuple[tuple[str, Source], ...]:
    """The bases that the words name; a range of history (`REPOSITORY@FROM..TO`) is its commits, oldest first."""
    found: list[tuple[str, Source]] = []
    for text in texts:
        head, at, commits = text.rpartition("@")
        if at and ".." in commits and Path(head).is_dir():
            found += (
                (f"{head}@{commit[:12]}", _commit(head, commit, now, bench)) for commit in _range(Path(head), commits)
            )
        else:
            found.append((text, find_source(text, now=now, bench=bench, folder=folder)))
    return tuple(found)


def advise(desk: Desk, sources: Sequence[tuple[str, Source]], imported: Callable[[Base], TreeId]) -> Advice:
    """Try the stack on each base; `imported` brings one into the store."""
    tried = tuple(_tried(desk, text, imported(source.base)) for text, source in sources)
    first: dict[BlockName, str] = {}
    for each in tried:
        for block in each.breaks:
            first.setdefault(block, each.text)
    best = min(tried, key=Tried.cost, default=None)
    return Advice(bases=tried, first=tuple(first.items()), cheapest=best.text if best is not None else None)


def _tried(desk: Desk, text: str, tree: TreeId) -> Tried:
    analysis: Analysis = analyse(desk, tree)
    opened = analysis.bumped.open_folds()
    return Tried(
        text=text,
        tree=tree,
        clean=analysis.is_clean(),
        open_hunks=sum(len(fold.open_pieces()) for fold in opened),
        owed=analysis.meaning.lines(),
        upstream=analysis.upstream_lines(),
        breaks=tuple(dict.fromkeys(fold.block for fold in opened)),
    )


def _commit(repository: str, commit: CommitId, now: Base, bench: Bench) -> Source:
    source = find_source(f"{repository}@{commit}", now=now, bench=bench)
    assert isinstance(source.base.source, GitSource)
    return source


def _range(repository: Path, commits: str) -> tuple[CommitId, ...]:
    try:
        listed = git_of(repository).text("rev-list", "--first-parent", "--reverse", "--end-of-options", commits)
    except GitFailed as error:
        raise InputFault(
            Diagnostic(
                code="bump-ref-unknown",
                message=f"{repository} has no history {commits}",
                notes=tuple(error.output.splitlines()[-3:]),
                help=f"git -C {repository} log --oneline {commits}",
            )
        ) from error
    found = tuple(CommitId(line) for line in listed.split())
    if len(found) > _MOST:
        raise InputFault(
            Diagnostic(
                code="bump-range-long",
                message=f"{commits} are {len(found)} commits; at most {_MOST} are tried",
                help="name a shorter range, or releases one by one",
            )
        )
    return found
