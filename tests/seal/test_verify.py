"""`python -m verify`: what it needs, what it says, and that a stranger's folder does nothing to whoever looks at it."""

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.seal.project import STATES, Project, archive_of
from tests.seal.tampering import declare_again, edit, rest_again, sum_again
from verify.__main__ import main
from verify.bundle.check import Report, check_bundle
from verify.bundle.layout import RELEASE, STACK, SUMS
from verify.bundle.members import Limits, read_members
from verify.model.diagnostic import InputFault
from verify.model.verdict import Failed, Undecided
from verify.report.json import outcome_word

ROOT = Path(__file__).parents[2]
NEED_BASE = {"base", "trees", "combined diff", "trees by dulwich"}


def ends(report: Report) -> dict[str, str]:
    return {check.name: outcome_word(check.outcome) for check in report.checks}


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings()}


def test_a_sealed_bundle_holds_on_the_pinned_archive(project: Project, sealed: Path) -> None:
    assert set(ends(check_bundle(sealed, base=project.archive)).values()) == {"passed"}


def test_a_git_folder_that_has_the_base_is_as_good(project: Project, sealed: Path) -> None:
    assert set(ends(check_bundle(sealed, base=project.store.git_dir)).values()) == {"passed"}


def test_without_the_base_what_needs_it_is_undecided(sealed: Path) -> None:
    report = check_bundle(sealed, base=None)

    assert {name for name, end in ends(report).items() if end == "undecided"} == NEED_BASE
    assert [reason.code for reason in report.reasons()] == ["base-not-given"]
    assert int(report.exit_code()) == 2


def test_another_archive_as_the_base_decides_nothing(sealed: Path, tmp_path: Path) -> None:
    other = tmp_path / "engine-1.tar.gz"
    other.write_bytes(archive_of(STATES[1], "engine-1"))

    report = check_bundle(sealed, base=other)

    assert {name for name, end in ends(report).items() if end == "undecided"} == NEED_BASE
    assert [reason.code for reason in report.reasons()] == ["sha256-differs"]


@pytest.mark.parametrize("what", ["folder", "missing", "repository", "pipe"])
def test_what_cannot_be_a_base_decides_nothing(what: str, sealed: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    if what == "pipe":
        os.mkfifo(base)
    elif what != "missing":
        (base / "objects" if what == "repository" else base).mkdir(parents=True)

    report = check_bundle(sealed, base=base)

    assert {name for name, end in ends(report).items() if end == "undecided"} == NEED_BASE
    assert {reason.code for reason in report.reasons()} == {"base-unusable"}


def test_without_git_what_needs_it_is_undecided(
    project: Project, sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    report = check_bundle(sealed, base=project.store.git_dir)

    assert {name for name, end in ends(report).items() if end == "undecided"} == NEED_BASE
    assert [reason.code for reason in report.reasons()] == ["git-missing"]


def test_a_base_that_is_not_the_recorded_one_fails(bundle: Path, tmp_path: Path) -> None:
    archive = tmp_path / "engine-1.tar.gz"
    archive.write_bytes(archive_of(STATES[1], "engine-1"))
    text = (bundle / RELEASE).read_text("utf-8")
    pinned = json.loads(text)["base"]["source"]["sha256"]
    (bundle / RELEASE).write_text(text.replace(pinned, sha256(archive.read_bytes()).hexdigest()), "utf-8")
    edit(
        bundle,
        "base.json",
        lambda base: base.update(source=json.loads((bundle / RELEASE).read_bytes())["base"]["source"]),
    )
    declare_again(bundle)
    sum_again(bundle)

    report = check_bundle(bundle, base=archive)

    assert codes(report) == {"bundle-base-differs"}


def test_git_and_the_standard_library_are_all_it_needs(project: Project, sealed: Path, tmp_path: Path) -> None:
    program = f"""
import sys
class Wall:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "verify":
            raise ImportError(f"{{name}} is not in the standard library")
sys.meta_path.insert(0, Wall())
sys.path.insert(0, {str(ROOT)!r})
from verify.__main__ import main
status = main([{str(sealed)!r}, "--base", {str(project.archive)!r}, "--offline"])
assert not [name for name in sys.modules if name.startswith(("builder", "verify.manifest"))]
raise SystemExit(status)
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert list(tmp_path.iterdir()) == []


def test_the_report_says_what_was_not_checked(sealed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main([str(sealed)])

    told = capsys.readouterr()
    assert status == 2
    assert told.err == ""
    assert "Not checked:" in told.out
    assert "no signature" in told.out
    assert told.out.endswith("bundle engine-1-r1 cannot be judged\n")


@pytest.mark.parametrize("name", ["holds", "fails", "no-bundle"])
def test_json_is_one_document_with_the_exit_status(
    name: str, project: Project, bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "fails":
        (bundle / STACK).unlink()
    folder = bundle.parent if name == "no-bundle" else bundle

    status = main([str(folder), "--base", str(project.archive), "--json"])

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "stackproof/verify/1"
    assert document["exit"] == status == {"holds": 0, "fails": 1, "no-bundle": 2}[name]


def test_a_defect_of_the_checker_is_no_judgement(
    sealed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> Report:
        raise ZeroDivisionError

    monkeypatch.setattr("verify.__main__.check_bundle", fail)

    assert main([str(sealed)]) == 70
    assert "our-defect" in capsys.readouterr().err


def test_documents_that_cannot_be_read_leave_the_rest_undecided(bundle: Path) -> None:
    (bundle / STACK).write_bytes(b"[]\n")
    sum_again(bundle)

    report = check_bundle(bundle, base=None)

    assert codes(report) == {"bundle-document-unreadable"}
    assert {name for name, end in ends(report).items() if end == "undecided"} > NEED_BASE
    assert int(report.exit_code()) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"null\n",
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a": ' * 500 + b"1" + b"}" * 500,
        b'{"schema": 1, "schema": 2}\n',
        b'{"schema": NaN}\n',
        b'{"schema": "\\ud800"}\n',
        b"1" * 10_000,
    ],
)
@pytest.mark.parametrize("name", [RELEASE, STACK, "verdict.json"])
def test_whatever_stands_in_a_document_is_an_answer_and_no_crash(name: str, text: bytes, bundle: Path) -> None:
    (bundle / name).write_bytes(text)
    sum_again(bundle)

    report = check_bundle(bundle, base=None)

    assert name in {finding.place.file for finding in report.findings() if finding.place}
    assert "bundle-document-unreadable" in codes(report)


def a_link(bundle: Path) -> str:
    shutil.move(bundle / "combined.diff", bundle.parent / "outside")
    (bundle / "combined.diff").symlink_to(bundle.parent / "outside")
    return "combined.diff"


def a_linked_folder(bundle: Path) -> str:
    shutil.move(bundle / "patches", bundle.parent / "outside")
    (bundle / "patches").symlink_to(bundle.parent / "outside")
    return "patches"


def a_pipe(bundle: Path) -> str:
    (bundle / "base.json").unlink()
    os.mkfifo(bundle / "base.json")
    return "base.json"


def a_name_that_moves_the_cursor(bundle: Path) -> str:
    (bundle / "\x1b[2Jgone").write_bytes(b"")
    return "\x1b[2Jgone"


def a_hidden_folder(bundle: Path) -> str:
    (bundle / ".git").mkdir()
    (bundle / ".git/config").write_bytes(b"[core]\n")
    return ".git"


def a_deep_folder(bundle: Path) -> str:
    (bundle / "/".join("a" * 40)).mkdir(parents=True)
    return "/".join("a" * 12)


@pytest.mark.parametrize(
    "lay", [a_link, a_linked_folder, a_pipe, a_name_that_moves_the_cursor, a_hidden_folder, a_deep_folder]
)
def test_nothing_but_plain_files_is_ever_opened(
    lay: "object", bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(lay)
    name = lay(bundle)

    status = main([str(bundle)])

    told = capsys.readouterr().out
    assert status == 1
    assert "bundle-unsafe-file" in told
    assert "\x1b" not in told
    refused = read_members(bundle).refused
    assert [finding.place.file for finding in refused if finding.place] == [name]


@pytest.mark.parametrize(
    "limits",
    [Limits(files=3), Limits(file_bytes=1000), Limits(total_bytes=1000)],
    ids=["many files", "a large file", "much in all"],
)
def test_too_much_is_refused_and_not_read(limits: Limits, bundle: Path) -> None:
    assert {finding.code for finding in read_members(bundle, limits=limits).refused} == {"bundle-too-large"}


def test_a_file_of_a_terabyte_is_not_read(bundle: Path) -> None:
    with (bundle / "combined.diff").open("wb") as file:
        file.truncate(1 << 40)

    report = check_bundle(bundle, base=None)

    assert {"bundle-too-large", "bundle-file-missing"} <= codes(report)


def test_a_file_that_is_too_large_to_keep_is_hashed_all_the_same(sealed: Path) -> None:
    small = read_members(sealed, limits=Limits(kept_bytes=100))

    assert small.files[STACK] == read_members(sealed).files[STACK].__class__(
        sha256=read_members(sealed).files[STACK].sha256, size=(sealed / STACK).stat().st_size, data=None
    )


@pytest.mark.parametrize(
    "line",
    [
        b"no sum\n",
        b"0" * 64 + b"  ../outside\n",
        b"0" * 64 + b"  /etc/passwd\n",
        b"0" * 64 + b"  a//b\n",
        b"0" * 64 + b" *base.json\n",
        b"0" * 64 + b"  SHA256SUMS\n",
        b"A" * 64 + b"  base.json\n",
        b"0" * 64 + b"  zz\n" + b"0" * 64 + b"  zz\n",
        b"0" * 64 + b"  zz",
    ],
)
def test_a_list_of_sums_has_one_form(line: bytes, bundle: Path) -> None:
    with (bundle / SUMS).open("ab") as file:
        file.write(line)

    report = check_bundle(bundle, base=None)

    assert "bundle-sums-malformed" in codes(report)


def test_a_folder_without_a_bundle_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(InputFault) as told:
        check_bundle(tmp_path, base=None)

    assert told.value.diagnostics[0].code == "bundle-missing"


def test_a_verdict_that_holds_by_name_alone_fails(bundle: Path) -> None:
    def fail(verdict: dict[str, list[dict[str, object]]]) -> None:
        verdict["results"][0].update(outcome="failed", findings=[])

    edit(bundle, "verdict.json", fail)
    rest_again(bundle)
    sum_again(bundle)

    checks = {check.name: check.outcome for check in check_bundle(bundle, base=None).checks}

    assert isinstance(checks["verdict"], Failed)
    assert isinstance(checks["trees"], Undecided)
