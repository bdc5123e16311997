/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables whose address meets references. A struct on the stack becomes an object of the heap: its declaration a
 * reference to a new object, and its uses those of a reference. The uses are noted while the program is walked, and the
 * edits are made if the storage of the variable becomes managed.
 */
#include <string.h>
#include "migrate/program.h"

static struct cn_variable *variable_at(struct cn_program *program, struct cn_position position)
{
  const uint64_t *known = cn_ptrmap_find(&program->variable_numbers, cn_position_key(position));

  return known ? &program->variables.at[*known] : NULL;
}

/* True if a struct without qualifiers is declared by a statement of a block. */
static bool may_move(struct cn_walk *walk, CXCursor declaration, const struct cn_type *type)
{
  CXType clang_type = clang_getCursorType(declaration);
  size_t depth = walk->enclosing.count;

  return type->kind == CN_TYPE_RECORD && type->name && clang_Cursor_hasVarDeclGlobalStorage(declaration) != 1 &&
         !clang_isConstQualifiedType(clang_type) && !clang_isVolatileQualifiedType(clang_type) && depth >= 3 &&
         clang_getCursorKind(walk->enclosing.at[depth - 3]) == CXCursor_CompoundStmt;
}

void cn_variable_declare(struct cn_walk *walk, CXCursor declaration, struct cn_type *type)
{
  struct cn_program *program = walk->program;
  struct cn_variable variable = {.type = type};
  CXCursor initialiser = clang_Cursor_getVarDeclInitializer(declaration);
  struct cn_position begin;
  uint32_t end;
  bool added;

  if (!cn_program_locate(program, clang_getCursorLocation(declaration), &variable.position) ||
      !may_move(walk, declaration, type))
    return;
  struct cn_source *source = cn_program_source(program, variable.position.file);
  uint32_t name = cn_source_token_at(source, variable.position.at);
  if (name == CN_NO_TOKEN)
    return;
  variable.name_end = variable.position.at + source->tokens.at[name].length;
  variable.initialised = clang_isExpression(clang_getCursorKind(initialiser)) != 0;
  variable.list = clang_getCursorKind(initialiser) == CXCursor_InitListExpr;
  if (variable.initialised) {
    variable.fixed = !cn_program_extent(program, initialiser, &begin, &end);
    variable.value_begin = begin.at;
  }
  uint64_t *number = cn_ptrmap_add(&program->variable_numbers, cn_position_key(variable.position), &added);
  if (!added)
    return;
  *number = program->variables.count;
  variable.name = cn_program_keep(program, cn_cursor_name(declaration));
  cn_push(&program->variables, variable);
}

static struct cn_variable *variable_of(struct cn_walk *walk, CXCursor declaration)
{
  struct cn_position position;

  cn_program_locate(walk->program, clang_getCursorLocation(declaration), &position);
  return variable_at(walk->program, position);
}

static struct cn_variable_use use_by_parent(const struct cn_source *source, CXCursor parent, uint32_t begin,
                                            uint32_t end)
{
  struct cn_variable_use use = {CN_USE_VALUE, begin, end};
  uint32_t token = cn_source_token_at(source, begin);

  if (clang_getCursorKind(parent) == CXCursor_MemberRefExpr && cn_source_token_is(source, token + 1, ".")) {
    use = (struct cn_variable_use){CN_USE_MEMBER, source->tokens.at[token + 1].at, source->tokens.at[token + 1].at + 1};
  } else if (clang_getCursorUnaryOperatorKind(parent) == CXUnaryOperator_AddrOf && token > 0 &&
             cn_source_token_is(source, token - 1, "&")) {
    use = (struct cn_variable_use){CN_USE_ADDRESS, source->tokens.at[token - 1].at, begin};
  }
  return use;
}

void cn_variable_note_use(struct cn_walk *walk, CXCursor expression, CXCursor declaration)
{
  struct cn_variable *variable = variable_of(walk, declaration);
  struct cn_position begin;
  uint32_t end;
  size_t depth = walk->enclosing.count;

  if (!variable)
    return;
  if (!cn_program_extent(walk->program, expression, &begin, &end) || begin.file != variable->position.file) {
    variable->fixed = true;
    return;
  }
  CXCursor parent = depth >= 2 ? walk->enclosing.at[depth - 2] : clang_getNullCursor();
  cn_push(&variable->uses, use_by_parent(cn_program_source(walk->program, begin.file), parent, begin.at, end));
}

uint32_t cn_variable_storage(struct cn_walk *walk, CXCursor declaration, CXCursor at)
{
  struct cn_variable *variable = variable_of(walk, declaration);

  if (!variable)
    return 0;
  if (!variable->pointer) {
    variable->pointer = cn_classes_add(&walk->program->classes, variable->type);
    variable->address = cn_walk_position(walk, at);
  }
  return variable->pointer;
}

void cn_variables_hold_fixed(struct cn_program *program)
{
  for (size_t i = 0; i < program->variables.count; i++) {
    const struct cn_variable *variable = &program->variables.at[i];
    if (variable->pointer && variable->fixed)
      cn_classes_hold(&program->classes, variable->pointer,
                      (struct cn_held){CN_REASON_ADDRESS, variable->address, cn_strdup(variable->name)});
  }
}

bool cn_variable_moves(struct cn_program *program, struct cn_position position, bool *initialised)
{
  const struct cn_variable *variable = variable_at(program, position);

  *initialised = variable && variable->initialised;
  return variable && variable->pointer && cn_solve_is_managed(program, variable->pointer);
}

static void rewrite_uses(struct cn_source *source, const struct cn_variable *variable)
{
  for (size_t i = 0; i < variable->uses.count; i++) {
    const struct cn_variable_use *use = &variable->uses.at[i];
    const char *texts[] = {[CN_USE_MEMBER] = "->", [CN_USE_ADDRESS] = ""};
    char *text = use->form == CN_USE_VALUE ? cn_format("(*%s)", variable->name) : cn_strdup(texts[use->form]);
    cn_source_edit(source, use->begin, use->end, text);
  }
}

void cn_variables_rewrite(struct cn_program *program, struct cn_counts *counts)
{
  for (size_t i = 0; i < program->variables.count; i++) {
    const struct cn_variable *variable = &program->variables.at[i];
    if (!variable->pointer || !cn_solve_is_managed(program, variable->pointer))
      continue;
    struct cn_source *source = cn_program_source(program, variable->position.file);
    bool shares = cn_ptrmap_find(&program->suppressed, cn_position_key(variable->position)) != NULL;
    char *type = cn_type_text(program, variable->type);
    cn_source_edit(source, variable->position.at, variable->position.at, cn_strdup(shares ? "*" : "managed *"));
    if (variable->initialised)
      cn_source_edit(source, variable->name_end, variable->value_begin,
                     cn_format(variable->list ? " = cairn_new(%s); *%s = (%s)" : " = cairn_new(%s); *%s = ", type,
                               variable->name, type));
    else
      cn_source_edit(source, variable->name_end, variable->name_end, cn_format(" = cairn_new(%s)", type));
    rewrite_uses(source, variable);
    free(type);
    counts->pointers++;
    counts->allocations++;
  }
}
