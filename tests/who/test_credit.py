"""Credit on its way through imports and exports: sign-offs and authors are kept."""

from pathlib import Path

import pytest

from builder.exchange.quilt import import_quilt
from builder.exchange.stack_out import credit_trailers
from tests.core.stacks import TEXT, block, fold, replacing
from tests.edit.workshop import Workshop
from tests.who.conftest import Run, lines_of
from verify.diff.submission import Dialect
from verify.diff.trailers import signed_off, submitted_credit
from verify.model.block import Person

PATCH = replacing(TEXT, b"line 10\n", b"new\n")
HEADS = {
    "mail": b"From: A <a@b.org>\nSubject: x\n\nWhy.\n\nSigned-off-by: A <a@b.org>\nSigned-off-by: B <b@b.org>\n---\n\n",
    "dep3": b"Description: x\nAuthor: A <a@b.org>\nSigned-off-by: A <a@b.org>\nSigned-off-by:  B  <b@b.org>\n\n",
    "free text": b"Some words.\nsigned-off-by: A <a@b.org>\nSigned-off-by: B <b@b.org>\n\n",
}  # fmt: skip


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_an_import_keeps_every_sign_off(head: bytes, tmp_path: Path) -> None:
    (tmp_path / "orig").mkdir()
    (tmp_path / "orig/x").write_bytes(TEXT)
    (tmp_path / "patches").mkdir()
    (tmp_path / "patches/series").write_text("one.patch\n")
    (tmp_path / "patches/one.patch").write_bytes(head + PATCH)
    taken = import_quilt(
        orig=tmp_path / "orig", patches=tmp_path / "patches", series=None, dialect=Dialect.GIT, mapping=None,
        out=tmp_path / "out", strict=False,
    )  # fmt: skip
    (made,) = taken.blocks[0].folds
    assert set(signed_off(made.body)) == {"A <a@b.org>", "B <b@b.org>"}
    assert set(submitted_credit(head + PATCH).signed_off) == set(signed_off(made.body))


def test_a_patch_that_adds_a_sign_off_to_a_file_is_not_signed_by_it() -> None:
    assert submitted_credit(replacing(TEXT, b"line 10\n", b"Signed-off-by: A <a@b.org>\n")).signed_off == ()


def test_a_commit_for_a_whole_block_names_everybody() -> None:
    first = fold("one", PATCH, body="Co-authored-by: C <c@b.org>\nSigned-off-by: A <a@b.org>")
    second = fold("two", PATCH, author=Person(name="B", email="b@b.org"))  # type: ignore[arg-type]  # a helper for texts
    assert credit_trailers(block("b", first, second)) == (
        ("Co-authored-by", "A <a@example.org>"),
        ("Co-authored-by", "C <c@b.org>"),
        ("Signed-off-by", "A <a@b.org>"),
    )


def test_a_fold_is_taken_with_its_sign_offs_and_licence(shop: Workshop, run: Run, tmp_path: Path) -> None:
    patch = tmp_path / "new.patch"
    patch.write_bytes(
        b"Description: Bring a file\nAuthor: C <c@b.org>\nSigned-off-by: C <c@b.org>\n\n"
        b"diff --git a/new/x.c b/new/x.c\nnew file mode 100644\n"
        b"--- /dev/null\n+++ b/new/x.c\n@@ -0,0 +1,1 @@\n+int x;\n"
    )
    assert run("fold", patch, "--block", "alpha", "--licence", "MIT", "-C", shop.root).code == 0
    run("pin", "-C", shop.root)
    assert run("check", "-C", shop.root).code == 0
    (line,) = lines_of(run("owner", "new/x.c", "-C", shop.root, "--json"))
    assert (line["licence"], line["signed_off_by"]) == ("MIT", ["C <c@b.org>"])


def test_a_fold_that_loses_a_sign_off_is_refused(shop: Workshop, run: Run) -> None:
    source = shop.root / "blocks/alpha/folds/turn/source.patch"
    source.write_bytes(HEADS["mail"] + (source.with_name("fold.patch")).read_bytes())
    done = run("check", "-C", shop.root)
    assert (done.code, done.err.count("sign-off-lost")) == (1, 2)
