"""The strict parser: what it takes is canonical, and each fault names its line."""

import random

import pytest

from builder.draft import literal
from tests.core.random_edits import random_files, random_patch
from verify.diff.parse import parse_canonical, parse_git_diff
from verify.diff.render import render_patch
from verify.diff.submission import Dialect, parse_sections
from verify.model.diagnostic import InputFault
from verify.model.ids import BlobId, RepoPath
from verify.model.patch import Action, FileChange, Patch

GOOD = b"""diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,4 +1,5 @@
 one
-two
+2
+zwei
 three
 four
"""


def fault_of(data: bytes) -> tuple[str, int | None]:
    with pytest.raises(InputFault) as caught:
        parse_canonical(data, file="fold.patch")
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.place is not None
    return diagnostic.code, diagnostic.place.line


@pytest.mark.parametrize("seed", range(100, 140))
def test_printing_what_was_parsed_is_identity(seed: int) -> None:
    rng = random.Random(seed)
    patch, _ = random_patch(rng, random_files(rng, 20), 20)
    text = render_patch(patch)

    assert render_patch(parse_canonical(text, file="p")) == text


def test_an_empty_patch_is_legal() -> None:
    assert parse_canonical(b"", file="p").files == ()


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        ((b"@@ -1,4 +1,5 @@", b"@@ -1,4 +1,5 @@ int main"), "patch-not-canonical", 4),
        ((b"@@ -1,4 +1,5 @@", b"@@ -1,4 +2,5 @@"), "patch-line-numbers", 4),
        ((b"@@ -1,4 +1,5 @@", b"@@ -01,4 +1,5 @@"), "patch-not-canonical", 4),
        ((b"@@ -1,4 +1,5 @@", b"@@ -2,4 +2,5 @@"), "patch-context", 4),
        ((b"@@ -1,4 +1,5 @@", b"@@ -1,5 +1,6 @@"), "patch-syntax", 10),
        ((b"@@ -1,4 +1,5 @@", b"@@ -1,3 +1,5 @@"), "patch-syntax", 10),
        ((b" four\n", b" four\n-- \n2.39.5\n"), "patch-syntax", 11),
        ((b" four\n", b" four"), "patch-syntax", 10),
        ((b" four\n", b"four\n"), "patch-syntax", 10),
        ((b"--- a/x", b"index 0123456..789abcd 100644\n--- a/x"), "patch-not-canonical", 2),
        ((b"--- a/x", b"--- a/y"), "patch-syntax", 1),
        ((b"--- a/x", b"--- x"), "patch-syntax", 2),
        ((b"+++ b/x\n", b""), "patch-syntax", 3),
        ((b"diff --git a/x b/x", b"diff --git a/x b/y"), "patch-syntax", 1),
        ((b"/x", b"/.git/x"), "patch-path-unsafe", 1),
        ((b"diff --git", b"From: me\n\ndiff --git"), "patch-syntax", 1),
        ((b"--- a/x", b"old mode 100644\nnew mode 120000\n--- a/x"), "patch-not-canonical", 1),
        ((b"--- a/x", b"old mode 100644\nnew mode 100666\n--- a/x"), "patch-syntax", 1),
        ((b"--- a/x", b"old mode 100644\n--- a/x"), "patch-syntax", 1),
    ],
)
def test_a_fault_names_its_line(change: tuple[bytes, bytes], code: str, line: int) -> None:
    assert fault_of(GOOD.replace(*change)) == (code, line)


def test_a_file_stands_in_a_patch_once() -> None:
    assert fault_of(GOOD + GOOD) == ("patch-path-twice", 11)


def test_files_stand_in_the_order_of_their_paths() -> None:
    assert fault_of(GOOD.replace(b"/x", b"/y") + GOOD) == ("patch-not-canonical", 1)


def test_hunks_that_touch_are_one() -> None:
    touching = b"@@ -5,4 +6,4 @@\n five\n six\n seven\n-eight\n+8\n"
    assert fault_of(GOOD + touching)[0] == "patch-context"


def test_seven_unchanged_lines_split_a_hunk() -> None:
    lines = b"".join(b" %d\n" % number for number in range(7))
    text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n" + lines + b"-c\n+d\n"
    assert fault_of(text) == ("patch-context", 4)


def test_a_binary_file_without_its_content_is_told_apart() -> None:
    text = b"diff --git a/x b/x\nindex 0123456..789abcd 100644\nBinary files a/x and b/x differ\n"
    assert fault_of(text) == ("patch-binary-missing", 3)


def test_a_binary_payload_that_inflates_to_more_than_it_states_is_refused() -> None:
    patch = b"diff --git a/x b/x\nindex " + b"0" * 40 + b".." + b"1" * 40
    patch += b"\nGIT binary patch\nliteral 3\nKcmZ>{Vq@}}0009(0D}Mk\n\n"
    assert fault_of(patch)[0] == "patch-syntax"


def test_what_git_prints_is_read() -> None:
    text = GOOD.replace(b"--- a/x", b"index 0123456..789abcd 100644\n--- a/x").replace(b"@@\n", b"@@ main(void)\n")

    assert render_patch(parse_git_diff(text, file="p")) == GOOD


def test_many_payloads_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.diff.binary.MAX_BINARY", 1000)
    data = b"x" * 600
    one, two = (
        FileChange(
            action=Action.MODIFY, old_path=RepoPath(name), new_path=RepoPath(name), old_mode=None, new_mode=None,
            hunks=(), binary=literal(data), old_blob=BlobId("0" * 40), new_blob=BlobId("1" * 40), source_line=0,
        )
        for name in (b"a", b"b")
    )  # fmt: skip
    assert parse_canonical(render_patch(Patch(files=(one,))), file="p").files
    both = render_patch(Patch(files=(one, two)))
    assert fault_of(both)[0] == "patch-syntax"
    with pytest.raises(InputFault, match="in one patch are refused"):
        parse_sections(both, file="p", dialect=Dialect.GIT)
