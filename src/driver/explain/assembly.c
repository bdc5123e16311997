/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the lines of assembly as LLVM's code generator prints it: instructions with the positions of their .loc
 * directives, blocks with the names of their IR blocks, and the labels that records of the stack map refer to. Runs
 * after code generation, on text that inline assembly of the program may have changed; safepoints.c checks the records.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/explain/explain.h"

/* Lines that labels .LtmpN precede, by N. */
typedef CN_VECTOR(struct cn_explain_place) label_places;

struct assembly_walk {
  struct cn_explain *explain;
  size_t function; /* index, or CN_EXPLAIN_NONE outside of the module's functions */
  struct cn_explain_position position;
  struct cn_text block, ir_block;
  const char *comment; /* the beginning of comments, which depends on the target */
  label_places labels;
  size_t text_size;
  bool in_stack_map;
};

/* ---- positions ---- */

/* The line of the outermost position of a chain: "15" in "a.c:7:3 @[ a.c:15:16 ]". */
static unsigned outermost_line_of(struct cn_text chain)
{
  while (chain.size && (chain.at[chain.size - 1] == ']' || chain.at[chain.size - 1] == ' '))
    chain.size--;
  for (int colons = 0; chain.size; chain.size--)
    if (chain.at[chain.size - 1] == ':' && ++colons == 2)
      return (unsigned)strtoul(chain.at + chain.size, NULL, 10);
  return 0;
}

/* Read "\t.loc\tFILE LINE COLUMN ... # CHAIN", with the target's comment. */
static void take_position(struct assembly_walk *walk, struct cn_text line)
{
  size_t comment = cn_text_find(line, walk->comment);
  struct cn_text chain = cn_text_trim(cn_text_skip(line, comment + strlen(walk->comment)));
  char *end;

  walk->position = (struct cn_explain_position){0};
  strtoul(line.at + 5, &end, 10);
  walk->position.at_line = (unsigned)strtoul(end, NULL, 10);
  if (comment == line.size)
    return;
  walk->position.chain = cn_text_keep(chain);
  walk->position.inlined = cn_text_find(chain, " @[ ") < chain.size;
  walk->position.line = walk->position.at_line ? outermost_line_of(chain) : 0;
}

/* ---- labels ---- */

/* The number of a label .LtmpN, or CN_EXPLAIN_NONE. LLVM's numbers are below the size of the text. */
static size_t label_number_of(const struct assembly_walk *walk, struct cn_text label)
{
  static const char prefix[] = ".Ltmp";
  char *end;

  if (!cn_text_begins_with(label, prefix) || label.size < sizeof prefix)
    return CN_EXPLAIN_NONE;
  unsigned long number = strtoul(label.at + sizeof prefix - 1, &end, 10);
  return end == label.at + label.size && number < walk->text_size ? number : CN_EXPLAIN_NONE;
}

static void take_label(struct assembly_walk *walk, struct cn_text label, struct cn_text comment)
{
  size_t number = label_number_of(walk, label);
  const struct cn_explain_place none = {CN_EXPLAIN_NONE, 0};

  if (number != CN_EXPLAIN_NONE) {
    while (walk->labels.count <= number)
      cn_push(&walk->labels, none);
    size_t lines = walk->function == CN_EXPLAIN_NONE ? 0 : walk->explain->functions.at[walk->function].assembly.count;
    if (lines)
      walk->labels.at[number] = (struct cn_explain_place){walk->function, lines - 1};
    return;
  }
  if (!cn_text_begins_with(label, ".LBB") && !cn_text_begins_with(label, "%bb."))
    return;
  walk->block = label;
  walk->ir_block = cn_text_begins_with(comment, "%") ? cn_text_skip(comment, 1) : (struct cn_text){0};
}

/* "LABEL:   # %NAME" or "# %bb.1:   # %NAME", with the target's comments. */
static bool take_label_line(struct assembly_walk *walk, struct cn_text line)
{
  size_t mark = strlen(walk->comment);
  struct cn_text label = cn_text_begins_with(line, walk->comment) ? cn_text_skip(line, mark) : line;
  size_t colon = cn_text_before(label, ':').size;

  if (line.size == 0 || line.at[0] == '\t' || line.at[0] == ' ' || colon == label.size)
    return false;
  struct cn_text rest = cn_text_skip(label, colon + 1);
  struct cn_text comment = cn_text_trim(cn_text_skip(rest, cn_text_find(rest, walk->comment) + mark));
  take_label(walk, (struct cn_text){label.at, colon}, comment);
  return true;
}

/* ---- lines ---- */

/* The comment tells the target's form of comments. */
static void begin_function(struct assembly_walk *walk, struct cn_text line)
{
  static const char mark[] = " -- Begin function ";
  size_t at = cn_text_find(line, mark);

  if (at == line.size || at == 0)
    return;
  walk->comment = line.at[at - 1] == '/' ? "// " : "# ";
  walk->function = cn_explain_find_function(walk->explain, cn_text_skip(line, at + sizeof mark - 1));
  walk->position = (struct cn_explain_position){0};
  walk->block = walk->ir_block = (struct cn_text){0};
}

static void take_instruction(struct assembly_walk *walk, struct cn_text line)
{
  struct cn_explain_lines *lines = &walk->explain->functions.at[walk->function].assembly;
  struct cn_explain_line taken = {.text = cn_text_trim(line),
                                  .block = walk->block,
                                  .ir_block = walk->ir_block,
                                  .position = walk->position,
                                  .statepoint = CN_EXPLAIN_NONE};

  cn_push(lines, taken);
}

/* "\t.long\t.Ltmp8-walk", or ".word" for some targets, begins the record of the stack map whose code ends at the
 * label. */
static void take_record(struct assembly_walk *walk, struct cn_text line, cn_explain_places *records)
{
  static const char directive[] = "\t.long\t";
  const struct cn_explain_place none = {CN_EXPLAIN_NONE, 0};

  if (!cn_text_begins_with(line, "\t.long\t.Ltmp") && !cn_text_begins_with(line, "\t.word\t.Ltmp"))
    return;
  struct cn_text label = cn_text_before(cn_text_skip(line, sizeof directive - 1), '-');
  size_t number = label_number_of(walk, label);
  cn_push(records, number < walk->labels.count ? walk->labels.at[number] : none);
}

static void take_line(struct assembly_walk *walk, struct cn_text line, cn_explain_places *records)
{
  begin_function(walk, line);
  if (cn_text_begins_with(line, "\t.section\t"))
    walk->in_stack_map = cn_text_begins_with(line, "\t.section\t.llvm_stackmaps,");
  if (walk->in_stack_map)
    take_record(walk, line, records);
  if (walk->function == CN_EXPLAIN_NONE || take_label_line(walk, line))
    return;
  if (cn_text_find(line, " -- End function") < line.size)
    walk->function = CN_EXPLAIN_NONE;
  else if (cn_text_begins_with(line, "\t.loc\t"))
    take_position(walk, line);
  else if (line.size > 1 && line.at[0] == '\t' && line.at[1] != '.' && line.at[1] != walk->comment[0])
    take_instruction(walk, line);
}

void cn_explain_take_assembly(struct cn_explain *explain, cn_explain_places *records)
{
  struct cn_text rest = {explain->assembly_text.bytes, explain->assembly_text.size}, line;
  struct assembly_walk walk = {
      .explain = explain, .function = CN_EXPLAIN_NONE, .comment = "# ", .text_size = rest.size};

  while (cn_text_next_line(&rest, &line))
    take_line(&walk, line, records);
  cn_free(&walk.labels);
}
