"""What is looked for in syntax trees: one table of patterns a language, in tree-sitter's own query language.

A capture's name is what it stands for in `read.py`: `function`, `type` and so on are whole constructs, `….name` the
part that names one; `around` is what encloses without being a definition, `condition` a branch of the preprocessor.
"""

from collections.abc import Mapping

from verify.syntax.language import Language

_C = """
(function_definition) @function
(for_statement) @loop
(while_statement) @loop
(do_statement) @loop
(return_statement) @return
(break_statement) @break
(continue_statement) @continue
(goto_statement) @goto
(call_expression function: (_) @called) @call
(preproc_def name: (_) @macro.name) @macro
(preproc_function_def name: (_) @macro.name) @macro
(preproc_arg) @tokens
(struct_specifier name: (_) @type.name body: (_)) @type
(union_specifier name: (_) @type.name body: (_)) @type
(enum_specifier name: (_) @type.name body: (_)) @type
(type_definition) @typedef
(enumerator name: (_) @value.name) @value
(field_declaration) @field
(declaration) @declaration
(preproc_ifdef) @condition
(preproc_if) @condition
(preproc_elif) @condition
(preproc_elifdef) @condition
(preproc_else) @condition
(identifier) @name
(field_identifier) @name
(type_identifier) @name
(statement_identifier) @name
(comment) @comment
(string_literal) @comment
(char_literal) @comment
(ERROR) @broken
(MISSING) @broken
"""

_CPP = (
    _C
    + """
(for_range_loop) @loop
(throw_statement) @throw
(co_return_statement) @return
(lambda_expression) @inner
(class_specifier name: (_) @type.name body: (_)) @type
(alias_declaration name: (_) @type.name) @type
(concept_definition name: (_) @type.name) @type
(namespace_definition) @around
(template_declaration) @template
(namespace_identifier) @name
(raw_string_literal) @comment
"""
)

_PYTHON = """
(function_definition) @function
(lambda) @inner
(module (if_statement) @condition)
(module (if_statement alternative: (_) @condition))
(module (try_statement) @condition)
(class_definition name: (_) @type.name) @type
(decorated_definition) @template
(for_statement) @loop
(while_statement) @loop
(return_statement) @return
(break_statement) @break
(continue_statement) @continue
(raise_statement) @throw
(call function: (_) @called) @call
(module (expression_statement (assignment left: (identifier) @variable.name) @variable))
(class_definition body: (block (expression_statement (assignment left: (identifier) @field.name) @field.made)))
(identifier) @name
(comment) @comment
(string) @comment
(ERROR) @broken
(MISSING) @broken
"""

PATTERNS: Mapping[Language, str] = {
    Language.C: _C,
    Language.CPP: _CPP,
    Language.CUDA: _CPP,
    Language.PYTHON: _PYTHON,
}
