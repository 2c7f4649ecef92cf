"""What the page shows, in the order and words in which it shows it: plain values for the templates to lay out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table, or one line of text.

    `state` is an outcome that is also drawn as a sign, `fixed` text to be set as code, `number` a figure that is set to
    the right. `links` are (target, text) pairs behind the text, `more` smaller lines below it. An `idle` cell says that
    there is nothing; it is set quietly, and left out where there is little room. `tally` are pairs (outcome, number)
    that stand instead of a text: each is a sign with its number, and the word for those who do not see it.
    """

    text: str
    state: str = ""
    fixed: bool = False
    number: bool = False
    idle: bool = False
    tally: tuple[tuple[str, int], ...] = ()
    href: str = ""
    id: str = ""
    links: tuple[tuple[str, str], ...] = ()
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells, the first of each names its row; `empty` is said instead of a table without rows.

    `level` is that of the heading that its caption is, 0 where a heading stands above it already.
    `signs` are heads that are outcomes and have their sign.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    empty: str = ""
    note: str = ""
    level: int = 3
    dense: bool = False
    signs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that does not hold, or is not known: which gate says so, what, where, and one next step."""

    gate: str
    href: str
    state: str
    code: str
    message: str
    place: str
    notes: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldView:
    """One change: who made it, what became of it, and the tree it left."""

    id: str
    subject: str
    author: str
    day: str
    source: str
    disposition: str
    reason: str
    size: str
    tree: str
    commit: str
    standing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockView:
    """One feature with its folds; `facts` are further lines (name, text)."""

    anchor: str
    name: str
    title: str
    why: str
    until: str
    state: str
    tree: str
    facts: tuple[tuple[str, str], ...]
    folds: tuple[FoldView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A ratio drawn against its bound: places are per cent of the picture's width; `state` is how it lies to it."""

    title: str
    words: str
    state: str
    low: float
    middle: float
    high: float
    bound: float
    one: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One amount: `width` and `bound` are per cent of the picture's width; `note` says what is special about it."""

    name: str
    value: str
    note: str
    width: float
    bound: float | None
    bad: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """The same thing of several arms."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The figures of one gate."""

    gate: str
    href: str
    state: str
    intervals: tuple[Interval, ...]
    bars: tuple[Bars, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Figures of the same kind of gate, with what that kind is about."""

    title: str
    about: str
    drawn: tuple[Drawn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where everything came from: facts (name, value), tables, and every record of evidence."""

    facts: tuple[tuple[str, Cell], ...]
    tables: tuple[Table, ...]
    evidence: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The whole page. `state` is the verdict in one word, `sentence` and `words` say it and what it comes from."""

    release: str
    engine: str
    parent: str
    state: str
    sentence: str
    words: tuple[str, ...]
    facts: tuple[tuple[str, Cell], ...]
    glance: Table
    failing: tuple[Problem, ...]
    unknown: Table
    troubles: tuple[Problem, ...]
    blocks: tuple[BlockView, ...]
    stuck: str
    not_taken: Table
    builds: tuple[Table, ...]
    gates: tuple[Table, ...]
    families: tuple[Family, ...]
    coverage: tuple[Table, ...]
    mutants: tuple[Table, ...]
    reviews: tuple[Table, ...]
    accepted: tuple[Table, ...]
    contributors: Table
    provenance: Provenance
