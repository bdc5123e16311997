/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the places that need a person: for each kind of objects that stays ordinary, the places that hold it, with the
 * choices there. Without state.
 */
#include <string.h>
#include "migrate/program.h"

static void print_position(const struct cn_program *program, struct cn_position position, FILE *out)
{
  const struct cn_file *file = &program->files.at[position.file];

  if (file->source)
    fprintf(out, "%s:%u: ", file->path, cn_source_line_of(file->source, position.at));
  else
    fprintf(out, "%s: ", file->path);
}

static void print_held(const struct cn_program *program, const struct cn_held *held, FILE *out)
{
  print_position(program, held->position, out);
  fputs("  ", out);
  fprintf(out, cn_reason_texts[held->reason], held->name ? held->name : "");
  fprintf(out, ": %s\n", cn_reason_choices[held->reason]);
}

/* True if a pointer to char follows in the list of reasons. One is enough for a person. */
static bool has_text_before(const struct cn_program *program, uint32_t next)
{
  while ((next = program->classes.held.at[next - 1].next) != 0)
    if (program->classes.held.at[next - 1].what.reason == CN_REASON_TEXT)
      return true;
  return false;
}

/* Prints the reasons of a class in the order of their discovery. Returns their number. */
static size_t print_reasons(const struct cn_program *program, uint32_t next, FILE *out)
{
  if (!next)
    return 0;
  size_t before = print_reasons(program, program->classes.held.at[next - 1].next, out);
  const struct cn_held *held = &program->classes.held.at[next - 1].what;
  bool first_text = held->reason != CN_REASON_TEXT || !has_text_before(program, next);
  if (!*cn_reason_texts[held->reason] || !first_text)
    return before;
  if (out)
    print_held(program, held, out);
  return before + 1;
}

static size_t report_class(struct cn_program *program, const struct cn_allocation *allocation, FILE *out)
{
  uint32_t class = cn_classes_find(&program->classes, allocation->pointer);
  uint32_t held = program->classes.pointers.at[class].held;
  size_t allocations = 0, reasons = print_reasons(program, held, NULL);

  for (size_t i = 0; i < program->allocations.count; i++)
    allocations += cn_classes_find(&program->classes, program->allocations.at[i].pointer) == class;
  if (!reasons)
    return 0;
  char *text = cn_type_text(program, allocation->element);
  print_position(program, allocation->position, out);
  bool managed = cn_solve_is_managed(program, allocation->pointer);
  fprintf(out, "objects of type %s (allocations: %zu) %s:\n", text ? text : "without a name", allocations,
          managed ? "become managed against these reasons" : "stay ordinary");
  free(text);
  return print_reasons(program, held, out);
}

size_t cn_report_places(struct cn_program *program, FILE *out)
{
  struct cn_ptrmap done = {0};
  size_t places = 0;

  for (size_t i = 0; i < program->allocations.count; i++) {
    const struct cn_allocation *allocation = &program->allocations.at[i];
    uint32_t class = cn_classes_find(&program->classes, allocation->pointer);
    bool added;
    if (allocation->element->character && !program->options.strings)
      continue;
    cn_ptrmap_add(&done, (const void *)(uintptr_t)class, &added);
    if (added && program->classes.pointers.at[class].held)
      places += report_class(program, allocation, out);
  }
  for (size_t i = 0; i < program->notes.count; i++) {
    print_position(program, program->notes.at[i].position, out);
    fprintf(out, "%s: %s\n", program->notes.at[i].text, program->notes.at[i].choices);
    places++;
  }
  cn_ptrmap_free(&done);
  return places;
}
