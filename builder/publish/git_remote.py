"""Publishes to a git remote: a branch with one commit a fold, and an annotated tag, both in one push.

Everything is made in a repository that is thrown away; one atomic push brings objects and both names, so that the
remote has all of it or nothing. A name that exists elsewhere is refused, also when it appears while we push. Afterwards
the tag is fetched again, and its tree must be the release's.

A base that came without its history cannot be pushed to a remote that does not have that history. Then the same folds
stand on a commit that holds the base's tree alone; trees, authors and messages are the same, commit ids are not.
"""

import base64
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.commit import make_commit, root_commit
from builder.publish.outcome import How, Published, name_taken
from builder.publish.parcel import Parcel
from builder.store import Store
from verify.git import Git, GitFailed, make_repository
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.ids import CommitId

TOKEN = "STACKPROOF_GIT_TOKEN"  # noqa: S105 - the name of the variable that holds it
_SHALLOW = "shallow update not allowed"
_TAKEN = ("stale info", "already exists", "fetch first", "non-fast-forward", "cannot lock ref")
_SECONDS = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    branch: str
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """The tip's commit as it goes out, and the tag on it."""

    tip: CommitId
    tag: str


def publish_to_git(parcel: Parcel, *, address: str, store: Store, branch: str | None = None) -> Published:
    """Branch and tag on the remote at `address`; `store` holds the base and the stack."""
    if Path(address).exists():
        address = str(Path(address).absolute())  # git runs somewhere else
    names = _Names(branch=f"refs/heads/{branch or f'release/{parcel.name}'}", tag=f"refs/tags/{parcel.name}")
    with tempfile.TemporaryDirectory(prefix="stackproof-push-") as scratch:
        git = _repository(Path(scratch) / "own.git", store)
        ways = (_as_recorded(git, parcel), _on_the_tree_alone(git, parcel))
        for number, made in enumerate(ways):
            met = _remote_names(git, address, names)
            expected = {names.branch: made.tip, names.tag: made.tag}
            if met == expected:
                _compare(Path(scratch) / f"again-{number}.git", parcel, address, names)
                return Published(where=f"{address} {parcel.name}", how=How.UNCHANGED, notes=_notes(parcel, made))
            if any(value != expected[name] for name, value in met.items()):
                if number == len(ways) - 1 or not _stands(met, ways[1], names):
                    raise _taken(address, met, expected)
                continue
            try:
                _push(git, address, {name: value for name, value in expected.items() if name not in met})
            except GitFailed as error:
                if _SHALLOW in error.output and number == 0:
                    continue
                raise _refused(address, error, met, expected) from error
            _compare(Path(scratch) / f"again-{number}.git", parcel, address, names)
            return Published(where=f"{address} {parcel.name}", how=How.NEW, notes=_notes(parcel, made))
    raise AssertionError("the last way either ends or is refused")


def _repository(path: Path, store: Store) -> Git:
    make_repository(path, alternates=(store.git_dir / "objects",))
    shallow = store.git_dir / "shallow"
    if shallow.exists():
        (path / "shallow").write_bytes(shallow.read_bytes())
    return Git(git_dir=path, cwd=path, extra=tuple(_credentials().items()))


def _credentials() -> Mapping[str, str]:
    """A token for HTTPS, kept out of addresses, command lines and configuration files."""
    token = os.environ.get(TOKEN)
    if not token:
        return {}
    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
    }


def _as_recorded(git: Git, parcel: Parcel) -> _Made:
    return _Made(tip=parcel.stack.tip.commit, tag=_tag(git, parcel, parcel.stack.tip.commit))


def _on_the_tree_alone(git: Git, parcel: Parcel) -> _Made:
    root = root_commit(parcel.stack.base.tree)
    parent = CommitId(_object(git, "commit", root.data))
    for block, fold in parcel.stack.folds():
        made = make_commit(
            tree=fold.tree,
            parents=(parent,),
            author=fold.author,
            date=fold.date,
            text=fold.message,
            file=f"blocks/{block}/block.yaml",
        )
        parent = CommitId(_object(git, "commit", made.data))
    return _Made(tip=parent, tag=_tag(git, parcel, parent))


def _tag(git: Git, parcel: Parcel, tip: CommitId) -> str:
    """An annotated tag that names the bundle by the digest of its sums; the same bytes for the same bundle."""
    text = (
        f"object {tip}\ntype commit\ntag {parcel.name}\n"
        f"tagger stackproof <maintainers@stackproof.dev> {parcel.stack.seconds()} +0000\n\n"
        f"{parcel.name}\n\nSHA-256 of the bundle's SHA256SUMS: {parcel.digest}\n"
    )
    return _object(git, "tag", text.encode())


def _object(git: Git, kind: str, data: bytes) -> str:
    return git.run("hash-object", "-t", kind, "-w", "--stdin", stdin=data).decode("ascii").strip()


def _remote_names(git: Git, address: str, names: _Names) -> dict[str, str]:
    try:
        said = git.run("ls-remote", "--", address, names.branch, names.tag, network=True, timeout=_SECONDS)
    except GitFailed as error:
        raise _unreachable(address, error) from error
    found = {}
    for line in said.decode("utf-8", "replace").splitlines():
        value, _, name = line.partition("\t")
        if name in (names.branch, names.tag):
            found[name] = value
    return found


def _stands(met: Mapping[str, str], made: _Made, names: _Names) -> bool:
    """Whether what is there is the other form of this very release."""
    expected = {names.branch: made.tip, names.tag: made.tag}
    return all(value == expected[name] for name, value in met.items())


def _push(git: Git, address: str, wanted: Mapping[str, str]) -> None:
    leases = [f"--force-with-lease={name}:" for name in wanted]  # it must not be there when the push arrives
    specs = [f"{value}:{name}" for name, value in wanted.items()]
    git.run("push", "--atomic", "--no-verify", "--no-follow-tags", *leases, "--", address, *specs,
            network=True, timeout=_SECONDS)  # fmt: skip


def _compare(path: Path, parcel: Parcel, address: str, names: _Names) -> None:
    """What the remote gives back under the tag must have the release's tree."""
    make_repository(path)
    git = Git(git_dir=path, cwd=path, extra=tuple(_credentials().items()))
    try:
        git.run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--", address,
                f"{names.tag}:refs/published", network=True, timeout=_SECONDS)  # fmt: skip
        met = git.text("rev-parse", "refs/published^{tree}")
        git.run("cat-file", "-e", f"{met}")
    except GitFailed as error:
        raise _unreachable(address, error) from error
    expected = parcel.stack.tip.tree
    if met != expected:
        raise EnvironmentFault(
            Diagnostic(
                code="publish-not-as-sent",
                message=f"tag {parcel.name} of {address} has another tree than the release",
                notes=(f"met       {met}", f"expected  {expected}"),
                help=f"look at the remote by hand: git ls-remote {address}",
            )
        )


def _notes(parcel: Parcel, made: _Made) -> tuple[str, ...]:
    if made.tip == parcel.stack.tip.commit:
        return (f"tree {parcel.stack.tip.tree}, commit {made.tip}",)
    alone = "the remote does not have the base's history, so the folds stand on the base's tree alone"
    return (f"tree {parcel.stack.tip.tree}, commit {made.tip}", alone)


def _taken(address: str, met: Mapping[str, str], expected: Mapping[str, str]) -> Exception:
    other = next(name for name, value in met.items() if value != expected[name])
    return name_taken(f"{other} of {address}", met=met[other], expected=expected[other])


def _refused(address: str, error: GitFailed, met: Mapping[str, str], expected: Mapping[str, str]) -> Exception:
    if any(word in error.output for word in _TAKEN):
        other = next(iter(expected.keys() - met.keys()))
        return name_taken(f"{other} of {address}", met="it appeared while we pushed", expected=expected[other])
    return _unreachable(address, error)


def _unreachable(address: str, error: GitFailed) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="remote-refused",
            message=f"git and the remote {address} do not come together",
            notes=(
                *error.output.splitlines()[-4:],
                "branch and tag come at once: all of the release is visible there or nothing",
            ),
            help=f"git ls-remote {address}, then publish again",
        )
    )
