"""What is given away beside the patches: archives in one form, binaries that run, a whole image, notes, SBOM."""

import io
import json
import subprocess
import tarfile
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from builder.seal.archive import packed, tar_of, unpack_to
from builder.seal.binaries import try_binaries
from tests.seal.project import LICENCE, STATES, Project, make_project
from verify.bundle.image import HOME, blob_member
from verify.bundle.tarball import Entry, read_tarball
from verify.bundle.tree_id import tree_id
from verify.model.artifact import BinariesDecl
from verify.model.codec import CodecError
from verify.model.diagnostic import InputFault
from verify.model.ids import ConfigName, RepoPath
from verify.model.patch import Mode

FILES = (
    Entry(path=RepoPath(b"b/x"), mode=Mode.EXECUTABLE, data=b"#!/bin/sh\n"),
    Entry(path=RepoPath(b"a" * 120 + b"/\xff"), mode=Mode.FILE, data=b"long and no text" * 90),
    Entry(path=RepoPath(b"b.c"), mode=Mode.SYMLINK, data=b"b/x"),
)
RELEASE = BinariesDecl(configuration=ConfigName("release"), smoke=("main --version",))


def archive(*files: Entry, seconds: int = 7) -> bytes:
    return packed(tar_of(files, below="top", seconds=seconds))


def test_an_archive_gives_its_files_back() -> None:
    met = read_tarball(archive(*FILES), seconds=7)
    assert {each.path.removeprefix(b"top/"): each for each in FILES}.keys() == {
        each.path.removeprefix(b"top/") for each in met
    }
    assert sorted(each.data for each in met) == sorted(each.data for each in FILES)


def test_the_order_of_the_files_does_not_matter() -> None:
    assert archive(*FILES) == archive(*reversed(FILES))


@pytest.mark.parametrize(
    "broken",
    [
        lambda data: data[:4] + b"\1" + data[5:],
        lambda data: data + b"\0",
        lambda data: data[:-9],
        lambda data: data[:40] + b"\xff\xff\xff" + data[43:],
        lambda data: archive(*FILES, seconds=8),
        lambda data: b"\0" * 100,
    ],
)
def test_an_archive_in_another_form_is_refused(broken) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CodecError):
        read_tarball(broken(archive(*FILES)), seconds=7)


def test_a_tar_with_an_owner_is_refused() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as tar:
        info = tarfile.TarInfo("top/a")
        info.mtime, info.uid = 7, 1000
        tar.addfile(info)
    with pytest.raises(CodecError, match="another one than that of its files"):
        read_tarball(packed(made.getvalue()), seconds=7)


def test_the_tree_of_files_is_gits(project: Project) -> None:
    files = [Entry(path=path, mode=mode, data=data) for path, (mode, data) in STATES[0].items()]
    assert tree_id(files) == project.stack.base_tree


def test_the_sources_are_the_tip_for_any_tool(project: Project, sealed: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", sealed / "source/engine-1-r1.tar.gz", "-C", tmp_path], check=True)
    top = tmp_path / "engine-1-r1"
    assert (top / "src/main.c").read_bytes() == STATES[3][RepoPath(b"src/main.c")][1]
    assert (top / "latest").readlink() == Path("src/new.c")


def test_binaries_come_with_the_engines_and_the_vendored_licences(sealed: Path, tmp_path: Path) -> None:
    subprocess.run(["tar", "xzf", sealed / "binaries/engine-1-r1-release.tar.gz", "-C", tmp_path], check=True)
    top = tmp_path / "engine-1-r1-release"
    assert sorted(path.name for path in (top / "bin").iterdir()) == ["libmain.so", "libmain.so.0", "main"]
    assert (top / "licences/LICENSE").read_bytes() == LICENCE[1]
    assert (top / "licences/vendor/small/small.h").read_bytes() == b"/* SPDX-License-Identifier: BSD-3-Clause */\n"


@pytest.mark.parametrize(
    ("smoke", "code"), [("main --version", ""), ("no-such --version", "smoke-failed"), ("false", "smoke-failed")]
)
def test_binaries_must_run_where_they_are_unpacked(smoke: str, code: str) -> None:
    programs = {"main": "/bin/true", "false": "/bin/false"}
    entries = [
        Entry(path=RepoPath(f"bin/{name}".encode()), mode=Mode.EXECUTABLE, data=Path(where).read_bytes())
        for name, where in programs.items()
    ]
    data = archive(*entries)
    if not code:
        try_binaries(data, replace(RELEASE, smoke=(smoke,)), top="top", seconds=7)
        return
    with pytest.raises(InputFault) as told:
        try_binaries(data, replace(RELEASE, smoke=(smoke,)), top="top", seconds=7)
    assert told.value.diagnostics[0].code == code


def test_binaries_that_nobody_kept_are_not_sealed(project: Project, tmp_path: Path) -> None:
    without = replace(project, wanted=replace(project.wanted, builds={}))
    with pytest.raises(InputFault) as told:
        without.seal(tmp_path)
    assert told.value.diagnostics[0].code == "binaries-not-built"


def test_binaries_that_are_not_those_of_the_record_are_not_sealed(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (tmp_path / "built/bin/main").write_bytes(Path("/bin/false").read_bytes())
    with pytest.raises(InputFault) as told:
        project.seal(tmp_path / "dist")
    assert told.value.diagnostics[0].code == "binaries-not-built"


def test_the_image_has_the_program_its_libraries_and_their_licences(sealed: Path, tmp_path: Path) -> None:
    index = json.loads((sealed / "image/index.json").read_bytes())
    manifest = json.loads((sealed / blob_member(index["manifests"][0]["digest"][7:])).read_bytes())
    config = json.loads((sealed / blob_member(manifest["config"]["digest"][7:])).read_bytes())
    for layer in manifest["layers"]:
        unpack_to((sealed / blob_member(layer["digest"][7:])).read_bytes(), tmp_path, seconds=1790000002)
    assert config["config"]["Entrypoint"] == [f"/{HOME}/bin/main"]
    assert (tmp_path / HOME / "bin/main").stat().st_mode & 0o111
    assert list(tmp_path.glob("lib*/**/libc.so.6"))
    assert list(tmp_path.glob("usr/share/doc/libc6/copyright"))


def test_notes_name_everybody_who_made_a_fold(sealed: Path) -> None:
    notes = (sealed / "NOTES.md").read_text("utf-8")
    assert "- Grace Höpper (author)" in notes
    assert "- Ada Lovelace (reviewed)" in notes


def test_notes_tell_what_is_new_since_the_parent(tmp_path: Path) -> None:
    parent = make_project(tmp_path / "one", name="engine-1-r1", folds=(("alpha", "base"),))
    parent.seal(tmp_path / "dist")
    child = make_project(tmp_path / "two", name="engine-1-r2", parent="engine-1-r1")
    bundle = child.seal(tmp_path / "dist", parent=tmp_path / "dist/engine-1-r1").folder
    notes = (bundle / "NOTES.md").read_text("utf-8")
    assert "## Since engine-1-r1" in notes
    assert "(`pr-7`: new; folded" in notes
    assert "`base`: new; folded" in notes
    assert "Add base to alpha" not in notes
    since, everybody = notes.split("## Contributors since engine-1-r1")[1].split("## All contributors")
    assert "- Grace Höpper (author)" in since
    assert "- Grace Höpper (author)" in everybody


def test_who_made_nothing_new_is_not_named_as_a_contributor_since_the_parent(tmp_path: Path) -> None:
    parent = make_project(tmp_path / "one", name="engine-1-r1").seal(tmp_path / "dist").folder
    child = make_project(tmp_path / "two", name="engine-1-r2", parent="engine-1-r1")
    notes = (child.seal(tmp_path / "dist", parent=parent).folder / "NOTES.md").read_text("utf-8")
    since, everybody = notes.split("## Contributors since engine-1-r1")[1].split("## All contributors")
    assert "- nobody: there is no such fold" in since
    assert "- Grace Höpper (author)" in everybody


def test_a_parent_that_is_another_release_is_refused(project: Project, sealed: Path, tmp_path: Path) -> None:
    child = make_project(tmp_path / "two", name="engine-1-r2", parent="engine-1-r0")
    with pytest.raises(InputFault) as told:
        child.seal(tmp_path / "dist", parent=sealed)
    assert told.value.diagnostics[0].code == "parent-unusable"


def test_the_sbom_is_valid_and_names_every_patch(sealed: Path) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = (sealed / "sbom.cdx.json").read_text("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    engine = json.loads(text)["metadata"]["component"]
    assert [each["diff"]["url"] for each in engine["pedigree"]["patches"]] == [
        "patches/0001-alpha-base.patch",
        "patches/0002-alpha-pr-7.patch",
        "patches/0003-beta-base.patch",
    ]
    licences = {each["name"]: each.get("licenses") for each in json.loads(text)["components"]}
    assert licences["small"] == [{"license": {"id": "BSD-3-Clause"}}]
    assert "libc6" in licences


def test_the_mail_series_is_what_git_am_takes(project: Project, sealed: Path, tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(tmp_path), *words], check=True, capture_output=True, text=True, env=_GIT
        )
        return done.stdout.strip()

    run("init", "-q")
    for path, (mode, data) in STATES[0].items():
        where = tmp_path / path.decode()
        where.parent.mkdir(parents=True, exist_ok=True)
        if mode is Mode.SYMLINK:
            where.symlink_to(data.decode())
        else:
            where.write_bytes(data)
    run("add", "--all")
    run("commit", "-q", "-m", "Base")
    run("am", "-q", str(sealed / "series.mbox"))
    assert run("rev-parse", "HEAD^{tree}") == project.stack.tip_tree()


_GIT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
}  # fmt: skip
