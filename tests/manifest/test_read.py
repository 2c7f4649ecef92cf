"""A good project is read whole; what a wrong one is told as is in `test_golden.py`."""

import os
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import pytest

from tests.manifest.project import ALPHA, BETA, PATCH, changed, files, lay_out, lock, release
from verify.gates.golden_tokens import Params as GoldenParams
from verify.gates.kind import AnyKind
from verify.gates.kinds import KINDS
from verify.manifest.read import read_release
from verify.model.block import Disposition, Person, Switch
from verify.model.diagnostic import InputFault
from verify.model.ids import BlockName, ConfigName, ModelName
from verify.model.release import ArchiveSource, FolderSource, GeneratedModel, GitSource, Proof, Release


def codes(root: Path, *, pinned: bool = True) -> list[str]:
    """The codes of every mistake; none for a release that can be read."""
    try:
        read_release(root, pinned=pinned)
    except InputFault as fault:
        return [found.code for found in fault.diagnostics]
    return []


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return lay_out(tmp_path, files())


def test_a_good_release_is_read_whole(good: Path) -> None:
    read = read_release(good)
    assert (read.name, read.parent, read.engine) == ("engine-1.0-r1", None, "llama.cpp")
    assert [block.name for block in read.blocks] == ["alpha", "beta"]
    assert read.configurations[0].options == (("CMAKE_C_FLAGS", ""), ("GGML_NATIVE", "OFF"))
    assert read.configurations[0].proofs == (Proof.PREFIX, Proof.TIP)
    assert isinstance(read.models[0], GeneratedModel)
    assert read.lock is not None
    assert read.lock.folds[0].files[0].path == b"src/a.cpp"


def test_a_block_is_read_with_its_folds_and_patches(good: Path) -> None:
    alpha, beta = read_release(good).blocks
    assert alpha.switches == (Switch(name="LLAMA_ALPHA", off="0", about="interleave slots"),)
    assert (alpha.owns, alpha.requires, beta.requires) == (("src/a.cpp", "src/alpha/**"), (), ("alpha",))
    fold = beta.folds[0]
    assert fold.author == Person(name="Grace Hopper", email="grace@navy.mil")
    assert (fold.disposition, fold.reason) == (Disposition.PARTLY_TAKEN, "the second half waits")
    assert (fold.patch_bytes, fold.patch.files[0].new_path) == (PATCH, b"src/a.cpp")


def test_gates_are_read_into_their_kinds_parameters_with_their_places(good: Path) -> None:
    golden, trees, alpha = read_release(good).all_gates()
    assert golden.params == GoldenParams(
        model=ModelName("small"), configuration=ConfigName("release"), prompts=("Hello",)
    )
    assert (trees.block, alpha.block) == (None, "alpha")
    assert (alpha.place.file, alpha.place.line, alpha.place.column) == ("blocks/alpha/block.yaml", 13, 3)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"kind": "folder", "path": "../engine"}, FolderSource(path="../engine")),
        (
            {"kind": "archive", "file": "a.tar.gz", "sha256": "0" * 64, "folder": "."},
            ArchiveSource(file="a.tar.gz", sha256="0" * 64, folder="."),  # type: ignore[arg-type]
        ),
        (
            {"kind": "git", "repository": "https://example.org/x.git", "commit": "0" * 40},
            GitSource(repository="https://example.org/x.git", commit="0" * 40),  # type: ignore[arg-type]
        ),
    ],
)
def test_every_kind_of_base_is_read(good: Path, source: object, expected: object) -> None:
    (good / "release.json").write_bytes(changed(release(), "base", to={"source": source, "upstream_commit": None}))
    assert read_release(good).base.source == expected


@pytest.mark.parametrize("repository", ["--upload-pack=touch x", "ext::sh -c x", " x", "a\nb"])
def test_a_repository_that_git_would_take_for_an_option_or_a_program_is_refused(good: Path, repository: str) -> None:
    source = {"kind": "git", "repository": repository, "commit": "0" * 40}
    (good / "release.json").write_bytes(changed(release(), "base", "source", to=source))
    assert codes(good) == ["bad-repository"]


@pytest.mark.parametrize("version", ["1.0 --index-url x", "-r x", "1.0;x", "", "v1"])
def test_a_version_that_pip_would_take_for_something_else_is_refused(good: Path, version: str) -> None:
    (good / "release.json").write_bytes(changed(release(), "base", "source", "version", to=version))
    assert codes(good) == ["bad-version"]


@pytest.mark.parametrize("spelled", ["12e5", "on", "no", "0x1F", "1_000", "012", "2026-01-01", "1.10", "~x", "=", "<<"])
def test_scalars_are_text_however_yaml_would_take_them(good: Path, spelled: str) -> None:
    (good / "blocks/beta/block.yaml").write_text(BETA.replace("title: Beta", f"title: {spelled}"))
    assert read_release(good).blocks[1].title == spelled


def test_a_body_keeps_its_lines_and_loses_the_empty_ones_around_it(good: Path) -> None:
    body = "    body: |\n\n      one\n        two\n\n\n"
    (good / "blocks/beta/block.yaml").write_text(BETA + body)
    assert read_release(good).blocks[1].folds[0].body == "one\n  two"


def test_line_ends_of_windows_are_read_alike(good: Path) -> None:
    (good / "blocks/beta/block.yaml").write_bytes(BETA.replace("\n", "\r\n").encode())
    assert read_release(good).blocks[1].title == "Beta"


def test_before_the_first_pin_there_is_neither_reference_nor_lock(good: Path) -> None:
    (good / "release.json").write_bytes(changed(release(), "reference", to=None))
    (good / "blocks/lock.json").unlink()
    read = read_release(good)
    assert (read.reference, read.lock) == (None, None)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda root: (root / "blocks/lock.json").write_bytes(b"<<<<<<< ours\n"),
        lambda root: (root / "blocks/lock.json").unlink(),
        lambda root: (root / "blocks/alpha/folds/base/fold.patch").write_bytes(b""),
        lambda root: (root / "release.json").write_bytes(changed(release(), "reference", to=None)),
    ],
)
def test_what_writes_the_lock_reads_a_release_that_it_does_not_fit(good: Path, spoil) -> None:  # type: ignore[no-untyped-def]
    spoil(good)
    assert codes(good)
    assert codes(good, pinned=False) == []


def test_an_unpinned_reading_still_tells_every_other_mistake(good: Path) -> None:
    (good / "blocks/alpha/folds/base/fold.patch").write_bytes(b"not a patch\n")
    assert codes(good, pinned=False) == ["patch-syntax"]


def test_the_digest_does_not_depend_on_where_the_project_lies(tmp_path: Path) -> None:
    here, there = lay_out(tmp_path / "a", files()), lay_out(tmp_path / "b" / "c", files())
    assert read_release(here).digest == read_release(there).digest


@pytest.mark.parametrize("name", sorted(files()))
def test_the_digest_changes_with_any_declared_file(good: Path, name: str) -> None:
    before = read_release(good).digest
    data = (good / name).read_bytes()
    (good / name).write_bytes(data.replace(b"src/", b"src//") if name.endswith("source.patch") else data + b"\n")
    if name.endswith("fold.patch"):
        (good / name).write_bytes(PATCH.replace(b"int c", b"int d"))
    assert read_release(good, pinned=False).digest != before


def test_the_digest_tells_apart_bytes_that_moved_to_the_next_file(good: Path) -> None:
    before = read_release(good, pinned=False).digest
    source = good / "blocks/alpha/folds/base/source.patch"
    moved = source.read_bytes()
    block = good / "blocks/beta/block.yaml"
    source.write_bytes(moved[:-5])
    block.write_bytes(b"#" + moved[-5:].replace(b"\n", b" ") + b"\n" + block.read_bytes())
    assert read_release(good, pinned=False).digest != before


def test_a_folder_without_a_release_is_told_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputFault, match=f"release-missing: there is no release.json in {tmp_path}"):
        read_release(tmp_path)


def test_a_folder_that_is_not_there_is_told_the_same_way(tmp_path: Path) -> None:
    assert codes(tmp_path / "nowhere") == ["release-missing"]


def test_with_release_json_broken_the_blocks_mistakes_are_still_told(good: Path) -> None:
    (good / "release.json").write_bytes(b"{")
    (good / "blocks/beta/block.yaml").write_text(BETA.replace("title:", "titel:"))
    assert codes(good) == ["json-syntax", "missing-field", "unknown-field"]


@pytest.mark.parametrize(
    "name", ["release.json", "blocks/alpha/block.yaml", "blocks/alpha/folds/base/fold.patch", "blocks/lock.json"]
)
@pytest.mark.parametrize("how", ["link", "pipe", "folder"])
def test_a_declared_file_that_is_no_plain_file_is_refused(good: Path, name: str, how: str) -> None:
    path = good / name
    path.rename(good / "elsewhere")
    if how == "link":
        path.symlink_to(good / "elsewhere")
    elif how == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert codes(good) == ["file-unfit"]


def test_a_block_behind_a_link_is_refused(good: Path) -> None:
    (good / "blocks/alpha").rename(good / "elsewhere")
    (good / "blocks/alpha").symlink_to(good / "elsewhere")
    assert set(codes(good)) == {"file-unfit"}


def test_a_document_of_unreasonable_size_is_refused(good: Path) -> None:
    (good / "blocks/beta/block.yaml").write_bytes(b"#" * (3 << 20))
    assert codes(good) == ["file-unfit"]


def test_one_endless_line_is_read_in_time_that_grows_with_its_length(good: Path) -> None:
    line = BETA.replace("[src/b.cpp]", "[" + "src/b.cpp, " * 50_000 + "]")
    (good / "blocks/beta/block.yaml").write_text(line)
    with pytest.raises(InputFault) as fault:
        read_release(good)
    assert fault.value.diagnostics[-1].message == "49499 more mistakes are not shown"


def test_an_endless_nesting_ends_in_one_mistake(good: Path) -> None:
    (good / "blocks/beta/block.yaml").write_bytes(b"[" * (1 << 20))
    (good / "release.json").write_bytes(b"[" * (1 << 20))
    assert codes(good) == ["json-syntax", "yaml-syntax"]


def test_more_mistakes_than_anyone_reads_are_counted(good: Path) -> None:
    many = "".join(f"  - owner{number}\n" * 2 for number in range(600))
    (good / "blocks/beta/block.yaml").write_text(BETA.replace("[src/b.cpp]", "\n" + many))
    with pytest.raises(InputFault) as fault:
        read_release(good)
    assert fault.value.diagnostics[-1].message == "100 more mistakes are not shown"


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryType:
    """One field of each type that a gate's parameters may have."""

    text: str
    count: int = field(metadata={"min": 1, "max": 3})
    share: float = 0.5
    flag: bool = False
    colour: Colour = Colour.RED
    words: tuple[str, ...] = ()
    models: tuple[ModelName, ...] = ()
    block: BlockName = field(default=BlockName(""), metadata={"refers": "block"})
    switch: str = field(default="", metadata={"refers": "switch"})

    def __post_init__(self) -> None:
        if self.text == "never":
            raise ValueError("`text` cannot be never")


def every_type() -> AnyKind:
    return replace(KINDS["golden-tokens"], name="every-type", params=EveryType)


def read_gate(good: Path, params: dict[str, object]) -> Release:
    document = release()
    document["gates"] = {"one": {"kind": "every-type", **params}}
    (good / "release.json").write_bytes(changed(document, "parent", to=None))
    (good / "blocks/alpha/block.yaml").write_text(ALPHA[: ALPHA.index("gates:")] + ALPHA[ALPHA.index("folds:") :])
    return read_release(good, kinds={"every-type": every_type()})


def test_a_kind_of_gate_needs_no_reader_of_its_own(good: Path) -> None:
    given = {
        "text": "a\nb",
        "count": 3,
        "share": 1e-3,
        "flag": True,
        "colour": "blue",
        "words": ["a", "b"],
        "models": ["tiny", "small"],
        "block": "beta",
        "switch": "LLAMA_ALPHA",
    }
    assert read_gate(good, given).gates[0].params == EveryType(
        text="a\nb",
        count=3,
        share=0.001,
        flag=True,
        colour=Colour.BLUE,
        words=("a", "b"),
        models=(ModelName("tiny"), ModelName("small")),
        block=BlockName("beta"),
        switch="LLAMA_ALPHA",
    )


def test_parameters_left_out_or_null_take_their_defaults(good: Path) -> None:
    assert read_gate(good, {"text": "x", "count": 1, "share": None}).gates[0].params == EveryType(text="x", count=1)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"count": 4}, "out-of-range"),
        ({"count": 1.5}, "wrong-type"),
        ({"count": "1"}, "wrong-type"),
        ({"share": "x"}, "wrong-type"),
        ({"flag": 1}, "wrong-type"),
        ({"colour": "green"}, "unknown-word"),
        ({"words": "a"}, "wrong-type"),
        ({"models": ["tiny", "large"]}, "unknown-model"),
        ({"block": "gamma"}, "unknown-block"),
        ({"switch": "LLAMA_BETA"}, "unknown-switch"),
        ({"text": "never"}, "gate-params"),
        ({"text": 7}, "wrong-type"),
        ({"txt": ""}, "unknown-field"),
    ],
)
def test_a_wrong_parameter_is_one_mistake(good: Path, params: dict[str, object], code: str) -> None:
    with pytest.raises(InputFault) as fault:
        read_gate(good, {"text": "x", "count": 1} | params)
    assert [found.code for found in fault.value.diagnostics] == [code]


@pytest.mark.parametrize(
    "author",
    [
        "Your Name <you@example.com>",
        "Ada <ada@localhost>",
        "root <root@build-7.localdomain>",
        "unknown <x@real.org>",
        "Ada <ada@mail.example.net>",
        "Ada <ada@host.invalid>",
    ],
)
def test_a_placeholder_is_no_author(good: Path, author: str) -> None:
    (good / "blocks/beta/block.yaml").write_text(BETA.replace("Grace Hopper <grace@navy.mil>", author))
    assert codes(good) == ["placeholder-author"]


@pytest.mark.parametrize(
    "author", ["É. Galois <e@ens.fr>", "A. B. C. <1+a@users.noreply.github.com>", "x-y <x@test.io>"]
)
def test_real_people_are_authors(good: Path, author: str) -> None:
    (good / "blocks/beta/block.yaml").write_text(BETA.replace("Grace Hopper <grace@navy.mil>", author))
    assert codes(good) == []


@pytest.mark.parametrize(
    "date", ["@1 +00", "@-1 +0000", "@01 +0000", "@1 +1500", "@1 +0060", "1790000000 +0000", "@1  +0000"]
)
def test_a_date_that_git_would_have_to_guess_is_refused(good: Path, date: str) -> None:
    (good / "blocks/beta/block.yaml").write_text(BETA.replace("@1790000001 +0200", date))
    assert codes(good) == ["bad-date"]


def test_an_unreadable_file_is_a_mistake_of_the_project(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refuse)
    assert codes(good) == ["file-unreadable"]


def test_a_fold_is_in_the_lock_once(good: Path) -> None:
    document = lock()
    document["folds"].append(document["folds"][0])
    (good / "blocks/lock.json").write_bytes(changed(document, "schema", to="stackproof/lock/1"))
    assert codes(good) == ["duplicate-name"]


def test_artifacts_are_read_with_their_image(tmp_path: Path) -> None:
    binaries = {"release": {"without": ["test-*"], "smoke": ["main --version"]}}
    image = {"configuration": "release", "program": "main", "arguments": ["--port", "80"]}
    root = _with(tmp_path, {"binaries": binaries, "image": image})
    found = read_release(root).artifacts
    assert (found.binaries[0].without, found.binaries[0].smoke) == (("test-*",), ("main --version",))
    assert found.image is not None
    assert (found.image.program, found.image.arguments) == ("main", ("--port", "80"))


@pytest.mark.parametrize(
    "artifacts",
    [{"binaries": {"debug": {}}}, {"image": {"configuration": "release", "program": "main"}}],
)
def test_binaries_that_nobody_builds_are_refused(artifacts: dict[str, object], tmp_path: Path) -> None:
    root = _with(tmp_path, artifacts)
    assert codes(root) == ["tip-not-built"]


def _with(folder: Path, artifacts: dict[str, object]) -> Path:
    return lay_out(folder, files() | {"release.json": changed(release(), "artifacts", to=artifacts)})
