"""What build tools say, read."""

import pytest

from builder.compile.log import Reading, Step, read_log, read_statistics, read_step, says_killed, says_no_space
from verify.model.observation import CompilerMessage

GCC = """\
-- The CXX compiler identification is GNU 12.2.0
[1/4] Building CXX object src/a.cpp.o
In file included from ../src/src/a.cpp:3:
../src/include/a.h:7:5: warning: unused variable 'x' [-Wunused-variable]
    7 | int x;
      |     ^
[2/4] Building CXX object src/b.cpp.o
In file included from ../src/src/b.cpp:1:
../src/include/a.h:7:5: warning: unused variable 'x' [-Wunused-variable]
FAILED: [code=1] src/c.cpp.o
/usr/bin/c++ -o src/c.cpp.o -c /lane/src/src/c.cpp
/lane/src/src/c.cpp: In function 'int f()':
/lane/src/src/c.cpp:12:3: error: 'later' was not declared in this scope
   12 |   later();
/lane/src/src/c.cpp:1:10: fatal error: gone.h: No such file or directory
cc1plus: all warnings being treated as errors
ninja: build stopped: subcommand failed.
"""
CLANG = """\
[1/2] Building C object x.c.o
/lane/src/x.c:4:9: warning: implicit conversion loses precision [-Wshorten-64-to-32]
/lane/src/x.c:9:1: error: non-void function does not return a value [-Werror,-Wreturn-type]
"""


def read(text: str) -> Reading:
    return read_log(text.splitlines(), sources=("/lane/src", "../src"))


def message(file: str, line: int, text: str, flag: str = "") -> CompilerMessage:
    return CompilerMessage(file=file, line=line, text=text, flag=flag)


def test_a_warning_of_a_header_is_told_once_as_the_tree_names_it() -> None:
    assert read(GCC).warnings == (message("include/a.h", 7, "unused variable 'x'", "-Wunused-variable"),)


def test_errors_come_in_order_with_file_and_line() -> None:
    assert read(GCC).errors == (
        message("src/c.cpp", 12, "'later' was not declared in this scope"),
        message("src/c.cpp", 1, "gone.h: No such file or directory"),
    )


def test_the_step_that_failed_and_the_count_of_finished_ones_are_read() -> None:
    reading = read(GCC)
    assert (reading.failed_step, reading.steps) == ("src/c.cpp.o", 2)


def test_clang_names_the_flag_behind_werror() -> None:
    reading = read(CLANG)
    assert [each.flag for each in (*reading.warnings, *reading.errors)] == [
        "-Wshorten-64-to-32",
        "-Werror,-Wreturn-type",
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "/usr/bin/ld: CMakeFiles/t.dir/src/b.cpp.o: in function `main':",
            None,
        ),
        (
            "b.cpp:(.text+0x5): undefined reference to `later()'",
            message("b.cpp", 0, "undefined reference to `later()'"),
        ),
        (
            "/usr/bin/ld: /lane/src/src/b.cpp:9: undefined reference to `later()'",
            message("src/b.cpp", 9, "undefined reference to `later()'"),
        ),
        (
            "/usr/bin/ld: a.o:(.bss+0x0): multiple definition of `twice'; b.o:(.bss+0x0): first defined here",
            message("a.o", 0, "multiple definition of `twice'; b.o:(.bss+0x0): first defined here"),
        ),
        ("/usr/bin/ld: cannot find -lgone: No such file", message("", 0, "cannot find -lgone: No such file")),
        ("ld.lld: error: undefined symbol: later()", message("", 0, "undefined symbol: later()")),
        ("ninja: error: unknown target 'lama', did you mean 'llama'?",
         message("", 0, "unknown target 'lama', did you mean 'llama'?")),
    ],
)  # fmt: skip
def test_what_linkers_and_ninja_say_is_an_error_with_what_they_tell(
    line: str, expected: CompilerMessage | None
) -> None:
    assert read(line).errors == (() if expected is None else (expected,))


def test_an_error_of_cmake_takes_its_text_from_below() -> None:
    text = "CMake Error at src/CMakeLists.txt:12 (add_library):\n  Cannot find source file:\n\n    gone.cpp\n"
    assert read(text).errors == (message("src/CMakeLists.txt", 12, "Cannot find source file:"),)


def test_the_tail_holds_the_last_lines() -> None:
    assert read("\n".join(f"line {number}" for number in range(100))).tail[-1] == "line 99"


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("[12/212] Building", Step(finished=12, total=212, what="Building")),
        ("-- [12/212]", None),
        ("[x/2] y", None),
    ],
)
def test_progress_is_what_ninja_prints_in_our_format(line: str, step: Step | None) -> None:
    assert read_step(line) == step


def test_a_full_disk_and_a_killed_compiler_are_recognised() -> None:
    full = "cc1plus: fatal error: error writing to /tmp/x.s: No space left on device"
    killed = "c++: fatal error: Killed signal terminated program cc1plus"
    assert (says_no_space([GCC, full]), says_no_space([GCC])) == (full, "")
    assert (says_killed([GCC, killed]), says_killed([GCC])) == (killed, "")


def test_statistics_count_objects_and_not_links_or_lookups() -> None:
    text = (
        "# a.c\ncache_miss\ndirect_cache_miss\nlocal_storage_miss\n"
        "# b.c\ndirect_cache_hit\nlocal_storage_hit\n"
        "# c.c\npreprocessed_cache_hit\ndirect_cache_miss\n"
        "# d.c\nrecache\n"
        "# e.c\ncompile_failed\n"
        "# a.o\ncalled_for_link\n"
    )
    assert read_statistics(text) == (3, 2)
    assert read_statistics("") == (0, 0)
