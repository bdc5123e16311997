/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewrites the unions whose references must not share their place with other data. Without state.
 */
#include "migrate/program.h"

/* Writes the ends of the union around the structs that leave it. */
static void rewrite_parts(struct cn_source *source, const struct cn_union *in, bool mixed)
{
  const struct cn_token *tokens = source->tokens.at;
  uint32_t word = in->open - 1;
  bool inside = !in->parts.at[0].leaves;

  if (!inside)
    cn_source_remove(source, tokens[word].at, tokens[in->open].at + 1);
  else if (mixed)
    cn_source_edit(source, tokens[word].at, tokens[in->open].at + 1, cn_strdup("cairn_union("));
  for (size_t i = 1; i < in->parts.count; i++) {
    uint32_t begin = tokens[in->parts.at[i].begin].at, before = tokens[in->parts.at[i - 1].end].at + 1;
    if (inside && in->parts.at[i].leaves)
      cn_source_edit(source, before, before, cn_strdup(mixed ? " );" : " };"));
    if (!inside && !in->parts.at[i].leaves)
      cn_source_edit(source, begin, begin, cn_strdup(mixed ? "cairn_union( " : "union { "));
    inside = !in->parts.at[i].leaves;
  }
  if (!inside)
    cn_source_remove(source, tokens[in->close].at, tokens[in->close + 1].at + 1);
  else if (mixed)
    cn_source_edit(source, tokens[in->close].at, tokens[in->close].at + 1, cn_strdup(")"));
}

static void rewrite_union(struct cn_program *program, struct cn_union *in)
{
  bool any = false, managed = false, other = in->numbers;

  for (size_t i = 0; i < in->members.count; i++) {
    bool is = cn_solve_is_managed(program, in->members.at[i].pointer);
    any |= is;
    managed |= is && in->members.at[i].direct;
    other |= !is && in->members.at[i].direct;
  }
  if (in->fixed || !any)
    return;
  bool mixed = managed && other, leaves = false;
  for (size_t i = 0; i < in->parts.count; i++)
    leaves |= in->parts.at[i].leaves;
  if (!mixed && !leaves)
    return;
  rewrite_parts(cn_program_source(program, in->position.file), in, mixed);
  cn_push(&program->notes,
          (struct cn_note){.position = in->position,
                           .text = "members of this union no longer share their memory",
                           .choices = "check that the program reads only the member that it assigned last"});
}

void cn_rewrite_unions(struct cn_program *program)
{
  for (size_t i = 0; i < program->unions.count; i++)
    rewrite_union(program, program->unions.at[i]);
}
