/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables whose address meets references. A variable outside of functions, and a static one, becomes a static object
 * by the qualifier before its name. A struct or a pointer on the stack becomes an object of the heap: its declaration a
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

/* True if C has a name for the type of a pointer's targets. */
static bool is_named_target(const struct cn_type *type)
{
  while (type->kind == CN_TYPE_POINTER)
    type = type->to;
  return type->name && (type->kind == CN_TYPE_RECORD || type->kind == CN_TYPE_SCALAR);
}

/* True if a struct or a pointer without qualifiers is declared by a statement of a block. */
static bool may_move(struct cn_walk *walk, CXCursor declaration, const struct cn_type *type)
{
  CXType clang_type = clang_getCursorType(declaration);
  size_t depth = walk->enclosing.count;

  bool possible =
      type->kind == CN_TYPE_RECORD ? type->name != NULL : type->kind == CN_TYPE_POINTER && is_named_target(type);
  return possible && clang_Cursor_hasVarDeclGlobalStorage(declaration) != 1 &&
         !clang_isConstQualifiedType(clang_type) && !clang_isVolatileQualifiedType(clang_type) && depth >= 3 &&
         clang_getCursorKind(walk->enclosing.at[depth - 3]) == CXCursor_CompoundStmt;
}

static void add_variable(struct cn_program *program, struct cn_variable variable, CXCursor declaration)
{
  bool added;
  uint64_t *number = cn_ptrmap_add(&program->variable_numbers, cn_position_key(variable.position), &added);

  if (!added)
    return;
  *number = program->variables.count;
  variable.name = cn_program_keep(program, cn_cursor_name(declaration));
  cn_push(&program->variables, variable);
}

/* A declaration of a variable outside of functions, or of a static variable. */
static void declare_static(struct cn_program *program, CXCursor declaration, struct cn_type *type)
{
  struct cn_variable variable = {.type = type, .linked = cn_program_name(program, declaration)};

  variable.fixed = !cn_program_locate(program, clang_getCursorLocation(declaration), &variable.position) ||
                   clang_getCursorTLSKind(declaration) != CXTLS_None;
  struct cn_source *source = cn_program_source(program, variable.position.file);
  uint32_t name = source ? cn_source_token_at(source, variable.position.at) : (uint32_t)CN_NO_TOKEN;
  /* After the body of a struct the qualifier has no effect. */
  variable.fixed |= name == CN_NO_TOKEN || name == 0 || cn_source_token_is(source, name - 1, "}");
  variable.linked->defined |= clang_Cursor_getStorageClass(declaration) != CX_SC_Extern;
  add_variable(program, variable, declaration);
}

void cn_variable_declare(struct cn_walk *walk, CXCursor declaration, struct cn_type *type)
{
  struct cn_program *program = walk->program;
  struct cn_variable variable = {.type = type};
  CXCursor initialiser = clang_Cursor_getVarDeclInitializer(declaration);

  if (clang_Cursor_hasVarDeclGlobalStorage(declaration) == 1) {
    declare_static(program, declaration, type);
    return;
  }
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
    variable.fixed = !cn_source_token_is(source, name + 1, "=");
    variable.value_begin = variable.fixed ? 0 : source->tokens.at[name + 2].at;
  }
  add_variable(program, variable, declaration);
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

  if (!variable || variable->linked)
    return;
  if (!cn_program_extent(walk->program, expression, &begin, &end) || begin.file != variable->position.file) {
    variable->fixed = true;
    return;
  }
  CXCursor parent = depth >= 2 ? walk->enclosing.at[depth - 2] : clang_getNullCursor();
  cn_push(&variable->uses, use_by_parent(cn_program_source(walk->program, begin.file), parent, begin.at, end));
}

static uint32_t static_storage(struct cn_walk *walk, CXCursor declaration, CXCursor at)
{
  struct cn_program *program = walk->program;
  struct cn_name *name = cn_program_name(program, declaration);

  if (cn_program_is_system(program, declaration))
    return 0;
  if (!name->storage) {
    name->storage = cn_classes_add(&program->classes, NULL);
    name->address = cn_walk_position(walk, at);
    bool written = clang_getAddressSpace(clang_getCursorType(declaration)) == 1;
    program->classes.pointers.at[name->storage].managed = written;
    program->classes.pointers.at[name->storage].written = written;
  }
  return name->storage;
}

uint32_t cn_variable_storage(struct cn_walk *walk, CXCursor declaration, CXCursor at)
{
  if (clang_Cursor_hasVarDeclGlobalStorage(declaration) == 1)
    return static_storage(walk, declaration, at);
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
    const struct cn_name *linked = variable->linked;
    uint32_t pointer = linked ? linked->storage : variable->pointer;
    bool interior = variable->type->kind == CN_TYPE_POINTER && cn_flow_is_inside(program, variable->type->pointer);
    if (pointer && (variable->fixed || interior || (linked && !linked->defined)))
      cn_classes_hold(
          &program->classes, pointer,
          (struct cn_held){CN_REASON_ADDRESS, linked ? linked->address : variable->address, cn_strdup(variable->name)});
  }
}

/* True if the variable becomes an object of the heap, or a static object. */
static bool becomes_object(struct cn_program *program, const struct cn_variable *variable)
{
  uint32_t pointer = variable->linked ? variable->linked->storage : variable->pointer;

  return pointer && !program->classes.pointers.at[pointer].written && cn_solve_is_managed(program, pointer);
}

bool cn_variable_moves(struct cn_program *program, struct cn_position position, bool *initialised)
{
  const struct cn_variable *variable = variable_at(program, position);

  *initialised = variable && !variable->linked && variable->initialised;
  return variable && becomes_object(program, variable);
}

bool cn_variable_is_static_object(struct cn_program *program, uint32_t file, uint32_t token)
{
  const struct cn_source *source = cn_program_source(program, file);

  if (token >= source->tokens.count)
    return false;
  const struct cn_variable *variable = variable_at(program, (struct cn_position){file, source->tokens.at[token].at});
  return variable && variable->linked && becomes_object(program, variable);
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

static void rewrite_static(struct cn_program *program, const struct cn_variable *variable)
{
  struct cn_source *source = cn_program_source(program, variable->position.file);
  uint32_t name = cn_source_token_at(source, variable->position.at);

  if (!cn_ptrmap_find(&program->suppressed, cn_position_key(variable->position)) &&
      !cn_rewrite_typedef_covers(program, source, name))
    cn_source_edit(source, variable->position.at, variable->position.at, cn_strdup("managed "));
}

static void rewrite_local(struct cn_program *program, const struct cn_variable *variable)
{
  struct cn_source *source = cn_program_source(program, variable->position.file);
  bool shares = variable->type->kind == CN_TYPE_RECORD &&
                cn_ptrmap_find(&program->suppressed, cn_position_key(variable->position)) != NULL;
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
}

void cn_variables_rewrite(struct cn_program *program, struct cn_counts *counts)
{
  for (size_t i = 0; i < program->variables.count; i++) {
    const struct cn_variable *variable = &program->variables.at[i];
    if (!becomes_object(program, variable))
      continue;
    if (variable->linked) {
      rewrite_static(program, variable);
    } else {
      rewrite_local(program, variable);
      counts->pointers++;
      counts->allocations++;
    }
  }
}
