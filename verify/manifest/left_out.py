"""What is not in the stack, as release.json and block.yaml record it: submissions not taken, and tombstones."""

from verify.manifest.scalars import choice, date, line, name, person, text
from verify.manifest.value import Value
from verify.model.block import NotTaken, Refusal, Tombstone
from verify.model.glob import unsafe_glob
from verify.model.ids import FoldId

LONGEST_SUBJECT = 200


def glob(value: Value) -> str:
    """A glob of paths in the tree."""
    written = line(value)
    problem = unsafe_glob(written) if written else None
    if problem is not None:
        value.wrong("unsafe-glob", f"{value.what}: {problem}")
    return written


def subject(value: Value) -> str:
    """The first line of a commit's message."""
    written = line(value)
    if len(written) > LONGEST_SUBJECT:
        value.wrong("subject-too-long", f"{value.what} has {len(written)} characters, at most {LONGEST_SUBJECT} fit")
    return written


def read_not_taken(value: Value) -> tuple[NotTaken, ...]:
    """Every submission that was not taken; two of one name are refused."""
    seen: dict[str, Value] = {}
    found = value.listing(_not_taken, of="submission", distinct=False)
    for _, identity in found:
        first = seen.setdefault(identity.word(), identity)
        if identity.word() and first is not identity:
            identity.wrong(
                "duplicate-name",
                f"a second submission is named `{identity.word()}`",
                notes=(f"first named at {first.source.file}:{first.node.spot.line}",),
                step="give each its own id",
            )
    return tuple(each for each, _ in found)


def _not_taken(value: Value) -> tuple[NotTaken, Value]:
    fields = value.fields()
    identity = fields.get("id", lambda field: field)
    record = NotTaken(
        id=FoldId(name(identity)),
        subject=fields.get("subject", subject),
        author=fields.optional("author", person, None),
        date=fields.optional("date", date, ""),
        source=fields.get("source", line),
        disposition=fields.get("disposition", lambda word: choice(word, Refusal)),
        reason=fields.get("reason", text),
        numbers=fields.optional("numbers", text, ""),
    )
    fields.close()
    return record, identity


def read_tombstones(value: Value) -> tuple[Tombstone, ...]:
    """Every pattern that must not come back."""
    return value.listing(_tombstone, of="tombstone", distinct=False)


def _tombstone(value: Value) -> Tombstone:
    fields = value.fields()
    stone = Tombstone(
        text=fields.get("text", line),
        paths=fields.optional("paths", lambda globs: globs.listing(glob, of="glob"), ()),
        reason=fields.get("reason", text),
        source=fields.get("source", line),
    )
    fields.close()
    return stone
