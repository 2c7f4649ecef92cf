"""Fifty random days: whatever is done is undone to equal bytes, and git derives the same trees after every step."""

import random
import shutil
from pathlib import Path

import pytest

from builder.edit.change import Change
from builder.edit.picks import read_pick
from builder.edit.rearrange import (
    SplitOff,
    plan_drop,
    plan_move,
    plan_rename_block,
    plan_rename_fold,
    plan_reorder,
    plan_split,
    plan_squash,
)
from builder.edit.restack import Conflict
from builder.edit.revise import Fields, plan_amend, plan_update
from builder.edit.take import Asked, plan_fold
from tests.edit.hand import Hand, mail, patch_of
from tests.edit.workshop import Workshop, edited
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath

FILES = ("src/a.cpp", "src/b.cpp", "new/c.h")
STEPS = 3
LONG = "".join(f"number {number}\n" for number in range(80))


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A project with files that are long enough for changes that do not touch each other."""
    shop = Workshop.new(tmp_path_factory.mktemp("wide"))
    for name in ("src/b.cpp", "new/c.h"):
        (shop.root / "engine" / name).parent.mkdir(exist_ok=True)
        (shop.root / "engine" / name).write_text(LONG)
    shop.checkout()
    first = shop.commit("Turn line 3", src__a=edited(3))
    second = shop.commit("Change b", src__b=LONG.replace("number 9\n", "number nine\n"))
    shop.sync({first: "alpha/turn", second: "beta/change"})
    hand = Hand(shop)
    for number in (20, 40, 60):
        tip = hand.tip()
        files = {name: (tip.blob(RepoPath(name.encode())) or b"").decode() for name in ("new/c.h", "src/a.cpp")}
        files["new/c.h"] = files["new/c.h"].replace(f"number {number}\n", f"number {number} by submission\n")
        files["src/a.cpp"] = files["src/a.cpp"].replace(f"line {number // 2}\n", f"line {number // 2} too\n")
        patch = patch_of(tip, files)
        hand.fold(mail(patch, f"Submission {number}"), block="alpha" if number < 60 else "beta")
    return shop


@pytest.fixture
def shop(wide: Workshop, tmp_path: Path) -> Workshop:
    """A copy of it without its checkout."""
    for folder in (wide.root, wide.cache):
        shutil.copytree(folder, tmp_path / folder.name, symlinks=True)
    return Workshop(root=tmp_path / "project", cache=tmp_path / "cache", branch=tmp_path / "branch")


class Day:
    """Random edits of one project."""

    def __init__(self, shop: Workshop, seed: int) -> None:
        self.hand = Hand(shop)
        self.random = random.Random(seed)
        self.names = iter(f"x{number}" for number in range(1000))

    def plan(self) -> Change | Conflict:
        if not self.sent():
            return self.fold()
        steps = (self.fold, self.amend, self.update, self.move, self.reorder, self.split, self.squash, self.drop)
        rare = (self.rename, self.rename_block)
        return self.random.choice((*steps, *steps, *rare))()

    def sent(self) -> list[str]:
        """The folds that came from a submission."""
        return [fold for fold in self.all_folds() if (self.hand.shop.root / source_of(fold)).exists()]

    def all_folds(self) -> list[str]:
        return [f"{block}/{fold}" for block, folds in self.hand.folds().items() for fold in folds]

    def edited(self) -> bytes:
        """A patch on the tip that changes some lines of some files."""
        tip = self.hand.tip()
        files: dict[str, str | None] = {}
        for name in self.random.sample(FILES, self.random.choice((1, 1, 2))):
            lines = (tip.blob(RepoPath(name.encode())) or b"").decode().splitlines(keepends=True)
            for _ in range(self.random.choice((1, 1, 2))):
                at = self.random.randint(0, len(lines))
                new = [f"{self.random.choice('abc')} {self.random.randint(0, 99)}\n"]
                lines[at : at + self.random.randint(0, 1)] = new * self.random.randint(0, 2)
            files[name] = "".join(lines)
        return patch_of(tip, files)

    def any_fold(self) -> str:
        return self.random.choice(self.all_folds())

    def fold(self) -> Change | Conflict:
        desk = self.hand.desk()
        block = self.random.choice(desk.release.blocks).name
        return plan_fold(desk, self.hand.offers(mail(self.edited(), next(self.names))), Asked(block=block), desk.blob)

    def amend(self) -> Change | Conflict:
        desk = self.hand.desk()
        return plan_amend(desk, self.any_fold(), self.hand.offers(self.edited()), Fields(subject="Again"), desk.blob)

    def update(self) -> Change | Conflict:
        desk = self.hand.desk()
        offer = self.hand.offers(mail(self.edited(), "A new revision"))[0]
        return plan_update(
            desk, self.random.choice(self.sent()), offer, without=(), reason="", source="", blobs=desk.blob
        ).change

    def move(self) -> Change | Conflict:
        desk = self.hand.desk()
        return plan_move(desk, self.any_fold(), to=self.random.choice(desk.release.blocks).name)

    def reorder(self) -> Change | Conflict:
        block, folds = self.random.choice(list(self.hand.folds().items()))
        if self.random.random() < 0.3:
            return plan_reorder(self.hand.desk(), list(self.hand.folds())[::-1], block="")
        return plan_reorder(self.hand.desk(), self.random.sample(folds, len(folds)), block=block)

    def split(self) -> Change | Conflict:
        desk = self.hand.desk()
        name = self.any_fold()
        paths = [change.new_path or b"" for change in desk.fold(name)[1].patch.files]
        pick = read_pick(self.random.choice(paths).decode() + self.random.choice(("", "#1")))
        return plan_split(desk, name, [SplitOff(block="", fold=next(self.names), picks=(pick,))])

    def squash(self) -> Change | Conflict:
        folds = self.all_folds()
        lower, upper = sorted(self.random.sample(range(len(folds)), 2))
        return plan_squash(self.hand.desk(), folds[upper], into=folds[lower])

    def drop(self) -> Change | Conflict:
        return plan_drop(self.hand.desk(), [self.any_fold()], reason="it is enough")

    def rename(self) -> Change | Conflict:
        return plan_rename_fold(self.hand.desk(), self.any_fold(), next(self.names))

    def rename_block(self) -> Change | Conflict:
        name = self.random.choice(list(self.hand.folds()))
        return plan_rename_block(self.hand.desk(), name, next(self.names))


def source_of(fold: str) -> str:
    block, _, name = fold.partition("/")
    return f"blocks/{block}/folds/{name}/source.patch"


@pytest.mark.parametrize("seed", range(50))
def test_every_step_of_a_random_day_is_undone_to_equal_bytes(shop: Workshop, seed: int) -> None:
    day = Day(shop, seed)
    morning = shop.files()
    for _ in range(STEPS):
        before = shop.files()
        try:
            planned = day.plan()
        except InputFault:
            planned = None
        if not isinstance(planned, Change):
            assert shop.files() == before
            continue
        day.hand.write(planned)
        if planned.contents:
            after = shop.files()
            day.hand.undo()
            assert shop.files() == before
            day.hand.redo()
            assert shop.files() == after
    if day.hand.done:
        day.hand.undo(len(day.hand.done))
    assert shop.files() == morning
