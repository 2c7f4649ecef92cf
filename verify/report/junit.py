"""Gates as test cases in JUnit's XML, as CI systems read it.

A gate that failed is a failure. One that is required and could not be decided is an error, since a skipped case counts
as green everywhere and not run is not passed; one that need not pass, or waits for other hardware, is skipped. The
head is named as receipts want it (`stackproof.tree`, `stackproof.commit`). There are no times of day.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never
from xml.sax.saxutils import escape, quoteattr

from verify.model.diagnostic import Diagnostic
from verify.model.ids import Sha256
from verify.model.verdict import Deferred, Failed, GateResult, Passed, Subject, Undecided, Waived
from verify.report.terminal import render_diagnostics

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(subject: Subject, results: Sequence[GateResult], seconds: Mapping[Sha256, float]) -> bytes:
    """The report's bytes; `seconds` says what each record of evidence took to make."""
    groups: dict[str, list[GateResult]] = {}
    for result in results:
        groups.setdefault(result.block or "release", []).append(result)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_totals(subject.release, results, seconds)}>"]
    for name, some in groups.items():
        lines.append(f"  <testsuite{_totals(name, some, seconds)}>")
        lines += _head(subject)
        for each in some:
            lines += _case(name, each, seconds)
        lines.append("  </testsuite>")
    return ("\n".join([*lines, "</testsuites>"]) + "\n").encode("utf-8")


def junit_of_faults(release: str, faults: Sequence[Diagnostic]) -> bytes:
    """The report of a release that could not be read, or not stacked: one case that is an error."""
    totals = f'{_attribute("name", release)} tests="1" failures="0" errors="1" skipped="0"'
    message = faults[0].message if faults else "the release could not be read"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites{totals}>",
        f"  <testsuite{totals}>",
        '    <testcase classname="release" name="readable" time="0.000">',
        f"      <error{_attribute('message', message)}>{_text(render_diagnostics(faults))}</error>",
        "    </testcase>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _totals(name: str, results: Sequence[GateResult], seconds: Mapping[Sha256, float]) -> str:
    failures = sum(isinstance(each.outcome, Failed) and each.required for each in results)
    errors = sum(isinstance(each.outcome, Undecided) and each.required for each in results)
    skipped = sum(_is_skipped(each) for each in results)
    keys = dict.fromkeys(key for each in results for key in each.evidence)
    took = sum(seconds.get(key, 0.0) for key in keys)
    counts = f'tests="{len(results)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    return f'{_attribute("name", name)} {counts} time="{took:.3f}"'


def _is_skipped(result: GateResult) -> bool:
    match result.outcome:
        case Deferred():
            return True
        case Failed() | Undecided():
            return not result.required
        case _:
            return False


def _head(subject: Subject) -> Iterable[str]:
    named = {"tree": subject.tip_tree, "commit": subject.tip_commit, "release": subject.release}
    yield "    <properties>"
    for name, value in named.items():
        if value is not None:
            yield f"      <property{_attribute('name', f'stackproof.{name}')}{_attribute('value', value)}/>"
    yield "    </properties>"


def _case(suite: str, result: GateResult, seconds: Mapping[Sha256, float]) -> Iterable[str]:
    took = sum(seconds.get(key, 0.0) for key in result.evidence)
    yield f'    <testcase{_attribute("classname", suite)}{_attribute("name", result.gate)} time="{took:.3f}">'
    if result.evidence:
        yield "      <properties>"
        for key in result.evidence:
            yield f'        <property name="evidence"{_attribute("value", key)}/>'
        yield "      </properties>"
    yield from _end(result)
    yield "    </testcase>"


def _end(result: GateResult) -> Iterable[str]:
    outcome = result.outcome
    match outcome:
        case Passed():
            yield f"      <system-out>{_text(outcome.summary)}</system-out>"
        case Waived():
            said = f"{outcome.summary}\n\n{render_diagnostics(outcome.findings)}"
            yield f"      <system-out>{_text(said)}</system-out>"
        case Failed():
            yield _told("failure" if result.required else "skipped", outcome.summary, outcome.findings)
        case Undecided():
            yield _told("error" if result.required else "skipped", outcome.summary, outcome.reasons)
        case Deferred():
            yield f"      <skipped{_attribute('message', outcome.summary)}/>"
        case _:
            assert_never(outcome)


def _told(element: str, summary: str, found: Sequence[Diagnostic]) -> str:
    kind = _attribute("type", found[0].code) if found and element != "skipped" else ""
    text = _text(render_diagnostics(found))
    return f"      <{element}{_attribute('message', summary)}{kind}>{text}</{element}>"


def _attribute(name: str, value: str) -> str:
    return f" {name}={quoteattr(_seen(value))}"


def _text(value: str) -> str:
    return escape(_seen(value))


def _seen(value: str) -> str:
    """The text with what XML cannot hold spelled out."""
    return _NOT_XML.sub(lambda match: f"\\u{ord(match.group()):04x}", value)
