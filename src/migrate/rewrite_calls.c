/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewrites the calls that allocate, change a length, free and sort managed objects. Without state.
 */
#include <ctype.h>
#include <string.h>
#include "migrate/program.h"

/* The text of a copy of a text. */
static char *copied_text(struct cn_program *program, const struct cn_allocation *allocation)
{
  bool managed = allocation->from && cn_solve_is_managed(program, allocation->from);
  const char *text = allocation->array;

  if (!allocation->count)
    return managed ? cn_format("cairn_slice(%s, strlen(%s))", text, text) : cn_format("cairn_text(%s)", text);
  return managed ? cn_format("cairn_slice(%s, cairn_strnlen(%s, %s))", text, text, allocation->count)
                 : cn_format("cairn_text_in(%s, strnlen(%s, %s))", text, text, allocation->count);
}

/* The text of a new object or array; the caller frees it. */
static char *new_text(struct cn_program *program, const struct cn_allocation *allocation, const char *element)
{
  uint32_t class = cn_classes_find(&program->classes, allocation->pointer);
  bool resized = program->classes.pointers.at[class].resized;

  switch (allocation->form) {
  case CN_ALLOCATE_ONE:
    return resized ? cn_format("cairn_new_array(%s, 1)", element) : cn_format("cairn_new(%s)", element);
  case CN_ALLOCATE_FLEXIBLE:
    return cn_format("cairn_new_flex(%s, %s, %s)", element, allocation->count, allocation->member);
  case CN_ALLOCATE_ARRAY:
    return cn_format("cairn_new_array(%s, %s)", element, allocation->count);
  case CN_ALLOCATE_TEXT:
    return copied_text(program, allocation);
  case CN_ALLOCATE_RESIZED:
    break;
  }
  bool null = strcmp(allocation->array, "NULL") == 0 || strcmp(allocation->array, "0") == 0;
  return null ? cn_format("cairn_new_array(%s, %s)", element, allocation->count)
              : cn_format("cairn_resize_array(%s, %s)", allocation->array, allocation->count);
}

static void rewrite_allocation(struct cn_program *program, const struct cn_allocation *allocation)
{
  struct cn_source *source = cn_program_source(program, allocation->position.file);
  char *element = cn_type_text(program, allocation->element);
  char *text = new_text(program, allocation, allocation->other ? allocation->other : element);

  if (allocation->other && allocation->element->kind != CN_TYPE_VOID && allocation->form != CN_ALLOCATE_RESIZED) {
    char *plain = text;
    text = cn_format("(%s managed *)%s", element, plain);
    free(plain);
  }
  cn_source_edit(source, allocation->begin, allocation->end, text);
  free(element);
}

static void rewrite_free(struct cn_program *program, const struct cn_free_call *freed)
{
  struct cn_source *source = cn_program_source(program, freed->position.file);

  switch (freed->form) {
  case CN_FREE_STATEMENT:
    cn_source_remove(source, freed->begin, freed->end);
    break;
  case CN_FREE_BRANCH:
    cn_source_edit(source, freed->begin, freed->end, cn_strdup("{}"));
    break;
  case CN_FREE_EXPRESSION:
    cn_source_edit(source, freed->begin, freed->end, cn_strdup("(void)0"));
    break;
  case CN_FREE_EVALUATED: {
    uint32_t open = cn_source_token_from(source, freed->begin) + 1;
    cn_source_edit(source, freed->begin, source->tokens.at[open].at, cn_strdup("(void)"));
    break;
  }
  }
}

void cn_rewrite_calls(struct cn_program *program, struct cn_counts *counts)
{
  for (size_t i = 0; i < program->allocations.count; i++) {
    const struct cn_allocation *allocation = &program->allocations.at[i];
    if (!allocation->rewritable || !cn_solve_is_managed(program, allocation->pointer))
      continue;
    rewrite_allocation(program, allocation);
    counts->allocations++;
  }
  for (size_t i = 0; i < program->frees.count; i++) {
    if (!cn_solve_is_managed(program, program->frees.at[i].pointer))
      continue;
    rewrite_free(program, &program->frees.at[i]);
    counts->frees++;
  }
  for (size_t i = 0; i < program->conditional.count; i++) {
    const struct cn_conditional_edit *edit = &program->conditional.at[i];
    bool managed = false;
    for (size_t k = 0; k < edit->count; k++)
      managed |= cn_solve_is_managed(program, edit->pointers[k]);
    if (managed)
      cn_source_edit(cn_program_source(program, edit->position.file), edit->position.at, edit->end,
                     cn_strdup(edit->text));
  }
  for (size_t i = 0; i < program->sorts.count; i++) {
    const struct cn_sort_call *sort = &program->sorts.at[i];
    if (cn_solve_is_managed(program, sort->base->pointer))
      cn_source_edit(cn_program_source(program, sort->position.file), sort->begin, sort->end, cn_strdup(sort->text));
  }
}
