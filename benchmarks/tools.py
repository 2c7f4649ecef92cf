"""The same stack by other tools, each prepared outside of what is measured and checked for the same tree."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case
from builder.exchange.mail_out import fold_mail

ENV = {
    "PATH": os.environ["PATH"], "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000",
}  # fmt: skip
QUIET = ("-c", "gc.auto=0", "-c", "core.fsync=none", "-c", "advice.detachedHead=false", "-c", "core.autocrlf=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One measured run: CPU and wall seconds, what else it told, and whether the tree was right."""

    tool: str
    cpu: float
    wall: float
    right: bool
    more: dict[str, object]


def git(*args: str, env: dict[str, str], cwd: Path, stdin: bytes = b"") -> str:
    """One git process."""
    done = subprocess.run(["git", *QUIET, *args], env=env, cwd=cwd, input=stdin, capture_output=True, check=True)
    return done.stdout.decode().strip()


def _measured(tool: str, tip: str, work: Callable[[], tuple[str, dict[str, object]]]) -> Timed:
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        tree, more = work()
    except subprocess.CalledProcessError as error:
        tree, more = "", {"failed": error.stderr.decode(errors="replace")[-300:] if error.stderr else str(error)}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timed(tool=tool, cpu=round(cpu, 3), wall=round(time.monotonic() - clock, 3), right=tree == tip, more=more)


class Bench:
    """A case with its patches written out, ready for every tool."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        self.folder = folder
        self.patches = folder / "patches"
        shutil.rmtree(folder, ignore_errors=True)
        self.patches.mkdir(parents=True)
        folds: dict[str, list[list[str]]] = {}
        names = []
        for number, (block, fold) in enumerate(case.folds(), start=1):
            name = f"{number:05}.patch"
            names.append(name)
            (self.patches / name).write_bytes(fold.patch_bytes)
            folds.setdefault(block.name, []).append([fold.id, str(self.patches / name)])
        self.names = names
        (self.patches / "series").write_text("".join(f"{name}\n" for name in names))
        self.stack = folder / "stack.json"
        self.stack.write_text(
            json.dumps(
                {
                    "git_dir": str(case.git_dir),
                    "base_tree": case.base_tree,
                    "base_commit": case.base_commit,
                    "blocks": [{"name": name, "folds": items} for name, items in folds.items()],
                }
            )
        )

    def ours(self, *, store: bool) -> Timed:
        """Our own stacking as a process; with `store` every object goes into a fresh repository."""

        def work() -> tuple[str, dict[str, object]]:
            stack = self.stack
            if store:
                own = self._repository("store.git", bare=True)
                value = json.loads(self.stack.read_text()) | {"git_dir": str(own)}
                stack = self.folder / "stack-store.json"
                stack.write_text(json.dumps(value))
            command = [sys.executable, "-m", "benchmarks.ours", str(stack), *(["--store"] if store else [])]
            done = subprocess.run(command, capture_output=True, check=True)
            told = json.loads(done.stdout)
            return str(told["tip"]), told

        if store:
            self._repository("store.git", bare=True)
        return _measured("ours, stored" if store else "ours", self.case.tip, work)

    def git_am(self) -> Timed:
        """`git am` of the folds as mails, in a checked-out work tree."""
        env = self._worktree("am")
        total = len(self.names)
        mails = (
            fold_mail(fold, number=number, total=total, separator="0" * 40)
            for number, (_, fold) in enumerate(self.case.folds(), start=1)
        )
        (self.folder / "mbox").write_bytes(b"".join(mails))

        def work() -> tuple[str, dict[str, object]]:
            git(
                "am",
                "-q",
                "--keep-cr",
                "--whitespace=nowarn",
                str(self.folder / "mbox"),
                env=env,
                cwd=self.folder / "am",
            )
            return git("rev-parse", "HEAD^{tree}", env=env, cwd=self.folder / "am"), {}

        return _measured("git am", self.case.tip, work)

    def git_apply(self) -> Timed:
        """`git apply --cached`, `write-tree` and `commit-tree` for each fold; no work tree."""
        own = self._repository("apply.git", bare=True)
        env = {**ENV, "GIT_DIR": str(own), "GIT_INDEX_FILE": str(own / "index")}
        git("read-tree", self.case.base_tree, env=env, cwd=self.folder)

        def work() -> tuple[str, dict[str, object]]:
            tree, parent = str(self.case.base_tree), str(self.case.base_commit)
            for name in self.names:
                patch = self.patches / name
                if patch.stat().st_size:
                    git("apply", "--cached", "--whitespace=nowarn", str(patch), env=env, cwd=self.folder)
                tree = git("write-tree", env=env, cwd=self.folder)
                parent = git("commit-tree", tree, "-p", parent, "-m", name, env=env, cwd=self.folder)
            return tree, {}

        return _measured("git apply --cached + commit", self.case.tip, work)

    def quilt(self) -> Timed:
        """`quilt push -a` in a checked-out work tree; the tree is hashed afterwards, unmeasured."""
        env = self._worktree("quilt")
        folder = self.folder / "quilt"
        quilt_env = {**ENV, "QUILT_PATCHES": str(self.patches), "QUILT_PC": str(self.folder / "pc")}

        def work() -> tuple[str, dict[str, object]]:
            subprocess.run(
                ["quilt", "--quiltrc=/dev/null", "push", "-a", "-q", "--fuzz=0"], env=quilt_env, cwd=folder,
                capture_output=True, check=True,
            )  # fmt: skip
            return "", {}

        timed = _measured("quilt push -a", self.case.tip, work)
        git("add", "-A", "-f", ".", env=env, cwd=folder)
        tree = git("write-tree", env=env, cwd=folder)
        return Timed(tool=timed.tool, cpu=timed.cpu, wall=timed.wall, right=tree == self.case.tip, more=timed.more)

    def dpkg_source(self) -> Timed:
        """`dpkg-source --before-build` (its patches applied, nothing unpacked) in a checked-out work tree.

        It has no patches without content; the tree is hashed afterwards, unmeasured.
        """
        env = self._worktree("dpkg")
        folder = self.folder / "dpkg"
        (folder / "debian/source").mkdir(parents=True)
        (folder / "debian/source/format").write_text("3.0 (quilt)\n")
        (folder / "debian/changelog").write_text(
            "bench (1-1) unstable; urgency=low\n\n  * All.\n\n -- A <a@example.org>  Thu, 01 Jan 1970 00:00:00 +0000\n"
        )
        (folder / "debian/control").write_text(
            "Source: bench\nMaintainer: A <a@example.org>\n\nPackage: bench\nArchitecture: all\nDescription: bench\n"
        )
        (folder / "debian/patches").mkdir()
        names = [name for name in self.names if (self.patches / name).stat().st_size]
        for name in names:
            shutil.copyfile(self.patches / name, folder / "debian/patches" / name)
        (folder / "debian/patches/series").write_text("".join(f"{name}\n" for name in names))

        def work() -> tuple[str, dict[str, object]]:
            subprocess.run(
                ["dpkg-source", "--before-build", "."], env=ENV, cwd=folder, capture_output=True, check=True,
            )  # fmt: skip
            return "", {}

        timed = _measured("dpkg-source --before-build", self.case.tip, work)
        shutil.rmtree(folder / "debian")
        shutil.rmtree(folder / ".pc", ignore_errors=True)
        git("add", "-A", "-f", ".", env=env, cwd=folder)
        tree = git("write-tree", env=env, cwd=folder)
        return Timed(tool=timed.tool, cpu=timed.cpu, wall=timed.wall, right=tree == self.case.tip, more=timed.more)

    def stgit(self) -> Timed:
        """`stg import --series` in a checked-out work tree."""
        env = self._worktree("stg")
        folder = self.folder / "stg"
        git("checkout", "-q", "-b", "work", env=env, cwd=folder)
        env = {**ENV, "HOME": str(self.folder)}
        subprocess.run(["stg", "init"], env=env, cwd=folder, capture_output=True, check=True)

        def work() -> tuple[str, dict[str, object]]:
            subprocess.run(
                ["stg", "import", "--series", str(self.patches / "series")], env=env, cwd=folder, capture_output=True,
                check=True,
            )  # fmt: skip
            return git("rev-parse", "HEAD^{tree}", env=env, cwd=folder), {}

        return _measured("stg import --series", self.case.tip, work)

    def _repository(self, name: str, *, bare: bool) -> Path:
        """A fresh repository that borrows the base."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        git("init", "-q", *(["--bare"] if bare else []), "--template=", str(path), env=ENV, cwd=self.folder)
        git_dir = path if bare else path / ".git"
        (git_dir / "objects/info").mkdir(exist_ok=True)
        (git_dir / "objects/info/alternates").write_text(f"{self.case.git_dir / 'objects'}\n")
        return path

    def _worktree(self, name: str) -> dict[str, str]:
        path = self._repository(name, bare=False)
        (path / ".git/info").mkdir(exist_ok=True)
        (path / ".git/info/attributes").write_text("* -text -filter -ident\n")
        git("update-ref", "HEAD", self._base_commit(path), env=ENV, cwd=path)
        git("reset", "-q", "--hard", env=ENV, cwd=path)
        return ENV

    def _base_commit(self, path: Path) -> str:
        return git("commit-tree", self.case.base_tree, "-m", "base", env=ENV, cwd=path)
