"""Folders of patches in the forms of others, deliveries and the rest of a reference: in, out, and in again."""

import json
import os
from pathlib import Path

import pytest

from builder.exchange.delivery import import_delivery
from builder.exchange.delivery_out import delivery_files
from builder.exchange.patch_folder import Form, form_of, import_patch_folder
from builder.exchange.patch_folder_out import electron_folder, format_patch_folder, stgit_folder
from builder.exchange.quilt import import_quilt
from builder.exchange.rest import rest_block
from builder.exchange.stack_in import StackIn
from builder.exchange.stack_out import combined_diff
from builder.exchange.upstream_patch import for_upstream
from builder.exchange.written import write_new_folder
from builder.tree import Tree
from tests.core.stacks import TEXT, replacing
from tests.exchange.deliveries import make_delivery
from tests.exchange.folders import has, random_series, read_and_derive, run
from verify.diff.mail import read_messages
from verify.diff.submission import Dialect
from verify.manifest.read import read_release
from verify.model.diagnostic import InputFault
from verify.model.ids import BlockName

SEEDS = range(4)
SMALL = 0.02


def imported(seed: int, folder: Path) -> StackIn:
    random_series(seed, folder, 4)
    return import_quilt(
        orig=folder / "orig", patches=folder / "patches", series=None, dialect=Dialect.GIT, mapping=None,
        out=folder / "out", strict=False,
    )  # fmt: skip


def written(taken: StackIn, form: Form) -> dict[str, bytes]:
    match form:
        case Form.FORMAT_PATCH:
            return format_patch_folder(taken.blocks, taken.stack)
        case Form.ELECTRON:
            return electron_folder(taken.blocks)
        case Form.STGIT:
            return stgit_folder(taken.blocks, taken.stack)


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_folder_comes_back_as_it_was(seed: int, form: Form, tmp_path: Path) -> None:
    taken = imported(seed, tmp_path)
    write_new_folder(tmp_path / "folder", written(taken, form))
    assert form_of(tmp_path / "folder") is form

    again = import_patch_folder(
        orig=tmp_path / "orig", folder=tmp_path / "folder", block=None, out=tmp_path / "again", strict=True
    )

    assert [layer.after for layer in again.stack.layers] == [layer.after for layer in taken.stack.layers]
    for old, new in zip(taken.blocks[0].folds, again.blocks[0].folds, strict=True):
        assert (old.subject, old.body, old.author, old.date) == (new.subject, new.body, new.author, new.date)
        assert old.patch_bytes == new.patch_bytes


def test_what_stg_exports_is_read_with_author_and_message(tmp_path: Path) -> None:
    (tmp_path / "orig").mkdir()
    (tmp_path / "orig/x").write_bytes(TEXT)
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp/series").write_text("# This series applies on GIT commit abc\nturn\n")
    head = "Turn line 10\n\nFrom: Ada Lovelace <ada@analytical.org>\n\nWhy it is.\n\n"
    head += "Signed-off-by: A <a@b.org>\n---\n x | 2 +-\n\n"
    (tmp_path / "exp/turn").write_bytes(head.encode() + replacing(TEXT, b"line 10\n", b"new\n"))
    taken = import_patch_folder(
        orig=tmp_path / "orig", folder=tmp_path / "exp", block=None, out=tmp_path / "out", strict=True
    )
    (fold,) = taken.blocks[0].folds
    assert (fold.id, fold.subject, fold.author.email) == ("turn", "Turn line 10", "ada@analytical.org")
    assert fold.body == "Why it is.\n\nSigned-off-by: A <a@b.org>"


def test_a_cover_letter_is_no_fold(tmp_path: Path) -> None:
    taken = imported(0, tmp_path)
    files = format_patch_folder(taken.blocks, taken.stack)
    files["0000-cover-letter.patch"] = b"From: A <a@b.org>\nSubject: [PATCH 0/4] All\n\nWords.\n"
    write_new_folder(tmp_path / "folder", files)
    again = import_patch_folder(
        orig=tmp_path / "orig", folder=tmp_path / "folder", block="all", out=tmp_path / "again", strict=True
    )
    assert len(again.blocks[0].folds) == 4


@pytest.mark.skipif(not has("stg"), reason="StGit is not installed")
def test_stg_reads_the_series(tmp_path: Path) -> None:
    (tmp_path / "orig").mkdir()
    (tmp_path / "orig/x").write_bytes(TEXT)
    (tmp_path / "patches").mkdir()
    (tmp_path / "patches/series").write_text("one.patch\n")
    head = b"From: Ada <ada@analytical.org>\nDate: Mon, 2 Mar 2026 10:00:00 +0000\nSubject: Turn\n\nWhy.\n---\n"
    (tmp_path / "patches/one.patch").write_bytes(head + replacing(TEXT, b"line 10\n", b"new\n"))
    taken = import_quilt(
        orig=tmp_path / "orig", patches=tmp_path / "patches", series=None, dialect=Dialect.GIT, mapping=None,
        out=tmp_path / "out", strict=True,
    )  # fmt: skip
    write_new_folder(tmp_path / "series", stgit_folder(taken.blocks, taken.stack))
    (tmp_path / "work").mkdir()
    who = {f"GIT_{role}_{what}": f"{what}@b.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", **who}
    steps = ("git init -q .", "cp ../orig/x .", "git add x", "git commit -qm Base", "stg init",
             "stg import --series ../series/series", "git log -1 --format=%an%n%s%n%T")  # fmt: skip
    done = run("sh", "-c", " && ".join(steps), cwd=tmp_path / "work", env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().split("\n")[-4:-1] == ["Ada", "Turn", taken.stack.tip_tree()]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_delivery_comes_back_as_it_was(seed: int, tmp_path: Path) -> None:
    taken = imported(seed, tmp_path)
    release = read_release(tmp_path / "out")
    base = Tree.at(taken.tip.overlay, taken.stack.base_tree)
    combined = combined_diff(taken.blocks, base, taken.stack.tip_tree())
    write_new_folder(tmp_path / "delivery", delivery_files(release, taken.stack, combined))

    made = import_delivery(folder=tmp_path / "delivery", orig=tmp_path / "orig", out=tmp_path / "again", rest=False)

    assert made.recorded.tip_tree == taken.stack.tip_tree()
    assert made.compared == 5
    assert [(b.name, [f.id for f in b.folds]) for b in made.taken.blocks] == [
        (b.name, [f.id for f in b.folds]) for b in taken.blocks
    ]
    assert [layer.commit for layer in made.taken.stack.layers] == [layer.commit for layer in taken.stack.layers]


def test_a_delivery_of_real_size_is_taken_in(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path)
    made = import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    assert (len(made.taken.blocks), delivery.size > 3_500_000, delivery.insertions > 42_000) == (16, True, True)
    assert made.taken.stack.tip_tree() == delivery.tip_tree
    release, derived = read_and_derive(tmp_path / "out", tmp_path / "cache")
    assert derived.findings == ()
    assert "#103, #203" in release.blocks[2].folds[0].source


def test_a_patch_that_is_not_the_recorded_one_is_told(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one", "two"))
    file = delivery.folder / "patches/0002-two.patch"
    file.write_bytes(file.read_bytes().replace(b"#202", b"#203"))
    with pytest.raises(InputFault) as fault:
        import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    assert [each.code for each in fault.value.diagnostics] == ["delivery-hash"]


def stale(folder: Path, kept: str) -> None:
    """The combined diff is that of the first patch alone, and its recorded hash is right."""
    combined = folder / "combined.patch"
    combined.write_bytes((folder / "patches" / kept).read_bytes().partition(b"---\n\n")[2])
    document = json.loads((folder / "release.json").read_text())
    del document["combined"]
    (folder / "release.json").write_text(json.dumps(document))


def test_a_stale_combined_diff_is_told(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one", "two"))
    stale(delivery.folder, "0001-one.patch")
    with pytest.raises(InputFault) as fault:
        import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    assert [each.code for each in fault.value.diagnostics] == ["delivery-combined-differs"]


def test_what_the_combined_diff_gives_beyond_the_patches_becomes_the_rest(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one", "two"))
    (delivery.folder / "patches/0002-two.patch").unlink()
    made = import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=True)
    assert [block.name for block in made.taken.blocks] == ["one", "rest"]
    assert made.taken.stack.tip_tree() == delivery.tip_tree
    assert read_and_derive(tmp_path / "out", tmp_path / "cache")[1].findings == ()


def test_another_base_is_told(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one",))
    (delivery.base / "more").write_text("x\n")
    with pytest.raises(InputFault) as fault:
        import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    assert [each.code for each in fault.value.diagnostics] == ["delivery-tree"]


def test_a_reference_that_holds_nothing_more_leaves_no_rest(tmp_path: Path) -> None:
    taken = imported(1, tmp_path)
    assert rest_block(taken.tip, taken.tip, source="itself") is None


def test_a_block_goes_to_upstream_as_one_mail(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one", "two"))
    made = import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    release = read_release(tmp_path / "out")
    base = Tree.at(made.taken.tip.overlay, made.taken.stack.base_tree)
    sent = for_upstream(release=release, block=BlockName("one"), base=base, base_name="b4567")
    (message,) = read_messages(sent.mail)
    assert message.author is not None
    assert "Not validated:" not in message.body
    assert b"\n---\nBase: b4567.\n" in sent.mail
    assert b"no gate measures what this block does" in sent.mail
    assert b"Stackproof-" not in sent.mail


def test_a_block_that_stands_on_another_one_is_told(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one", "two"))
    made = import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    base = Tree.at(made.taken.tip.overlay, made.taken.stack.base_tree)
    with pytest.raises(InputFault, match="upstream-does-not-fit"):
        for_upstream(release=read_release(tmp_path / "out"), block=BlockName("two"), base=base, base_name="x")


def test_a_block_that_is_not_there_cannot_be_sent(tmp_path: Path) -> None:
    taken = imported(0, tmp_path)
    base = Tree.at(taken.tip.overlay, taken.stack.base_tree)
    with pytest.raises(InputFault, match="upstream-block"):
        for_upstream(release=read_release(tmp_path / "out"), block=BlockName("no"), base=base, base_name="x")


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"[" * 100_000, b'"x"', b"\xff"])
def test_a_release_json_that_is_none_is_told(text: bytes, tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one",))
    (delivery.folder / "release.json").write_bytes(text)
    with pytest.raises(InputFault) as fault:
        import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    assert [each.code for each in fault.value.diagnostics] == ["delivery-unreadable"]


def test_names_outside_of_the_delivery_are_not_looked_at(tmp_path: Path) -> None:
    delivery = make_delivery(tmp_path, scale=SMALL, blocks=("one",))
    (tmp_path / "secret").write_text("x")
    document = {
        "files": [{"name": name, "sha256": "0" * 64} for name in ("../secret", "/etc/passwd", "a\0b", "x" * 9999)]
    }
    (delivery.folder / "release.json").write_text(json.dumps(document))
    made = import_delivery(folder=delivery.folder, orig=delivery.base, out=tmp_path / "out", rest=False)
    assert made.compared == 0
