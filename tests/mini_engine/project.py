"""Writes a whole small project on the mini engine into a folder: release.json, two blocks, a model, an archive.

Takes a folder and gives `MiniProject`. The blocks are given as replacements of text, so that they stay readable and
follow the engine's sources; their canonical patches are made here. The model is a wheel that lies in the download
cache already: nothing is fetched. Nothing is pinned: `reference` is null and there is no lock.
"""

import difflib
import gzip
import hashlib
import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.canonical import Run, canonical_hunks
from tests.mini_engine.blocks import BLOCKS, MiniBlock, Replacement
from verify.diff.render import render_patch
from verify.model.ids import RepoPath
from verify.model.patch import Action, FileChange, Mode, Patch

ENGINE = Path(__file__).parent / "engine"
MODELS = {"plain": b"mini-model plain\nweights: 1 2 3\n", "recurrent": b"mini-model recurrent\nweights: 4 5 6\n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniProject:
    """Where the project lies, and the cache that has its models."""

    root: Path
    cache: Path

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace text in a file of the project; it must stand there exactly once."""
        path = self.root / file
        path.write_text(replaced(path.read_text("utf-8"), (file, old, new)), "utf-8")

    def release(self) -> dict[str, object]:
        """release.json as it stands."""
        value = json.loads((self.root / "release.json").read_bytes())
        assert isinstance(value, dict)
        return value

    def write_release(self, value: Mapping[str, object]) -> None:
        """Write release.json anew."""
        (self.root / "release.json").write_text(json.dumps(value, indent=2) + "\n", "utf-8")


GATES: Mapping[str, object] = {
    "golden": {
        "kind": "golden-tokens",
        "model": "plain",
        "configuration": "release",
        "prompts": ["The engine reads", "Twelve blocks"],
    },
}
CONFIGURATION: Mapping[str, object] = {
    "build_type": "Release",
    # unoptimised compiles in half the time
    "options": {"CMAKE_C_FLAGS_RELEASE": "-O0", "CMAKE_CXX_FLAGS_RELEASE": "-O0", "GGML_NATIVE": "OFF"},
    "targets": ["mini", "llama-server", "mini-test"],
    "proofs": ["prefix", "tip"],
}


def write_project(
    root: Path,
    cache: Path,
    *,
    blocks: Iterable[MiniBlock] = BLOCKS,
    gates: Mapping[str, object] = GATES,
    base: str = "folder",
) -> MiniProject:
    """Write the project to `root` with a base of kind `folder` or `archive`, and its models' wheel to `cache`."""
    blocks = tuple(blocks)
    root.mkdir(parents=True, exist_ok=True)
    project = MiniProject(root=root, cache=cache)
    project.write_release(
        {
            "schema": "stackproof/release/1",
            "name": "mini-1",
            "parent": None,
            "engine": "mini",
            "base": {"source": _write_base(root, base), "upstream_commit": None},
            "blocks": [block.name for block in blocks],
            "configurations": {"release": dict(CONFIGURATION)},
            "models": write_models(cache),
            "gates": dict(gates),
            "reference": None,
        }
    )
    files = {
        path.relative_to(ENGINE).as_posix(): path.read_text("utf-8") for path in ENGINE.rglob("*") if path.is_file()
    }
    for block in blocks:
        files = _write_block(root, block, files)
    return project


def _write_base(root: Path, kind: str) -> Mapping[str, str]:
    if kind == "folder":
        shutil.copytree(ENGINE, root / "engine")
        return {"kind": "folder", "path": "engine"}
    assert kind == "archive"
    data = engine_archive()
    (root / "engine.tar.gz").write_bytes(data)
    return {"kind": "archive", "file": "engine.tar.gz", "sha256": hashlib.sha256(data).hexdigest(), "folder": "mini-1"}


def engine_archive() -> bytes:
    """The engine as a tar archive, the same bytes every time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(ENGINE.rglob("*")):
            if path.is_file():
                member = tarfile.TarInfo(f"mini-1/{path.relative_to(ENGINE).as_posix()}")
                member.size = path.stat().st_size
                member.mode = 0o755 if path.suffix == ".sh" else 0o644
                archive.addfile(member, io.BytesIO(path.read_bytes()))
    return gzip.compress(packed.getvalue(), mtime=0)


def write_models(cache: Path) -> dict[str, object]:
    """Put a wheel with the models where downloads are kept; gives the models as release.json declares them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        for name, data in MODELS.items():
            wheel.writestr(zipfile.ZipInfo(f"mini_models/{name}.bin"), data)
    digest = hashlib.sha256(packed.getvalue()).hexdigest()
    folder = cache / "downloads" / digest
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mini_models-1.0-py3-none-any.whl").write_bytes(packed.getvalue())
    return {
        name: {
            "kind": "package",
            "package": "mini-models",
            "version": "1.0",
            "wheel_sha256": digest,
            "member": f"mini_models/{name}.bin",
            "sha256": hashlib.sha256(data).hexdigest(),
            "licence": "MIT",
        }
        for name, data in MODELS.items()
    }


def _write_block(root: Path, block: MiniBlock, files: Mapping[str, str]) -> dict[str, str]:
    """Write a block's files; gives the engine's files as its last fold leaves them."""
    folder = root / "blocks" / block.name
    folds = []
    for number, fold in enumerate(block.folds):
        after = changed(files, fold.changes)
        place = folder / "folds" / fold.id
        place.mkdir(parents=True)
        (place / "fold.patch").write_bytes(render_patch(patch_between(files, after)))
        files = after
        folds.append(
            {
                "id": fold.id,
                "subject": fold.subject,
                "author": "stackproof <maintainers@stackproof.dev>",
                "date": f"@{1790000000 + number} +0000",
                "source": "maintainers",
                "disposition": "folded",
                **({"reason": fold.reason} if fold.reason else {}),
            }
        )
    switches = [] if block.switch is None else [{"name": block.switch[0], "off": "0", "about": block.switch[1]}]
    declared = {
        "schema": "stackproof/block/1",
        "title": block.title,
        "why": f"{block.title}.",
        "until": "upstream does it",
        "owns": list(block.owns),
        "requires": list(block.requires),
        "switches": switches,
        "claims": [],
        "gates": dict(block.gates),
        "folds": folds,
    }
    # JSON is YAML
    (folder / "block.yaml").write_text(json.dumps(declared, indent=2) + "\n", "utf-8")
    return dict(files)


def changed(files: Mapping[str, str], changes: Iterable[Replacement]) -> dict[str, str]:
    """The files after the replacements; a file that is not there is begun by replacing nothing."""
    after = dict(files)
    for change in changes:
        after[change[0]] = replaced(after.get(change[0], ""), change)
    return after


def replaced(text: str, change: Replacement) -> str:
    """The text after one replacement."""
    file, old, new = change
    if not old and not text:
        return new
    assert text.count(old) == 1, f"{file} has {text.count(old)} times: {old}"
    return text.replace(old, new)


def patch_between(before: Mapping[str, str], after: Mapping[str, str]) -> Patch:
    """The canonical patch from one set of files to another; files may be added and changed."""
    changes = []
    for path in sorted(after):
        if before.get(path) != after[path]:
            old, new = before.get(path, "").encode(), after[path].encode()
            changes.append(_file_change(RepoPath(path.encode()), old, new, is_new=path not in before))
    return Patch(files=tuple(changes))


def _file_change(path: RepoPath, old: bytes, new: bytes, *, is_new: bool) -> FileChange:
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    runs = []
    for tag, start, end, new_start, new_end in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            removed = tuple((b"-", line) for line in before[start:end])
            added = tuple((b"+", line) for line in after[new_start:new_end])
            runs.append(Run(at=sum(map(len, before[:start])), line=start + 1, lines=removed + added))
    return FileChange(
        action=Action.CREATE if is_new else Action.MODIFY,
        old_path=None if is_new else path,
        new_path=path,
        old_mode=None,
        new_mode=Mode.FILE if is_new else None,
        hunks=tuple(printed.hunk for printed in canonical_hunks(old, runs)),
        binary=None,
        old_blob=None,
        new_blob=None,
        source_line=0,
    )
