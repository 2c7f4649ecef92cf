"""The case of a release on another stack than its own: some of its folds, laid apart. Nothing of it is measured."""

from dataclasses import replace

from verify.gates.case import Case, NotRederived
from verify.model.diagnostic import Diagnostic
from verify.model.stack import Stack


def on_part(case: Case, stack: Stack) -> Case:
    """The same declared release on `stack`, as gates that run the engine see it."""
    reason = Diagnostic(code="part-of-a-stack", message="some folds alone are no release, so git was not asked")
    return replace(
        case,
        stack=stack,
        rederived=NotRederived(reason=reason),
        builds={},
        probes={},
        abi={},
        faults={},
        line_counts=None,
        alone=None,
    )
