"""Laws of reading: whatever lies in the declared files, the answer is a release or diagnostics, and places are true."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.manifest.project import files, lay_out
from verify.diff.quote import quote_name
from verify.manifest.document import open_document
from verify.manifest.json_syntax import MAX_DEPTH
from verify.manifest.lock import read_lock, render_lock
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Form, Hole, Listing, Node, Scalar, Source, Table
from verify.manifest.read import read_release
from verify.manifest.syntax import read_yaml
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlobId, BlockName, CommitId, FoldId, RepoPath, Sha256, TreeId
from verify.model.patch import Mode
from verify.model.release import BlobState, Lock, LockedFile, LockedFold
from verify.report.terminal import render_diagnostics

LAWS = settings(derandomize=True, deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
NAMES = sorted(files())
SPLICES = tuple(
    splice.encode("latin-1")
    for splice in (
        *("\t", "\0", "\xff", "\r", "\n", "&a ", "*a", "!!python/object:os.system ", "---\n", "? ", "- ", ": ", "<<: "),
        *("{", "[", "}", "]", '"', "'", ",", "#", "|\n", ">\n", "null", "\\ud800", "9" * 5000, "1e999", "NaN", "-"),
        *("[" * 200, "../", "%YAML 9.9\n", "schema: x\n", "<<<<<<< x\n", "\xe2\x80\xae", "\xef\xbb\xbf"),
    )
)


def mutate(data: bytes, seed: int) -> bytes:
    """The bytes with a few cuts, doublings and splices that hurt."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 4)):
        at, to = sorted((chance.randint(0, len(data)), chance.randint(0, len(data))))
        way = chance.randint(0, 4)
        if way == 0:
            data = data[:at] + data[to:]
        elif way == 1:
            data = data[:to] + data[at:]
        elif way == 2 and data:
            at = min(at, len(data) - 1)
            data = data[:at] + bytes([data[at] ^ 1 << chance.randint(0, 7)]) + data[at + 1 :]
        else:
            data = data[:at] + chance.choice(SPLICES) + data[at:]
    return data


def diagnostics(root: Path) -> tuple[Diagnostic, ...]:
    """Read and render; anything but an `InputFault` fails the test."""
    try:
        read_release(root)
    except InputFault as fault:
        assert render_diagnostics(fault.diagnostics)
        return fault.diagnostics
    return ()


def assert_places_are_true(root: Path, found: tuple[Diagnostic, ...]) -> None:
    """Every place with a line is in a file that is there, and quotes that very line."""
    for each in found:
        if each.place is not None and each.place.line is not None:
            lines = (root / each.place.file).read_bytes().decode("utf-8", errors="replace").split("\n")
            assert 1 <= each.place.line <= len(lines)
            if each.place.excerpt is not None and each.place.file.endswith((".json", ".yaml")):
                assert each.place.excerpt == lines[each.place.line - 1].removesuffix("\r")
                assert each.place.column is not None
                assert 1 <= each.place.column <= len(each.place.excerpt) + 1


@LAWS
@given(name=st.sampled_from(NAMES), data=st.binary(max_size=200))
def test_random_bytes_in_any_declared_file_end_in_diagnostics(name: str, data: bytes) -> None:
    with TemporaryDirectory() as folder:
        root = lay_out(Path(folder), files() | {name: data})
        assert_places_are_true(root, diagnostics(root))


@settings(LAWS, max_examples=500)
@given(name=st.sampled_from(NAMES), seed=st.integers(0, 2**32))
def test_a_damaged_file_ends_in_diagnostics_with_true_places(name: str, seed: int) -> None:
    laid = files()
    with TemporaryDirectory() as folder:
        root = lay_out(Path(folder), laid | {name: mutate(laid[name], seed)})
        assert_places_are_true(root, diagnostics(root))


VALUES: st.SearchStrategy[object] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)),
    max_leaves=12,
)


def plain(node: Node) -> object:
    """A JSON value again."""
    match node:
        case Scalar(form=Form.BARE, text=text):
            return json.loads(text)
        case Scalar(text=text):
            return text
        case Listing(items=items):
            return [plain(item) for item in items]
        case Table(entries=entries):
            return {entry.key.text: plain(entry.value) for entry in entries}
        case Hole():
            raise AssertionError("a hole in a good document")


@LAWS
@given(value=VALUES, indent=st.sampled_from([None, 0, 2]))
@example(value={"\\": '"/\b\u2028'}, indent=None)
def test_json_is_read_as_the_standard_library_reads_it(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    mistakes = Mistakes()
    node = open_document("x.json", text.encode(), mistakes).node
    mistakes.raise_if_any()
    assert plain(node) == json.loads(text)


@LAWS
@given(text=st.text(st.sampled_from('{}[]",:0123456789.eE+-truefalsn \n\\ux/a'), max_size=24))
@example(text="01")
@example(text="1.")
@example(text="-")
@example(text="[1 2]")
@example(text='{"a":1,}')
@example(text='"\\x"')
@example(text="tru")
@example(text="truex")
def test_what_the_standard_library_refuses_is_refused(text: str) -> None:
    mistakes = Mistakes()
    open_document("x.json", text.encode(), mistakes)
    try:
        seen: list[str] = []
        json.loads(text, object_pairs_hook=lambda pairs: seen.extend(_repeats(pairs)), parse_constant=_no_constant)
        accepted = not seen
    except ValueError:
        accepted = False
    assert (len(mistakes) == 0) == accepted


def _repeats(pairs: list[tuple[str, object]]) -> list[str]:
    keys = [key for key, _ in pairs]
    return [key for key in keys if keys.count(key) > 1]


def _no_constant(word: str) -> object:
    raise ValueError(word)


@LAWS
@given(value=VALUES)
def test_json_text_is_read_alike_by_both_syntaxes(value: object) -> None:
    text = json.dumps(value)
    by_json, by_yaml = Mistakes(), Mistakes()
    node = open_document("x.json", text.encode(), by_json).node
    other = open_document("x.yaml", text.encode(), by_yaml).node
    if len(by_yaml) == 0:  # YAML refuses more: long keys, surrogate pairs as escapes
        assert texts(other) == texts(node)


def texts(node: Node) -> object:
    match node:
        case Scalar(text=text):
            return text
        case Listing(items=items):
            return [texts(item) for item in items]
        case Table(entries=entries):
            return {entry.key.text: texts(entry.value) for entry in entries}
        case Hole():
            return None


@pytest.fixture
def both_parsers(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[Node, Node]]:
    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def read(text: str) -> tuple[Node, Node]:
        nodes = []
        for loader in (fast, yaml.SafeLoader):
            monkeypatch.setattr(yaml, "CSafeLoader", loader)
            nodes.append(read_yaml(Source("x", text), Mistakes()))
        return nodes[0], nodes[1]

    return read


def test_the_slow_parser_gives_the_same_nodes_and_places(both_parsers: Callable[[str], tuple[Node, Node]]) -> None:
    for name in NAMES:
        if name.endswith(".yaml"):
            fast, slow = both_parsers(files()[name].decode())
            assert isinstance(fast, Table)
            assert fast == slow


@pytest.mark.parametrize("text", ["a: é漢𝄞 \nb: c\r\nd: 'x\n  y'\n", "𝄞: [𝄞, é]\n"])
def test_columns_count_characters_in_both_parsers(text: str, both_parsers: Callable[[str], tuple[Node, Node]]) -> None:
    fast, slow = both_parsers(text)
    assert isinstance(fast, Table)
    assert fast == slow
    for entry in fast.entries:
        line = Source("x", text).line(entry.key.spot.line)
        assert line[entry.key.spot.column - 1 :].startswith(entry.key.text)


def test_nesting_up_to_the_bound_is_read_and_no_deeper() -> None:
    for extra, expected in ((0, 0), (1, 1)):
        for name in ("x.json", "x.yaml"):
            mistakes = Mistakes()
            depth = MAX_DEPTH + extra
            open_document(name, b"[" * depth + b"]" * depth, mistakes)
            assert len(mistakes) == expected, (name, depth)


HEX40 = st.text("0123456789abcdef", min_size=40, max_size=40)
STATES = st.none() | st.builds(lambda blob, mode: BlobState(blob=BlobId(blob), mode=mode), HEX40, st.sampled_from(Mode))
PATHS = st.binary(min_size=1, max_size=20).filter(lambda path: b"/" not in path and b"\0" not in path).map(b"f".__add__)


@LAWS
@given(path=PATHS, before=STATES, after=STATES, tree=HEX40)
def test_a_lock_that_is_written_is_read_back(path: bytes, before: BlobState, after: BlobState, tree: str) -> None:
    fold = LockedFold(
        block=BlockName("b"),
        fold=FoldId("f"),
        patch_sha256=Sha256("0" * 64),
        files=(LockedFile(path=RepoPath(path), before=before, after=after),),
        tree=TreeId(tree),
        commit=CommitId(tree),
    )
    written = render_lock(Lock(folds=(fold,)))
    mistakes = Mistakes()
    assert read_lock(open_document("lock.json", written, mistakes)) == Lock(folds=(fold,))
    mistakes.raise_if_any()
    assert quote_name(path).isascii()
