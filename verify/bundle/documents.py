"""The documents of a bundle, read: what every check but that of the sums works on.

release.json was read strictly when the release was judged, and its bytes belong to the release's digest; here only
what other members must agree with is taken from it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from verify.bundle.document import load_document, read_document
from verify.bundle.finding import finding
from verify.bundle.layout import EVIDENCE, RELEASE, STACK, VERDICT
from verify.bundle.members import Member, Members
from verify.bundle.stack import SCHEMA as STACK_SCHEMA
from verify.bundle.stack import BundleGate, BundleStack
from verify.bundle.verdict import SealedVerdict, read_verdict
from verify.evidence import parse_evidence
from verify.model.artifact import Artifacts, BinariesDecl, ImageDecl
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Evidence
from verify.model.ids import CommitId, ConfigName, GateName, TreeId, is_name, is_object_id

T = TypeVar("T")

_DATE = re.compile(r"@\d{1,11} [+-]\d{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseGate:
    """A gate of release.json, and the hardware that it needs, empty for any."""

    declared: BundleGate
    hardware: str

    @property
    def name(self) -> GateName:
        """Its name."""
        return self.declared.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseConfiguration:
    """A way to build the engine, spelled as the key of its builds spells it."""

    name: str
    build_type: str
    options: Mapping[str, str]
    targets: tuple[str, ...]

    def key_parts(self) -> Mapping[str, str]:
        """The parts of a build's key that the configuration gives."""
        return {
            "build_type": self.build_type,
            "options": "\n".join(f"{name}={value}" for name, value in sorted(self.options.items())),
            "targets": "\n".join(sorted(self.targets)),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDocument:
    """Of release.json what a bundle must agree with; `source` is the base's source as it is declared."""

    name: str
    parent: str | None
    engine: str
    blocks: tuple[str, ...]
    source: Mapping[str, object]
    upstream_commit: CommitId | None
    base_tree: TreeId
    tip_tree: TreeId
    tip_commit: CommitId
    gates: tuple[ReleaseGate, ...]
    hardware: tuple[str, ...]
    configurations: tuple[ReleaseConfiguration, ...]
    artifacts: Artifacts

    def configuration(self, name: str) -> ReleaseConfiguration | None:
        """The configuration of that name."""
        return next((each for each in self.configurations if each.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Every file of a bundle and its documents."""

    files: Mapping[str, Member]
    release: ReleaseDocument
    stack: BundleStack
    verdict: SealedVerdict

    def data(self, name: str) -> bytes | None:
        """The bytes of a member; None when it is not there or too large to be kept."""
        member = self.files.get(name)
        return None if member is None else member.data

    def records(self) -> tuple[Evidence, ...]:
        """Every record of evidence that is sound, sorted by member; `verify/bundle/evidence.py` tells of the others."""
        found = []
        for name in sorted(self.files):
            if name.startswith(f"{EVIDENCE}/"):
                try:
                    found.append(parse_evidence(self.data(name) or b""))
                except CodecError:
                    continue
        return tuple(found)


def open_bundle(members: Members) -> Bundle | tuple[Diagnostic, ...]:
    """The bundle, or why its documents cannot be read: every reason."""
    findings: list[Diagnostic] = []
    release = _read(members, RELEASE, read_release_document, findings)
    stack = _read(members, STACK, read_stack, findings)
    verdict = _read(members, VERDICT, read_verdict, findings)
    if release is None or stack is None or verdict is None:
        return tuple(findings)
    return Bundle(files=members.files, release=release, stack=stack, verdict=verdict)


def _read(members: Members, name: str, reader: Callable[[bytes], T], findings: list[Diagnostic]) -> T | None:
    data = members.data(name)
    try:
        if data is not None:
            return reader(data)
        why = "it is too large" if name in members.files else "it is missing"
    except CodecError as error:
        why = str(error)
    findings.append(finding("bundle-document-unreadable", f"`{name}` cannot be read: {why}", name))
    return None


def read_stack(data: bytes) -> BundleStack:
    """stack.json out of its bytes; raises `CodecError` where it is none."""
    stack = read_document(BundleStack, data)
    if stack.schema != STACK_SCHEMA:
        raise CodecError(f"its schema is {stack.schema!r:.80}, expected {STACK_SCHEMA!r}")
    folds = [fold for _, fold in stack.folds()]
    trees = [stack.base.tree, stack.tip.tree, *(block.tree for block in stack.blocks), *(fold.tree for fold in folds)]
    commits = [stack.base.commit, stack.tip.commit, *(fold.commit for fold in folds)]
    for each in (*trees, *commits):
        if not is_object_id(each):
            raise CodecError(f"{each!r:.80} is not a full id of a tree or commit")
    for name in (*(block.name for block in stack.blocks), *(fold.id for _, fold in stack.folds())):
        if not is_name(name):
            raise CodecError(f"{name!r:.80} cannot name a block or a fold")
    for fold in folds:
        if not _DATE.fullmatch(fold.date):
            raise CodecError(f"{fold.date!r:.80} is no date")
    return stack


def read_release_document(data: bytes) -> ReleaseDocument:
    """What a bundle must agree with, out of the bytes of release.json."""
    whole = _Fields(load_document(data), "release.json")
    base, reference = whole.below("base"), whole.below("reference")
    commit = None if base.optional_text("upstream_commit") is None else base.id("upstream_commit")
    return ReleaseDocument(
        name=whole.text("name"),
        parent=whole.optional_text("parent"),
        engine=whole.text("engine"),
        blocks=whole.texts("blocks"),
        source=base.below("source").value,
        upstream_commit=None if commit is None else CommitId(commit),
        base_tree=TreeId(reference.id("base_tree")),
        tip_tree=TreeId(reference.id("tip_tree")),
        tip_commit=CommitId(reference.id("tip_commit")),
        gates=_gates(whole.value.get("gates") or {}),
        hardware=tuple(_Fields(whole.value.get("hardware") or {}, "`hardware`").value),
        configurations=_configurations(whole.value.get("configurations") or {}),
        artifacts=_artifacts(_Fields(whole.value.get("artifacts") or {}, "`artifacts`")),
    )


def _configurations(value: object) -> tuple[ReleaseConfiguration, ...]:
    table = _Fields(value, "`configurations`")
    found = []
    for name in table.value:
        each = table.below(name)
        options = _Fields(each.value.get("options") or {}, f"`options` of configuration `{name}`")
        found.append(
            ReleaseConfiguration(
                name=name,
                build_type=each.text("build_type"),
                options={option: options.text(option) for option in options.value},
                targets=each.texts("targets"),
            )
        )
    return tuple(found)


def _artifacts(table: "_Fields") -> Artifacts:
    packed = _Fields(table.value.get("binaries") or {}, "`binaries`")
    binaries = tuple(
        BinariesDecl(
            configuration=ConfigName(name),
            without=packed.below(name).optional_texts("without"),
            smoke=packed.below(name).optional_texts("smoke"),
        )
        for name in packed.value
    )
    if table.value.get("image") is None:
        return Artifacts(binaries=binaries)
    image = table.below("image")
    return Artifacts(
        binaries=binaries,
        image=ImageDecl(
            configuration=ConfigName(image.text("configuration")),
            program=image.text("program"),
            arguments=image.optional_texts("arguments"),
        ),
    )


def _gates(value: object) -> tuple[ReleaseGate, ...]:
    table = _Fields(value, "`gates`")
    gates = []
    for name in table.value:
        gate = table.below(name)
        required = gate.value.get("required", True)
        if not isinstance(required, bool):
            raise CodecError(f"`required` of gate `{name}` is neither true nor false")
        declared = BundleGate(name=GateName(name), kind=gate.text("kind"), required=required)
        gates.append(ReleaseGate(declared=declared, hardware=gate.optional_text("hardware") or ""))
    return tuple(gates)


class _Fields:
    """One JSON object whose fields are asked for by type."""

    def __init__(self, value: object, what: str) -> None:
        if not isinstance(value, dict):
            raise CodecError(f"{what} is not an object")
        self.value: dict[str, object] = value

    def below(self, name: str) -> "_Fields":
        return _Fields(self.value.get(name), f"`{name}`")

    def text(self, name: str) -> str:
        found = self.optional_text(name)
        if found is None:
            raise CodecError(f"`{name}` is missing")
        return found

    def optional_text(self, name: str) -> str | None:
        found = self.value.get(name)
        if found is not None and not isinstance(found, str):
            raise CodecError(f"`{name}` is not text")
        return found

    def id(self, name: str) -> str:
        found = self.text(name)
        if not is_object_id(found):
            raise CodecError(f"`{name}` is not a full id: {found!r:.80}")
        return found

    def optional_texts(self, name: str) -> tuple[str, ...]:
        return () if self.value.get(name) is None else self.texts(name)

    def texts(self, name: str) -> tuple[str, ...]:
        found = self.value.get(name)
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise CodecError(f"`{name}` is not a list of texts")
        return tuple(found)
