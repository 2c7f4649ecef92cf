"""What is looked for in syntax trees: two tables of patterns a language, in tree-sitter's own query language.

`MAKES` is what makes names and what stands around them, `USES` the rest: names, calls, loops, exits, comments.

A capture's name is what it stands for in `read.py`: `function`, `type` and so on are whole constructs, `….name` the
part that names one; `around` is what encloses without being a definition, `condition` a branch of the preprocessor.
"""

from collections.abc import Mapping

from verify.syntax.language import Language

_BROKEN = """
(ERROR) @broken
(MISSING) @broken
"""
_C_MAKES = """
(function_definition) @function
(preproc_def name: (_) @macro.name) @macro
(preproc_function_def name: (_) @macro.name) @macro
(preproc_call) @binding
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
"""
_CPP_MAKES = (
    _C_MAKES
    + """
(class_specifier name: (_) @type.name body: (_)) @type
(alias_declaration name: (_) @type.name) @type
(concept_definition name: (_) @type.name) @type
(namespace_definition) @around
(template_declaration) @template
(using_declaration) @binding
(namespace_alias_definition) @binding
"""
)
_C_USES = """
(for_statement) @loop
(while_statement) @loop
(do_statement) @loop
(return_statement) @return
(break_statement) @break
(continue_statement) @continue
(goto_statement) @goto
(call_expression function: (_) @called) @call
(preproc_arg) @tokens
(identifier) @name
(field_identifier) @name
(type_identifier) @name
(statement_identifier) @name
(comment) @comment
"""
_CPP_USES = (
    _C_USES
    + """
(for_range_loop) @loop
(throw_statement) @throw
(co_return_statement) @return
(lambda_expression) @inner
(namespace_identifier) @name
"""
)
_PYTHON_MAKES = """
(function_definition) @function
(class_definition name: (_) @type.name) @type
(decorated_definition) @template
(module (if_statement) @condition)
(module (if_statement alternative: (_) @condition))
(module (try_statement) @condition)
(assignment) @binding
(augmented_assignment) @binding
(import_statement) @binding
(import_from_statement) @binding
(delete_statement) @binding
"""
_PYTHON_USES = """
(lambda) @inner
(for_statement) @loop
(while_statement) @loop
(return_statement) @return
(break_statement) @break
(continue_statement) @continue
(raise_statement) @throw
(call function: (_) @called) @call
(identifier) @name
(comment) @comment
"""

MAKES: Mapping[Language, str] = {
    Language.C: _C_MAKES + _BROKEN,
    Language.CPP: _CPP_MAKES + _BROKEN,
    Language.CUDA: _CPP_MAKES + _BROKEN,
    Language.PYTHON: _PYTHON_MAKES + _BROKEN,
}
USES: Mapping[Language, str] = {
    Language.C: _C_USES,
    Language.CPP: _CPP_USES,
    Language.CUDA: _CPP_USES,
    Language.PYTHON: _PYTHON_USES,
}
