"""Labelled review pairs: what a fold was when it was reviewed, what it is now, and what a careful reader still owes.

A pair holds two sides. The reviewed side is the base that the reviewer had (upstream and the folds below), the tree
with the fold on it, and the fold's patch; the other side is the same fold as it stands now. The label says what is
owed between the two. It follows from how the pair was made (which lines were touched, by whom, and what they mean),
never from what some grader answers; nothing here may import code that grades reviews.

Rules of the labels
- `same`: every file that the fold touches has the same mode and bytes before and after it on both sides, and what
  changed elsewhere is used by no line of the fold. Nothing is owed: the review must carry, no line is read twice.
- `moved`: the fold's lines (bytes and order), its functions and the definitions its lines use are equal on both sides;
  only other parts of the same file differ, and a real three-way merge of the reviewed change gives the new tree.
  The review should carry; these are the pure moves that are counted.
- `owed`: carrying by itself is unsound. Rules that make a pair owed, whichever is met first:
  the change itself differs in bytes (white space, line ends and binary contents count), order, mode, path or link
  target; it lands in another function or file; the fold does less or nothing now, because the base has its lines (what
  was approved is no longer what is there, and a drop is a decision of its own) or does it twice; its preimage was
  changed by upstream, so that something new is overwritten; the function around it changed, also outside the context
  of the patch; a function, macro, type or constant that its lines use is defined otherwise, once more, or no longer.
- `either`: two careful reviewers could differ, and the reason says why. Kept under a tenth; counts for nothing.

White space that upstream alone changed and comments that upstream alone added inside the fold's function are `either`
where the language gives them no meaning. Messages and authors are no code: no line is owed; where words or credit as
such are in doubt the label is `either`. Plain text has no definitions, so classes about meaning have no text pairs.
"""

from dataclasses import dataclass
from enum import StrEnum

from tests.core.real_git import Files
from tests.pairs.source import Language
from verify.model.ids import RepoPath

AUTHOR = b"Ada Example <ada@example.org>"
SIGNED = b"Signed-off-by: Ada Example <ada@example.org>\n"
MESSAGE = b"engine: bound the middle step\n\nThe step could run past the limit.\n\n" + SIGNED


class Label(StrEnum):
    """What a careful reviewer owes; see the rules above."""

    SAME = "same"
    MOVED = "moved"
    OWED = "owed"
    EITHER = "either"


class Kind(StrEnum):
    """The class of a pair: what happened between review and now."""

    WHITE_SPACE = "white-space"
    BINARY = "binary"
    FOLD_ORDER = "fold-order"
    LINE_ORDER = "line-order"
    DUPLICATE = "duplicate-function"
    MOVED_CONTEXT = "moved-context"
    OTHER_FUNCTION = "other-function"
    SQUASHED = "squashed-upstream"
    UPSTREAM_WHOLE = "whole-upstream"
    UPSTREAM_PART = "partly-upstream"
    REVERTED = "reverted-upstream"
    MODE = "mode"
    RENAME = "rename"
    FAR_SYMBOL = "far-symbol"
    ENCLOSING = "enclosing-function"
    MESSAGE = "message"
    AUTHOR = "author"
    COMMENT = "comment"
    CRLF = "crlf"
    NO_NEWLINE = "no-newline"
    SYMLINK = "symlink"
    DELETED = "deleted-upstream"
    COLLIDES = "added-collides"
    REBASE = "rebase"
    FORMATTING = "formatting"
    REDEFINED = "redefined"
    OVERLOAD = "overload"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """One thing to read: lines of a file as they stand in one of the four trees, and the symbol they define or use.

    `lines` is empty for what has no lines (binary contents, a mode, an empty fold); `symbol` is empty where the fold's
    own lines are meant.
    """

    path: RepoPath
    symbol: str = ""
    lines: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A fold without its patch: the files it met, the files it left, who wrote it and the message."""

    base: Files
    tree: Files
    author: bytes = AUTHOR
    message: bytes = MESSAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A pair before git has written its patches. `swapped`: the files of the new patch come in reverse order."""

    kind: Kind
    variant: str
    label: Label
    reason: str
    old: Tree
    new: Tree
    owed: tuple[Owed, ...] = ()
    swapped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A fold at one time: base and tree as path → (mode, bytes), and the patch between them as `git diff` writes it."""

    base: Files
    tree: Files
    patch: bytes
    author: bytes
    message: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A reviewed fold and the fold as it is now. `name` is unique and stable: class/variant/language."""

    name: str
    kind: Kind
    language: Language
    label: Label
    reason: str
    owed: tuple[Owed, ...]
    reviewed: Side
    now: Side
