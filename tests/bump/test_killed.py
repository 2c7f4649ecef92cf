"""An acceptance that is killed while it writes is finished or undone by whoever comes next, and never half."""

from pathlib import Path

import pytest

from builder.bump.accept import Accepted, Asked, apply_accept, plan_accept
from builder.bump.analysis import analyse
from builder.bump.proposal import Proposal
from builder.upstream import import_base
from builder.write import project_lock
from tests.edit.hand import Hand
from tests.edit.workshop import BASE, Workshop
from tests.write.sabotaged_disk import Killed, SabotagedDisk
from verify.manifest.read import read_release
from verify.model.progress import Silent
from verify.model.release import Base, FolderSource


def planned(shop: Workshop) -> Accepted:
    for path, text in {**BASE, "src/a.cpp": "// new\n" + BASE["src/a.cpp"]}.items():
        file: Path = shop.root / "newer" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    base = Base(source=FolderSource(path="newer"), upstream_commit=None)
    desk = Hand(shop).desk()
    imported = import_base(
        base=base, store=desk.store, cache=shop.cache, offline=True, progress=Silent(), root=shop.root
    )
    proposal = Proposal(asked="newer", base=base)
    return plan_accept(desk, proposal, (imported.tree, imported.commit), analyse(desk, imported.tree), Asked())


def test_a_killed_acceptance_is_whole_or_not_there(shop: Workshop) -> None:
    plan = planned(shop)
    before = shop.files()
    counting = SabotagedDisk()
    apply_accept(root=shop.root, plan=plan, asked="newer", at=1, tell=lambda _: None, disk=counting)
    after = shop.files()
    Hand(shop).undo()
    assert shop.files() == before
    seen = set()
    for at in range(1, counting.calls + 1, 5):
        with pytest.raises(Killed):
            apply_accept(root=shop.root, plan=plan, asked="newer", at=1, tell=lambda _: None, disk=SabotagedDisk(at))
        with project_lock(shop.root, tell=lambda _: None):
            pass
        assert shop.files() in (before, after), at
        seen.add(shop.files() == after)
        if shop.files() == after:
            assert read_release(shop.root).bump is not None
            Hand(shop).undo()
            assert shop.files() == before
    assert seen == {True, False}
