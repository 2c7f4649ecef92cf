"""Trees that are not the promised ones, and gate lists that ask nothing."""

from dataclasses import replace

from tests.gates.good import AFTER_QUEUE, CACHE, good_stack, oid
from tests.sabotage.ways import broken, layered, locked, promised, redeclared, unknown
from verify.gates.case import Case, NotRederived, Rederived
from verify.model.diagnostic import Diagnostic
from verify.model.ids import CommitId, TreeId
from verify.model.release import Release
from verify.model.stack import Stack, Stuck

OTHER, OTHER_COMMIT = TreeId(oid("another tree")), CommitId(oid("another commit"))


def stuck(case: Case) -> Case:
    """The second block's fold does not go on."""
    layers = good_stack().layers
    why = Diagnostic(code="preimage-differs", message="the file is not the recorded one")
    return replace(case, stack=Stuck(done=layers[:1], block=CACHE, fold=layers[1].fold, findings=(why,)))


def shorter(stack: Stack | Stuck) -> Stack:
    """A stack that lost its last layer."""
    assert isinstance(stack, Stack)
    return replace(stack, layers=stack.layers[:-1])


def without_gates(release: Release, *, required: bool | None) -> Release:
    """No declared gate at all (None), or only such as are not required."""
    gates = () if required is None else tuple(replace(gate, required=False) for gate in release.gates)
    return replace(release, gates=gates, blocks=tuple(replace(block, gates=()) for block in release.blocks))


SABOTAGES = (
    broken("the base is another tree", "tree-equal", "base-tree-differs", lambda c: replace(c, base_tree=OTHER)),
    broken(
        "the tip tree is not the promised one",
        "tree-equal",
        "tip-tree-differs",
        promised(lambda r: replace(r, tip_tree=OTHER)),
    ),
    broken(
        "the tip commit is not the promised one",
        "tree-equal",
        "tip-commit-differs",
        promised(lambda r: replace(r, tip_commit=OTHER_COMMIT)),
    ),
    broken("a fold gives another tree", "tree-equal", "tree-differs", layered(0, after=OTHER)),
    broken("a fold gives another commit", "tree-equal", "tree-differs", layered(0, commit=OTHER_COMMIT)),
    broken("the lock records another tree", "tree-equal", "tree-differs", locked(1, tree=OTHER)),
    broken("the lock records other files", "tree-equal", "tree-differs", locked(1, files=())),
    broken("the lock lacks a fold", "tree-equal", "lock-folds-differ", locked(1, fold="other")),
    broken(
        "a fold is left out of the stack",
        "tree-equal",
        "stack-incomplete",
        lambda c: replace(c, stack=shorter(c.stack)),
    ),
    broken("the stack is stuck", "tree-equal", "preimage-differs", stuck),
    broken(
        "git makes another tree of a patch",
        "tree-equal",
        "git-derives-another-tree",
        lambda c: replace(c, rederived=Rederived(trees=(AFTER_QUEUE, OTHER))),
    ),
    broken(
        "git makes fewer trees",
        "tree-equal",
        "git-derives-another-tree",
        lambda c: replace(c, rederived=Rederived(trees=(AFTER_QUEUE,))),
    ),
    unknown(
        "git is not there",
        "tree-equal",
        "git-missing",
        lambda c: replace(c, rederived=NotRederived(reason=Diagnostic(code="git-missing", message="there is no git"))),
    ),
    unknown("nothing was pinned", "tree-equal", "no-reference", redeclared(lambda r: replace(r, reference=None))),
    unknown(
        "no gate is required",
        "declared-gates",
        "no-required-gates",
        redeclared(lambda r: without_gates(r, required=False)),
    ),
    unknown(
        "no gate is declared",
        "declared-gates",
        "no-required-gates",
        redeclared(lambda r: without_gates(r, required=None)),
    ),
)
