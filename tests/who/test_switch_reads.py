"""Reads of the environment in source text: which variable, and whether for its value."""

import pytest

from verify.diff.switch_reads import hints_of, reads_in, without_comments

HELPER = "static bool env_on(const char * name) {\n  const char * v = getenv(name);\n  return v && *v != '0';\n}\n"

READS = [
    ('const bool on = getenv("X") != nullptr;', ("X", True)),
    ('if (getenv("X")) {', ("X", True)),
    ('if (!std::getenv("X")) {', ("X", True)),
    ('bool on = secure_getenv("X");', ("X", True)),
    ('const char * v = getenv("X"); bool on = v != NULL;\nif (!v) { return; }', ("X", True)),
    ('const char * v = getenv("X"); return v == nullptr || strcmp(v, "0") != 0;', ("X", False)),
    ('static const bool on = [] { const char * v = getenv("X"); return !(v && v[0] == \'0\'); }();', ("X", False)),
    ('int n = atoi(getenv("X"));', ("X", False)),
    ('const char * s = getenv(\n    "X");\nn = s ? atoi(s) : 3;', ("X", False)),
    ('GetEnvironmentVariableA("X", buffer, sizeof(buffer));', ("X", False)),
    ('static const char NAME[] = "X";\nauto v = parse(getenv(NAME));', ("X", False)),
    ('#define NAME "X"\nauto v = parse(getenv(NAME));', ("X", False)),
    ('value = os.environ.get("X", "1")', ("X", False)),
    ('value = os.environ["X"]', ("X", False)),
    ('if "X" in os.environ:', ("X", True)),
    ('if os.getenv("X"):', ("X", True)),
    ('if os.environ.get("X") == "1":', ("X", False)),
    ("if(DEFINED ENV{X})", ("X", True)),
    ("set(A $ENV{X})", ("X", False)),
    ('getenv(which)', (None, False)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "read"), READS)
def test_a_read_is_found(text: str, read: tuple[str | None, bool]) -> None:
    assert [(each.name, each.presence_only) for each in reads_in(text, hints_of(text))] == [read]


@pytest.mark.parametrize("text", ['mygetenv("X")', 'os.environ["X"] = "1"', "set(ENV{X} 1)", 'setenv("X", "1", 1)'])
def test_what_reads_nothing_is_no_read(text: str) -> None:
    assert list(reads_in(text, hints_of(text))) == []


def test_a_function_that_reads_what_it_is_given_makes_its_calls_reads() -> None:
    text = HELPER + 'bool a = env_on("X_ONE");\nbool b = env_on("X_TWO");\n'
    assert [each.name for each in reads_in(text, hints_of(text))] == ["X_ONE", "X_TWO"]


@pytest.mark.parametrize(
    ("path", "text"),
    [(b"a.cpp", '// getenv("X")\n'), (b"a.c", '/* getenv("X")\n */'), (b"a.py", '# os.getenv("X")\n')],
)
def test_comments_read_nothing(path: bytes, text: str) -> None:
    plain = without_comments(text, path=path)
    assert len(plain) == len(text)
    assert list(reads_in(plain, hints_of(plain))) == []
