"""Git as a tool without a memory: the same bytes for every user, machine and folder.

A user's configuration must not change a tree or a patch (hazards E6, E9, E10), so git is never run with what it finds:
system, global and user configuration, attributes, hooks, locale, time zone and every `GIT_*` variable are dropped,
and each option that touches bytes is set here. A repository's own configuration loses against these options too.

`find_git` looks for the program once; `Git` is bound to one git folder and one folder to run in. Nothing here knows
what it is used for. Standard library only: this module belongs to the path that checks a bundle.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from verify.model.diagnostic import Diagnostic, EnvironmentFault

OPTIONS: tuple[tuple[str, str], ...] = (
    ("advice.detachedHead", "false"),
    ("apply.ignoreWhitespace", "no"),
    ("apply.whitespace", "nowarn"),
    ("color.ui", "false"),
    ("commit.gpgSign", "false"),
    ("core.attributesFile", os.devnull),
    ("core.autocrlf", "false"),
    ("core.bigFileThreshold", "512m"),
    ("core.editor", "false"),
    ("core.eol", "lf"),
    ("core.excludesFile", os.devnull),
    ("core.fileMode", "true"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.ignoreCase", "false"),
    ("core.pager", "cat"),
    ("core.precomposeUnicode", "false"),
    ("core.protectHFS", "false"),
    ("core.protectNTFS", "false"),
    ("core.quotePath", "true"),
    ("core.safecrlf", "false"),
    ("core.sparseCheckout", "false"),
    ("core.splitIndex", "false"),
    ("core.symlinks", "true"),
    ("core.untrackedCache", "false"),
    ("diff.algorithm", "myers"),
    ("diff.context", "3"),
    ("diff.ignoreSubmodules", "none"),
    ("diff.indentHeuristic", "true"),
    ("diff.interHunkContext", "0"),
    ("diff.mnemonicPrefix", "false"),
    ("diff.noprefix", "false"),
    ("diff.orderFile", os.devnull),
    ("diff.renames", "false"),
    ("diff.submodule", "short"),
    ("diff.suppressBlankEmpty", "false"),
    ("feature.manyFiles", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    ("gpg.program", "false"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("index.version", "2"),
    ("log.showSignature", "false"),
    ("maintenance.auto", "false"),
    ("merge.conflictStyle", "merge"),
    ("protocol.ext.allow", "never"),
    ("protocol.version", "2"),
    ("rerere.enabled", "false"),
    ("safe.directory", "*"),
    ("submodule.recurse", "false"),
    ("tag.gpgSign", "false"),
)

_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
_NETWORK = (
    "http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK",
)  # fmt: skip
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = %s\n[gc]\n\tauto = 0\n"
_IDENTITY = ("stackproof", "maintainers@stackproof.dev", "@0 +0000")


class GitFailed(Exception):
    """Git ran and refused; `status` is its exit status and `output` what it wrote to stderr."""

    def __init__(self, args: Sequence[str], status: int, output: str) -> None:
        super().__init__(f"git {' '.join(args)} ended with {status}: {output.strip()}")
        self.status = status
        self.output = output.strip()


def find_git() -> str:
    """Where is git? Raises a fault that names the package to install."""
    found = shutil.which("git")
    if found is None:
        raise EnvironmentFault(
            Diagnostic(
                code="git-missing",
                message="git is not installed, or not on PATH",
                notes=("trees are derived a second time by git itself, so nothing can be checked without it",),
                help="apt-get install git",
            )
        )
    return found


def environment(base: Mapping[str, str], *, network: bool = False) -> dict[str, str]:
    """The whole environment of git: `PATH` and temporary folders alone (for `network` proxies too) come from `base`."""
    kept = _KEPT + (_NETWORK if network else ())
    name, email, date = _IDENTITY
    return {key: base[key] for key in kept if key in base} | {
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": date,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_AUTHOR_NAME": name,
        "GIT_COMMITTER_DATE": date,
        "GIT_COMMITTER_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": os.devnull,
        "LC_ALL": "C",
        "TZ": "UTC",
        "XDG_CONFIG_HOME": os.devnull,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """Git on one repository: `git_dir` is its folder, `cwd` where it runs, `work_tree` its files where it has some."""

    git_dir: Path
    cwd: Path
    work_tree: Path | None = None
    extra: tuple[tuple[str, str], ...] = ()

    def command(self, *args: str) -> list[str]:
        """The words of the command line, with every option set."""
        settings = [word for key, value in OPTIONS for word in ("-c", f"{key}={value}")]
        return [find_git(), *settings, *args]

    def env(self, *, network: bool = False) -> dict[str, str]:
        """The environment for a command on this repository."""
        env = environment(os.environ, network=network) | {"GIT_DIR": str(self.git_dir.absolute())} | dict(self.extra)
        if self.work_tree is not None:
            env["GIT_WORK_TREE"] = str(self.work_tree.absolute())
        return env

    def run(self, *args: str, stdin: bytes = b"", network: bool = False, timeout: float | None = None) -> bytes:
        """Run a command to its end and give its stdout; raises `GitFailed` when git refuses."""
        done = subprocess.run(
            self.command(*args),
            cwd=self.cwd,
            env=self.env(network=network),
            input=stdin,
            capture_output=True,
            timeout=timeout,
            check=False,
            umask=0o022,
        )
        if done.returncode != 0:
            raise GitFailed(args, done.returncode, done.stderr.decode("utf-8", "backslashreplace"))
        return done.stdout

    def text(self, *args: str) -> str:
        """Run a command that answers with one line of text, such as an id."""
        return self.run(*args).decode("utf-8", "surrogateescape").strip()

    def start(self, *args: str, stdin: IO[bytes]) -> "subprocess.Popen[bytes]":
        """Start a command that reads `stdin`, to be waited for with `finish`."""
        return subprocess.Popen(
            self.command(*args),
            cwd=self.cwd,
            env=self.env(),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            umask=0o022,
        )


def finish(process: "subprocess.Popen[bytes]", *, what: str) -> bytes:
    """Wait for a started command and give its stdout; raises `GitFailed` when git refused."""
    out, err = process.communicate()
    if process.returncode != 0:
        raise GitFailed((what,), process.returncode, err.decode("utf-8", "backslashreplace"))
    return out


def make_repository(path: Path, *, alternates: Sequence[Path] = (), bare: bool = True, branch: str = "main") -> None:
    """Lay out an empty repository's git folder at `path`, which borrows the objects of `alternates`.

    Written by hand and not by `git init`: no template folder, no default branch name, no hooks, and modes that do not
    depend on the umask.
    """
    for folder in (
        path,
        path / "objects",
        path / "objects/info",
        path / "objects/pack",
        path / "refs",
        path / "refs/heads",
    ):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    files = {
        "HEAD": f"ref: refs/heads/{branch}\n".encode(),
        "config": _CONFIG % (b"true" if bare else b"false"),
    }
    if alternates:
        files["objects/info/alternates"] = b"".join(alternate_line(objects) for objects in alternates)
    for name, data in files.items():
        target = path / name
        target.write_bytes(data)
        target.chmod(0o644)


def alternate_line(objects: Path) -> bytes:
    """One line of `objects/info/alternates`; a path that git would read as a comment or as two lines is quoted."""
    raw = os.fsencode(objects.absolute())
    if b"\n" not in raw and not raw.startswith((b'"', b"#")):
        return raw + b"\n"
    escaped = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"\n'
