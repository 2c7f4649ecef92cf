"""Same text, changed meaning: the functions that hunks stand in and the names they use, on both bases."""

from builder.bump.compared import Compared
from builder.bump.meaning import Meaning, meaning_of
from builder.bump.outcome import Outcome
from tests.bump.forks import Fork, Texts, fork, outcomes

HEADER = b"#pragma once\nint limit();\nstruct slot {\n    int size;\n};\n"
SOURCE = b"""#include "slot.h"

static int helper(int a) {
    return a;
}

int limit() {
    return 8;
}

int serve(slot & s) {
    int left = s.size;
    left += 10;
    left += 11;
    left += 12;
    left -= 1;
    left -= 2;
    left -= 3;
    left += 13;
    left += 14;
    left += 15;
    return left;
}

int other() {
    return 1;
}
"""
OURS = SOURCE.replace(b"    left -= 2;\n", b"    left -= helper(2);\n")


def mine() -> Fork:
    return fork({"slot.h": HEADER, "serve.cpp": SOURCE}, ("one/f", {"serve.cpp": OURS}))


def owed(made: Fork, base: Texts) -> Meaning:
    bumped = made.on(base)
    assert bumped.folds[0].outcome in (Outcome.UNCHANGED, Outcome.MOVED), outcomes(bumped)
    return meaning_of(bumped, made.blocks, Compared())


def told(meaning: Meaning) -> list[tuple[str, str, int]]:
    return [(each.name, each.why, each.lines()) for each in meaning.owed]


def test_nothing_is_owed_where_upstream_changed_nothing_that_matters() -> None:
    far = SOURCE.replace(b"    return 1;\n", b"    return 2;\n")
    meaning = owed(mine(), {"slot.h": HEADER, "serve.cpp": far, "more.cpp": b"int more;\n"})
    assert (told(meaning), meaning.lines()) == ([], 0)


def test_a_change_in_the_function_around_is_owed() -> None:
    near = SOURCE.replace(b"    return left;\n", b"    return left + 1;\n")
    assert told(owed(mine(), {"slot.h": HEADER, "serve.cpp": near})) == [("serve", "stands in it", 2)]


def test_a_change_of_a_used_function_far_away_is_owed() -> None:
    used = SOURCE.replace(b"    return a;\n", b"    return a + 1;\n")
    meaning = owed(mine(), {"slot.h": HEADER, "serve.cpp": used})
    assert told(meaning) == [("helper", "uses it", 2)]
    assert meaning.owed[0].changes[0].added == (b"    return a + 1;\n",)


def test_a_change_of_a_used_type_in_a_header_is_owed() -> None:
    ours = SOURCE.replace(b"    left -= 2;\n", b"    slot copy = s;\n    left -= copy.size;\n")
    made = fork({"slot.h": HEADER, "serve.cpp": SOURCE}, ("one/f", {"serve.cpp": ours}))
    header = HEADER.replace(b"    int size;\n", b"    long size;\n")
    meaning = owed(made, {"slot.h": header, "serve.cpp": SOURCE})
    assert ("slot", "uses it", 2) in told(meaning)


def test_a_hunk_that_stands_in_another_function_now_is_told() -> None:
    split = SOURCE.replace(
        b"int serve(slot & s) {\n    int left = s.size;\n", b"int serve_one(slot & s) {\n    int left = s.size;\n"
    )
    meaning = owed(mine(), {"slot.h": HEADER, "serve.cpp": split})
    assert [each.why for each in meaning.owed if each.name == "serve"] == ["stands in serve_one now, and stood in it"]


def test_a_file_without_a_grammar_is_named() -> None:
    made = fork({"a.txt": b"1\n2\n3\n4\n5\n6\n7\n8\n"}, ("one/f", {"a.txt": b"1\n2\n3\n4\n5\n6\nseven\n8\n"}))
    assert owed(made, {"a.txt": b"0\n1\n2\n3\n4\n5\n6\n7\n8\n"}).unread == (b"a.txt",)


def test_lines_that_two_folds_are_owed_count_once() -> None:
    more = OURS.replace(b"    left -= helper(2);\n", b"    left -= helper(2) + helper(0);\n")
    made = fork({"slot.h": HEADER, "serve.cpp": SOURCE}, ("one/f", {"serve.cpp": OURS}), ("two/g", {"serve.cpp": more}))
    near = SOURCE.replace(b"    return left;\n", b"    return left + 1;\n")
    meaning = owed(made, {"slot.h": HEADER, "serve.cpp": near})
    assert (len(meaning.owed), meaning.lines()) == (2, 2)


def test_a_function_whose_body_no_include_reaches_is_owed_too() -> None:
    ours = SOURCE.replace(b"    left -= 2;\n", b"    left -= run(2);\n")
    header, body = HEADER + b"int run(int a);\n", b"int run(int a) {\n    return a;\n}\n"
    made = fork({"slot.h": header, "serve.cpp": SOURCE, "engine/core.cpp": body}, ("one/f", {"serve.cpp": ours}))
    changed = {"slot.h": header, "serve.cpp": SOURCE, "engine/core.cpp": body.replace(b"return a", b"return 2 * a")}
    meaning = owed(made, changed)
    assert [(each.name, each.path, each.hunks) for each in meaning.owed] == [("run", b"engine/core.cpp", (1,))]
    alone = dict(changed, **{"engine/core.cpp": body, "engine/other.cpp": b"static int run() {\n    return 1;\n}\n"})
    assert owed(made, alone).owed == ()


def test_every_hunk_that_rests_on_a_function_is_named() -> None:
    twice = OURS.replace(b"    return 8;\n", b"    return helper(8);\n")
    made = fork({"slot.h": HEADER, "serve.cpp": SOURCE}, ("one/f", {"serve.cpp": twice}))
    near = SOURCE.replace(b"    return left;\n", b"    return left + 1;\n").replace(b"return a;", b"return a + 1;")
    meaning = owed(made, {"slot.h": HEADER, "serve.cpp": near})
    assert [(each.name, each.hunks) for each in meaning.owed] == [("serve", (2,)), ("helper", (1, 2))]
