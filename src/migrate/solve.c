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

void cn_solve(struct cn_program *program)
{
  bool again = true;

  cn_variables_hold_fixed(program);
  hold_nameless(program);
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
