"""SHA256SUMS: the list that `sha256sum -c` reads, and the check that it and the folder say the same.

Every file but the list itself stands in it once, sorted by name. A file that is not in the list, one that is missing
and one with another digest are three different findings, each with its name.
"""

import re
from collections.abc import Mapping

from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import SUMS
from verify.bundle.members import Members
from verify.model.diagnostic import Diagnostic
from verify.model.ids import Sha256
from verify.model.verdict import Outcome

_LINE = re.compile(rb"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._+-]*(?:/[A-Za-z0-9][A-Za-z0-9._+-]*)*)")


def render_sums(sums: Mapping[str, Sha256]) -> bytes:
    """The list for these files."""
    return b"".join(f"{sums[name]}  {name}\n".encode("ascii") for name in sorted(sums))


def read_sums(data: bytes) -> dict[str, Sha256] | int:
    """The digests by name, or the number of the first line that does not belong into such a list."""
    sums: dict[str, Sha256] = {}
    lines = data.split(b"\n")
    last = ""
    for number, line in enumerate(lines[:-1], start=1):
        found = _LINE.fullmatch(line)
        name = found[2].decode("ascii") if found else ""
        if found is None or name == SUMS or name <= last:
            return number
        sums[name] = Sha256(found[1].decode("ascii"))
        last = name
    return sums if lines[-1] == b"" and sums else len(lines)


def check_sums(members: Members) -> Outcome:
    """Every file is the one that the list names, and the list names every file."""
    findings: list[Diagnostic] = list(members.refused)
    data = members.data(SUMS)
    sums = None if data is None else read_sums(data)
    if sums is None:
        findings.append(finding("bundle-file-missing", f"`{SUMS}` is missing", SUMS))
    elif isinstance(sums, int):
        expected = "expected the digest, two spaces, a name, sorted by name"
        findings.append(finding("bundle-sums-malformed", f"line {sums} of `{SUMS}` is no line of it", SUMS, expected))
    else:
        findings += _compared(members, sums)
    return ruled(findings, f"{len(members.files)} files, each with the SHA-256 that {SUMS} lists")


def _compared(members: Members, sums: Mapping[str, Sha256]) -> list[Diagnostic]:
    findings = []
    there = members.files.keys() - {SUMS}
    for name in sorted(there | sums.keys()):
        if name not in sums:
            findings.append(finding("bundle-file-added", f"`{name}` is not listed in `{SUMS}`", name))
        elif name not in there:
            findings.append(finding("bundle-file-missing", f"`{name}` is listed in `{SUMS}` and missing", name))
        elif members.files[name].sha256 != sums[name]:
            message = f"`{name}` is not the file that `{SUMS}` lists"
            met, expected = members.files[name].sha256, sums[name]
            findings.append(differs("bundle-file-changed", message, name, met=met, expected=expected))
    return findings
