/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the section of a function: a row for each line of its source, with the IR and the assembly that the line
 * became. Instructions without a line stay with the instruction before them. Holds no state.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/explain/html.h"
#include "driver/explain/page.h"

/* ---- rows ---- */

static const char *base_name_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

static bool is_of_source(const struct cn_explain *explain, const struct cn_explain_function *function)
{
  return function->file && function->line && function->line <= explain->source.lines.count &&
         strcmp(base_name_of(function->file), base_name_of(explain->path)) == 0;
}

/* The first line of the next function in the source, or one past the source's end. */
static unsigned next_start_after(const struct cn_explain *explain, unsigned line)
{
  unsigned next = (unsigned)explain->source.lines.count + 1;

  for (size_t i = 0; i < explain->functions.count; i++) {
    const struct cn_explain_function *function = &explain->functions.at[i];
    if (function->line > line && function->line < next && is_of_source(explain, function))
      next = function->line;
  }
  return next;
}

static unsigned last_line_below(const struct cn_explain_lines *lines, unsigned end, unsigned last)
{
  for (size_t i = 0; i < lines->count; i++)
    if (lines->at[i].position.line < end && lines->at[i].position.line > last)
      last = lines->at[i].position.line;
  return last;
}

struct cn_page_rows cn_page_rows_of(const struct cn_explain *explain, size_t index)
{
  const struct cn_explain_function *function = &explain->functions.at[index];

  if (!is_of_source(explain, function))
    return (struct cn_page_rows){0, 0};
  unsigned next = next_start_after(explain, function->line);
  unsigned last = last_line_below(&function->ir, next, function->line);
  last = last_line_below(&function->assembly, next, last);
  return (struct cn_page_rows){function->line, last + 1};
}

/* Lines of IR or assembly, by the source line whose row shows them. */
struct row_order {
  struct row_entry {
    unsigned line;
    size_t index;
  } *at;
  size_t count, next;
};

static int compare_entries(const void *x, const void *y)
{
  const struct row_entry *a = x, *b = y;

  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* With rows, lines outside of them count as unknown. */
static struct row_order order_lines(const struct cn_explain_lines *lines, struct cn_page_rows rows, unsigned start)
{
  struct row_order order = {.at = cn_alloc((lines->count + 1) * sizeof *order.at), .count = lines->count};
  unsigned line = start;

  for (size_t i = 0; i < lines->count; i++) {
    unsigned own = lines->at[i].position.line;
    if (own && (rows.first == 0 || (own >= rows.first && own < rows.end)))
      line = own;
    order.at[i] = (struct row_entry){line, i};
  }
  qsort(order.at, order.count, sizeof *order.at, compare_entries);
  return order;
}

/* ---- cells ---- */

void cn_page_open_source_cell(const struct cn_page *page, unsigned line, const char *function, bool owned)
{
  const struct cn_explain_source *source = &page->explain->source;

  CN_CHECK(line > 0);
  fputs("<div class=\"s\"><div class=\"c\">", page->out);
  if (owned)
    cn_html_format(page->out, "<a class=\"n\" id=\"L%u\" href=\"#L%u\">%u</a>", line, line, line);
  else
    cn_html_format(page->out, "<span class=\"n\">%u</span>", line);
  fputs("<code>", page->out);
  if (line <= source->lines.count)
    cn_html_put(page->out, source->lines.at[line - 1]);
  fputs("</code></div>", page->out);
  if (line <= source->lines.count && owned)
    cn_page_write_notes_of_line(page, line, function);
}

/* Write a link to each safepoint in the assembly of a row. */
static void write_links(const struct cn_page *page, const struct cn_explain_lines *lines, const struct row_order *order,
                        unsigned row)
{
  for (size_t i = order->next; i < order->count && order->at[i].line == row; i++) {
    const struct cn_explain_line *line = &lines->at[order->at[i].index];
    if (line->statepoint == CN_EXPLAIN_NONE)
      continue;
    const char *class = cn_page_kind_classes[line->kind];
    cn_html_format(page->out, "<a class=\"mark %s\" href=\"#s%z\">S%z %s</a>", class, line->statepoint + 1,
                   line->statepoint + 1, class);
  }
}

static void write_code_line(const struct cn_page *page, const struct cn_explain_line *line, bool is_ir)
{
  FILE *out = page->out;

  cn_html_format(out, "<div class=\"l %s%s\"", cn_page_kind_classes[line->kind], line->position.inlined ? " in" : "");
  if (line->position.inlined && line->position.chain)
    cn_html_format(out, " title=\"inlined: %s\"", line->position.chain);
  else if (line->why && line->kind == CN_EXPLAIN_LEAF)
    cn_html_format(out, " title=\"no safepoint: %s\"", line->why);
  fputc('>', out);
  if (line->statepoint != CN_EXPLAIN_NONE && is_ir)
    cn_page_write_statepoint_mark(page, line->statepoint);
  else if (line->statepoint != CN_EXPLAIN_NONE)
    cn_page_write_safepoint_mark(page, line->statepoint);
  else if (line->kind == CN_EXPLAIN_LEAF)
    fputs("<span class=\"mark leaf\">leaf</span>", out);
  /* The printer of assembly aligns its comments. */
  size_t code = is_ir ? line->text.size : cn_text_find(line->text, "  # ");
  fputs("<code>", out);
  cn_html_put(out, cn_text_trim((struct cn_text){line->text.at, code}));
  fputs("</code>", out);
  if (code < line->text.size) {
    fputs(" <i>", out);
    cn_html_put(out, cn_text_trim(cn_text_skip(line->text, code)));
    fputs("</i>", out);
  }
  fputs("</div>\n", out);
}

/* Write the code of a row, with the label of each block that the code enters. */
static void write_code_cell(const struct cn_page *page, const struct cn_explain_lines *lines, struct row_order *order,
                            unsigned row, bool is_ir)
{
  struct cn_text block = {0};

  fputs(is_ir ? "<div class=\"i\">" : "<div class=\"a\">", page->out);
  for (; order->next < order->count && order->at[order->next].line == row; order->next++) {
    const struct cn_explain_line *line = &lines->at[order->at[order->next].index];
    if (line->block.size && !cn_text_equals(line->block, block)) {
      fputs("<div class=\"b\">", page->out);
      cn_html_put(page->out, line->block);
      if (line->ir_block.size) {
        fputs(" <i>", page->out);
        cn_html_put(page->out, line->ir_block);
        fputs("</i>", page->out);
      }
      fputs("</div>\n", page->out);
    }
    block = line->block;
    write_code_line(page, line, is_ir);
  }
  fputs("</div>", page->out);
}

/* The line of the next row: the one after `row`; if the source is missing, the next line that has code. */
static unsigned next_row(const struct row_order *ir, const struct row_order *assembly, struct cn_page_rows rows,
                         unsigned row)
{
  unsigned next = 0;

  if (rows.first)
    return row + 1 < rows.end ? row + 1 : 0;
  if (ir->next < ir->count)
    next = ir->at[ir->next].line;
  if (assembly->next < assembly->count && (next == 0 || assembly->at[assembly->next].line < next))
    next = assembly->at[assembly->next].line;
  return next;
}

static void write_rows(const struct cn_page *page, const struct cn_explain_function *function, struct cn_page_rows rows,
                       bool owns_lines)
{
  unsigned start = function->line ? function->line : 1;
  struct row_order ir = order_lines(&function->ir, rows, start);
  struct row_order assembly = order_lines(&function->assembly, rows, start);
  unsigned row = rows.first ? rows.first : next_row(&ir, &assembly, rows, 0);

  for (; row; row = next_row(&ir, &assembly, rows, row)) {
    fputs("<div class=\"r\">", page->out);
    if (rows.first)
      cn_page_open_source_cell(page, row, function->name, owns_lines);
    else if (function->line)
      cn_html_format(page->out, "<div class=\"s\"><div class=\"c\"><span class=\"n\">%u</span></div>", row);
    else
      fputs("<div class=\"s\">", page->out);
    write_links(page, &function->assembly, &assembly, row);
    fputs("</div>\n", page->out);
    write_code_cell(page, &function->ir, &ir, row, true);
    write_code_cell(page, &function->assembly, &assembly, row, false);
    fputs("</div>\n", page->out);
  }
  CN_CHECK(ir.next == ir.count && assembly.next == assembly.count);
  free(ir.at);
  free(assembly.at);
}

/* ---- sections ---- */

static const char *counts_of(const struct cn_explain *explain, const char *function)
{
  for (size_t i = 0; i < explain->diagnostics.count; i++) {
    const struct cairn_diagnostic *d = &explain->diagnostics.at[i];
    if (d->rule && strcmp(d->rule, "safepoints") == 0 && cn_page_is_about(d, function))
      return d->message;
  }
  return "native code";
}

void cn_page_write_function(const struct cn_page *page, size_t index, bool open, bool owns_lines)
{
  const struct cn_explain_function *function = &page->explain->functions.at[index];
  struct cn_page_rows rows = cn_page_rows_of(page->explain, index);

  cn_html_format(page->out, "<details class=\"fn\"%s>\n<summary><b>%s</b> <span>", open ? " open" : "", function->name);
  if (function->line && rows.first == 0)
    cn_html_format(page->out, "%s:%u, ", function->file, function->line);
  cn_html_format(page->out, "%s</span></summary>\n<div class=\"code\" id=\"f%z\">\n",
                 counts_of(page->explain, function->name), index);
  fputs("<div class=\"r heads\"><div class=\"s\">source</div><div class=\"i\">IR</div><div class=\"a\">assembly</div>"
        "</div>\n",
        page->out);
  write_rows(page, function, rows, owns_lines);
  fputs("</div></details>\n", page->out);
}
