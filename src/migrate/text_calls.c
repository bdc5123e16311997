/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows text through calls that have a counterpart in <cairn/string.h>: copies of texts, and output by printf(). Such
 * a call gets conditional edits, which are made if its text becomes managed.
 */
#include <string.h>
#include "migrate/program.h"

enum { MAX_FORMAT_ARGUMENTS = 16 };

void cn_edit_if_managed(struct cn_program *program, const uint32_t *pointers, size_t count, struct cn_position position,
                        uint32_t end, char *text)
{
  uint32_t *kept = cn_program_alloc(program, count * sizeof *kept);

  memcpy(kept, pointers, count * sizeof *kept);
  cn_push(&program->conditional,
          (struct cn_conditional_edit){kept, count, position, end, cn_program_keep(program, text)});
}

static CXCursor argument(CXCursor call, int index)
{
  return index < 0 ? clang_getNullCursor() : clang_Cursor_getArgument(call, (unsigned)index);
}

static void need_text(struct cn_walk *walk, const uint32_t *pointers, size_t count, struct cn_position position)
{
  for (size_t i = 0; i < count; i++)
    cn_push(&walk->program->needs, (struct cn_need){position.file, pointers[i], false});
}

static void hold_argument(struct cn_walk *walk, const struct cn_type *type, enum cn_reason reason, CXCursor call,
                          CXCursor at)
{
  if (type->kind == CN_TYPE_POINTER)
    cn_classes_hold(&walk->program->classes, type->pointer,
                    (struct cn_held){reason, cn_walk_position(walk, at), cn_cursor_name(call)});
}

/* True if cairn_format() refuses a conversion of the format. */
static bool format_is_refused(struct cn_walk *walk, CXCursor format)
{
  char *text = cn_program_text_of(walk->program, format);
  bool refused = !text || strstr(text, "%n") || strstr(text, "%L") || strstr(text, "%ls") || strchr(text, '$');

  free(text);
  return refused;
}

/* `printf(FORMAT, ...)` becomes `fputs(cairn_format(FORMAT, ...), stdout)` if a text is managed. */
static void edit_format(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee, const uint32_t *pointers,
                        size_t count)
{
  struct cn_position begin, format, last;
  uint32_t end, format_end;
  char *stream =
      callee->array < 0 ? cn_strdup("stdout") : cn_program_text_of(walk->program, argument(call, callee->array));

  cn_program_extent(walk->program, call, &begin, &end);
  cn_program_extent(walk->program, argument(call, callee->size), &format, &format_end);
  last = (struct cn_position){begin.file, end - 1};
  cn_edit_if_managed(walk->program, pointers, count, begin, format.at, cn_strdup("fputs(cairn_format("));
  cn_edit_if_managed(walk->program, pointers, count, last, last.at, cn_format("), %s", stream ? stream : "stdout"));
  need_text(walk, pointers, count, begin);
  free(stream);
}

static struct cn_value format_call(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee)
{
  struct cn_position begin;
  uint32_t end, pointers[MAX_FORMAT_ARGUMENTS];
  size_t count = 0;
  int arguments = clang_Cursor_getNumArguments(call), first = callee->size + 1;
  bool editable = clang_equalCursors(call, walk->statement) && first <= arguments &&
                  arguments - first <= MAX_FORMAT_ARGUMENTS && cn_program_extent(walk->program, call, &begin, &end) &&
                  cn_program_extent(walk->program, argument(call, callee->size), &begin, &end) &&
                  !format_is_refused(walk, argument(call, callee->size));

  for (int i = 0; i < arguments; i++) {
    struct cn_value value = cn_value_of(walk, argument(call, i));
    bool text = i >= first && value.type->kind == CN_TYPE_POINTER && value.type->to->character;
    if (text && editable && count < MAX_FORMAT_ARGUMENTS)
      pointers[count++] = value.type->pointer;
    else
      hold_argument(walk, value.type, i >= first ? CN_REASON_VARIADIC : CN_REASON_PASSED, call, argument(call, i));
  }
  if (count)
    edit_format(walk, call, callee, pointers, count);
  return (struct cn_value){.type = &cn_type_scalar, .variable = clang_getNullCursor()};
}

/* `strcpy(to, from)` becomes `memcpy(to, from, strlen(from) + 1)`, and strcat() a copy to the end of `to`. */
static struct cn_value copy_call(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee)
{
  struct cn_value to = cn_value_of(walk, argument(call, 0)), from = cn_value_of(walk, argument(call, 1));
  char *to_text = cn_program_text_of(walk->program, argument(call, 0));
  char *from_text = cn_program_text_of(walk->program, argument(call, 1));
  struct cn_position begin, at;
  uint32_t end, to_end;
  bool append = callee->size == 0;
  bool editable = cn_program_extent(walk->program, call, &begin, &end) && to_text && from_text &&
                  cn_program_extent(walk->program, argument(call, 0), &at, &to_end) &&
                  cn_value_only_reads(argument(call, 1)) && (!append || cn_value_only_reads(argument(call, 0)));

  to.place = 0;
  if (to.type->kind != CN_TYPE_POINTER)
    return to;
  if (!editable) {
    hold_argument(walk, to.type, CN_REASON_COPIED, call, call);
    hold_argument(walk, from.type, CN_REASON_COPIED, call, call);
  } else {
    uint32_t pointers[] = {to.type->pointer,
                           from.type->kind == CN_TYPE_POINTER ? from.type->pointer : to.type->pointer};
    struct cn_position last = {begin.file, end - 1}, after = {begin.file, to_end};
    cn_edit_if_managed(walk->program, pointers, 2, begin, at.at, cn_strdup("memcpy("));
    if (append)
      cn_edit_if_managed(walk->program, pointers, 2, after, to_end, cn_format(" + strlen(%s)", to_text));
    cn_edit_if_managed(walk->program, pointers, 2, last, last.at, cn_format(", strlen(%s) + 1", from_text));
  }
  free(to_text);
  free(from_text);
  return to;
}

/* strdup() and strndup() make an object. */
static struct cn_value duplicate_call(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee)
{
  struct cn_program *program = walk->program;
  struct cn_type *type = cn_type_of_expression(program, clang_getCursorType(call));
  struct cn_value from = cn_value_of(walk, argument(call, 0));
  struct cn_allocation allocation = {.form = CN_ALLOCATE_TEXT, .pointer = type->pointer, .element = type->to};
  bool editable = cn_program_extent(program, call, &allocation.position, &allocation.end), added;
  bool simple = cn_value_only_reads(argument(call, 0));

  allocation.begin = allocation.position.at;
  allocation.array = cn_program_keep(program, cn_program_text_of(program, argument(call, 0)));
  allocation.from = from.type->kind == CN_TYPE_POINTER ? from.type->pointer : 0;
  if (callee->count >= 0) {
    cn_value_of(walk, argument(call, callee->count));
    allocation.count = cn_program_keep(program, cn_program_text_of(program, argument(call, callee->count)));
    editable &= allocation.count != NULL;
  }
  allocation.rewritable = editable && allocation.array;
  if (!allocation.rewritable)
    hold_argument(walk, type, CN_REASON_MACRO, call, call);
  if (!simple && (callee->count >= 0 || from.type->kind == CN_TYPE_POINTER))
    hold_argument(walk, from.type, CN_REASON_COPIED, call, call);
  program->classes.pointers.at[cn_classes_find(&program->classes, type->pointer)].allocated = true;
  need_text(walk, &type->pointer, 1, allocation.position);
  need_text(walk, &allocation.from, allocation.from != 0, allocation.position);
  cn_ptrmap_add(&program->calls, cn_position_key(allocation.position), &added);
  if (added || !editable)
    cn_push(&program->allocations, allocation);
  return (struct cn_value){.type = type, .variable = clang_getNullCursor()};
}

struct cn_value cn_text_call(struct cn_walk *walk, CXCursor call, const struct cn_callee *callee)
{
  switch (callee->kind) {
  case CN_CALLEE_FORMAT:
    return format_call(walk, call, callee);
  case CN_CALLEE_COPY_TEXT:
    return copy_call(walk, call, callee);
  default:
    return duplicate_call(walk, call, callee);
  }
}
