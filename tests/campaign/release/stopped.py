"""Publishing is killed at every step, refused, filled up and overtaken, against real servers: nothing is ever half
visible, and repeating it finishes.

Steps are counted on a small release, whose publisher is killed by signal 9 before and after each request and each
command of git; then the large one is killed at moments spread over its whole run. The registry goes down in the
middle, the disks of the registry, the remote and the folder fill up (a small tmpfs, so root is needed), and somebody
else takes the name between our look and our last step.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from builder.publish.artifact import Content, content_of
from builder.publish.folder import place_new
from builder.publish.git_remote import publish_to_git
from builder.publish.http import Answer, ask
from builder.publish.parcel import Parcel, open_parcel
from builder.publish.pull import pull
from builder.publish.registry import publish_to_registry
from builder.publish.target import RegistryTarget
from tests.campaign.release.bench import STACKPROOF, Asked, Registry, ours, registry
from tests.seal.project import Project, make_project
from tests.seal.test_place import Sabotaged
from verify.git import Git
from verify.model.diagnostic import Fault

REPOSITORY = "team/engine"
_MOMENTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Small:
    """A small release, and another one under the same name."""

    project: Project
    parcel: Parcel
    other: Parcel


def small(work: Path) -> Small:
    """Both, sealed."""
    project, other = make_project(work / "one", image=True), make_project(work / "two", flavour="-b")
    parcels = [
        open_parcel(each.seal(work / name / "dist").folder, base=each.store.git_dir)
        for name, each in (("one", project), ("two", other))
    ]
    return Small(project=project, parcel=parcels[0], other=parcels[1])


def _few(parcel: Parcel) -> Parcel:
    """Some of its members: a registry is asked three times for each, and every time is a step."""
    names = ("SHA256SUMS", "NOTES.md", "combined.diff", "verdict.json")
    return replace(parcel, members={name: parcel.members[name] for name in names})


def stopped(asked: Asked, bundle: Path, work: Path) -> dict[str, Any]:
    """For each way how often it was tried, how often something was half visible, and how often repeating finished."""
    given = small(work / "small")
    few = replace(given, parcel=_few(given.parcel), other=_few(given.other))
    content = content_of(few.parcel)
    ways: dict[str, Callable[[Path], dict[str, Any]]] = {
        "registry, killed at each request": lambda at: _registry_killed(few, content, at),
        "git, killed at each command": lambda at: _git_killed(given, at),
        "folder, killed at each call": lambda at: _folder_killed(given, at),
        "registry goes down at each request": lambda at: _registry_down(few, content, at),
        "tag of the registry taken in between": lambda at: _registry_overtaken(few, content, at),
        "names of the remote taken in between": lambda at: _git_overtaken(given, at),
        "registry's disk full": lambda at: _registry_full(asked, bundle, at),
        "remote's disk full": lambda at: _git_full(asked, bundle, at),
        "folder's disk full": lambda at: _folder_full(asked, bundle, at),
        "registry, large release killed at moments": lambda at: _large_registry(asked, bundle, at),
        "git, large release killed at moments": lambda at: _large_git(asked, bundle, at),
    }
    found = {}
    for number, (way, carry_out) in enumerate(ways.items()):
        found[way] = carry_out(work / str(number))
        print(f"{way}: {found[way]}", file=sys.stderr, flush=True)
    return found


@dataclass(kw_only=True)
class Count:
    """What came of the tries."""

    tried: int = 0
    half: int = 0
    finished: int = 0

    def of(self) -> dict[str, int]:
        """For the record."""
        return {"tried": self.tried, "half visible": self.half, "repeating finished": self.finished}


def killed(body: Callable[[], object]) -> bool:
    """Run it in a process of its own; True when that was killed, False when it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            body()
        except BaseException:  # noqa: BLE001 - nothing of the child may go on in the parent's place
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise SystemExit(f"a publisher ended with {status}")
    return status != 0


def die() -> None:
    """As by the kernel or a power cut: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


def _asking(at: int, act: Callable[[], object], *, after: bool = False) -> Callable[..., Answer]:
    """`ask` that does something before (or after) the `at`-th request."""
    asked = 0

    def asking(*words: Any, **more: Any) -> Answer:
        nonlocal asked
        asked += 1
        if asked == at and not after:
            act()
        answer = ask(*words, **more)
        if asked == at and after:
            act()
        return answer

    return asking


def _whole(target: RegistryTarget, parcel: Parcel) -> bool | None:
    """None when nothing is visible, True when all of it is, False for anything between."""
    try:
        return pull(target, parcel.name) == parcel.members
    except Fault as fault:
        return None if fault.diagnostics[0].code == "pull-nothing-there" else False


def _registry_killed(given: Small, content: Content, work: Path) -> dict[str, int]:
    count, at = Count(), 0
    with registry(work) as served:
        for after in (False, True):
            at = 0
            while True:
                at += 1
                target = RegistryTarget(host=served.host, repository=f"{REPOSITORY}{int(after)}-{at}")
                asking = _asking(at, die, after=after)
                if not killed(
                    lambda target=target, asking=asking: publish_to_registry(  # type: ignore[misc]
                        content, target=target, tag=given.parcel.name, asking=asking
                    )
                ):
                    break
                count.tried += 1
                count.half += _whole(target, given.parcel) is False
                publish_to_registry(content, target=target, tag=given.parcel.name)
                count.finished += _whole(target, given.parcel) is True
    return count.of()


def _dying(at: int, *, after: bool) -> Callable[..., bytes]:
    """`Git.run` that ends the process before (or after) the `at`-th command."""
    plain, steps = Git.run, 0

    def run_git(self: Git, *args: str, **more: Any) -> bytes:
        nonlocal steps
        steps += 1
        if steps == at and not after:
            die()
        done = plain(self, *args, **more)
        if steps == at and after:
            die()
        return done

    return run_git


def _git_killed(given: Small, work: Path) -> dict[str, int]:
    count = Count()
    for after in (False, True):
        at = 0
        while True:
            at += 1
            remote = _bare(work / f"{int(after)}-{at}.git")

            dying = _dying(at, after=after)

            def body(remote: Path = remote, dying: Callable[..., bytes] = dying) -> None:
                with patch.object(Git, "run", dying):
                    publish_to_git(given.parcel, address=str(remote), store=given.project.store)

            if not killed(body):
                break
            count.tried += 1
            count.half += len(_names(remote)) == 1
            publish_to_git(given.parcel, address=str(remote), store=given.project.store)
            count.finished += len(_names(remote)) == 2
    return count.of()


def _bare(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return path


def _names(remote: Path) -> list[str]:
    words = ["git", "-C", str(remote), "for-each-ref", "--format=%(refname) %(objectname)"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()


def _folder_killed(given: Small, work: Path) -> dict[str, int]:
    count, at = Count(), 0
    work.mkdir()
    while True:
        at += 1
        target = work / str(at) / given.parcel.name

        def body(target: Path = target, at: int = at) -> None:
            place_new(target, given.parcel.members, seconds=5, look_over=lambda _: None, disk=Sabotaged(at))

        if not killed(body):
            return count.of()
        count.tried += 1
        count.half += target.exists() and _files(target) != dict(given.parcel.members)
        place_new(target, given.parcel.members, seconds=5, look_over=lambda _: None)
        count.finished += _files(target) == dict(given.parcel.members) and len(list(target.parent.iterdir())) == 1


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _publisher(asked: Asked, bundle: Path, place: str) -> "subprocess.Popen[bytes]":
    words = [STACKPROOF, "publish", str(bundle), "--to", place, "-C", str(asked.project)]
    return subprocess.Popen(
        words, env=ours(asked), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def _finish(asked: Asked, bundle: Path, place: str) -> tuple[int, str]:
    process = _publisher(asked, bundle, place)
    _, said = process.communicate()
    return process.returncode, said.decode()


def _killed_at(asked: Asked, bundle: Path, place: Callable[[int], str]) -> Iterator[str]:
    """Publish to a new place, killed at each of some moments that are spread over the time that it takes."""
    start = time.monotonic()
    status, said = _finish(asked, bundle, place(0))
    if status:
        raise SystemExit(said)
    whole = time.monotonic() - start
    for moment in range(1, _MOMENTS + 1):
        process = _publisher(asked, bundle, place(moment))
        time.sleep(whole * (0.4 + 0.6 * moment / (_MOMENTS + 1)))  # before that it checks the bundle and sends nothing
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(0.2)
        yield place(moment)


def _large_registry(asked: Asked, bundle: Path, work: Path) -> dict[str, int]:
    count = Count()
    parcel = _parcel(bundle)
    with registry(work) as served:
        for place in _killed_at(asked, bundle, lambda at: f"oci:{served.host}/{REPOSITORY}-{at}"):
            target = RegistryTarget(host=served.host, repository=place.partition("/")[2])
            count.tried += 1
            count.half += _whole(target, parcel) is False
            status, _ = _finish(asked, bundle, place)
            count.finished += status == 0 and _whole(target, parcel) is True
    return count.of()


def _parcel(bundle: Path) -> Parcel:
    """What must come back, as it lies there."""
    from verify.bundle.documents import Bundle, open_bundle
    from verify.bundle.members import read_members
    from verify.model.ids import Sha256

    read = read_members(bundle)
    opened = open_bundle(read)
    assert isinstance(opened, Bundle)
    return Parcel(members=_files(bundle), stack=opened.stack, digest=Sha256(read.files["SHA256SUMS"].sha256))


def _large_git(asked: Asked, bundle: Path, work: Path) -> dict[str, int]:
    count = Count()
    for at in range(_MOMENTS + 1):
        _bare(work / f"{at}.git")
    tree = json.loads((bundle / "stack.json").read_bytes())["tip"]["tree"]
    for place in _killed_at(asked, bundle, lambda at: f"git:{work / f'{at}.git'}"):
        remote = Path(place.removeprefix("git:"))
        count.tried += 1
        count.half += len(_names(remote)) == 1
        status, _ = _finish(asked, bundle, place)
        count.finished += status == 0 and {_tree(remote, line.split()[0]) for line in _names(remote)} == {tree}
    return count.of()


def _tree(remote: Path, name: str) -> str:
    words = ["git", "-C", str(remote), "rev-parse", f"{name}^{{tree}}"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def _registry_down(given: Small, content: Content, work: Path) -> dict[str, int]:
    """It is stopped before the request, and started again on what it has."""
    count = Count()
    served = Registry(work)
    at = 0
    try:
        while True:
            at += 1
            served.start()
            target = RegistryTarget(host=served.host, repository=f"{REPOSITORY}-{at}")
            try:
                publish_to_registry(content, target=target, tag=given.parcel.name, asking=_asking(at, served.stop))
                return count.of()
            except Fault as fault:
                assert fault.diagnostics[0].code == "registry-unreachable", fault.diagnostics
            served.start()
            count.tried += 1
            count.half += _whole(target, given.parcel) is False
            publish_to_registry(content, target=target, tag=given.parcel.name)
            count.finished += _whole(target, given.parcel) is True
            served.stop()
    finally:
        served.stop()


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Callable[[int], None]]:
    """A disk of that size; gives what makes it larger."""
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)], check=True)
    try:
        yield lambda more: _remount(folder, more)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _remount(folder: Path, megabytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(folder)], check=True)


def _registry_full(asked: Asked, bundle: Path, work: Path) -> dict[str, Any]:
    count, parcel = Count(), _parcel(bundle)
    codes = set()
    for megabytes in (2, 40):
        disk = work / f"disk-{megabytes}"
        with small_disk(disk, megabytes) as enlarge, registry(work / f"of-{megabytes}", disk / "data") as served:
            target = RegistryTarget(host=served.host, repository=REPOSITORY)
            status, said = _finish(asked, bundle, f"oci:{served.host}/{REPOSITORY}")
            count.tried += status != 0
            codes.add(said.partition("error[")[2].partition("]")[0])
            count.half += _whole(target, parcel) is not None
            enlarge(400)
            status, said = _finish(asked, bundle, f"oci:{served.host}/{REPOSITORY}")
            count.finished += status == 0 and _whole(target, parcel) is True
    return {**count.of(), "said": sorted(codes)}


def _git_full(asked: Asked, bundle: Path, work: Path) -> dict[str, Any]:
    count, codes = Count(), set()
    for megabytes in (1, 8):
        with small_disk(work / f"disk-{megabytes}", megabytes) as enlarge:
            remote = _bare(work / f"disk-{megabytes}/remote.git")
            status, said = _finish(asked, bundle, f"git:{remote}")
            count.tried += status != 0
            codes.add(said.partition("error[")[2].partition("]")[0])
            count.half += len(_names(remote)) > 0
            enlarge(400)
            status, _ = _finish(asked, bundle, f"git:{remote}")
            count.finished += status == 0 and len(_names(remote)) == 2
    return {**count.of(), "said": sorted(codes)}


def _folder_full(asked: Asked, bundle: Path, work: Path) -> dict[str, Any]:
    count, codes = Count(), set()
    for megabytes in (1, 50):
        folder = work / f"disk-{megabytes}"
        with small_disk(folder, megabytes) as enlarge:
            status, said = _finish(asked, bundle, str(folder))
            count.tried += status != 0
            codes.add(said.partition("error[")[2].partition("]")[0])
            count.half += (folder / bundle.name).exists()
            enlarge(400)
            status, _ = _finish(asked, bundle, str(folder))
            count.finished += status == 0 and _files(folder / bundle.name) == _files(bundle)
    return {**count.of(), "said": sorted(codes)}


def _registry_overtaken(given: Small, content: Content, work: Path) -> dict[str, Any]:
    """Somebody else puts another release under the tag while we upload.

    Registries cannot set a tag only where there is none: between our last look and the tag is one gap, told apart.
    """
    theirs, tried, refused, kept = content_of(given.other), 0, 0, 0
    gap = ""
    with registry(work) as served:
        asked: list[int] = []

        def counting(*words: Any, **more: Any) -> Answer:
            asked.append(1)
            return ask(*words, **more)

        first = RegistryTarget(host=served.host, repository=f"{REPOSITORY}-0")
        publish_to_registry(content, target=first, tag=given.parcel.name, asking=counting)
        last_look, the_tag = len(asked) - 2, len(asked) - 1
        for at in (*range(2, last_look, max(1, last_look // 20)), last_look, the_tag):
            target = RegistryTarget(host=served.host, repository=f"{REPOSITORY}-{at}")

            def take(target: RegistryTarget = target) -> None:
                publish_to_registry(theirs, target=target, tag=given.other.name)

            met = ""
            try:
                publish_to_registry(content, target=target, tag=given.parcel.name, asking=_asking(at, take))
            except Fault as fault:
                met = fault.diagnostics[0].code
            stands = pull(target, given.other.name) == given.other.members
            if at == the_tag:
                gap = "theirs kept" if stands else "ours stands, whole"
                continue
            tried, refused, kept = tried + 1, refused + (met == "publish-name-taken"), kept + stands
    return {"tried": tried, "refused": refused, "theirs kept": kept, "in the gap": gap}


def _git_overtaken(given: Small, work: Path) -> dict[str, int]:
    """Somebody else's release arrives between our look and our push."""
    tried = refused = kept = 0
    plain = Git.run
    for name in ("both", "branch", "tag"):
        remote = _bare(work / f"{name}.git")
        other = make_project(work / name, flavour="-b")
        done = False

        def run(self: Git, *args: str, **more: Any) -> bytes:
            nonlocal done
            if args[0] == "push" and not done:
                done = True
                publish_to_git(given.other, address=str(remote), store=other.store)  # noqa: B023
                for line in _names(remote):  # noqa: B023
                    if name not in ("both", "branch" if "heads" in line else "tag"):  # noqa: B023
                        subprocess.run(["git", "-C", str(remote), "update-ref", "-d", line.split()[0]], check=True)  # noqa: B023
            return plain(self, *args, **more)

        with patch.object(Git, "run", run):
            try:
                publish_to_git(given.parcel, address=str(remote), store=given.project.store)
            except Fault as fault:
                refused += fault.diagnostics[0].code == "publish-name-taken"
        tried += 1
        trees = {_tree(remote, line.split()[0]) for line in _names(remote)}
        kept += trees == {given.other.stack.tip.tree}
    shutil.rmtree(work)
    return {"tried": tried, "refused": refused, "theirs kept": kept}
