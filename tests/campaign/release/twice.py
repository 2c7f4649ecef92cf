"""The same release sealed by two people: other folder, user, umask, time zone, language and day, the same bytes."""

import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import Any

from tests.campaign.release.bench import ROOT, STACKPROOF, Asked, must, ours, run

_NOBODY = 65534
_NEEDED = ("bases", "bindings", "builds", "evidence", "models", "objects.git", "toolchains", "imports")


def sealed_twice(asked: Asked, work: Path) -> dict[str, Any]:
    """Whether all bytes, permissions and times are equal, and the seconds of both."""
    first = must(
        run([STACKPROOF, "seal", "--out", str(work / "one")], cwd=asked.project, env=ours(asked, TZ="UTC")), "seal"
    )
    there = work / "elsewhere"
    there.mkdir(mode=0o755)
    shutil.copytree(asked.project, there / "project", ignore=shutil.ignore_patterns("dist*"), symlinks=True)
    for name in _NEEDED:
        if (asked.cache / name).exists():
            shutil.copytree(asked.cache / name, there / "cache" / name, symlinks=True)
    downloads = asked.base.resolve().parent
    if downloads.is_relative_to(asked.cache):
        shutil.copytree(downloads, there / "cache" / downloads.relative_to(asked.cache))
    (there / "home").mkdir()
    for path in (there, *there.rglob("*")):
        os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
    words = [
        # it may look into folders that are not its own, since Python itself may lie in somebody's home
        "setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--inh-caps=+dac_read_search",
        "--ambient-caps=+dac_read_search",
        "faketime", "-f", "+400d", STACKPROOF, "seal", "--out", str(there / "two"),
    ]  # fmt: skip
    env = {
        "PATH": os.environ["PATH"], "HOME": str(there / "home"), "TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8",
        "LANG": "tr_TR.UTF-8", "PYTHONPATH": str(ROOT), "STACKPROOF_CACHE": str(there / "cache"),
        "TMPDIR": str(there / "home"),
    }  # fmt: skip
    second = must(run(words, cwd=there / "project", env=env, umask=0o077), "seal as somebody else")
    (one,), (two,) = (work / "one").iterdir(), (there / "two").iterdir()
    left, right = _facts(one), _facts(two)
    differing = sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))
    return {
        "files": len(left),
        "differing": differing,
        "first": first.figures(),
        "second": second.figures(),
        "second was": "user 65534, umask 077, Asia/Kathmandu, 400 days later, another folder and cache",
        "owners": [one.stat().st_uid, two.stat().st_uid],
    }


def _facts(bundle: Path) -> dict[str, tuple[str, int, int]]:
    """Digest, permissions and time of every file, and of every folder."""
    found = {}
    for path in sorted(bundle.rglob("*")):
        status = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        found[path.relative_to(bundle).as_posix()] = (digest, stat.S_IMODE(status.st_mode), int(status.st_mtime))
    return found
