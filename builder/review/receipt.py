"""Receipts: a test report, or a statement, that says at which tree and commit it was made, against this very head.

JUnit reports name their head in `<property name="stackproof.tree" value="…"/>`, and so `stackproof.commit` and
`stackproof.leg`; a statement is a JSON object with `tree`, `commit`, `leg` and counts. What names another head, or
another leg, is refused: near is not there. Reports come from strangers, so document types and entities are not read.
A statement says no more than who stands behind it, so it counts by its signature alone, of a signer of release.json,
and goes into the receipt as it was signed.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.model.block import Person
from verify.model.diagnostic import Diagnostic, Fault, InputFault, Place
from verify.model.ids import CommitId, Sha256, TreeId, is_object_id
from verify.model.review import ConditionKind, Receipt
from verify.model.stack import Stack
from verify.model.trust import Signer
from verify.review.standing import ConditionState
from verify.signature import REVIEW_NAMESPACE, check_signature

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_LIMIT = 64 << 20
_PREFIX = "stackproof."


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a report says: its head and leg (empty where it names none), and how the cases came out."""

    tree: str
    commit: str
    leg: str
    tests: int
    failures: int
    skipped: int
    is_statement: bool = False


def read_report(data: bytes, *, file: str) -> Report:
    """A JUnit report or a statement; raises `InputFault` for anything else."""
    if len(data) > _LIMIT:
        raise _unreadable(file, f"it is larger than {_LIMIT >> 20} MiB")
    if data.lstrip()[:1] == b"{":
        return _statement(data, file)
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise _unreadable(file, "it declares a document type or entities, which are not read")
    from xml.etree import ElementTree

    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - entities and document types were refused above
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise _unreadable(file, f"it is no XML: {error}") from error
    if root.tag not in ("testsuites", "testsuite"):
        raise _unreadable(file, f"its outermost element is `{root.tag:.40}`, expected `testsuites` or `testsuite`")
    return _junit(root)


def _junit(root: "Element") -> Report:
    properties: dict[str, str] = {}
    for each in root.iter("property"):
        name, value = each.get("name", ""), each.get("value") or each.text or ""
        if name.startswith(_PREFIX):
            # two suites of one file that name two heads are about neither
            known = properties.setdefault(name.removeprefix(_PREFIX), value.strip())
            if known != value.strip():
                properties[name.removeprefix(_PREFIX)] = "several"
    cases = list(root.iter("testcase"))
    failures = sum(any(child.tag in ("failure", "error") for child in case) for case in cases)
    # an error outside of every case (a suite that did not start) is told by the counts of the suite alone
    suites = [root, *root.iter("testsuite")]
    failures = max(failures, *(_number(suite, "failures") + _number(suite, "errors") for suite in suites))
    return Report(
        tree=properties.get("tree", ""),
        commit=properties.get("commit", ""),
        leg=properties.get("leg", ""),
        tests=len(cases),
        failures=failures,
        skipped=sum(any(child.tag == "skipped" for child in case) for case in cases),
    )


def _number(suite: "Element", name: str) -> int:
    text = suite.get(name, "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _statement(data: bytes, file: str) -> Report:
    try:
        said = json.loads(data)
        counts = {name: said.get(name, 0) for name in ("tests", "failures", "skipped")}
        words = {name: said.get(name, "") for name in ("tree", "commit", "leg")}
    except (ValueError, AttributeError, RecursionError) as error:
        raise _unreadable(file, f"it is no statement: {error}") from error
    if not all(isinstance(word, str) for word in words.values()):
        raise _unreadable(file, "its tree, commit or leg is not text")
    if not all(type(number) is int and number >= 0 for number in counts.values()):
        raise _unreadable(file, "its counts are not whole numbers")
    return Report(**words, **counts, is_statement=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voucher:
    """Who puts a receipt on record and when; a statement's signature where there is one, and who may sign."""

    by: Person
    date: str
    signature: bytes | None
    signers: tuple[Signer, ...]


def make_receipt(
    report: Report, data: bytes, state: ConditionState, stack: Stack, *, leg: str, voucher: Voucher, file: str
) -> Receipt:
    """The receipt for a condition.

    Raises `InputFault` where the report is of another head or leg, is not green, or is a statement that nobody signed
    who may.
    """
    wrong = _wrong(report, state, stack, leg, file)
    if wrong is None and report.is_statement:
        wrong = unvouched(data, voucher.signature, voucher.signers, file=file)
    if wrong is not None:
        raise InputFault(wrong)
    return Receipt(
        id=Sha256(""),
        block=state.block,
        review=state.record.id,
        condition=state.condition.id,
        leg=leg or report.leg,
        tree=TreeId(report.tree),
        commit=CommitId(report.commit),
        tests=report.tests,
        failures=report.failures,
        skipped=report.skipped,
        source=Sha256(hashlib.sha256(data).hexdigest()),
        by=voucher.by,
        date=voucher.date,
        file="",
        data=b"",
        signature=None,
        statement=data.decode("utf-8") if report.is_statement else "",
        vouched=(voucher.signature or b"").decode("ascii", "replace") if report.is_statement else "",
    )


def unvouched(data: bytes, signature: bytes | None, signers: tuple[Signer, ...], *, file: str) -> Diagnostic | None:
    """Why a statement does not count; None where one of these signers signed it."""
    found: list[Diagnostic] = []
    for signer in signers if signature is not None else ():
        try:
            check_signature(data, signature or b"", signer, file=file, namespace=REVIEW_NAMESPACE)
        except Fault as fault:
            found += fault.diagnostics
        else:
            return None
    if found:
        return next((each for each in found if each.code != "signature-other-key"), found[0])
    return Diagnostic(
        code="receipt-unsigned",
        message=f"{file} is a statement, and " + ("nobody may sign one" if signature else "nobody signed it"),
        place=Place(file=file),
        notes=("who may is named in release.json under policy.reviews.signers",),
        help=f"ssh-keygen -Y sign -n {REVIEW_NAMESPACE} -f KEY {file}",
    )


def statement_fault(receipt: Receipt, signers: tuple[Signer, ...]) -> Diagnostic | None:
    """What is wrong with a receipt's statement: its signature, or that it says something else; None for JUnit."""
    if not receipt.statement:
        return None
    data = receipt.statement.encode("utf-8")
    said = _statement(data, receipt.file)
    wanted = receipt.tree, receipt.commit, receipt.tests, receipt.failures, receipt.skipped
    if (said.tree, said.commit, said.tests, said.failures, said.skipped) != wanted or (
        said.leg and said.leg != receipt.leg
    ):
        return _refused(
            "receipt-says-otherwise", f"{receipt.file} says something else than its statement", receipt.file
        )
    return unvouched(data, receipt.vouched.encode("ascii", "replace"), signers, file=receipt.file)


def _wrong(report: Report, state: ConditionState, stack: Stack, leg: str, file: str) -> Diagnostic | None:
    if not is_object_id(report.tree) or not is_object_id(report.commit):
        return _refused(
            "receipt-names-no-head",
            f"{file} does not say at which tree and commit it was made",
            file,
            f"tree: {report.tree or 'none'}",
            f"commit: {report.commit or 'none'}",
        )
    expected = stack.tip_tree(), stack.tip_commit()
    if (report.tree, report.commit) != expected:
        notes = [f"tree:     {report.tree}", f"expected: {expected[0]}"] if report.tree != expected[0] else []
        notes += [f"commit:   {report.commit}", f"expected: {expected[1]}"] if report.commit != expected[1] else []
        return _refused("receipt-wrong-head", f"{file} is about another head", file, *notes)
    if state.condition.kind is ConditionKind.CI:
        named = leg or report.leg
        if (leg and report.leg and leg != report.leg) or named not in state.condition.legs:
            legs = ", ".join(state.condition.legs)
            return _refused(
                "receipt-wrong-leg",
                f"{file} is of leg `{report.leg or leg or 'none'}`, and that is not what is asked",
                file,
                f"asked for: {leg or 'any'}",
                f"legs of the condition: {legs}",
            )
    if report.failures or (state.condition.kind is ConditionKind.CI and not report.tests - report.skipped):
        what = f"{report.failures} cases failed" if report.failures else "no case ran"
        return _refused("receipt-not-green", f"{file} is not green: {what}", file)
    return None


def _refused(code: str, message: str, file: str, *notes: str) -> Diagnostic:
    return Diagnostic(
        code=code, message=message, place=Place(file=file), notes=notes, help="stackproof stack --json names the head"
    )


def _unreadable(file: str, why: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="receipt-unreadable",
            message=f"{file} cannot be read as a test report: {why}",
            place=Place(file=file),
            help="give a JUnit report, or a statement as docs/reviews.md shows",
        )
    )
