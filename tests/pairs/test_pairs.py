"""The generator against itself: patches, merges and likeness by real git, and what each label promises."""

import subprocess
from collections import Counter
from collections.abc import Sequence

import pytest

from tests.core.real_git import Files, RealGit
from tests.pairs.generate import CLASSES, contents, pairs, write_trees
from tests.pairs.pair import Kind, Label, Pair, Side
from tests.pairs.source import CODE, Language
from verify.model.ids import RepoPath, TreeId

ABOUT_MEANING = frozenset({Kind.FAR_SYMBOL, Kind.ENCLOSING, Kind.REDEFINED, Kind.OVERLOAD})


@pytest.fixture(scope="module")
def made() -> tuple[Pair, ...]:
    return tuple(pairs())


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> RealGit:
    return RealGit(tmp_path_factory.mktemp("pairs"))


def test_the_pairs_are_the_same_each_time(made: tuple[Pair, ...]) -> None:
    assert tuple(pairs()) == made


def test_every_class_is_there_in_every_language_and_labels_are_mostly_certain(made: tuple[Pair, ...]) -> None:
    labels = Counter(pair.label for pair in made)
    met = {(pair.kind, pair.language) for pair in made}
    languages = {kind: CODE if kind in ABOUT_MEANING else tuple(Language) for kind in Kind}
    assert len(made) >= 240
    assert len({pair.name for pair in made}) == len(made)
    assert met == {(kind, language) for kind in Kind for language in languages[kind]}
    assert CLASSES.keys() == set(Kind)
    assert labels[Label.EITHER] * 10 < len(made)
    assert min(labels[Label.SAME], labels[Label.MOVED]) >= 60


def test_git_applies_each_patch_to_its_base_and_gets_its_tree(made: tuple[Pair, ...], git: RealGit) -> None:
    some = [side for number, pair in enumerate(made) if number % 9 == 0 for side in (pair.reviewed, pair.now)]
    bases, trees = (write_trees(git, [files(side) for side in some]) for files in (_base, _tree))
    wrong = [i for i, side in enumerate(some) if git.apply(bases[i], side.patch) != trees[i]]
    assert len(set(bases)) > 20
    assert wrong == []


def test_pure_moves_are_what_a_three_way_merge_of_the_reviewed_change_gives(
    made: tuple[Pair, ...], git: RealGit
) -> None:
    moved = [pair for pair in made if pair.label is Label.MOVED]
    assert _names(moved) == [
        pair.name
        for pair, merged, tree in zip(moved, _merged(git, moved), _ids(git, moved), strict=True)
        if merged == tree
    ]


def test_pure_moves_have_equal_lines_and_another_file_around_them(made: tuple[Pair, ...]) -> None:
    for pair in made:
        if pair.label is Label.MOVED:
            assert _changed_lines(pair.reviewed.patch) == _changed_lines(pair.now.patch) != [], pair.name
            assert _states(pair.reviewed).keys() == _states(pair.now).keys(), pair.name
            assert _states(pair.reviewed) != _states(pair.now), pair.name


def test_where_nothing_is_owed_the_touched_files_are_the_same_before_and_after(made: tuple[Pair, ...]) -> None:
    for pair in made:
        if pair.label is Label.SAME:
            assert _states(pair.reviewed) == _states(pair.now), pair.name


def test_what_is_owed_is_never_the_same_trees(made: tuple[Pair, ...]) -> None:
    for pair in made:
        if pair.label is Label.OWED:
            assert (pair.reviewed.base, pair.reviewed.tree) != (pair.now.base, pair.now.tree), pair.name


def test_owed_lines_stand_in_their_files(made: tuple[Pair, ...]) -> None:
    for pair in made:
        assert bool(pair.owed) is (pair.label is Label.OWED), pair.name
        trees = (pair.reviewed.base, pair.reviewed.tree, pair.now.base, pair.now.tree)
        for owed in pair.owed:
            texts = [files[owed.path][1].split(b"\n") for files in trees if owed.path in files]
            assert texts, pair.name
            assert not [line for line in owed.lines if not any(line in text for text in texts)], pair.name


def test_what_changed_in_meaning_merges_cleanly_and_keeps_every_line_of_the_fold(
    made: tuple[Pair, ...], git: RealGit
) -> None:
    traps = [pair for pair in made if pair.kind in ABOUT_MEANING]
    merged = zip(traps, _merged(git, traps), _ids(git, traps), strict=True)
    assert _names(traps) == [pair.name for pair, merge, tree in merged if merge == tree]
    assert [p for p in traps if _changed_lines(p.reviewed.patch) != _changed_lines(p.now.patch)] == []


def test_likeness_calls_equal_what_differs_in_white_space(made: tuple[Pair, ...], git: RealGit) -> None:
    indents = [pair for pair in made if pair.name.startswith("white-space/indent/")]
    ids = [[_patch_id(git, side.patch) for side in (pair.reviewed, pair.now)] for pair in indents]
    assert [old == new != b"" for old, new in ids] == [True] * len(Language)


def test_python_sources_are_python(made: tuple[Pair, ...]) -> None:
    texts = {
        data
        for pair in made
        for files in (pair.reviewed.base, pair.reviewed.tree, pair.now.base, pair.now.tree)
        for path, (_, data) in files.items()
        if path.endswith(b".py") and data.startswith((b"def", b'"""'))
    }
    assert len([compile(text, "engine.py", "exec") for text in texts]) > 50


def _base(side: Side) -> Files:
    return side.base


def _tree(side: Side) -> Files:
    return side.tree


def _names(made: Sequence[Pair]) -> list[str]:
    return [pair.name for pair in made]


def _states(side: Side) -> dict[RepoPath, object]:
    """What the fold touches: path → what was there and what it put there."""
    states = {path: (side.base.get(path), side.tree.get(path)) for path in side.base.keys() | side.tree.keys()}
    return {path: (before, after) for path, (before, after) in states.items() if before != after}


def _changed_lines(patch: bytes) -> list[bytes]:
    lines = patch.split(b"\n")
    return [line for line in lines if line[:1] in (b"+", b"-") and line[:3] not in (b"+++", b"---")]


def _ids(git: RealGit, made: Sequence[Pair]) -> list[TreeId]:
    return write_trees(git, [pair.now.tree for pair in made])


def _merged(git: RealGit, made: Sequence[Pair]) -> list[TreeId | None]:
    """The merge of each reviewed tree and new base over the reviewed base; None where git meets a conflict."""
    stream = []
    for number, pair in enumerate(made, start=1):
        parts = (("root", pair.reviewed.base), ("ours", pair.reviewed.tree), ("theirs", pair.now.base))
        for name, files in parts:
            stream.append(f"commit refs/{name}/{number}\ncommitter a <a@example.org> 0 +0000\ndata 0\n".encode())
            stream.append(b"" if name == "root" else f"from refs/root/{number}\n".encode())
            stream.append(contents(files))
    git.run("fast-import", "--quiet", "--force", stdin=b"".join(stream))
    asked = "".join(f"refs/ours/{number} refs/theirs/{number}\n" for number in range(1, len(made) + 1))
    told = git.run("merge-tree", "--write-tree", "--no-messages", "--stdin", stdin=asked.encode(), check=False)
    answers = [answer.split(b"\0") for answer in told.split(b"\0\0")[:-1]]
    return [TreeId(tree.decode()) if clean == b"1" else None for clean, tree, *_ in answers]


def _patch_id(git: RealGit, patch: bytes) -> bytes:
    done = subprocess.run(
        ["git", "patch-id", "--stable"], input=patch, env=git.env, cwd=git.folder, capture_output=True, check=True
    )
    return done.stdout.split()[0]
