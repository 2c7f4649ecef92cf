"""Everything that a user's surroundings can say to git, said at its worst."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

EVIL = {
    "apply.whitespace": "fix",
    "apply.ignoreWhitespace": "change",
    "core.autocrlf": "true",
    "core.eol": "crlf",
    "core.quotePath": "false",
    "core.fileMode": "false",
    "core.hooksPath": "/nonexistent",
    "core.attributesFile": "~/attributes",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.context": "1",
    "diff.interHunkContext": "9",
    "diff.suppressBlankEmpty": "true",
    "diff.renames": "copies",
    "diff.algorithm": "patience",
    "diff.external": "false",
    "diff.orderFile": "/nonexistent",
    "color.ui": "always",
    "format.useAutoBase": "true",
    "i18n.logOutputEncoding": "ISO-8859-1",
    "user.name": "Mallory",
    "commit.gpgSign": "true",
    "gpg.program": "evil",
}


def evil_config() -> str:
    """The worst settings as a configuration file."""
    lines = []
    for key, value in EVIL.items():
        section, name = key.split(".", 1)
        lines.append(f"[{section}]\n\t{name} = {value}\n")
    return "".join(lines)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home, an environment, a folder and a umask against us; gives the folder, deep inside somebody's repository."""
    home = tmp_path / "evil-home"
    inside = home / "repository/deep/down"
    inside.mkdir(parents=True)
    (home / ".gitconfig").write_text(evil_config())
    (home / "attributes").write_text("* text eol=crlf ident diff=evil\n")
    (home / "repository/.git/objects").mkdir(parents=True)
    (home / "repository/.git/refs").mkdir()
    (home / "repository/.git/HEAD").write_text("ref: refs/heads/main\n")
    (home / "repository/.git/config").write_text("[core]\n\trepositoryformatversion = 0\n" + evil_config())
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(EVIL)))
    for number, (key, value) in enumerate(EVIL.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'apply.whitespace=fix'")
    for name, value in {
        "GIT_DIR": str(home / "repository/.git"),
        "GIT_WORK_TREE": str(home),
        "GIT_INDEX_FILE": str(home / "index"),
        "GIT_OBJECT_DIRECTORY": str(home / "objects"),
        "GIT_NAMESPACE": "evil",
        "GIT_PREFIX": "deep/",
        "GIT_DIFF_OPTS": "-u1",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_TRACE": "1",
        "GIT_TEMPLATE_DIR": str(home),
        "GIT_AUTHOR_NAME": "Mallory",
        "GIT_GLOB_PATHSPECS": "1",
        "LC_ALL": "de_DE.UTF-8",
        "LANGUAGE": "de",
        "TZ": "Asia/Kathmandu",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(inside)
    before = os.umask(0o077)
    yield inside
    os.umask(before)
