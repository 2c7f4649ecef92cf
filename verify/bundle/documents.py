"""The documents of a bundle, read: what every check but that of the sums works on.

release.json was read strictly when the release was judged, and its bytes belong to the release's digest; here only
what other members must agree with is taken from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from verify.bundle.document import load_document, read_document
from verify.bundle.finding import finding
from verify.bundle.layout import RELEASE, STACK, VERDICT
from verify.bundle.members import Member, Members
from verify.bundle.stack import SCHEMA as STACK_SCHEMA
from verify.bundle.stack import BundleGate, BundleStack
from verify.bundle.verdict import SealedVerdict, read_verdict
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.ids import CommitId, GateName, TreeId, is_name, is_object_id

T = TypeVar("T")


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


def open_bundle(members: Members) -> Bundle | tuple[Diagnostic, ...]:
    """The bundle, or why its documents cannot be read: every reason."""
    findings: list[Diagnostic] = []
    release = _read(members, RELEASE, read_release_document, findings)
    stack = _read(members, STACK, _read_stack, findings)
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


def _read_stack(data: bytes) -> BundleStack:
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

    def texts(self, name: str) -> tuple[str, ...]:
        found = self.value.get(name)
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise CodecError(f"`{name}` is not a list of texts")
        return tuple(found)
