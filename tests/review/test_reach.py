"""A name on a changed line is looked up wherever it can get its meaning from, and nowhere else."""

import pytest

from builder.review.changes import differing
from builder.sources import TreeSources
from builder.tree import Tree
from tests.core.memory import tree_in_memory
from tests.review.pairs import on
from verify.model.ids import RepoPath
from verify.model.patch import Mode
from verify.review.reach import reach
from verify.review.symbols import redefined, used_on

FOLD = "src/fold.cpp"
BASE = {
    FOLD: '#include "api.h"\nint f() { return LIMIT; }\n',
    "include/api.h": '#include "deep.h"\nint run(int x);\nstruct S { int step() const; };\ntypedef int (*hook)(int);\n',
    "include/deep.h": "#define LIMIT 4\n",
    "src/engine.cpp": '#include "api.h"\nint run(int x) { return x + 1; }\nint S::step() const { return 1; }\n',
    "other/api_user.cpp": "static int run(int x) { return x + 1; }\n",
    "other/deep.cpp": "#define LIMIT 9\n",
    "config.h.in": "#define WIDTH 4\n",
    "src/configured.cpp": '#include "config.h"\nint w() { return WIDTH; }\n',
}


def tree(files: dict[str, str]) -> Tree:
    return tree_in_memory({RepoPath(path.encode()): (Mode.FILE, text.encode()) for path, text in files.items()})[0]


def names(
    line: str, changed: dict[str, tuple[str, str]], *, path: str = FOLD, base: dict[str, str] = BASE
) -> list[str]:
    """The names on a line that mean something else once these texts are replaced in these files."""
    files = dict(base)
    for file, (old, new) in changed.items():
        assert old in files[file]
        files[file] = files[file].replace(old, new)
    old_tree = tree(base)
    new_tree = on(old_tree, {RepoPath(each.encode()): (Mode.FILE, text.encode()) for each, text in files.items()})
    used = used_on([line.encode()], [RepoPath(path.encode())])
    found = redefined(used, TreeSources(old_tree), TreeSources(new_tree), differing(old_tree, new_tree))
    return [each.name.decode() for each in found]


def test_includes_are_followed_to_their_end() -> None:
    found = reach(TreeSources(tree(BASE)), [RepoPath(FOLD.encode())])
    assert sorted(path.decode() for path in found) == ["include/api.h", "include/deep.h", "other/deep.cpp", FOLD]


@pytest.mark.parametrize(
    ("line", "file", "old", "new", "name"),
    [
        ("int x = LIMIT;", "include/deep.h", "4", "5", "LIMIT"),
        ("int x = run(3);", "src/engine.cpp", "x + 1", "x + 2", "run"),
        ("hook h = run;", "src/engine.cpp", "x + 1", "x + 2", "run"),
        ("return s.step();", "src/engine.cpp", "return 1", "return 2", "step"),
        ("return helper(1);", "src/engine.cpp", "int run", "int helper(int x) { return x; }\nint run", "helper"),
    ],
    ids=["macro-two-includes-away", "called", "passed", "method", "new-function"],
)
def test_what_a_name_means_is_found(line: str, file: str, old: str, new: str, name: str) -> None:
    assert name in names(line, {file: (old, new)})


def test_what_cannot_be_meant_is_left_alone() -> None:
    assert names("int x = run(3);", {"other/api_user.cpp": ("x + 1", "x + 2")}) == []
    assert names("int x = LIMIT;", {"src/configured.cpp": ("WIDTH", "WIDTH + 1")}) == []


def test_a_header_that_is_configured_is_read_as_its_template() -> None:
    assert names("return WIDTH;", {"config.h.in": ("4", "8")}, path="src/configured.cpp") == ["WIDTH"]


def test_without_a_grammar_files_of_the_same_ending_are_one_world() -> None:
    base = {"a.rs": "fn f() { limit() }\n", "deep/b.rs": "fn limit() { 4 }\n", "c.txt": "limit 4\n"}
    assert names("limit()", {"deep/b.rs": ("4", "5")}, path="a.rs", base=base) == ["limit"]
    assert names("limit()", {"c.txt": ("4", "5")}, path="a.rs", base=base) == []
    kernel = {"Kconfig": "config A\n", "drivers/Kconfig": "config B\n default A\n", "drivers/Makefile": "A\n"}
    assert names("config A", {"drivers/Kconfig": ("default A", "default A B")}, path="Kconfig", base=kernel) == ["A"]
    assert names("config A", {"drivers/Makefile": ("A", "A B")}, path="Kconfig", base=kernel) == []


def test_python_follows_imports_of_modules_and_names() -> None:
    base = {
        "pkg/a.py": "from . import b\nfrom pkg.c import LIMIT\nimport pkg.d as d\n",
        "pkg/b.py": "def helper(x):\n    return x\n",
        "pkg/c.py": "LIMIT = 4\n",
        "pkg/d.py": "def far(x):\n    return x\n",
        "pkg/e.py": "LIMIT = 5\n",
    }
    found = reach(TreeSources(tree(base)), [RepoPath(b"pkg/a.py")])
    assert sorted(path.decode() for path in found) == ["pkg/a.py", "pkg/b.py", "pkg/c.py", "pkg/d.py"]
    assert names("x = b.helper(1)", {"pkg/b.py": ("return x", "return 2")}, path="pkg/a.py", base=base) == ["helper"]
    assert names("x = LIMIT", {"pkg/e.py": ("5", "6")}, path="pkg/a.py", base=base) == []


def test_a_body_under_another_condition_means_something_else() -> None:
    guarded = dict(BASE, **{"src/engine.cpp": "#if A\n" + BASE["src/engine.cpp"] + "#endif\n"})
    assert names("int x = run(3);", {"src/engine.cpp": ("#if A", "#if B")}, base=guarded) == ["run"]


@pytest.mark.parametrize(
    "text",
    [
        "int\nrun(int x)\n{\n    return 1;\n}\n",
        "static int other() {\n    return run(2);\n}\nint run(int x) {\n    if (x) {\n        return 1;\n    }\n}\n",
        'int run(int x) {\n    puts("}");\n    return 1;\n}\n',
        "namespace n {\n    int run(int x) {\n        return 1;\n    }\n}\n",
        "template <class T>\nint run(T x) { return 1; }\n",
        "struct T { int run(int x) { return 1; } };\n",
    ],
)
def test_a_body_is_found_however_it_is_laid_out(text: str) -> None:
    base = dict(BASE, **{"src/engine.cpp": text})
    assert names("int x = run(3);", {"src/engine.cpp": ("return 1", "return 7")}, base=base) == ["run"]
