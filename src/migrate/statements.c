/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks the declarations and statements of each unit, and notes how calls of free() stand in their statements. Keeps
 * its state in struct cn_walk.
 */
#include <string.h>
#include "migrate/program.h"

static void walk_variable(struct cn_walk *walk, CXCursor variable)
{
  struct cn_type *type = cn_type_declared(walk->program, variable);
  CXCursor initialiser = clang_Cursor_getVarDeclInitializer(variable);

  bool before = walk->constant, global = clang_Cursor_hasVarDeclGlobalStorage(variable) == 1;

  walk->constant = global;
  if (walk->unmanaged)
    cn_type_hold(walk->program, type, CN_REASON_UNMANAGED, cn_walk_position(walk, variable), NULL);
  cn_push(&walk->enclosing, variable);
  cn_variable_declare(walk, variable, type);
  if (!clang_Cursor_isNull(initialiser) && clang_isExpression(clang_getCursorKind(initialiser)))
    cn_value_initialise(walk, type, initialiser, global);
  walk->enclosing.count--;
  walk->constant = before;
}

static void walk_declaration(struct cn_walk *walk, CXCursor declaration);

/* The variables of one statement share its specifiers. */
static void walk_declarations(struct cn_walk *walk, CXCursor statement)
{
  struct cn_cursors children = cn_cursor_children(statement);
  struct cn_position before = walk->program->statement;

  walk->program->statement = cn_walk_position(walk, statement);
  for (size_t i = 0; i < children.count; i++)
    walk_declaration(walk, children.at[i]);
  walk->program->statement = before;
  cn_free(&children);
}

static void walk_declaration(struct cn_walk *walk, CXCursor declaration)
{

  switch ((int)clang_getCursorKind(declaration)) {
  case CXCursor_VarDecl:
    walk_variable(walk, declaration);
    break;
  case CXCursor_TypedefDecl:
  case CXCursor_FunctionDecl:
    cn_type_declared(walk->program, declaration);
    break;
  case CXCursor_StructDecl:
  case CXCursor_UnionDecl:
    cn_type_of_expression(walk->program, clang_getCursorType(declaration));
    break;
  case CXCursor_DeclStmt:
    walk_declarations(walk, declaration);
    break;
  default:
    break;
  }
}

/* Extends an extent over the semicolon after it. False if there is another token. */
static bool extend_over_semicolon(struct cn_source *source, uint32_t *end)
{
  uint32_t token = cn_source_token_from(source, *end);

  if (!cn_source_token_is(source, token, ";"))
    return false;
  *end = source->tokens.at[token].at + 1;
  return true;
}

/* Notes how a call stands that is a statement, or the branch of `if` that is one. */
static void note_statement(struct cn_walk *walk, CXCursor statement, CXCursor parent)
{
  struct cn_position begin;
  uint32_t end;
  bool whole = clang_getCursorKind(parent) == CXCursor_CompoundStmt;

  walk->statement = clang_getNullCursor();
  CXCursor call = cn_value_strip(statement);
  if (clang_getCursorKind(call) != CXCursor_CallExpr)
    return;
  if (!cn_walk_extent(walk, statement, call, &begin, &end))
    return;
  struct cn_source *source = cn_program_source(walk->program, begin.file);
  if (!extend_over_semicolon(source, &end))
    return;
  walk->statement = call;
  walk->form = whole ? CN_FREE_STATEMENT : CN_FREE_BRANCH;
  walk->begin = begin.at;
  walk->end = end;
}

/* Notes `if (p) free(p);`, which goes as a whole. */
static bool note_condition(struct cn_walk *walk, CXCursor statement, CXCursor parent, CXCursor *call)
{
  struct cn_cursors children = cn_cursor_children(statement);
  struct cn_position begin;
  uint32_t end;
  bool simple = children.count == 2 && clang_getCursorKind(parent) == CXCursor_CompoundStmt &&
                cn_value_only_reads(children.at[0]) && clang_isExpression(clang_getCursorKind(children.at[1]));

  if (simple)
    *call = children.at[1];
  cn_free(&children);
  if (!simple || !cn_program_extent(walk->program, statement, &begin, &end))
    return false;
  note_statement(walk, *call, parent);
  walk->begin = begin.at;
  return !clang_Cursor_isNull(walk->statement);
}

static void walk_asm(struct cn_walk *walk, CXCursor statement)
{
  struct cn_cursors children = cn_cursor_children(statement);

  for (size_t i = 0; i < children.count; i++) {
    if (!clang_isExpression(clang_getCursorKind(children.at[i])))
      continue;
    struct cn_value value = cn_value_of(walk, children.at[i]);
    cn_type_hold(walk->program, value.type, CN_REASON_UNKNOWN, cn_walk_position(walk, statement), NULL);
  }
  cn_free(&children);
}

static void walk_return(struct cn_walk *walk, CXCursor statement)
{
  struct cn_cursors children = cn_cursor_children(statement);

  if (children.count) {
    struct cn_value value = cn_value_of(walk, children.at[0]);
    if (walk->function && walk->function->kind == CN_TYPE_FUNCTION) {
      cn_type_unify(walk->program, walk->function->to, value.type);
      cn_flow_note(walk, walk->function->to, &value, CN_FLOW_CALL, statement);
    }
  }
  cn_free(&children);
}

static void walk_statement(struct cn_walk *walk, CXCursor statement, CXCursor parent)
{
  enum CXCursorKind kind = clang_getCursorKind(statement);
  CXCursor call;

  if (clang_isDeclaration(kind) || kind == CXCursor_DeclStmt) {
    walk_declaration(walk, statement);
    return;
  }
  if (clang_isExpression(kind)) {
    note_statement(walk, statement, parent);
    cn_value_of(walk, statement);
    walk->statement = clang_getNullCursor();
    return;
  }
  if (kind == CXCursor_ReturnStmt) {
    walk_return(walk, statement);
    return;
  }
  if (kind == CXCursor_GCCAsmStmt || kind == CXCursor_MSAsmStmt) {
    walk_asm(walk, statement);
    return;
  }
  struct cn_cursors children = cn_cursor_children(statement);
  bool condition = kind == CXCursor_IfStmt && note_condition(walk, statement, parent, &call);
  if (condition) {
    cn_value_of(walk, children.at[0]);
    cn_value_of(walk, call);
    walk->statement = clang_getNullCursor();
  }
  for (size_t i = 0; !condition && i < children.count; i++)
    cn_statement_walk(walk, children.at[i], statement);
  cn_free(&children);
}

void cn_statement_walk(struct cn_walk *walk, CXCursor statement, CXCursor parent)
{
  bool is_statement = clang_isStatement(clang_getCursorKind(statement)) != 0;

  if (is_statement)
    cn_push(&walk->enclosing, statement);
  walk_statement(walk, statement, parent);
  walk->enclosing.count -= is_statement;
}

/* True for a function marked cairn_unmanaged, whose code handles no references. */
static bool is_unmanaged(const struct cn_cursors *children)
{
  for (size_t i = 0; i < children->count; i++)
    if (clang_getCursorKind(children->at[i]) == CXCursor_AnnotateAttr &&
        cn_cursor_is_named(children->at[i], "cairn-unmanaged"))
      return true;
  return false;
}

static void walk_function(struct cn_program *program, CXCursor function)
{
  struct cn_walk walk = {.program = program, .statement = clang_getNullCursor()};
  struct cn_cursors children = cn_cursor_children(function);

  walk.function = cn_type_declared(program, function);
  walk.unmanaged = is_unmanaged(&children);
  if (walk.unmanaged)
    cn_type_hold(program, walk.function, CN_REASON_UNMANAGED, cn_walk_position(&walk, function), NULL);
  bool body = clang_isCursorDefinition(function) && !cn_program_name(program, function)->callee;
  for (size_t i = 0; body && i < children.count; i++)
    if (clang_getCursorKind(children.at[i]) == CXCursor_CompoundStmt)
      cn_statement_walk(&walk, children.at[i], function);
  cn_free(&walk.enclosing);
  cn_free(&children);
}

void cn_statements_walk_unit(struct cn_program *program, CXTranslationUnit unit)
{
  struct cn_cursors top = cn_cursor_children(clang_getTranslationUnitCursor(unit));
  struct cn_walk walk = {.program = program, .statement = clang_getNullCursor()};

  for (size_t i = 0; i < top.count; i++) {
    if (cn_program_is_system(program, top.at[i]))
      continue;
    if (clang_getCursorKind(top.at[i]) == CXCursor_FunctionDecl)
      walk_function(program, top.at[i]);
    else
      walk_declaration(&walk, top.at[i]);
  }
  cn_free(&walk.enclosing);
  cn_free(&top);
}
