"""Whose fault it is when an arm's engine breaks down under settings under which another arm's has served."""

from collections.abc import Iterator
from contextlib import contextmanager

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import Arm

_ENGINE_AT_FAULT = frozenset(
    {"server-not-starting", "server-died", "server-silent", "answer-broken", "answer-refused"}
    | {"library-died", "library-silent", "library-refused"}
    | {"program-not-starting", "program-failed", "program-endless", "output-unreadable"}
)


@contextmanager
def blamed(arm: Arm, served: str | None) -> Iterator[None]:
    """Run `arm` here; `served` is the first arm where that one has served, None where nobody knows yet.

    A breakdown of the engine then comes out as `arm-broken`; any other fault, and one on the first arm, as it is.
    """
    try:
        yield
    except EnvironmentFault as fault:
        diagnostic = fault.diagnostics[0]
        if served is None or served == arm.name or diagnostic.code not in _ENGINE_AT_FAULT:
            raise
        raise EnvironmentFault(
            Diagnostic(
                code="arm-broken",
                message=f"arm `{served}` served and arm `{arm.name}` broke down: {diagnostic.message}",
                place=diagnostic.place,
                notes=(f"{diagnostic.code}: tree {arm.build.tree}", *diagnostic.notes),
                help=diagnostic.help,
            )
        ) from fault
