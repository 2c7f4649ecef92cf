"""Foreign patches: every spelling that occurs, in the dialect that it was written for."""

import pytest

from builder.exchange.lay_submission import Refused, Rules, Taken, lay_submission
from builder.placement import Fate
from builder.tree import Tree
from tests.core import hazards
from tests.core.memory import tree_in_memory
from tests.core.real_git import Files
from verify.diff.parse import parse_canonical
from verify.diff.render import render_hunk
from verify.diff.submission import Dialect, parse_sections
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath
from verify.model.patch import Mode

LINES = b"".join(b"line %d\n" % number for number in range(1, 21))
CHANGED = LINES.replace(b"line 10\n", b"ten\n")
HUNK = b"@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n line 11\n line 12\n line 13\n"


def tree(**texts: bytes) -> Tree:
    files: Files = {RepoPath(name.replace("__", "/").encode()): (Mode.FILE, text) for name, text in texts.items()}
    return tree_in_memory(files)[0]


def laid(
    base: Tree, patch: bytes, dialect: Dialect = Dialect.GNU, *, strip: int = 1, reverse: bool = False
) -> Taken | Refused:
    rules = Rules(dialect=dialect, strip=strip, reverse=reverse)
    return lay_submission([parse_sections(patch, file="p", dialect=dialect)], base, rules, file="p")


def result(base: Tree, patch: bytes, dialect: Dialect = Dialect.GNU, *, strip: int = 1, reverse: bool = False) -> Tree:
    made = laid(base, patch, dialect, strip=strip, reverse=reverse)
    assert isinstance(made, Taken), made
    assert parse_canonical(made.text, file="p").files is not None
    return made.tree


def codes(made: Taken | Refused) -> list[str]:
    assert isinstance(made, Refused)
    return [finding.code for finding in made.findings]


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize(
    ("head", "strip"),
    [
        (b"--- a/x\n+++ b/x\n", 1),
        (b"--- x\n+++ x\n", 0),
        (b"--- p/q/x\n+++ p/q/x\n", 2),
        (b"--- x.orig\t2020-01-02 03:04:05.000000000 +0100\n+++ x\t2021-01-02 03:04:05 +0100\n", 0),
        (b"Index: x\n===================================================================\n--- a/x\n+++ b/x\n", 1),
        (b"diff --git a/x b/x\nindex 1234567..89abcde 100644\n--- a/x\n+++ b/x\n", 1),
        (b"diff --git i/x w/x\n--- i/x\n+++ w/x\n", 1),
        (b'diff --git "a/x" "b/x"\n--- "a/x"\n+++ "b/x"\n', 1),
        (b"diff -Nru a/x b/x\n--- a/x\t(revision 1)\n+++ b/x\t(working copy)\n", 1),
        (b"From: me\nSubject: a change\n\nWhy.\n---\n x | 2 +-\n\n--- a/x\n+++ b/x\n", 1),
        (b"Description: a change\n for good\nForwarded: no\n---\nThis patch header is free\n--- a/x\n+++ b/x\n", 1),
    ],
)
def test_every_header_names_the_file(head: bytes, strip: int, dialect: Dialect) -> None:
    assert result(tree(x=LINES), head + HUNK, dialect, strip=strip).blob(RepoPath(b"x")) == CHANGED


@pytest.mark.parametrize(
    "tail", [b"-- \n2.39.5\n", b"\n", b"\n\nSome text\n", b"--- \n", b"Index: y\n", b"diff -u a/q b/q\n"]
)
def test_text_behind_the_last_hunk_is_no_part_of_it(tail: bytes) -> None:
    assert result(tree(x=LINES), b"--- a/x\n+++ b/x\n" + HUNK + tail).blob(RepoPath(b"x")) == CHANGED


def test_a_context_line_may_have_lost_its_only_space() -> None:
    base = tree(x=b"a\n\nb\nc\n")
    patch = b"--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n a\n\n-b\n+B\n c\n"
    for dialect in Dialect:
        assert result(base, patch, dialect).blob(RepoPath(b"x")) == b"a\n\nB\nc\n"


def test_blank_lines_cut_off_at_the_end_are_taken_as_gnu_patch_takes_them() -> None:
    patch = b"--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-a\n+A\n b\n"
    assert result(tree(x=b"a\nb\n\n\n"), patch).blob(RepoPath(b"x")) == b"A\nb\n\n\n"
    with pytest.raises(InputFault, match="ends inside a hunk"):
        laid(tree(x=b"a\nb\n\n\n"), patch, Dialect.GIT)


def test_a_patch_that_got_crs_on_its_way_loses_them() -> None:
    patch = (b"--- a/x\n+++ b/x\n" + HUNK).replace(b"\n", b"\r\n")
    assert result(tree(x=LINES), patch).blob(RepoPath(b"x")) == CHANGED


def test_crs_of_the_file_under_plain_headers_are_data() -> None:
    base = tree(x=LINES.replace(b"\n", b"\r\n"))
    patch = b"--- a/x\n+++ b/x\n" + HUNK.replace(b"\n", b"\r\n").replace(b"@@\r\n", b"@@\n")
    for dialect in Dialect:
        assert result(base, patch, dialect).blob(RepoPath(b"x")) == CHANGED.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("dialect", list(Dialect))
def test_zero_context_goes_to_its_line(dialect: Dialect) -> None:
    patch = b"--- a/x\n+++ b/x\n@@ -10 +10 @@\n-line 10\n+ten\n@@ -15,0 +16 @@\n+new\n"
    expected = CHANGED.replace(b"line 15\n", b"line 15\nnew\n")
    assert result(tree(x=LINES), patch, dialect).blob(RepoPath(b"x")) == expected


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_missing_line_end_is_kept_on_the_side_that_lacks_it(dialect: Dialect) -> None:
    patch = b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    assert result(tree(x=b"a\nb"), patch, dialect).blob(RepoPath(b"x")) == b"a\nb\n"
    back = b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"
    assert result(tree(x=b"a\nb\n"), back, dialect).blob(RepoPath(b"x")) == b"a\nb"


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize(
    "stamp", [b"/dev/null", b"x\t1970-01-01 00:00:00.000000000 +0000", b"x\t1970-01-01 01:00:00 +0100"]
)
def test_a_file_without_a_past_is_created(stamp: bytes, dialect: Dialect) -> None:
    patch = b"--- a/" + stamp if not stamp.startswith(b"/") else b"--- " + stamp
    made = result(tree(y=b""), patch + b"\n+++ b/x\n@@ -0,0 +1 @@\n+new\n", dialect)
    assert made.blob(RepoPath(b"x")) == b"new\n"


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_file_without_a_future_is_deleted(dialect: Dialect) -> None:
    patch = b"--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
    assert result(tree(x=b"a\nb\n", y=b""), patch, dialect).entry(RepoPath(b"x")) is None
    assert codes(laid(tree(x=b"a\nb\nmore\n"), patch, dialect))[0] in ("hunk-conflict", "delete-incomplete")


def test_a_file_left_empty_is_removed_in_gnus_dialect_alone() -> None:
    patch = b"--- a/x\n+++ b/x\n@@ -1,2 +0,0 @@\n-a\n-b\n"
    assert result(tree(x=b"a\nb\n", y=b""), patch).entry(RepoPath(b"x")) is None
    assert result(tree(x=b"a\nb\n", y=b""), patch, Dialect.GIT).blob(RepoPath(b"x")) == b""


def test_gnu_patch_takes_the_name_that_exists() -> None:
    patch = b"--- a/util/mkimage\n+++ b/x\n" + HUNK
    assert result(tree(x=LINES), patch).blob(RepoPath(b"x")) == CHANGED


def test_gnu_patch_cuts_a_name_at_the_first_space_unless_a_tab_follows() -> None:
    new = b"@@ -0,0 +1 @@\n+n\n"
    cut = result(tree(y=b""), b"--- /dev/null\n+++ b/with space\n" + new)
    whole = result(tree(y=b""), b"--- /dev/null\n+++ b/with space\t\n" + new)
    by_git = result(tree(y=b""), b"--- /dev/null\n+++ b/with space\n" + new, Dialect.GIT)
    assert cut.entry(RepoPath(b"with")) is not None
    assert whole.entry(RepoPath(b"with space")) is not None
    assert by_git.entry(RepoPath(b"with space")) is not None


@pytest.mark.parametrize("dialect", list(Dialect))
def test_reversed_is_the_way_back(dialect: Dialect) -> None:
    patch = b"--- a/x\n+++ b/x\n" + HUNK
    base = tree(x=LINES)
    assert result(result(base, patch, dialect), patch, dialect, reverse=True).id == base.id


def test_modes_links_and_moves_are_git_headers() -> None:
    base = tree(x=LINES, y=b"y\n")
    patch = (
        b"diff --git a/x b/z\nold mode 100644\nnew mode 100755\nsimilarity index 95%\nrename from x\nrename to z\n"
        b"--- a/x\n+++ b/z\n" + HUNK + b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n"
        b"@@ -0,0 +1 @@\n+../z\n\\ No newline at end of file\n"
        b"diff --git a/y b/copy\nsimilarity index 100%\ncopy from y\ncopy to copy\n"
        b"diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n"
    )
    made = result(base, patch, Dialect.GIT)
    assert made.entry(RepoPath(b"x")) is None
    assert made.blob(RepoPath(b"z")) == CHANGED
    assert getattr(made.entry(RepoPath(b"z")), "mode", None) is Mode.EXECUTABLE
    assert made.blob(RepoPath(b"l")) == b"../z"
    assert made.blob(RepoPath(b"copy")) == b"y\n"
    assert made.blob(RepoPath(b"e")) == b""


def test_git_lets_two_files_swap_their_names() -> None:
    base = tree(a=b"1\n", b=b"2\n")
    patch = (
        b"diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
        b"diff --git a/b b/a\nsimilarity index 100%\nrename from b\nrename to a\n"
    )
    made = result(base, patch, Dialect.GIT)
    assert (made.blob(RepoPath(b"a")), made.blob(RepoPath(b"b"))) == (b"2\n", b"1\n")


def test_a_file_that_is_named_twice_is_changed_twice_and_named_once() -> None:
    second = HUNK.replace(b"-line 10\n+ten\n", b"-ten\n+TEN\n").replace(b"line 7\n", b"line 7\n")
    made = laid(tree(x=LINES), b"--- a/x\n+++ b/x\n" + HUNK + b"--- a/x\n+++ b/x\n" + second)
    assert isinstance(made, Taken)
    assert made.tree.blob(RepoPath(b"x")) == LINES.replace(b"line 10\n", b"TEN\n")
    assert len(made.patch.files) == 1
    assert b"ten" not in made.text
    assert [fate.reason for fate in made.fates] == ["joined", "joined"]


def test_binary_content_that_is_not_carried_is_skipped_by_gnu_and_refused_by_git() -> None:
    patch = (
        b"diff --git a/b b/b\nindex 1234567..89abcde 100644\nBinary files a/b and b/b differ\n--- a/x\n+++ b/x\n" + HUNK
    )
    base = tree(x=LINES)
    made = laid(base, patch)
    assert isinstance(made, Taken)
    assert len(made.notes) == 1
    assert codes(laid(base, patch, Dialect.GIT)) == ["patch-binary-missing"]


def test_hunks_that_stand_close_are_joined_and_wide_ones_split_and_that_is_told() -> None:
    close = b"@@ -5,1 +5,1 @@\n-line 5\n+five\n@@ -7,1 +7,1 @@\n-line 7\n+seven\n"
    wide = (
        b"@@ -1,20 +1,20 @@\n-line 1\n+one\n"
        + b"".join(b" line %d\n" % n for n in range(2, 20))
        + b"-line 20\n+twenty\n"
    )
    joined, split = (laid(tree(x=LINES), b"--- a/x\n+++ b/x\n" + hunks) for hunks in (close, wide))
    assert isinstance(joined, Taken)
    assert isinstance(split, Taken)
    assert [fate.reason for fate in joined.fates] == ["joined", "joined"]
    assert [fate.reason for fate in split.fates] == ["split"]


def test_a_known_blob_holds_a_hunk_to_its_line() -> None:
    base = tree(x=LINES)
    blob = getattr(base.entry(RepoPath(b"x")), "blob", "")
    moved = HUNK.replace(b"-7,7 +7,7", b"-6,7 +6,7")
    patch = b"diff --git a/x b/x\nindex " + blob[:10].encode() + b"..1111111 100644\n--- a/x\n+++ b/x\n" + moved
    assert codes(laid(base, patch, Dialect.GIT)) == ["hunk-conflict"]


def test_every_reason_is_told_and_nothing_is_taken() -> None:
    patch = b"--- a/x\n+++ b/x\n" + HUNK.replace(b"line 9", b"line nine") + b"--- a/q\n+++ b/q\n" + HUNK
    assert codes(laid(tree(x=LINES), patch)) == ["hunk-conflict", "path-missing"]


@pytest.mark.parametrize("name", [b"../x", b"a/../../x", b".git/config", b"/etc/passwd"])
@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_path_out_of_the_tree_is_refused(name: bytes, dialect: Dialect) -> None:
    patch = b"--- /dev/null\n+++ " + name + b"\n@@ -0,0 +1 @@\n+x\n"
    assert codes(laid(tree(x=LINES), patch, dialect, strip=0)) == ["patch-path-unsafe"]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"@@ -1 +1 @@\n-a\n+b\n", "without the names"),
        (b"*** a/x\n--- b/x\n***************\n*** 1 ****\n", "context diff"),
        (b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\nrubbish\n", "ends before the lines"),
        (b"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n-b\n-c\n", "hunk ends|more lines|ends inside"),
    ],
)
def test_what_cannot_be_read_names_its_line(text: bytes, match: str) -> None:
    with pytest.raises(InputFault, match=match) as caught:
        laid(tree(x=LINES), text)
    assert caught.value.diagnostics[0].place is not None


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("dialect", list(Dialect))
def test_on_a_file_that_is_known_to_have_changed_nothing_is_made_twice(seed: int, dialect: Dialect) -> None:
    shape = hazards.already_there(seed)
    body = b"".join(part for hunk in shape.hunks for part in render_hunk(hunk))
    patch = b"diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n" + body
    made = laid(tree(x=shape.present), patch, dialect)
    assert codes(made)[0] in ("hunk-ambiguous", "hunk-already-there", "hunk-conflict")


@pytest.mark.parametrize("seed", range(25))
def test_on_a_file_that_is_known_to_have_changed_git_guesses_no_function(seed: int) -> None:
    shape = hazards.same_bodies(seed)
    body = b"".join(part for hunk in shape.hunks for part in render_hunk(hunk))
    patch = b"diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n" + body
    assert codes(laid(tree(x=shape.present), patch, Dialect.GIT)) == ["hunk-ambiguous"]
    by_rule = laid(tree(x=shape.present), patch, Dialect.GNU)
    assert isinstance(by_rule, Taken)
    assert {fate.placement.fate for fate in by_rule.fates} == {Fate.AMBIGUOUS}
