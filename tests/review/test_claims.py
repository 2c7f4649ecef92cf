from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from tests.gates.good import CACHE, good_release
from verify.model.block import Block
from verify.model.claim import Absent, Answer, Claim, ClaimResult, Count, NoExit, OnlyCall, Untouched
from verify.model.diagnostic import Place
from verify.model.ids import RepoPath
from verify.model.outline import ExitKind, Outline
from verify.review.claims import run_claim
from verify.syntax.glance import Glance, glance
from verify.syntax.read import read_outline

FILE = RepoPath(b"a.cpp")
PLACE = Place(file="blocks/cache/block.yaml", line=3)
CODE = b"""
struct queue {
    void fill() {
        auto order = make();
        for (auto * slot : order) {
            if (slot->done) { continue; }
            each([&](int n) { if (n) { return; } push(n); });
            batch.add(slot->id); // batch.add
        }
        advance();
    }
    int old() { return 1; }
};
int fill(int n) { return n; }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    files: dict[RepoPath, bytes]

    def outline(self, path: RepoPath) -> Outline | None:
        return read_outline(path, self.files[path])

    def definitions(self, path: RepoPath) -> Outline | None:
        return read_outline(path, self.files[path], makes_alone=True)

    def glance(self, path: RepoPath) -> Glance | None:
        return glance(path, self.files[path])

    def content(self, path: RepoPath) -> bytes | None:
        return self.files.get(path)

    def paths(self) -> Iterable[RepoPath]:
        return self.files


def block() -> Block:
    return next(each for each in good_release().blocks if each.name == CACHE)


def run(claim: Claim, code: bytes = CODE) -> ClaimResult:
    return run_claim(claim, block(), Memory(files={FILE: code}))


def only_call(call: str = "add", inside: str = "for (auto * slot", function: str = "queue::fill") -> OnlyCall:
    return OnlyCall(says="x", place=PLACE, file=FILE, function=function, call=call, inside=inside, times=None)


def no_exit(*exits: ExitKind, start: str = "auto order = make();", end: str = "advance();") -> NoExit:
    return NoExit(
        says="x",
        place=PLACE,
        file=FILE,
        function="queue::fill",
        start=start,
        end=end,
        exits=exits or (ExitKind.RETURN,),
    )


def count(pattern: str, times: int, function: str = "") -> Count:
    return Count(says="x", place=PLACE, file=FILE, function=function, pattern=pattern, times=times)


def absent(symbol: str, function: str = "", files: str = "*.cpp") -> Absent:
    return Absent(says="x", place=PLACE, symbol=symbol, files=(files,), function=function)


def test_a_call_in_its_loop_alone_holds_and_shows_where() -> None:
    result = run(only_call())
    assert (result.answer, [match.line for match in result.matches]) == (Answer.HOLDS, [5, 8])


def test_a_call_of_a_lambda_s_host_counts_as_a_place_too() -> None:
    assert run(only_call("push", "each([&](int n)")).answer is Answer.HOLDS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"advance();", b"advance(); batch.add(0);"),
        (b"batch.add(slot->id);", b""),
        (b"for (auto * slot : order)", b"for (auto * each : order)"),
        (b"void fill()", b"void fill_all()"),
    ],
    ids=["a second call", "no call", "another loop", "another name"],
)
def test_a_call_s_claim_breaks(old: bytes, new: bytes) -> None:
    assert run(only_call(), CODE.replace(old, new)).answer is Answer.FAILS


def test_a_call_elsewhere_does_not_matter() -> None:
    code = CODE.replace(b"int old() { return 1; }", b"int old() { batch.add(2); return 1; }")
    assert run(only_call(), code).answer is Answer.HOLDS


def test_a_function_s_name_that_fits_two_is_undecided() -> None:
    assert run(only_call(function="fill")).answer is Answer.UNDECIDED


def test_an_anchor_that_fits_two_places_is_undecided() -> None:
    code = CODE.replace(b"advance();", b"for (auto * slot : rest) { } advance();")
    assert run(only_call(), code).answer is Answer.UNDECIDED


def test_an_anchor_in_a_comment_is_none() -> None:
    code = CODE.replace(b"advance();", b"// for (auto * slot : rest)\n advance();")
    assert run(only_call(), code).answer is Answer.HOLDS


def test_a_call_in_a_macro_that_is_not_read_is_undecided() -> None:
    code = CODE.replace(b"advance();", b"SETUP_ALL(batch.add(1))\n        advance();")
    assert run(only_call(), code).answer is Answer.UNDECIDED


def test_what_the_grammar_cannot_read_is_undecided() -> None:
    assert run(only_call(), CODE.replace(b"advance();", b"advance( ]] ;")).answer is Answer.UNDECIDED


def test_what_it_cannot_read_elsewhere_does_not_matter() -> None:
    assert run(only_call(), CODE + b"\n\nint bad( { ]] ;\n").answer is Answer.HOLDS


def test_a_return_of_a_lambda_does_not_leave() -> None:
    assert run(no_exit()).answer is Answer.HOLDS


def test_a_return_in_between_is_shown() -> None:
    result = run(no_exit(), CODE.replace(b"continue;", b"return;"))
    assert (result.answer, [match.line for match in result.matches]) == (Answer.FAILS, [6])


def test_a_continue_of_a_loop_in_between_stays() -> None:
    assert run(no_exit(ExitKind.CONTINUE)).answer is Answer.HOLDS


def test_a_continue_of_a_loop_around_leaves() -> None:
    assert run(no_exit(ExitKind.CONTINUE, start="{ continue; }", end="advance();")).answer is Answer.HOLDS
    assert run(no_exit(ExitKind.CONTINUE, start="if (slot->done)", end="batch.add")).answer is Answer.FAILS


def test_anchors_that_changed_their_order_fail() -> None:
    assert run(no_exit(start="advance();", end="auto order = make();")).answer is Answer.FAILS


def test_an_anchor_that_is_gone_fails() -> None:
    assert run(no_exit(), CODE.replace(b"advance();", b"")).answer is Answer.FAILS


def test_a_name_in_comments_alone_is_absent() -> None:
    assert run(absent("gone"), CODE + b"// gone\n").answer is Answer.HOLDS


def test_a_part_of_a_name_is_another_name() -> None:
    assert run(absent("ord")).answer is Answer.HOLDS


def test_a_name_that_came_back_is_shown() -> None:
    result = run(absent("order"))
    assert (result.answer, [match.line for match in result.matches]) == (Answer.FAILS, [4, 5])


def test_a_name_may_be_absent_from_one_function() -> None:
    assert run(absent("order", function="queue::old")).answer is Answer.HOLDS


def test_a_name_in_what_cannot_be_read_is_undecided() -> None:
    assert run(absent("bad"), CODE + b"\n\nint bad( { ]] ;\n").answer is not Answer.HOLDS


def test_files_that_are_not_there_hold_nothing() -> None:
    assert run(absent("gone", files="b/*.cpp")).answer is Answer.FAILS


def test_matches_in_comments_do_not_count() -> None:
    assert run(count(r"batch\.add", 1)).answer is Answer.HOLDS


def test_matches_are_counted_in_one_function() -> None:
    assert run(count("return", 1, function="queue::old")).answer is Answer.HOLDS


def test_another_number_of_matches_fails() -> None:
    assert run(count("return", 1)).answer is Answer.FAILS


def test_a_file_that_is_gone_fails() -> None:
    assert run_claim(count("x", 0), block(), Memory(files={})).answer is Answer.FAILS


def test_files_of_others_are_untouched() -> None:
    assert run(Untouched(says="x", place=PLACE, files=("include/**",))).answer is Answer.HOLDS


def test_a_touched_file_fails() -> None:
    assert run(Untouched(says="x", place=PLACE, files=("src/*.cpp",))).answer is Answer.FAILS
