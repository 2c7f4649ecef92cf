"""What a planted fault is, and how one is brought into a copy of our release: amended into a fold, as a slip would be.

A fault says where it is made, which gate is asked, and how that gate must end and with which code. Nothing here touches
an observation: whatever is found was found on an engine that was built and run.
"""

import hashlib
import json
import resource
import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.whole.command import Said, say
from verify.git import Git

OURS = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A text of the engine, met exactly once, and what stands there with the fault; `{base}` is the base's build."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault: where it lies (source, build or environment), its edits, the gate that must end as `outcome` says.

    `fold` is the fold that it is amended into, the last one when empty. `declares` are gates that the release does not
    declare itself.
    """

    name: str
    about: str
    gate: str
    code: str
    edits: tuple[Edit, ...]
    lies_in: str = "source"
    outcome: str = "failed"
    fold: str = ""
    declares: Mapping[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """What a stored row was made of: a fault that was changed is run again."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


def met(fault: Fault, folder: Path, cache: Path) -> dict[str, Any]:
    """Plant the fault in a fresh copy of the release below `folder`, ask its gate, and tell how it ended."""
    began, cpu = time.monotonic(), _cpu()
    row: dict[str, Any] = {
        "fault": fault.name, "about": fault.about, "lies in": fault.lies_in, "gate": fault.gate,
        "code": fault.code, "definition": fault.digest(), "found": False,
    }  # fmt: skip
    root = folder / "project"
    try:
        copy_release(fault, root)
        row["tip"] = plant(fault, root, folder, cache)
        row |= ask(fault, root, cache)
        row["found"] = row["outcome"] == fault.outcome and fault.code in row["codes"]
    except (AssertionError, KeyError, StopIteration, ValueError) as error:
        row["error"] = str(error)[:2000]
    return row | {"seconds": round(time.monotonic() - began, 1), "CPU seconds": round(_cpu() - cpu, 1)}


def _cpu() -> float:
    """Of every process that was waited for; compilers and engines are children of children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def copy_release(fault: Fault, root: Path) -> None:
    """Our own release, with the fault's gates declared."""
    root.mkdir(parents=True)
    shutil.copytree(OURS / "blocks", root / "blocks")
    document = json.loads((OURS / "release.json").read_bytes())
    document["gates"] |= dict(fault.declares)
    (root / "release.json").write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def plant(fault: Fault, root: Path, folder: Path, cache: Path) -> str:
    """Amend a fold of the release at `root` with the fault and pin the trees; the new tip's tree."""
    stack = folder / "stack"
    said = say("checkout", str(stack), root=root, cache=cache)
    assert said.exit == 0, said.document
    for edit in fault.edits:
        source = stack / edit.path
        text = source.read_text("utf-8")
        assert text.count(edit.old) == 1, f"{edit.path} holds the text {text.count(edit.old)} times"
        new = edit.new.replace("{base}", str(_base_build(root, cache))) if "{base}" in edit.new else edit.new
        source.write_text(text.replace(edit.old, new), "utf-8")
    git = Git(git_dir=stack / ".git", cwd=stack, work_tree=stack)
    git.run("add", "--all")
    patch = folder / "fault.patch"
    patch.write_bytes(git.run("diff", "--cached", "--full-index", "--binary"))
    said = say("amend", fault.fold or _last_fold(root), str(patch), root=root, cache=cache)
    assert said.exit == 0, said.document
    said = say("pin", root=root, cache=cache)
    assert said.exit == 0, said.document
    return str(json.loads((root / "release.json").read_bytes())["reference"]["tip_tree"])


def ask(fault: Fault, root: Path, cache: Path) -> dict[str, Any]:
    """Run the fault's gate on whatever it needs: how it ended, what it found, and the digests of its evidence."""
    said: Said = say("gate", "--only", fault.gate, root=root, cache=cache)
    results = said.document.get("results")
    assert isinstance(results, list), said.document
    own = next(each for each in results if each["gate"] == fault.gate.rpartition("/")[2])
    findings = [*own.get("findings", ()), *own.get("reasons", ())]
    return {
        "outcome": own["outcome"],
        "codes": list(dict.fromkeys(each["code"] for each in findings)),
        "said": findings[0]["message"] if findings else own["summary"],
        "evidence": list(own["evidence"]),
        "exit": said.exit,
    }


def _last_fold(root: Path) -> str:
    last = json.loads((root / "blocks" / "lock.json").read_bytes())["folds"][-1]
    return f"{last['block']}/{last['fold']}"


def _base_build(root: Path, cache: Path) -> Path:
    said = say("build", "--plan", root=root, cache=cache)
    plan = said.document["plan"]
    assert isinstance(plan, list)
    base = next(step for step in plan if step["proof"] == "base")
    assert base["known"], "the base must have been built before"
    return cache.resolve() / "builds" / str(base["key"]) / "bin"
