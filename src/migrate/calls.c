/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows pointers through calls. Arguments become equal to the parameters of the program's functions, and are held
 * ordinary if they reach native code; calls that allocate, free, copy and sort are noted for the rewriting.
 */
#include <string.h>
#include "migrate/program.h"

/* True for the type of malloc(). */
static bool is_type_of_allocator(CXType type)
{
  CXType function = clang_getCanonicalType(type);

  if (function.kind == CXType_Pointer)
    function = clang_getPointeeType(function);
  if (function.kind != CXType_FunctionProto || clang_getNumArgTypes(function) != 1)
    return false;
  CXType result = clang_getResultType(function), size = clang_getArgType(function, 0);
  return result.kind == CXType_Pointer && clang_getPointeeType(result).kind == CXType_Void &&
         (size.kind == CXType_ULong || size.kind == CXType_UInt || size.kind == CXType_ULongLong);
}

static const struct cn_callee *callee_of(struct cn_walk *walk, CXCursor call)
{
  static const struct cn_callee indirect = {"malloc", CN_CALLEE_ALLOCATE, 0, -1, -1};
  CXCursor function = clang_getCursorReferenced(call);

  if (clang_getCursorKind(function) == CXCursor_FunctionDecl)
    return cn_allocators_callee(walk->program, function);
  struct cn_cursors children = cn_cursor_children(call);
  bool allocates = children.count && is_type_of_allocator(clang_getCursorType(children.at[0]));
  cn_free(&children);
  return allocates ? &indirect : cn_allocators_callee(walk->program, function);
}

static struct cn_value value_of_type(struct cn_type *type)
{
  return (struct cn_value){.type = type, .variable = clang_getNullCursor()};
}

static CXCursor argument(CXCursor call, int index)
{
  if (index < 0 || index >= clang_Cursor_getNumArguments(call))
    return clang_getNullCursor();
  return clang_Cursor_getArgument(call, (unsigned)index);
}

/* The value of an argument, before the conversion to a void pointer. */
static struct cn_value argument_value(struct cn_walk *walk, CXCursor call, int index)
{
  CXCursor cursor = argument(call, index);

  return clang_Cursor_isNull(cursor) ? value_of_type(&cn_type_scalar) : cn_value_of(walk, cursor);
}

static void value_arguments(struct cn_walk *walk, CXCursor call)
{
  for (int i = 0; i < clang_Cursor_getNumArguments(call); i++)
    argument_value(walk, call, i);
}

CXCursor cn_call_within(CXCursor expression)
{
  for (;;) {
    enum CXCursorKind kind = clang_getCursorKind(expression);
    if (kind == CXCursor_CallExpr)
      return expression;
    struct cn_cursors children = cn_cursor_children(expression);
    CXCursor child = children.count == 1 ? children.at[0] : clang_getNullCursor();
    cn_free(&children);
    if (clang_Cursor_isNull(child) || (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr))
      return clang_getNullCursor();
    expression = child;
  }
}

bool cn_call_allocates(struct cn_walk *walk, CXCursor expression)
{
  CXCursor call = cn_call_within(expression);

  if (clang_Cursor_isNull(call))
    return false;
  enum cn_callee_kind kind = callee_of(walk, call)->kind;
  return kind == CN_CALLEE_ALLOCATE || kind == CN_CALLEE_RESIZE;
}

static void hold(struct cn_walk *walk, const struct cn_type *type, enum cn_reason reason, CXCursor at, const char *name)
{
  if (type->kind == CN_TYPE_POINTER)
    cn_classes_hold(&walk->program->classes, type->pointer,
                    (struct cn_held){reason, cn_walk_position(walk, at), name ? cn_strdup(name) : NULL});
}

struct cn_value cn_call_allocation(struct cn_walk *walk, CXCursor outer, CXCursor call, struct cn_type *type,
                                   CXType target)
{
  struct cn_program *program = walk->program;
  const struct cn_callee *callee = callee_of(walk, call);
  struct cn_allocation allocation = {.pointer = type->pointer, .element = type->to};
  bool editable = cn_walk_extent(walk, outer, call, &allocation.position, &allocation.end);
  enum cn_reason reason = cn_size_read(walk, call, callee, target, &allocation);
  bool added;

  allocation.begin = allocation.position.at;
  value_arguments(walk, call);
  if (callee->kind == CN_CALLEE_RESIZE) {
    struct cn_value old = argument_value(walk, call, callee->array);
    allocation.array =
        cn_program_keep(program, cn_program_text_of(program, cn_value_strip(argument(call, callee->array))));
    cn_type_unify(program, type, old.type);
    program->classes.pointers.at[cn_classes_find(&program->classes, type->pointer)].resized = true;
    allocation.form = CN_ALLOCATE_RESIZED;
    if (!allocation.array)
      reason = CN_REASON_MACRO;
  }
  if (!editable)
    reason = CN_REASON_MACRO;
  if (reason)
    hold(walk, type, reason, call, NULL);
  allocation.rewritable = !reason;
  program->classes.pointers.at[cn_classes_find(&program->classes, type->pointer)].allocated = true;
  cn_ptrmap_add(&program->calls, cn_position_key(allocation.position), &added);
  if (added || !editable)
    cn_push(&program->allocations, allocation);
  return value_of_type(type);
}

/* Notes a call that frees `value`, if the text of the call can be edited. */
static bool note_free(struct cn_walk *walk, CXCursor call, int index, const struct cn_value *value,
                      struct cn_free_call freed)
{
  struct cn_program *program = walk->program;
  struct cn_position begin;
  uint32_t end;
  bool added;

  if (!cn_walk_extent(walk, call, call, &freed.position, &freed.end))
    return false;
  freed.begin = freed.position.at;
  freed.pointer = value->type->pointer;
  freed.form = CN_FREE_EXPRESSION;
  if (!cn_value_only_reads(argument(call, index))) {
    freed.form = CN_FREE_EVALUATED;
    if (clang_Cursor_getNumArguments(call) != 1 || !cn_program_extent(program, call, &begin, &end))
      hold(walk, value->type, CN_REASON_FREED, call, NULL);
  } else if (clang_equalCursors(call, walk->statement)) {
    freed.form = walk->form;
    freed.begin = walk->begin;
    freed.end = walk->end;
  }
  cn_ptrmap_add(&program->calls, cn_position_key(freed.position), &added);
  if (added)
    cn_push(&program->frees, freed);
  return true;
}

static struct cn_value free_value(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee)
{
  struct cn_value value = argument_value(walk, call, callee->array);

  if (value.type->kind == CN_TYPE_POINTER &&
      !note_free(walk, call, callee->array, &value, (struct cn_free_call){.function = 0}))
    hold(walk, value.type, CN_REASON_MACRO, call, NULL);
  return value_of_type(&cn_type_scalar);
}

/* Notes a call through a pointer to a function that has the type of free(). False for other calls. */
static bool note_indirect_free(struct cn_walk *walk, CXCursor call, uint32_t pointer, const struct cn_type *function)
{
  if (!pointer || function->to->kind != CN_TYPE_VOID || function->count != 1 ||
      function->parameters[0]->kind != CN_TYPE_POINTER || function->parameters[0]->to->kind != CN_TYPE_VOID ||
      clang_Cursor_getNumArguments(call) != 1)
    return false;
  struct cn_value value = argument_value(walk, call, 0);
  struct cn_free_call freed = {.function = pointer, .parameter = function->parameters[0], .argument = value.type};
  return value.type->kind == CN_TYPE_POINTER && cn_value_only_reads(argument(call, 0)) &&
         note_free(walk, call, 0, &value, freed);
}

void cn_calls_resolve(struct cn_program *program)
{
  size_t kept = 0;

  for (size_t i = 0; i < program->frees.count; i++) {
    const struct cn_free_call freed = program->frees.at[i];
    if (freed.function && !program->classes.pointers.at[cn_classes_find(&program->classes, freed.function)].frees)
      cn_type_unify(program, freed.parameter, freed.argument);
    else
      program->frees.at[kept++] = freed;
  }
  program->frees.count = kept;
}

/* memcpy() and memmove(): the targets are equal, and the pointers are independent. */
static struct cn_value copy_value(struct cn_walk *walk, CXCursor call)
{
  struct cn_value to = argument_value(walk, call, 0), from = argument_value(walk, call, 1);

  argument_value(walk, call, 2);
  if (to.type->kind == CN_TYPE_POINTER && from.type->kind == CN_TYPE_POINTER)
    cn_type_unify(walk->program, cn_type_target(walk->program, to.type), cn_type_target(walk->program, from.type));
  to.place = 0;
  return to;
}

static void need_header(struct cn_walk *walk, CXCursor call, const struct cn_type *type, bool array)
{
  struct cn_position position = cn_walk_position(walk, call);

  if (type->kind == CN_TYPE_POINTER && cn_program_source(walk->program, position.file))
    cn_push(&walk->program->needs, (struct cn_need){position.file, type->pointer, array});
}

static struct cn_value search_value(struct cn_walk *walk, CXCursor call)
{
  struct cn_value value = argument_value(walk, call, 0);

  argument_value(walk, call, 1);
  argument_value(walk, call, 2);
  need_header(walk, call, value.type, false);
  value.place = 0;
  value.interior = true;
  return value;
}

static void native_call(struct cn_walk *walk, CXCursor call, const char *name)
{
  for (int i = 0; i < clang_Cursor_getNumArguments(call); i++) {
    struct cn_value value = argument_value(walk, call, i);
    cn_type_hold(walk->program, value.type, CN_REASON_PASSED, cn_walk_position(walk, argument(call, i)), name);
  }
}

/* qsort() becomes cairn_sort() if the array is managed; the parameters of the comparator point into the array. */
static struct cn_value sort_value(struct cn_walk *walk, CXCursor call)
{
  struct cn_program *program = walk->program;
  struct cn_value base = argument_value(walk, call, 0), compare = argument_value(walk, call, 3);
  struct cn_sort_call sort = {.base = base.type};
  struct cn_type *function = compare.type->kind == CN_TYPE_POINTER ? compare.type->to : compare.type;
  char *array = cn_program_text_of(program, argument(call, 0)), *count = cn_program_text_of(program, argument(call, 1));
  char *order = cn_program_text_of(program, argument(call, 3));
  bool editable = cn_program_extent(program, call, &sort.position, &sort.end), added;

  argument_value(walk, call, 1);
  argument_value(walk, call, 2);
  if (base.type->kind != CN_TYPE_POINTER || function->kind != CN_TYPE_FUNCTION || !array || !count || !order ||
      !editable) {
    hold(walk, base.type, CN_REASON_SORTED, call, "qsort");
  } else {
    sort.begin = sort.position.at;
    sort.text = cn_program_keep(program, cn_format("cairn_sort(%s, %s, %s)", array, count, order));
    for (size_t i = 0; i < function->count; i++)
      cn_type_unify(program, function->parameters[i], base.type);
    cn_ptrmap_add(&program->calls, cn_position_key(sort.position), &added);
    if (added)
      cn_push(&program->sorts, sort);
    need_header(walk, call, base.type, true);
  }
  free(array);
  free(count);
  free(order);
  return value_of_type(&cn_type_scalar);
}

/* A function of native code. */
static struct cn_value native_value(struct cn_walk *walk, CXCursor call)
{
  char *name = cn_cursor_name(call);
  struct cn_type *type = cn_type_of_expression(walk->program, clang_getCursorType(call));

  native_call(walk, call, name);
  cn_type_hold(walk->program, type, CN_REASON_RESULT, cn_walk_position(walk, call), name);
  free(name);
  return value_of_type(type);
}

static void pass_arguments(struct cn_walk *walk, CXCursor call, const struct cn_type *function)
{
  for (int i = 0; i < clang_Cursor_getNumArguments(call); i++) {
    struct cn_value value = argument_value(walk, call, i);
    if ((size_t)i < function->count) {
      cn_type_unify(walk->program, function->parameters[i], value.type);
      cn_flow_note(walk, function->parameters[i], &value, CN_FLOW_CALL, call);
      continue;
    }
    char *name = cn_cursor_name(call);
    cn_type_hold(walk->program, value.type, CN_REASON_VARIADIC, cn_walk_position(walk, argument(call, i)), name);
    free(name);
  }
}

static struct cn_value program_value(struct cn_walk *walk, CXCursor call, CXCursor function)
{
  struct cn_type *type;
  uint32_t pointer = 0;

  if (clang_getCursorKind(function) == CXCursor_FunctionDecl) {
    type = cn_type_declared(walk->program, function);
  } else {
    struct cn_cursors children = cn_cursor_children(call);
    type = children.count ? cn_value_of(walk, children.at[0]).type : &cn_type_scalar;
    cn_free(&children);
    if (type->kind == CN_TYPE_POINTER) {
      pointer = type->pointer;
      type = type->to;
    }
  }
  if (type->kind != CN_TYPE_FUNCTION)
    return native_value(walk, call);
  if (note_indirect_free(walk, call, pointer, type))
    return value_of_type(type->to);
  pass_arguments(walk, call, type);
  return value_of_type(type->to);
}

/* The cast that replaces the name of a function which returns its argument. The caller frees the text. */
static char *cast_text(struct cn_walk *walk, const struct cn_type *to)
{
  size_t depth = walk->enclosing.count;
  bool cast = depth >= 2 && clang_getCursorKind(walk->enclosing.at[depth - 2]) == CXCursor_CStyleCastExpr;
  const char *name = to->kind == CN_TYPE_RECORD && to->record->tag ? to->record->tag : to->name;

  return cast || !name ? cn_strdup("") : cn_format("(%s managed *)", name);
}

/* A call that only changes the type of its argument: the argument replaces the call if it is managed. */
static struct cn_value same_value(struct cn_walk *walk, CXCursor call)
{
  struct cn_program *program = walk->program;
  struct cn_value value = argument_value(walk, call, 0);
  struct cn_position begin;
  uint32_t end;

  value.place = 0;
  if (value.type->kind != CN_TYPE_POINTER)
    return value;
  if (!cn_program_extent(program, call, &begin, &end)) {
    hold(walk, value.type, CN_REASON_MACRO, call, NULL);
    return value;
  }
  const struct cn_source *source = cn_program_source(program, begin.file);
  const struct cn_token *open = &source->tokens.at[cn_source_token_from(source, begin.at) + 1];
  cn_edit_if_managed(program, &value.type->pointer, 1, begin, open->at, cast_text(walk, value.type->to));
  return value;
}

/* A function of Cairn: its declaration tells the references among its parameters. */
static struct cn_value cairn_value(struct cn_walk *walk, CXCursor call, CXCursor function)
{
  CXType type = clang_getCursorType(function);
  char *name = cn_cursor_name(call);

  for (int i = 0; i < clang_Cursor_getNumArguments(call); i++) {
    struct cn_value value = argument_value(walk, call, i);
    CXType parameter = clang_getCanonicalType(clang_getArgType(type, (unsigned)i));
    if (parameter.kind == CXType_Pointer && clang_getAddressSpace(clang_getPointeeType(parameter)) != 1)
      cn_type_hold(walk->program, value.type, CN_REASON_PASSED, cn_walk_position(walk, argument(call, i)), name);
  }
  free(name);
  return value_of_type(cn_type_of_expression(walk->program, clang_getCursorType(call)));
}

static void note_jump(struct cn_walk *walk, CXCursor call)
{
  struct cn_note note = {.position = cn_walk_position(walk, call),
                         .text = "setjmp(), which a function that handles references may not call",
                         .choices = "move the call to a function of its own without references, or return an error"};

  cn_push(&walk->program->notes, note);
}

struct cn_value cn_call_value(struct cn_walk *walk, CXCursor call)
{
  CXCursor function = clang_getCursorReferenced(call);
  const struct cn_callee *callee = callee_of(walk, call);
  struct cn_value value;

  switch (callee->kind) {
  case CN_CALLEE_ALLOCATE:
  case CN_CALLEE_RESIZE:
    return cn_call_allocation(walk, call, call, cn_type_of_expression(walk->program, clang_getCursorType(call)),
                              cn_cursor_pointee(call));
  case CN_CALLEE_FREE:
    return free_value(walk, call, callee);
  case CN_CALLEE_COPY:
    return copy_value(walk, call);
  case CN_CALLEE_FILL:
    value = argument_value(walk, call, 0);
    value.place = 0;
    argument_value(walk, call, 1);
    argument_value(walk, call, 2);
    return value;
  case CN_CALLEE_SEARCH:
    return search_value(walk, call);
  case CN_CALLEE_PRINT:
    need_header(walk, call, argument_value(walk, call, 0).type, false);
    value_arguments(walk, call);
    return value_of_type(&cn_type_scalar);
  case CN_CALLEE_READ:
    value_arguments(walk, call);
    return value_of_type(&cn_type_scalar);
  case CN_CALLEE_SORT:
    return sort_value(walk, call);
  case CN_CALLEE_SAME:
    return same_value(walk, call);
  case CN_CALLEE_JUMP:
    note_jump(walk, call);
    return native_value(walk, call);
  case CN_CALLEE_FORMAT:
  case CN_CALLEE_COPY_TEXT:
  case CN_CALLEE_DUPLICATE:
    return cn_text_call(walk, call, callee);
  case CN_CALLEE_OTHER:
    break;
  }
  if (clang_getCursorKind(function) != CXCursor_FunctionDecl)
    return program_value(walk, call, function);
  if (cn_program_name(walk->program, function)->defined)
    return program_value(walk, call, function);
  if (cn_program_is_cairn(walk->program, function))
    return cairn_value(walk, call, function);
  return native_value(walk, call);
}
