"""A block as one patch for upstream: on its base and what it requires, with a note of what was and was not validated.

The mail's message is upstream's to keep: what the block does, who wrote it, who signed it off. The note below `---`
is for the reader of the mail alone and does not get into the commit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import fill

from builder.exchange.lay_submission import HunkFate, Refused, Rules, Taken, lay_submission
from builder.exchange.mail_out import fold_mail
from builder.exchange.stack_out import credit_trailers
from builder.placement import Fate
from builder.tree import Tree
from verify.diff.mail import read_messages
from verify.diff.submission import Dialect, parse_sections
from verify.model.block import Block
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, TreeId, show_path
from verify.model.release import Release

_WIDTH = 75  # as kernels and most other upstreams want messages
_RULES = Rules(dialect=Dialect.GIT, drop_empty=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForUpstream:
    """The mail, the blocks that must be sent before, the trees around it, and what the note says was not validated."""

    mail: bytes
    first: tuple[BlockName, ...]
    before: TreeId
    after: TreeId
    moved: tuple[str, ...]
    not_validated: tuple[str, ...]


def for_upstream(*, release: Release, block: BlockName, base: Tree, base_name: str) -> ForUpstream:
    """The block on `base`; raises `InputFault` with every hunk that does not go on."""
    chosen = next((each for each in release.blocks if each.name == block), None)
    if chosen is None:
        raise InputFault(_unknown(release, block))
    if not chosen.folds:
        raise InputFault(
            Diagnostic(code="upstream-nothing", message=f"block `{block}` has no folds", help="stackproof status")
        )
    needed = required(release, chosen)
    tree = base
    for each in needed:
        tree = _laid(each, tree).tree
    taken = _laid(chosen, tree)
    moved = tuple(_moved(taken.fates))
    doubts = tuple(_not_validated(release, chosen, needed, moved))
    body = _body(chosen)
    fold = replace(chosen.folds[-1], subject=chosen.title, body=body, patch=taken.patch, patch_bytes=taken.text)
    note = "\n".join(_note(chosen, needed, base_name, doubts))
    mail = fold_mail(fold, number=1, total=1, separator="")
    mail = mail.replace(b"Subject: [PATCH 1/1] ", b"Subject: [PATCH] ", 1)
    mail = mail.replace(b"\n---\n\n", f"\n---\n{note}\n\n".encode(), 1)
    read = read_messages(mail)[0]
    again = parse_sections(read.text, file="patch", dialect=Dialect.GIT)
    made = lay_submission([again], tree, _RULES, file="patch")
    if read.body != body or isinstance(made, Refused) or made.tree.id != taken.tree.id:
        raise ValueError("the mail does not read back as the block that it was made of")
    return ForUpstream(
        mail=mail,
        first=tuple(each.name for each in needed),
        before=tree.id,
        after=taken.tree.id,
        moved=moved,
        not_validated=doubts,
    )


def required(release: Release, block: Block) -> tuple[Block, ...]:
    """The blocks that a block requires, directly or by another one, in stack order."""
    by_name = {each.name: each for each in release.blocks}
    found: set[BlockName] = set()
    todo = list(block.requires)
    while todo:
        name = todo.pop()
        if name in by_name and name not in found:
            found.add(name)
            todo += by_name[name].requires
    return tuple(each for each in release.blocks if each.name in found)


def _laid(block: Block, tree: Tree) -> Taken:
    sections = [parse_sections(fold.patch_bytes, file=fold.patch_file, dialect=Dialect.GIT) for fold in block.folds]
    made = lay_submission(sections, tree, _RULES, file=block.file)
    if isinstance(made, Refused):
        raise InputFault(
            Diagnostic(
                code="upstream-does-not-fit",
                message=f"block `{block.name}` does not go onto that base with nothing but what it requires",
                notes=("it stands on lines that upstream, or a block it does not name, brings or changed",),
                help=f"name the blocks that it stands on under `requires` in {block.file}",
            ),
            *made.findings,
        )
    return made


def _moved(fates: Sequence[HunkFate]) -> Iterator[str]:
    for fate in fates:
        if fate.placement.fate is not Fate.EXACT:
            yield f"{show_path(fate.path)}, hunk {fate.number}: {fate.placement.fate.value}"


def _body(block: Block) -> str:
    folds = [fold.subject for fold in block.folds]
    parts = [fill(paragraph, _WIDTH) for paragraph in block.why.strip().split("\n\n")]
    if len(folds) > 1:
        parts.append("\n".join(f"- {subject}" for subject in folds))
    trailers = "\n".join(f"{key}: {who}" for key, who in credit_trailers(block))
    return "\n\n".join(part for part in (*parts, trailers) if part)


def _note(block: Block, needed: Sequence[Block], base_name: str, doubts: Sequence[str]) -> Iterator[str]:
    yield f"Base: {base_name}."
    if needed:
        yield f"Goes on top of: {', '.join(each.title for each in needed)}."
    for switch in block.switches:
        yield f"{switch.name}={switch.off} turns it off: {switch.about}."
    for claim in block.all_claims():
        yield f"Claim: {claim}."
    yield "Not validated:"
    yield from (f"- {doubt}" for doubt in doubts)


def _not_validated(release: Release, block: Block, needed: Sequence[Block], moved: Sequence[str]) -> Iterator[str]:
    if not any(proof.value == "alone" for each in release.configurations for proof in each.proofs):
        yield "the patch was not built on this base by itself, only as a part of the stack"
    measured = [gate for gate in (*release.gates, *block.gates) if gate.block in (None, block.name)]
    behaviour = [gate for gate in measured if gate.block == block.name]
    if behaviour:
        yield f"measured on the stack and not on this patch: {', '.join(gate.name for gate in behaviour)}"
    else:
        yield "no gate measures what this block does"
    if moved:
        yield f"hunks that do not stand where they were reviewed: {'; '.join(moved[:5])}"
    options = ", ".join(f"{each.name} ({each.build_type})" for each in release.configurations)
    yield f"other configurations than: {options}"
    if needed:
        yield "the patches that it goes on top of, without this one"


def _unknown(release: Release, block: str) -> Diagnostic:
    return Diagnostic(
        code="upstream-block",
        message=f"there is no block `{block}`",
        notes=(f"blocks: {', '.join(each.name for each in release.blocks)}",),
        help="stackproof status",
    )
