"""Reads JUnit XML, as CTest, pytest and many others write it: every case with its end.

XML of strangers: a document type is refused, since it can be made to grow without end. What is not as the form asks
is told as trouble and never passed over.
"""

from dataclasses import dataclass
from xml.etree import ElementTree

from verify.model.test_set import End, RanTest

_MAX_BYTES = 64 << 20
_NOT_RUN = frozenset({"notrun", "disabled", "skipped"})
_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The cases of a report in its order, and what is wrong with it."""

    tests: tuple[RanTest, ...]
    trouble: tuple[str, ...]


def read_junit(data: bytes) -> Report:
    """The report in these bytes."""
    if len(data) > _MAX_BYTES:
        return Report(tests=(), trouble=(f"the report has {len(data)} bytes, more than {_MAX_BYTES}",))
    if b"<!" in data.replace(b"<![CDATA[", b"").replace(b"<!--", b""):
        return Report(tests=(), trouble=("the report declares a document type, which is refused",))
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - without a document type there is nothing to expand
    except ElementTree.ParseError as error:
        return Report(tests=(), trouble=(f"the report is no XML: {error}",))
    if root.tag not in ("testsuite", "testsuites"):
        return Report(tests=(), trouble=(f"the report's root is `{root.tag}`, expected `testsuite`",))
    tests: list[RanTest] = []
    trouble: list[str] = []
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        said = suite.get("tests")
        if said is not None and said != str(len(cases)) and not suite.findall("testsuite"):
            trouble.append(f"suite `{suite.get('name', '')}` says {said} tests and has {len(cases)}")
        for case in cases:
            name = case.get("name", "")
            if not name:
                trouble.append("a case has no name")
                continue
            tests.append(_ran(case, name))
    return Report(tests=tuple(tests), trouble=tuple(trouble))


def _ran(case: ElementTree.Element, name: str) -> RanTest:
    owner = case.get("classname", "")
    whole = name if owner in ("", name) else f"{owner}.{name}"
    for tag in ("failure", "error"):
        found = case.find(tag)
        if found is not None:
            return RanTest(name=whole, end=End.FAIL, said=_said(found))
    skipped = case.find("skipped")
    status = case.get("status", "run")
    if skipped is not None or status in _NOT_RUN:
        return RanTest(name=whole, end=End.SKIP, said=_said(skipped) if skipped is not None else status)
    if status == "fail":
        return RanTest(name=whole, end=End.FAIL, said="")
    return RanTest(name=whole, end=End.PASS, said="")


def _said(found: ElementTree.Element) -> str:
    text = found.get("message") or (found.text or "").strip()
    return text.splitlines()[0][:_LONGEST] if text else ""
