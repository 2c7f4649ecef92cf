"""Ways to change a bundle as somebody would who wants it to pass: with every checksum made again."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from verify.bundle.document import print_document
from verify.bundle.documents import Bundle, open_bundle
from verify.bundle.layout import REVIEWS, STACK, SUMS, VERDICT
from verify.bundle.members import read_members
from verify.bundle.reviews import reviews_of
from verify.bundle.statements import Stated, is_stated, statements
from verify.bundle.sums import render_sums
from verify.bundle.verdict import read_verdict
from verify.model.digest import release_digest
from verify.model.ids import Sha256

Change = Callable[[dict[str, Any]], object]


def members(bundle: Path) -> tuple[str, ...]:
    """Every file but the list of sums."""
    names = (path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file())
    return tuple(sorted(name for name in names if name != SUMS))


def digest(path: Path) -> Sha256:
    """The SHA-256 of a file."""
    return Sha256(sha256(path.read_bytes()).hexdigest())


def sum_again(bundle: Path) -> None:
    """Make SHA256SUMS fit whatever is there."""
    (bundle / SUMS).write_bytes(render_sums({name: digest(bundle / name) for name in members(bundle)}))


def state_again(bundle: Path) -> None:
    """Make the statements fit whatever is there, as somebody can who makes a bundle that carries no signature."""
    opened = open_bundle(read_members(bundle))
    assert isinstance(opened, Bundle), opened
    digests = {name: digest(bundle / name) for name in members(bundle) if is_stated(name)}
    stated = Stated(
        release=opened.release,
        stack=opened.stack,
        verdict=opened.verdict,
        records=opened.records(),
        reviews=reviews_of(opened),
        digests=digests,
    )
    for name, statement in statements(stated).items():
        (bundle / name).write_bytes(statement)


def edit(bundle: Path, name: str, change: Change) -> None:
    """Change a JSON document and print it as it is printed."""
    document = json.loads((bundle / name).read_bytes())
    change(document)
    (bundle / name).write_bytes(print_document(document))


def rest_again(bundle: Path) -> None:
    """Let the verdict rest on what is there, and carry the digest that it has."""

    def supports(verdict: dict[str, Any]) -> None:
        names = [STACK, REVIEWS, *(name for name in members(bundle) if name.startswith("evidence/"))]
        verdict["rests_on"] = [{"file": name, "sha256": digest(bundle / name)} for name in sorted(names)]

    edit(bundle, VERDICT, supports)
    verdict = read_verdict((bundle / VERDICT).read_bytes())
    edit(bundle, VERDICT, lambda document: document.update(digest=verdict.true_digest()))
    state_again(bundle)


def declare_again(bundle: Path) -> None:
    """Let stack.json and the verdict name the declared files as they are now."""
    stack = json.loads((bundle / STACK).read_bytes())
    for each in stack["declared"]:
        each["sha256"] = digest(bundle / each["file"])
    stack["digest"] = release_digest((each["file"], (bundle / each["file"]).read_bytes()) for each in stack["declared"])
    (bundle / STACK).write_bytes(print_document(stack))
    edit(bundle, VERDICT, lambda verdict: verdict["subject"].update(digest=stack["digest"]))
    rest_again(bundle)
