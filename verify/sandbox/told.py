"""What is told of a confined run that did what it may not."""

from collections.abc import Iterator

from verify.model.diagnostic import Diagnostic, Severity
from verify.sandbox.bounds import Bound, Breach, Ended


def breach_told(breach: Breach, who: str) -> Diagnostic:
    """The bound that `who` broke, and was ended for."""
    return Diagnostic(
        code=f"sandbox-{breach.bound}",
        message=f"{who} was ended: {_MET[breach.bound].format(_amount(breach.bound, breach.met))}",
        notes=(f"allowed: {_amount(breach.bound, breach.allowed)}", "over all of its processes"),
        help=_HELP[breach.bound],
    )


def conduct_told(ended: Ended, who: str) -> Iterator[Diagnostic]:
    """What `who` did that was stopped or cleared away, and need not spoil its result: warnings."""
    if ended.outside:
        yield Diagnostic(
            code="sandbox-outside",
            message=f"{who} tried to reach another machine, {ended.outside} times; no way leads there",
            help="find out what it looks for: what is fetched is no part of the tree",
            severity=Severity.WARNING,
        )
    if ended.left:
        yield Diagnostic(
            code="sandbox-left",
            message=f"{who} left processes behind, which were ended: {', '.join(ended.left[:8])}",
            help="find out what starts them: whoever runs it elsewhere keeps them",
            severity=Severity.WARNING,
        )


_MET = {
    Bound.SECONDS: "it ran for {}",
    Bound.MEMORY: "it took {} of memory",
    Bound.PROCESSES: "it had {} processes at once",
}
_HELP = {
    Bound.SECONDS: "run the same command again on a quieter machine; if it hangs again, it hangs",
    Bound.MEMORY: "run the same command again with less going on beside it; if it grows again, it leaks",
    Bound.PROCESSES: "find out what it starts so many of",
}


def _amount(bound: Bound, amount: int) -> str:
    match bound:
        case Bound.SECONDS:
            return f"{amount} s"
        case Bound.MEMORY:
            return f"{amount / (1 << 30):.2f} GiB"
        case Bound.PROCESSES:
            return str(amount)
