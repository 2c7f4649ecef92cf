"""All labelled review pairs, in a fixed order: `pairs()`.

Each class is run over every language and seed; git writes the patches of all of them in three processes. What the
labels mean and how they are given is told in tests/pairs/pair.py.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.core.real_git import Files, RealGit
from tests.pairs import change, meaning, place, upstream
from tests.pairs.pair import Draft, Kind, Pair, Side, Tree
from tests.pairs.source import Language, World, make_world
from verify.model.ids import TreeId

Maker = Callable[[World], Iterator[Draft]]
CLASSES: dict[Kind, Maker] = {
    Kind.WHITE_SPACE: change.white_space,
    Kind.BINARY: change.binary,
    Kind.FOLD_ORDER: place.fold_order,
    Kind.LINE_ORDER: change.line_order,
    Kind.DUPLICATE: place.duplicate,
    Kind.MOVED_CONTEXT: place.moved_context,
    Kind.OTHER_FUNCTION: place.other_function,
    Kind.SQUASHED: upstream.squashed,
    Kind.UPSTREAM_WHOLE: upstream.whole,
    Kind.UPSTREAM_PART: upstream.part,
    Kind.REVERTED: upstream.reverted,
    Kind.MODE: change.mode,
    Kind.RENAME: upstream.rename,
    Kind.FAR_SYMBOL: meaning.far_symbol,
    Kind.ENCLOSING: place.enclosing,
    Kind.MESSAGE: change.message,
    Kind.AUTHOR: change.author,
    Kind.COMMENT: place.comment,
    Kind.CRLF: change.crlf,
    Kind.NO_NEWLINE: change.no_newline,
    Kind.SYMLINK: change.symlink,
    Kind.DELETED: upstream.deleted,
    Kind.COLLIDES: upstream.collides,
    Kind.REBASE: place.rebase,
    Kind.FORMATTING: place.formatting,
    Kind.REDEFINED: meaning.redefined,
    Kind.OVERLOAD: meaning.overload,
}


def pairs() -> Iterator[Pair]:
    """Every pair, always the same ones in the same order; names are unique."""
    drafts = tuple(_drafts())
    patches = patches_between([(side.base, side.tree) for _, _, draft in drafts for side in (draft.old, draft.new)])
    for number, (name, language, draft) in enumerate(drafts):
        old, new = patches[2 * number], patches[2 * number + 1]
        yield Pair(
            name=name,
            kind=draft.kind,
            language=language,
            label=draft.label,
            reason=draft.reason,
            owed=draft.owed,
            reviewed=_side(draft.old, old),
            now=_side(draft.new, _reversed(new) if draft.swapped else new),
        )


def patches_between(trees: Sequence[tuple[Files, Files]]) -> list[bytes]:
    """What `git diff --binary --full-index -M` prints for each two trees, in three processes for all of them."""
    with TemporaryDirectory() as folder:
        git = RealGit(Path(folder))
        ids = write_trees(git, [files for both in trees for files in both])
        asked = list(zip(ids[::2], ids[1::2], strict=True))
        lines = {old.encode() + b" " + new.encode() + b"\n" for old, new in asked if old != new}
        options = ("--stdin", "-r", "-p", "--binary", "--full-index", "-M")
        order = sorted(lines)
        told = git.run("diff-tree", *options, stdin=b"".join(order))
    found = {}
    for line, following in zip(order, [*order[1:], b""], strict=True):
        assert told.startswith(line)
        patch, _, rest = told[len(line) :].partition(following) if following else (told[len(line) :], b"", b"")
        found[line], told = patch, following + rest
    return [found.get(old.encode() + b" " + new.encode() + b"\n", b"") for old, new in asked]


def write_trees(git: RealGit, trees: Sequence[Files]) -> list[TreeId]:
    """Write trees through one `git fast-import`; the ids in the order of the trees."""
    keys = [frozenset(files.items()) for files in trees]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys), start=1)}
    stream = []
    for key, number in numbers.items():
        stream.append(b"commit refs/heads/t%d\ncommitter a <a@example.org> 0 +0000\ndata 0\n" % number)
        stream.append(contents(dict(key)))
    git.run("fast-import", "--quiet", "--force", stdin=b"".join(stream))
    asked = "".join(f"refs/heads/t{numbers[key]}^{{tree}}\n" for key in keys)
    told = git.run("cat-file", "--batch-check=%(objectname)", stdin=asked.encode())
    return [TreeId(line) for line in told.decode().split()]


def contents(files: Files) -> bytes:
    """The files of a commit, as `git fast-import` reads them."""
    entries = ((mode.encode(), path, len(data), data) for path, (mode, data) in files.items())
    return b"deleteall\n" + b"".join(b"M %s inline %s\ndata %d\n%s\n" % entry for entry in entries)


def _drafts() -> Iterator[tuple[str, Language, Draft]]:
    for kind, make in CLASSES.items():
        for language in Language:
            for draft in make(make_world(language, len(kind))):
                assert draft.kind is kind
                yield f"{kind}/{draft.variant}/{language}", language, draft


def _side(tree: Tree, patch: bytes) -> Side:
    return Side(base=tree.base, tree=tree.tree, patch=patch, author=tree.author, message=tree.message)


def _reversed(patch: bytes) -> bytes:
    """The patch with its files in reverse order."""
    mark = b"diff --git "
    first, *files = patch.split(mark)
    assert not first
    return b"".join(mark + text for text in reversed(files))
