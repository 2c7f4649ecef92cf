"""Credit that an edit must not lose: who else wrote a fold, and who signed it off, as trailers of its message."""

import re
from collections.abc import Iterable

from verify.diff.trailers import signed_off, written_with
from verify.model.block import Person

_TRAILER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: \S.*")


def with_credit(body: str, *, own: Person, authors: Iterable[Person] = (), sign_offs: Iterable[str] = ()) -> str:
    """The body with a trailer for each author and sign-off that it does not have; `own` is the fold's author."""
    known = set(written_with(body))
    wrote = [f"{who.name} <{who.email}>" for who in authors if who != own]
    lines = [f"Co-authored-by: {who}" for who in dict.fromkeys(wrote) if who not in known]
    signed = set(signed_off(body))
    lines += [f"Signed-off-by: {who}" for who in dict.fromkeys(sign_offs) if who not in signed]
    if not lines:
        return body
    ends_in_trailers = bool(body) and all(map(_TRAILER.fullmatch, body.rsplit("\n\n", 1)[-1].split("\n")))
    gap = "" if not body else "\n" if ends_in_trailers else "\n\n"
    return f"{body}{gap}" + "\n".join(lines)


def coauthors(body: str) -> tuple[Person, ...]:
    """The further authors that a message names."""
    found = []
    for who in written_with(body):
        name, _, rest = who.partition(" <")
        if rest.endswith(">"):
            found.append(Person(name=name, email=rest.removesuffix(">")))
    return tuple(found)
