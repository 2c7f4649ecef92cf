"""Real git in a bare repository under a seal: the oracle that the core is compared with, and a source of objects."""

import os
import subprocess
from pathlib import Path

from builder.tree import NewObject
from verify.model.ids import BlobId, RepoPath, TreeId
from verify.model.patch import Mode

Files = dict[RepoPath, tuple[Mode, bytes]]
SUBMODULE = b"Subproject commit "


class RealGit:
    """One bare repository; every call is a real git process with nothing of the user's configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_DIR": str(folder / "repo.git"),
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_AUTHOR_DATE": "@0 +0000",
            "GIT_COMMITTER_DATE": "@0 +0000",
            "LC_ALL": "C",
        }
        _make(folder / "repo.git")

    def run(self, *args: str, stdin: bytes = b"", check: bool = True, index: str = "index") -> bytes:
        env = {**self.env, "GIT_INDEX_FILE": str(self.folder / index)}
        done = subprocess.run(["git", *args], input=stdin, env=env, cwd=self.folder, capture_output=True, check=False)
        if check and done.returncode:
            raise AssertionError(f"git {args[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def tree_of(self, files: Files) -> TreeId:
        """Write a tree through git's own fast-import."""
        stream = [b"commit refs/heads/x\ncommitter a <a@example.org> 0 +0000\ndata 0\n"]
        for path, (mode, data) in files.items():
            name = b'"' + b"".join(b"\\%03o" % byte for byte in path) + b'"'
            if mode is Mode.SUBMODULE:
                stream.append(b"M %s %s %s\n" % (mode.encode(), data.removeprefix(SUBMODULE).strip(), name))
            else:
                stream.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), name, len(data), data))
        self.run("fast-import", "--quiet", "--force", stdin=b"".join(stream))
        return TreeId(self.run("rev-parse", "refs/heads/x^{tree}").decode().strip())

    def apply(self, tree: TreeId, patch: bytes, *options: str) -> TreeId | None:
        """`git apply --cached` on a tree; None when git refuses."""
        self.run("read-tree", tree)
        if patch:
            (self.folder / "patch").write_bytes(patch)
            done = subprocess.run(
                ["git", "apply", "--cached", "--whitespace=nowarn", *options, str(self.folder / "patch")],
                env={**self.env, "GIT_INDEX_FILE": str(self.folder / "index")},
                cwd=self.folder,
                capture_output=True,
                check=False,
            )
            if done.returncode:
                self.why = done.stderr.decode(errors="replace")
                return None
        return TreeId(self.run("write-tree", "--missing-ok").decode().strip())

    def store(self, objects: tuple[NewObject, ...]) -> None:
        """Write objects that the core made; git checks each id."""
        for new in objects:
            literal = self.run("hash-object", "-w", "--literally", "-t", new.kind, "--stdin", stdin=new.data)
            assert literal.decode().strip() == new.id

    def tree(self, id: TreeId) -> bytes:  # noqa: A002
        return self.run("cat-file", "tree", id)

    def blob(self, id: BlobId) -> bytes:  # noqa: A002
        return self.run("cat-file", "blob", id)


def _make(git_dir: Path) -> None:
    """What `git init --bare --template=` makes, without a process for each of hundreds of tests."""
    if (git_dir / "HEAD").exists():
        return
    for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
        (git_dir / part).mkdir(parents=True)
    (git_dir / "HEAD").write_text("ref: refs/heads/master\n")
    (git_dir / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n")
