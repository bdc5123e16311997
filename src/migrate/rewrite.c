/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the qualifier before the stars of managed pointers, and splits declarations whose declarators differ. The
 * edits stay in the files' sources until cn_source_settle_edits().
 */
#include <ctype.h>
#include <string.h>
#include "migrate/program.h"

/* True if the declarator begins with a pointer that becomes managed, or is a struct that becomes an object. `*ends` is
 * true if the declaration ends after the declarator. */
static bool becomes_managed(struct cn_program *program, const struct cn_group *group,
                            const struct cn_declarator_entry *entry, bool *ends)
{
  const struct cn_source *source = cn_program_source(program, group->file);
  bool moves = cn_variable_moves(program, (struct cn_position){group->file, entry->name}, ends);

  *ends &= moves;
  if (entry->pointer)
    return !program->classes.pointers.at[entry->pointer].written && cn_solve_is_managed(program, entry->pointer);
  return moves && source->tokens.at[entry->begin].at == entry->name;
}

/* The specifiers of a declaration, without the body of a struct; the caller frees the text. */
static char *specifiers_of(const struct cn_source *source, const struct cn_group *group)
{
  uint32_t first = group->entries.at[0].begin;
  char *text = cn_strdup("");

  for (uint32_t token = group->begin; token < first; token++) {
    if (cn_source_token_is(source, token, "{")) {
      token = cn_source_match_forwards(source, token);
      if (token == CN_NO_TOKEN)
        break;
      continue;
    }
    const struct cn_token *at = &source->tokens.at[token];
    char *before = text;
    text = cn_format("%s%s%.*s", before, *before ? " " : "", (int)at->length, source->text + at->at);
    free(before);
  }
  return text;
}

static int compare_entries(const void *one, const void *other)
{
  const struct cn_declarator_entry *a = one, *b = other;

  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void suppress(struct cn_program *program, const struct cn_group *group, const struct cn_source *source,
                     const struct cn_declarator_entry *entry)
{
  struct cn_position star = {group->file, source->tokens.at[entry->begin].at};

  cn_ptrmap_add(&program->suppressed, cn_position_key(star), NULL);
}

/* `struct x {...} *p` in a typedef: the struct gets its own declaration. */
static void split_body(struct cn_program *program, struct cn_group *group, struct cn_source *source)
{
  const struct cn_declarator_entry *first = &group->entries.at[0];

  bool ends;

  if (!becomes_managed(program, group, first, &ends) || !first->begin ||
      !cn_source_token_is(source, first->begin - 1, "}"))
    return;
  const struct cn_token *word = &source->tokens.at[group->begin], *next = word + 1;
  char *specifiers = specifiers_of(source, group);
  uint32_t after = source->tokens.at[first->begin - 1].at + 1;
  cn_source_edit(source, word->at, next->at, cn_strdup(""));
  cn_source_edit(source, after, after, cn_format("; %s", specifiers));
  free(specifiers);
}

static void split_group(struct cn_program *program, struct cn_group *group)
{
  struct cn_source *source = cn_program_source(program, group->file);

  qsort(group->entries.at, group->entries.count, sizeof *group->entries.at, compare_entries);
  split_body(program, group, source);
  for (size_t i = 1; i < group->entries.count; i++) {
    const struct cn_declarator_entry *entry = &group->entries.at[i];
    bool ends, unused, before = becomes_managed(program, group, &group->entries.at[i - 1], &ends);
    bool now = becomes_managed(program, group, entry, &unused);
    ends &= before;
    if (before && now && !ends)
      suppress(program, group, source, entry);
    if ((before == now && !ends) || !cn_source_token_is(source, entry->begin - 1, ","))
      continue;
    uint32_t comma = source->tokens.at[entry->begin - 1].at;
    char *specifiers = specifiers_of(source, group);
    cn_source_edit(source, comma, comma + 1, cn_format("; %s", specifiers));
    free(specifiers);
  }
}

/* A parameter that is declared as an array: `int a[]` becomes `int managed *a`. */
static void rewrite_brackets(struct cn_source *source, uint32_t open)
{
  uint32_t close = cn_source_match_forwards(source, open), name = open - 1;
  const struct cn_token *tokens = source->tokens.at;

  CN_CHECK(close != CN_NO_TOKEN && open > 0);
  cn_source_edit(source, tokens[name].at, tokens[name].at, cn_strdup("managed *"));
  cn_source_edit(source, tokens[open].at, tokens[close].at + 1, cn_strdup(""));
}

static void rewrite_pointer(struct cn_program *program, const struct cn_pointer *pointer, struct cn_counts *counts)
{
  struct cn_source *source = cn_program_source(program, pointer->place.file);
  uint32_t at = pointer->place.at, token = cn_source_token_at(source, at);

  counts->pointers++;
  if (cn_ptrmap_find(&program->suppressed, cn_position_key(pointer->place)) ||
      cn_rewrite_typedef_covers(program, source, token))
    return;
  if (pointer->brackets) {
    rewrite_brackets(source, token);
    return;
  }
  char before = at ? source->text[at - 1] : ' ';
  bool word = isalnum((unsigned char)before) || before == '_' || before == ')' || before == '}';
  cn_source_edit(source, at, at, cn_strdup(word ? " managed" : "managed "));
}

static void rewrite_pointers(struct cn_program *program, struct cn_counts *counts)
{
  struct cn_ptrmap done = {0};

  for (uint32_t i = 1; i < program->classes.pointers.count; i++) {
    const struct cn_pointer *pointer = &program->classes.pointers.at[i];
    bool added;
    if (!pointer->place.file || pointer->written || !cn_solve_is_managed(program, i))
      continue;
    cn_ptrmap_add(&done, cn_position_key(pointer->place), &added);
    if (added)
      rewrite_pointer(program, pointer, counts);
  }
  cn_ptrmap_free(&done);
}

void cn_rewrite(struct cn_program *program, struct cn_counts *counts)
{
  cn_rewrite_typedefs(program);
  for (size_t i = 0; i < program->groups.count; i++)
    split_group(program, &program->groups.at[i]);
  rewrite_pointers(program, counts);
  cn_variables_rewrite(program, counts);
  cn_rewrite_unions(program);
  cn_rewrite_calls(program, counts);
  for (size_t i = 0; i < program->needs.count; i++) {
    const struct cn_need *need = &program->needs.at[i];
    if (!cn_solve_is_managed(program, need->pointer))
      continue;
    if (need->array)
      program->files.at[need->file].needs_array = true;
    else
      program->files.at[need->file].needs_text = true;
  }
  cn_rewrite_includes(program);
  for (size_t i = 1; i < program->files.count; i++) {
    struct cn_source *source = program->files.at[i].source;
    if (!source)
      continue;
    cn_source_settle_edits(source);
    counts->changed += cn_source_diff(source, NULL);
    counts->lines += source->lines.count - (source->lines.at[source->lines.count - 1] == source->size);
  }
}
