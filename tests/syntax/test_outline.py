from verify.model.ids import RepoPath
from verify.model.outline import DefinitionKind, ExitKind, Outline, Span
from verify.syntax.read import read_outline

CPP = b"""#include <x>
namespace a {
struct S : B {
    int count = 0;
    int f(int x) const { return x; }
};
}

template <class T>
static T * a::S::g(T & q) {
    auto inner = [&](int k) { return k; };
    for (auto & each : q) {
        list.add(each, helper(each));
        if (each) { continue; }
    }
    return nullptr;
}

#if defined(SLOW)
static int fast(int n) { throw n; }
#endif

#define TWICE(x) (other(x) + (x))
enum Kind { FIRST, SECOND = 4 };
typedef struct { int field; } Record;
static const int LIMIT = 4, *POINTER = nullptr;
int declared(int with = 3);
"""


def outline(text: bytes, name: bytes = b"x.cpp") -> Outline:
    found = read_outline(RepoPath(name), text)
    assert found is not None
    return found


def at(text: bytes, what: bytes) -> Span:
    start = text.index(what)
    return Span(start=start, end=start + len(what))


def test_functions_carry_their_classes_and_namespaces() -> None:
    assert [each.name for each in outline(CPP).functions] == [b"a::S::f", b"a::S::g", b"fast"]


def test_a_function_begins_with_its_template_line() -> None:
    found = outline(CPP)
    assert found.of(found.functions[1].span).startswith(b"template <class T>\nstatic T * a::S::g")


def test_a_function_is_named_by_the_end_of_its_name() -> None:
    found = outline(CPP)
    assert found.named(b"S::g") == found.named(b"g") == (found.functions[1],)


def test_a_part_of_a_word_names_no_function() -> None:
    assert outline(CPP).named(b"ast") == ()


def test_the_innermost_function_encloses() -> None:
    found = outline(CPP)
    around = found.enclosing(at(CPP, b"list.add(each"))
    assert around is not None
    assert around.name == b"a::S::g"


def test_between_functions_nothing_encloses() -> None:
    assert outline(CPP).enclosing(at(CPP, b"enum Kind")) is None


def test_a_function_says_under_which_condition_it_stands() -> None:
    assert outline(CPP).functions[2].within == (b"#if defined(SLOW)",)


def test_calls_go_by_the_last_part_of_what_is_called() -> None:
    assert [each.name for each in outline(CPP).calls] == [b"add", b"helper"]


def test_exits_of_a_lambda_lie_in_an_inner_span() -> None:
    found = outline(CPP)
    inside = [each for each in found.exits if any(span.holds(each.span) for span in found.inner)]
    assert [each.kind for each in inside] == [ExitKind.RETURN]


def test_definitions_are_what_other_code_can_name() -> None:
    found = {(each.name, each.kind) for each in outline(CPP).definitions}
    assert found == {
        (b"S", DefinitionKind.TYPE),
        (b"count", DefinitionKind.FIELD),
        (b"f", DefinitionKind.FUNCTION),
        (b"g", DefinitionKind.FUNCTION),
        (b"fast", DefinitionKind.FUNCTION),
        (b"TWICE", DefinitionKind.MACRO),
        (b"Kind", DefinitionKind.TYPE),
        (b"FIRST", DefinitionKind.VALUE),
        (b"SECOND", DefinitionKind.VALUE),
        (b"Record", DefinitionKind.TYPE),
        (b"field", DefinitionKind.FIELD),
        (b"LIMIT", DefinitionKind.VARIABLE),
        (b"POINTER", DefinitionKind.VARIABLE),
        (b"declared", DefinitionKind.DECLARATION),
    }


def test_names_in_a_macro_count_as_used() -> None:
    found = outline(CPP)
    assert found.names_in(at(CPP, b"(other(x) + (x))")) == {b"other", b"x"}


def test_names_in_comments_and_strings_are_none() -> None:
    text = b'// foo\nint a = f("foo");\n'
    assert outline(text).names_in(Span(start=0, end=len(text))) == {b"a", b"f"}


def test_a_format_between_strings_does_not_break_the_grammar() -> None:
    text = b'void f() { printf("%" PRId64 "\\n" PRIu32, x); }\n'
    found = outline(text)
    assert (found.broken, b"PRId64" in found.names_in(found.functions[0].span)) == ((), True)


def test_a_deprecated_declaration_is_read() -> None:
    text = b'GGML_API void a(void);\nDEPRECATED(LLAMA_API int old(int x), "use (new), or, that");\n'
    assert [each.name for each in outline(text, b"x.h").definitions] == [b"a", b"old"]


def test_a_macro_that_stands_alone_is_no_part_of_the_next_statement() -> None:
    text = b"void f() {\n    GGML_TENSOR_LOCALS(int64_t, ne, src, ne)\n    SETUP_ALL(one, two)\n    float eps = 1;\n}\n"
    found = outline(text)
    assert (found.broken, len(found.blanked)) == ((), 2)


def test_a_call_in_capitals_that_an_expression_needs_stays() -> None:
    text = b"int f() {\n    return\n        MAXIMUM(g(1), 2)\n        + 3;\n}\n"
    assert [each.name for each in outline(text).calls] == [b"MAXIMUM", b"g"]


def test_braces_of_a_linkage_are_kept_from_the_grammar() -> None:
    text = b'#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n'
    found = outline(text, b"x.h")
    assert (found.broken, [each.name for each in found.definitions]) == ((), [b"f"])


def test_what_cannot_be_read_is_broken_there() -> None:
    text = b"int good() { return 1; }\n\nint bad( { ]] ;\n"
    found = outline(text)
    assert found.broken_in(at(text, b"int bad( { ]] ;"))


def test_python_is_read() -> None:
    text = (
        b"@cached\ndef f(x):\n    for y in x:\n        if y: return g.h(y)\n"
        b"\nclass A:\n    size = 3\n    def m(self): pass\n"
    )
    found = outline(text, b"x.py")
    assert [each.name for each in found.functions] == [b"f", b"A::m"]
    assert found.of(found.functions[0].span).startswith(b"@cached")
    assert {each.name for each in found.definitions} == {b"f", b"A", b"size", b"m"}
    assert [each.name for each in found.calls] == [b"h"]


def test_cmake_is_read() -> None:
    text = (
        b'# f()\nset(LIST a "b ) c" [[ d ) ]])\n'
        b"function(add_one name)\n  if(X)\n    return()\n  endif()\nendfunction()\n"
    )
    found = outline(text, b"CMakeLists.txt")
    assert [each.name for each in found.functions] == [b"add_one"]
    assert [each.name for each in found.definitions] == [b"add_one", b"LIST", b"a"]
    assert found.heads_at(at(text, b"return()")) == (b"if(X)",)
    assert found.broken == ()


def test_cmake_that_does_not_close_is_broken() -> None:
    assert outline(b"set(A b\n", b"x.cmake").broken


def test_other_files_have_no_outline() -> None:
    assert read_outline(RepoPath(b"README.md"), b"int f() { }") is None


def test_bindings_give_names_another_meaning() -> None:
    text = b"import a.b\nfrom c import d as e, f\nG, h.i = 1, 2\ndef k():\n    l = 1\nfrom m import *\n"
    found = [each.name for each in outline(text, b"x.py").definitions if each.kind is DefinitionKind.BINDING]
    assert found == [b"a", b"e", b"f", b"G", b"i", b"*"]


def test_using_and_undef_are_bindings() -> None:
    text = b"#undef LIMIT\nusing a::b;\nusing namespace std;\nnamespace q = a::c;\n"
    found = [each.name for each in outline(text).definitions if each.kind is DefinitionKind.BINDING]
    assert found == [b"LIMIT", b"b", b"*", b"q"]


def test_definitions_alone_are_the_same_definitions() -> None:
    alone = read_outline(RepoPath(b"x.cpp"), CPP, makes_alone=True)
    assert alone is not None
    assert (alone.definitions, alone.functions, alone.names) == (outline(CPP).definitions, outline(CPP).functions, ())
