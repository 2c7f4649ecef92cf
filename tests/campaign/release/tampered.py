"""Somebody changes a signed bundle and makes every checksum again: each member in turn, in each of four ways.

A bit of it is flipped, it is taken out, it is exchanged for that of another release; and files are put in. Then the
same by somebody who also prints all statements again and only lacks the key. Last, the statements that the same key
signed for an older bundle of this name are put in the place of the new ones.

The checks are the real ones, without the base for all but combined.diff; what they compute from equal bytes alone
(unpacking, the files of an archive) is remembered between them, or it would take hours.
"""

import hashlib
import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import verify.bundle.archives
import verify.bundle.check
import verify.bundle.documents
import verify.bundle.evidence
import verify.bundle.image
import verify.bundle.policy
from tests.seal.tampering import digest, members, state_again
from verify.bundle.check import Report, check_bundle
from verify.bundle.documents import Bundle
from verify.bundle.layout import COMBINED, SIGNATURES, STATEMENTS, SUMS, source_member
from verify.bundle.signatures import read_signers
from verify.bundle.sums import read_sums, render_sums
from verify.model.codec import CodecError
from verify.model.diagnostic import ExitCode
from verify.model.trust import Signer


def tampered(bundle: Path, other: Path, older: Path, base: Path, signers: Path, work: Path) -> dict[str, Any]:
    """For each way how many were tried, caught and named, and which were not."""
    remember()
    believed = read_signers(signers)
    start = time.monotonic()
    copy = shutil.copytree(bundle, work / bundle.name)
    whole = check_bundle(copy, base=base, signers=believed)
    if whole.exit_code() is not ExitCode.HOLDS:
        raise SystemExit(f"the bundle itself does not hold: {whole.findings()}")
    found: dict[str, Any] = {}
    ways: dict[str, Callable[[], Iterator[tuple[str, Callable[[], None]]]]] = {
        "a bit flipped": lambda: _flipped(copy),
        "taken out": lambda: ((name, (copy / name).unlink) for name in members(bundle)),
        "exchanged with another release": lambda: _exchanged(bundle, copy, other),
        "put in": lambda: _put_in(copy),
    }
    for again, restate in (("sums made again", False), ("sums and statements made again", True)):
        for way, cases in ways.items():
            found[f"{way}, {again}"] = _try(cases(), bundle, copy, base, believed, restate=restate)
    found["older signed statements replayed"] = _replayed(bundle, copy, older, base, believed)
    found["wall"] = round(time.monotonic() - start)
    return found


def _try(
    cases: Iterator[tuple[str, Callable[[], None]]],
    bundle: Path,
    copy: Path,
    base: Path,
    believed: tuple[Signer, ...],
    *,
    restate: bool,
) -> dict[str, Any]:
    tried = caught = named = 0
    missed, unnamed = [], []
    for name, change in cases:
        if restate and name.startswith(f"{STATEMENTS}/"):
            continue  # printing it again would undo the change
        change()
        if restate:
            with suppress(AssertionError, CodecError, KeyError):  # from some things nobody can print statements
                state_again(copy)
        _sum_again(bundle, copy, name)
        report = check_bundle(copy, base=base if name == COMBINED else None, signers=believed)
        tried += 1
        if report.exit_code() is ExitCode.DOES_NOT_HOLD:
            caught += 1
            if _names(report, name):
                named += 1
            else:
                unnamed.append(name)
        else:
            missed.append(name)
        _restore(bundle, copy, name)
    return {"tried": tried, "caught": caught, "named": named, "missed": missed, "unnamed": unnamed}


def _names(report: Report, name: str) -> bool:
    return any((each.place and each.place.file == name) or name in each.message for each in report.findings())


def _touched(bundle: Path, copy: Path, name: str) -> list[str]:
    """The members that a try can have changed: its own, and what was printed or replayed with it."""
    folders = (f"{STATEMENTS}/", f"{SIGNATURES}/")
    there = {*members(bundle), *members(copy)}
    return sorted({name, *(each for each in there if each.startswith(folders))})


def _sum_again(bundle: Path, copy: Path, name: str) -> None:
    """Make SHA256SUMS fit; only what can have changed is hashed."""
    sums = read_sums((bundle / SUMS).read_bytes())
    assert isinstance(sums, dict)
    for each in _touched(bundle, copy, name):
        sums.pop(each, None)
        if (copy / each).is_file():
            sums[each] = digest(copy / each)
    (copy / SUMS).write_bytes(render_sums(sums))


def _restore(bundle: Path, copy: Path, name: str) -> None:
    """As it was."""
    for each in (*_touched(bundle, copy, name), SUMS):
        if (bundle / each).is_file():
            shutil.copyfile(bundle / each, copy / each)
        else:
            (copy / each).unlink()


def _flipped(copy: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    for name in members(copy):
        yield name, lambda path=copy / name: _flip(path)  # type: ignore[misc]


def _flip(path: Path) -> None:
    data, rng = bytearray(path.read_bytes()), random.Random(path.name)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def _exchanged(bundle: Path, copy: Path, other: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every member that the other release has under the same name, or under its own, with other bytes."""
    for name in members(bundle):
        its = other / name.replace(bundle.name, other.name)
        if its.is_file() and its.read_bytes() != (bundle / name).read_bytes():
            yield name, lambda its=its, mine=copy / name: shutil.copyfile(its, mine)  # type: ignore[misc]


def _put_in(copy: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    folders = sorted({str(Path(name).parent) for name in members(copy)})
    for folder in folders:
        name = "zz-extra" if folder == "." else f"{folder}/zz-extra"
        yield name, lambda path=copy / name: _write(path)  # type: ignore[misc]


def _write(path: Path) -> None:
    path.write_bytes(b"x\n")


def _replayed(bundle: Path, copy: Path, older: Path, base: Path, believed: tuple[Signer, ...]) -> dict[str, Any]:
    """All of them at once, then each with its envelope, then each envelope alone."""

    def take(*folders: str, only: str = "") -> None:
        for folder in folders:
            for path in (older / folder).iterdir():
                if path.name.startswith(only):
                    shutil.copyfile(path, copy / folder / path.name)

    def cases() -> Iterator[tuple[str, Callable[[], None]]]:
        yield f"{STATEMENTS}/release.json", lambda: take(STATEMENTS, SIGNATURES)
        for path in sorted((older / STATEMENTS).iterdir()):
            if path.read_bytes() != (bundle / STATEMENTS / path.name).read_bytes():
                stem = f"{path.stem}."
                yield f"{STATEMENTS}/{path.name}", lambda stem=stem: take(STATEMENTS, SIGNATURES, only=stem)  # type: ignore[misc]
                yield f"{SIGNATURES}/{stem}dsse.json", lambda stem=stem: take(SIGNATURES, only=stem)  # type: ignore[misc]

    return _try(cases(), bundle, copy, base, believed, restate=False)


def remember() -> None:
    """Remember what follows from bytes alone, by their digest."""
    for module, name, key_of in (
        (verify.bundle.archives, "read_tarball", _digest_of),
        (verify.bundle.image, "read_tarball", _digest_of),
        (verify.bundle.image, "unpack", _digest_of),
        (verify.bundle.documents, "parse_evidence", _digest_of),
        (verify.bundle.evidence, "parse_evidence", _digest_of),
        (verify.bundle.policy, "load_document", _digest_of),
        (verify.bundle.check, "read_sources", _source_of),
        # the files are those of a remembered archive, and live as long as it
        (verify.bundle.archives, "tree_id", lambda files: (id(files),)),
    ):
        setattr(module, name, _remembered(getattr(module, name), key_of))


def _digest_of(data: bytes) -> tuple[object, ...]:
    return (hashlib.sha256(data).digest(),)


def _source_of(bundle: Bundle) -> tuple[object, ...]:
    name = source_member(bundle.release.name)
    member = bundle.files.get(name)
    return name, bundle.stack.seconds(), None if member is None else member.sha256


def _remembered(function: Callable[..., Any], key_of: Callable[[Any], tuple[object, ...]]) -> Callable[..., Any]:
    kept: dict[object, Any] = {}

    def call(data: Any, **more: Any) -> Any:
        key = (*key_of(data), *more.items())
        if key not in kept:
            kept[key] = function(data, **more)
        return kept[key]

    return call
