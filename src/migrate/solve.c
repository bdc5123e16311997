/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which pointers become managed, after all units are read: memory that stays ordinary cannot hold references,
 * so pointers in such memory stay ordinary, too. Also writes types as C does after the migration.
 */
#include <string.h>
#include "migrate/program.h"

bool cn_solve_is_managed(struct cn_program *program, uint32_t pointer)
{
  return cn_classes_is_managed(&program->classes, pointer, program->options.prefer);
}

/* Holds the managed pointers that lie in an object of the type. True if there was one. */
static bool hold_stored(struct cn_program *program, const struct cn_type *type, enum cn_reason reason,
                        struct cn_position position)
{
  bool changed = false;

  if (!type)
    return false;
  switch (type->kind) {
  case CN_TYPE_POINTER:
    changed = cn_solve_is_managed(program, type->pointer);
    if (changed)
      cn_classes_hold(&program->classes, type->pointer, (struct cn_held){.reason = reason, .position = position});
    return changed && !cn_solve_is_managed(program, type->pointer);
  case CN_TYPE_ARRAY:
    return hold_stored(program, type->to, reason, position);
  case CN_TYPE_RECORD:
    for (size_t i = 0; i < type->record->fields.count; i++)
      changed |= hold_stored(program, type->record->fields.at[i], reason, position);
    return changed;
  default:
    return false;
  }
}

static const struct cn_type *element_of(struct cn_program *program, uint32_t pointer, const struct cn_type *element)
{
  return element->kind == CN_TYPE_VOID
             ? program->classes.pointers.at[cn_classes_find(&program->classes, pointer)].target
             : element;
}

/* Holds allocations whose element has no name in C. */
static void hold_nameless(struct cn_program *program)
{
  for (size_t i = 0; i < program->allocations.count; i++) {
    const struct cn_allocation *allocation = &program->allocations.at[i];
    char *text = cn_type_text(program, allocation->element);
    bool nameless = !allocation->other && (!text || strcmp(text, "void") == 0);
    if (nameless && allocation->rewritable && allocation->form < CN_ALLOCATE_RESIZED)
      cn_classes_hold(&program->classes, allocation->pointer,
                      (struct cn_held){.reason = CN_REASON_SIZE, .position = allocation->position});
    free(text);
  }
}

static void note_storage(struct cn_program *program, uint32_t pointer)
{
  if (pointer)
    program->classes.pointers.at[cn_classes_find(&program->classes, pointer)].stored = true;
}

/* Pointers to a record whose objects all become managed do so, too, if no object reaches them: those of functions that
 * the program does not call. */
static void follow_objects(struct cn_program *program)
{
  for (size_t i = 0; i < program->allocations.count; i++) {
    const struct cn_allocation *allocation = &program->allocations.at[i];
    const struct cn_type *element = element_of(program, allocation->pointer, allocation->element);
    if (element && element->kind == CN_TYPE_RECORD) {
      bool managed = cn_solve_is_managed(program, allocation->pointer);
      element->record->managed |= managed;
      element->record->ordinary |= !managed;
    }
  }
  for (size_t i = 0; i < program->variables.count; i++) {
    const struct cn_variable *variable = &program->variables.at[i];
    note_storage(program, variable->linked ? variable->linked->storage : variable->pointer);
  }
  for (uint32_t i = 1; i < program->classes.pointers.count; i++) {
    struct cn_pointer *class = &program->classes.pointers.at[cn_classes_find(&program->classes, i)];
    const struct cn_type *target = class->target;
    class->follows = !class->held && !class->stored && target && target->kind == CN_TYPE_RECORD &&
                     target->record->managed && !target->record->ordinary;
  }
}

/* Holds the pointers in ordinary memory of the heap, until nothing changes. */
static void hold_all_stored(struct cn_program *program)
{
  bool again = true;

  while (again) {
    again = false;
    for (size_t i = 0; i < program->allocations.count; i++) {
      const struct cn_allocation *allocation = &program->allocations.at[i];
      if (!cn_solve_is_managed(program, allocation->pointer))
        again |= hold_stored(program, element_of(program, allocation->pointer, allocation->element), CN_REASON_STORED,
                             allocation->position);
    }
    for (size_t i = 0; i < program->sorts.count; i++) {
      const struct cn_sort_call *sort = &program->sorts.at[i];
      if (!cn_solve_is_managed(program, sort->base->pointer))
        again |= hold_stored(program, cn_type_target(program, sort->base), CN_REASON_SORTED, sort->position);
    }
  }
}

void cn_solve(struct cn_program *program)
{
  cn_flows_resolve(program);
  cn_variables_hold_fixed(program);
  cn_unions_hold_fixed(program);
  hold_nameless(program);
  hold_all_stored(program);
  follow_objects(program);
  hold_all_stored(program);
}

/* True if the name is that of a typedef that gets the qualifier. */
static bool has_qualifier(struct cn_program *program, const struct cn_type *type)
{
  for (size_t i = 0; type->name && i < program->typedefs.count; i++)
    if (program->typedefs.at[i].managed && strcmp(program->typedefs.at[i].name, type->name) == 0)
      return true;
  return false;
}

char *cn_type_text(struct cn_program *program, const struct cn_type *type)
{
  if (type->name) {
    bool tagged = type->kind == CN_TYPE_RECORD && type->record->tag;
    return cn_strdup(tagged && cn_type_is_hidden(program, type->name) ? type->record->tag : type->name);
  }
  if (type->kind != CN_TYPE_POINTER || type->to->kind == CN_TYPE_FUNCTION || type->to->kind == CN_TYPE_ARRAY)
    return NULL;
  char *target = cn_type_text(program, type->to);
  if (!target)
    return NULL;
  bool managed = cn_solve_is_managed(program, type->pointer) && !has_qualifier(program, type->to);
  bool star = target[strlen(target) - 1] == '*';
  char *text = cn_format(managed ? "%s%smanaged *" : "%s%s*", target, star && !managed ? "" : star ? "" : " ");
  free(target);
  return text;
}
