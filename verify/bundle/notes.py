"""NOTES.md: what a release brings, and who made it, from the folds since its parent.

Printed from stack.json, from what the parent held (since.json, there where the parent was at hand) and from the
verdict, so that it is printed again and compared when a bundle is checked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from verify.bundle.stack import BundleBlock, BundleFold, BundleStack
from verify.bundle.verdict import SealedVerdict
from verify.model.ids import BlockName, FoldId, ReleaseName, Sha256
from verify.model.verdict import Deferred, Passed, Waived
from verify.model.wording import count

Changes = Mapping[tuple[BlockName, FoldId], Sha256]
"""What each fold's patch does, by block and fold (`verify.diff.identity`)."""

SINCE_SCHEMA = "stackproof/bundle-since/1"
_CREDIT = re.compile(r"^([A-Z][a-z]+(?:-[a-z]+)*-by): (\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentFold:
    """A fold of the parent: `change` names what its patch does, without line numbers and context."""

    block: BlockName
    fold: FoldId
    change: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """The whole of since.json: what the parent held, and each change of this release in stack order."""

    schema: str
    parent: ReleaseName
    parent_sums: Sha256
    held: tuple[ParentFold, ...]


def render_notes(
    *,
    stack: BundleStack,
    verdict: SealedVerdict,
    since: Since | None,
    changes: Changes,
) -> bytes:
    """The notes; `changes` names what each fold's patch does, by block and fold, as `Since` does."""
    lines = [f"# {stack.release}", "", *_head(stack), ""]
    lines += _folds(stack, since, changes)
    if since is not None:
        lines += _gone(stack, since)
    lines += [*_credits(stack, since, changes)]
    lines += ["## Gates", "", *_gates(verdict)]
    return ("\n".join(lines).rstrip("\n") + "\n").encode("utf-8")


def _head(stack: BundleStack) -> Iterator[str]:
    blocks = count(len(stack.blocks), "block")
    yield f"{stack.engine} with {count(len(stack.folds()), 'fold')} in {blocks}."
    yield ""
    yield f"- base: tree {stack.base.tree}, commit {stack.base.commit}"
    yield f"- tip: tree {stack.tip.tree}, commit {stack.tip.commit}"
    if stack.parent is not None:
        yield f"- follows {stack.parent}"


def _folds(stack: BundleStack, since: Since | None, changes: Changes) -> Iterator[str]:
    if stack.parent is None:
        yield "## What it brings"
    elif since is None:
        yield f"## What it holds (what {stack.parent} held was not at hand)"
    else:
        yield f"## Since {since.parent}"
    yield ""
    told = False
    for block in stack.blocks:
        words = [(fold, _word(block, fold, since, changes)) for fold in block.folds]
        news = [(fold, word) for fold, word in words if word != "as it was"]
        if news:
            told = True
            yield from (f"### {block.title} (`{block.name}`)", "", block.why, "")
            yield from (_fold(fold, word) for fold, word in news)
            yield ""
    if not told:
        yield from ("Nothing that changes the engine.", "")


def _word(block: BundleBlock, fold: BundleFold, since: Since | None, changes: Changes) -> str:
    if since is None:
        return ""
    held = {(each.block, each.fold): each.change for each in since.held}
    change = changes[block.name, fold.id]
    if (block.name, fold.id) not in held:
        return "moved, its change as it was" if change in held.values() else "new"
    return "as it was" if held[block.name, fold.id] == change else "changed"


def _fold(fold: BundleFold, word: str) -> str:
    subject = fold.message.split("\n", 1)[0]
    said = f"{word}; " if word else ""
    return f"- {subject} (`{fold.id}`: {said}{fold.disposition.value}, by {fold.author.name}, from {fold.source})"


def _gone(stack: BundleStack, since: Since) -> Iterator[str]:
    here = {(block, fold.id) for block, fold in stack.folds()}
    gone = [each for each in since.held if (each.block, each.fold) not in here]
    if gone:
        yield from (f"### No longer in it: what {since.parent} held", "")
        yield from (f"- `{each.fold}` of `{each.block}`" for each in gone)
        yield ""


def _credits(stack: BundleStack, since: Since | None, changes: Changes) -> Iterator[str]:
    """Who made what is new, where the parent tells what is; and everybody who made what it holds."""
    if since is not None:
        news = [
            fold for block in stack.blocks for fold in block.folds
            if _word(block, fold, since, changes) in ("new", "changed")
        ]  # fmt: skip
        yield from (f"## Contributors since {since.parent}", "", *_contributors(news), "")
    yield from ("## All contributors", "", *_contributors([fold for _, fold in stack.folds()]), "")


def _contributors(folds: Sequence[BundleFold]) -> Iterator[str]:
    """Everybody who wrote a fold or is named by a trailer, sorted, with what for."""
    credit: dict[str, dict[str, None]] = {}
    for fold in folds:
        credit.setdefault(fold.author.name, {})["author"] = None
        for role, who in _CREDIT.findall(fold.message):
            name = who.split("<", 1)[0].strip() or who
            credit.setdefault(name, {})[role.removesuffix("-by").lower().replace("-", " ")] = None
    if not credit:
        yield "- nobody: there is no such fold"
    yield from (f"- {name} ({', '.join(credit[name])})" for name in sorted(credit))


def _gates(verdict: SealedVerdict) -> Iterator[str]:
    results = verdict.results
    passed = sum(isinstance(each.outcome, Passed) for each in results)
    yield f"{passed} of {count(len(results), 'gate')} passed; verdict.json has each with what it rests on."
    for result in results:
        title = f"{result.block}/{result.gate}" if result.block else result.gate
        match result.outcome:
            case Passed():
                continue
            case Waived(summary=summary, deviation=deviation):
                yield f"- `{title}` is waived by accepted deviation {deviation}: {summary}"
            case Deferred(hardware=hardware):
                yield f"- `{title}` is owed: it needs `{hardware}`"
            case outcome:
                yield f"- `{title}` (not required): {outcome.summary}"
