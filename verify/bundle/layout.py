"""Where everything stands in a bundle: the name of each member, relative to the bundle's folder."""

from collections.abc import Iterable

SUMS = "SHA256SUMS"
RELEASE = "release.json"
LOCK = "blocks/lock.json"
STACK = "stack.json"
BASE = "base.json"
BASE_FOLDER = "base"
VERDICT = "verdict.json"
DEVIATIONS = "deviations.json"
REVIEWS = "reviews.json"
COMBINED = "combined.diff"
PATCHES = "patches"
SERIES = "patches/series"
EVIDENCE = "evidence"
MAILBOX = "series.mbox"
SBOM = "sbom.cdx.json"
NOTES = "NOTES.md"
SINCE = "since.json"
SOURCE = "source"
BINARIES = "binaries"
IMAGE = "image"
TESTIMONIES = "testimonies"
STATEMENTS = "statements"
SIGNATURES = "signatures"


def source_member(release: str) -> str:
    """The patched sources."""
    return f"{SOURCE}/{release}.tar.gz"


def binaries_member(release: str, configuration: str) -> str:
    """The binaries of a configuration."""
    return f"{BINARIES}/{release}-{configuration}.tar.gz"


def statement_member(name: str) -> str:
    """A statement about the release."""
    return f"{STATEMENTS}/{name}.json"


def signature_member(statement: str) -> str:
    """The signed envelope of a statement, by the statement's member."""
    return statement.replace(f"{STATEMENTS}/", f"{SIGNATURES}/").removesuffix(".json") + ".dsse.json"


def patch_member(number: int, block: str, fold: str) -> str:
    """A fold's patch; `number` counts from 1 over the whole stack, so that names sort in the order of applying."""
    return f"{PATCHES}/{number:04d}-{block}-{fold}.patch"


def fold_member(block: str, fold: str) -> str:
    """The same patch as declared."""
    return f"blocks/{block}/folds/{fold}/fold.patch"


def members_of_testimony(digest: str) -> tuple[str, str]:
    """A testimony of another machine, by its digest, and the signature over it."""
    return f"{TESTIMONIES}/{digest}.json", f"{TESTIMONIES}/{digest}.sig"


def evidence_member(kind: str, key: str) -> str:
    """An evidence record, by its kind and the digest of its key."""
    return f"{EVIDENCE}/{kind}/{key}.json"


def series(patches: Iterable[str]) -> bytes:
    """The patches' names in order, one a line, relative to their folder: what quilt reads."""
    return b"".join(name.removeprefix(f"{PATCHES}/").encode() + b"\n" for name in patches)
