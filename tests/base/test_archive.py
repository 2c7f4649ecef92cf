"""What an archive may not hold is refused by name, before anything of it is used."""

import io
import tarfile
from pathlib import Path

import pytest

from tests.base.archives import Edit, Entry, Form, kind, write_tar
from verify.archive import HardLink, Limits, Member, members
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath
from verify.model.patch import Mode

SMALL = Limits(files=10, file_bytes=1 << 20, total_bytes=4 << 20, ratio=50, ratio_from=1 << 18, depth=10)


def read(path: Path, limits: Limits = SMALL) -> list[Member | HardLink]:
    return list(members(path, limits=limits))


def refused(path: Path, limits: Limits = SMALL) -> str:
    with pytest.raises(InputFault) as caught:
        read(path, limits)
    (told,) = caught.value.diagnostics
    return told.code


@pytest.mark.parametrize("form", ["w:gz", "w:xz", "w:bz2", "w"])
def test_every_packing_gives_the_same_members(tmp_path: Path, form: Form) -> None:
    path = write_tar(tmp_path / "a", [Entry(name="./a/x", data=b"1"), Entry(name="a/y", mode=0o700)], form=form)
    assert read(path) == [
        Member(path=RepoPath(b"a/x"), mode=Mode.FILE, data=b"1"),
        Member(path=RepoPath(b"a/y"), mode=Mode.EXECUTABLE, data=b""),
    ]


def test_only_the_owners_execute_bit_counts(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a", [Entry(name="x", mode=0o677), Entry(name="y", mode=0o4100)])
    assert [member.mode for member in read(path) if isinstance(member, Member)] == [Mode.FILE, Mode.EXECUTABLE]


def test_links_that_stay_inside_are_kept(tmp_path: Path) -> None:
    entries = [
        Entry(name="a/x", data=b"1"),
        Entry(name="a/b/soft", edit=kind(tarfile.SYMTYPE, "../x")),
        Entry(name="a/hard", edit=kind(tarfile.LNKTYPE, "a/x")),
    ]
    found = read(write_tar(tmp_path / "a", entries))
    assert (found[1].path, isinstance(found[1], Member) and found[1].data) == (b"a/b/soft", b"../x")
    assert found[2] == HardLink(path=RepoPath(b"a/hard"), first=RepoPath(b"a/x"))


@pytest.mark.parametrize(
    ("name", "edit", "code"),
    [
        ("../x", None, "archive-path-out"),
        ("a/../../x", None, "archive-path-out"),
        ("/etc/x", None, "archive-path-out"),
        ("a//x", None, "archive-path-out"),
        ("a/./x", None, "archive-path-out"),
        ("/".join("a" * 12), None, "archive-too-large"),
        ("a/l", kind(tarfile.SYMTYPE, "/etc/passwd"), "archive-link-out"),
        ("a/l", kind(tarfile.SYMTYPE, "../../x"), "archive-link-out"),
        ("a/l", kind(tarfile.SYMTYPE, "b/../../../x"), "archive-link-out"),
        ("a/l", kind(tarfile.LNKTYPE, "a/none"), "archive-link-out"),
        ("a/l", kind(tarfile.LNKTYPE, "../../etc/passwd"), "archive-path-out"),
        ("a/d", kind(tarfile.CHRTYPE), "archive-entry-kind"),
        ("a/d", kind(tarfile.BLKTYPE), "archive-entry-kind"),
        ("a/d", kind(tarfile.FIFOTYPE), "archive-entry-kind"),
        ("a/ok", None, "archive-path-twice"),
        ("./a/ok", None, "archive-path-twice"),
    ],
)
def test_what_no_honest_archive_has_is_refused(tmp_path: Path, name: str, edit: Edit | None, code: str) -> None:
    path = write_tar(tmp_path / "evil.tar.gz", [Entry(name="a/ok", data=b"1"), Entry(name=name, edit=edit)])
    assert refused(path) == code


def test_a_sparse_file_is_refused(tmp_path: Path) -> None:
    headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "x",
        "GNU.sparse.realsize": "999999",
    }

    def edit(info: tarfile.TarInfo) -> None:
        info.pax_headers = headers

    assert refused(write_tar(tmp_path / "a", [Entry(name="x", data=b"0\n".ljust(512, b"\0"), edit=edit)])) == (
        "archive-entry-kind"
    )


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a", [Entry(name=str(number)) for number in range(11)])
    assert refused(path) == "archive-too-large"


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.size = 1 << 40
    (tmp_path / "a").write_bytes(info.tobuf())
    assert refused(tmp_path / "a") == "archive-too-large"


def test_a_bomb_is_met_while_it_unpacks(tmp_path: Path) -> None:
    path = write_tar(tmp_path / "a", [Entry(name=str(number), data=bytes(1 << 19)) for number in range(3)], form="w:xz")
    assert refused(path) == "archive-too-large"


def test_a_bomb_in_a_header_is_met_too(tmp_path: Path) -> None:
    def edit(info: tarfile.TarInfo) -> None:
        info.pax_headers = {"comment": "x" * (1 << 20)}

    assert refused(write_tar(tmp_path / "a", [Entry(name="x", edit=edit)])) == "archive-too-large"


def test_more_than_any_engine_is_refused(tmp_path: Path) -> None:
    limits = Limits(total_bytes=1 << 16)
    path = write_tar(tmp_path / "a", [Entry(name="x", data=bytes(1 << 17))], form="w")
    assert refused(path, limits) == "archive-too-large"


@pytest.mark.parametrize("form", ["w:gz", "w:xz", "w:bz2", "w"])
def test_an_archive_that_is_cut_off_is_told(tmp_path: Path, form: Form) -> None:
    whole = write_tar(tmp_path / "a", [Entry(name="x", data=bytes(range(256)) * 400)], form=form)
    whole.write_bytes(whole.read_bytes()[: len(whole.read_bytes()) // 2])
    assert refused(whole) == "archive-broken"


@pytest.mark.parametrize(
    "data", [b"", b"\x1f\x8b\x08\0not gzip", b"no archive at all", b"\xfd7zXZ\0garbage", b"BZhgarbage"]
)
def test_what_is_no_archive_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    assert refused(tmp_path / "a") == "archive-broken"


def test_a_name_that_is_not_text_keeps_its_bytes(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1") as tar:
        tar.addfile(tarfile.TarInfo("\xe9"))
    (tmp_path / "a").write_bytes(out.getvalue())
    assert [member.path for member in read(tmp_path / "a")] == [b"\xe9"]
