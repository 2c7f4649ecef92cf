"""One thing that is wrong with a bundle, as a diagnostic that names the member."""

from collections.abc import Sequence

from verify.model.diagnostic import Diagnostic, Place
from verify.model.verdict import Failed, Outcome, Passed


def finding(code: str, message: str, file: str, *notes: str) -> Diagnostic:
    """A finding about a member."""
    return Diagnostic(
        code=code, message=message, place=Place(file=file), notes=notes, help=f"stackproof explain {code}"
    )


def differs(code: str, message: str, file: str, *, met: object, expected: object) -> Diagnostic:
    """A finding with both values."""
    return finding(code, message, file, f"met       {met}", f"expected  {expected}")


def ruled(findings: Sequence[Diagnostic], passed: str) -> Outcome:
    """The outcome of a check: every finding, or what holds."""
    if findings:
        more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        return Failed(summary=findings[0].message + more, findings=tuple(findings))
    return Passed(summary=passed)
