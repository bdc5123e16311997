/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the document of `cairn explain`: totals, errors, the list of functions, the source with IR and assembly, and
 * the texts of the rules that the notes name. The document is self-contained, and lacks scripts.
 * Holds no state.
 */
#include "driver/explain/page.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/explain/html.h"

/* Above this number of source lines, sections are closed at first. */
enum { MAX_OPEN_LINES = 1500, MAX_OPEN_GAP = 12 };

static void write_head(const struct cn_page *page)
{
  cn_html_format(page->out,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                 "'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
                 "<title>%s explained</title>\n<style>\n",
                 page->explain->path);
  fputs(cn_explain_style, page->out);
  fputs("</style>\n</head>\n<body>\n", page->out);
}

/* ---- totals ---- */

static void write_total(const struct cn_page *page, size_t count, const char *class, const char *one, const char *many)
{
  cn_html_format(page->out, "<li class=\"%s\"><b>%z</b> %s</li>\n", class, count, count == 1 ? one : many);
}

/* Count the relocated values; debug information may relocate a value once more. */
static size_t count_relocations(const struct cn_explain *explain)
{
  size_t count = 0;

  for (size_t i = 0; i < explain->statepoints.count; i++)
    count += explain->statepoints.at[i].pairs.count;
  return count;
}

/* Count the calls of leaves in managed functions. */
static size_t count_leaves(const struct cn_explain *explain)
{
  size_t count = 0;

  for (size_t f = 0; f < explain->functions.count; f++) {
    const struct cn_explain_lines *lines = &explain->functions.at[f].ir;
    for (size_t i = 0; i < lines->count; i++)
      count += explain->functions.at[f].managed && lines->at[i].kind == CN_EXPLAIN_LEAF;
  }
  return count;
}

static size_t count_safepoints(const struct cn_explain *explain, size_t function, enum cn_explain_kind kind)
{
  size_t count = 0;

  for (size_t i = 0; i < explain->safepoints.count; i++)
    count += explain->safepoints.at[i].kind == kind &&
             (function == CN_EXPLAIN_NONE || explain->safepoints.at[i].function == function);
  return count;
}

static void write_totals(const struct cn_page *page)
{
  const struct cn_explain *explain = page->explain;
  size_t managed = 0;

  for (size_t f = 0; f < explain->functions.count; f++)
    managed += explain->functions.at[f].managed;
  fputs("<ul class=\"totals\">\n", page->out);
  write_total(page, managed, "plain", "managed function", "managed functions");
  write_total(page, count_safepoints(explain, CN_EXPLAIN_NONE, CN_EXPLAIN_POLL), "poll", "poll", "polls");
  write_total(page, count_safepoints(explain, CN_EXPLAIN_NONE, CN_EXPLAIN_ALLOCATION), "allocation", "allocation",
              "allocations");
  write_total(page, count_safepoints(explain, CN_EXPLAIN_NONE, CN_EXPLAIN_CALL), "call", "other safepoint",
              "other safepoints");
  write_total(page, count_relocations(explain), "relocation", "relocation", "relocations");
  write_total(page, count_leaves(explain), "leaf", "call of a leaf", "calls of leaves");
  fputs("</ul>\n", page->out);
}

static void write_errors(const struct cn_page *page)
{
  const struct cairn_diagnostics *all = &page->explain->diagnostics;
  bool any = false;

  for (size_t i = 0; i < all->count; i++) {
    if (all->at[i].severity > CAIRN_WARNING)
      continue;
    if (!any)
      fputs("<section class=\"refused\">\n", page->out);
    any = true;
    cn_page_write_note(page, &all->at[i], NULL, true);
  }
  if (any)
    fputs("</section>\n", page->out);
}

static void write_state(const struct cn_page *page)
{
  if (page->explain->failed)
    fputs("<p class=\"state\">Cairn refuses this unit, so there is no code to show.</p>\n", page->out);
  if (page->explain->native)
    fputs("<p class=\"state\">The unit handles no reference: clang alone compiles it, as native code without "
          "safepoints. The option -fcairn-manage=all makes it managed.</p>\n",
          page->out);
}

/* ---- functions ---- */

/* Functions that Cairn adds to the module lack a source. */
static bool is_shown(const struct cn_explain_function *function)
{
  return function->managed || function->file;
}

static void write_list(const struct cn_page *page)
{
  const struct cn_explain *explain = page->explain;

  if (explain->functions.count == 0)
    return;
  fputs("<table class=\"list\">\n<thead><tr><th>function</th><th>line</th><th>polls</th><th>allocations</th>"
        "<th>other safepoints</th></tr></thead>\n<tbody>\n",
        page->out);
  for (size_t f = 0; f < explain->functions.count; f++) {
    const struct cn_explain_function *function = &explain->functions.at[f];
    if (!is_shown(function))
      continue;
    cn_html_format(page->out, "<tr><td><a href=\"#f%z\">%s</a></td><td>%u</td><td>%z</td><td>%z</td><td>%z</td></tr>\n",
                   f, function->name, function->line, count_safepoints(explain, f, CN_EXPLAIN_POLL),
                   count_safepoints(explain, f, CN_EXPLAIN_ALLOCATION), count_safepoints(explain, f, CN_EXPLAIN_CALL));
  }
  fputs("</tbody></table>\n", page->out);
}

/* Write the lines [first, end) of the source, which lie outside of all functions. */
static void write_gap(const struct cn_page *page, unsigned first, unsigned end)
{
  bool open = end - first <= MAX_OPEN_GAP || page->first_of_line[first] != page->first_of_line[end] ||
              page->explain->functions.count == 0;

  cn_html_format(page->out, "<details class=\"gap\"%s><summary>lines %u to %u</summary>\n<div class=\"code\">\n",
                 open ? " open" : "", first, end - 1);
  for (unsigned line = first; line < end; line++) {
    fputs("<div class=\"r\">", page->out);
    cn_page_open_source_cell(page, line, NULL, true);
    fputs("</div></div>\n", page->out);
  }
  fputs("</div></details>\n", page->out);
}

/* A function's place in the source. */
struct function_place {
  struct cn_page_rows rows;
  size_t function;
};

static int compare_function_places(const void *x, const void *y)
{
  const struct function_place *a = x, *b = y;

  if (a->rows.first != b->rows.first)
    return a->rows.first < b->rows.first ? -1 : 1;
  return a->function < b->function ? -1 : a->function > b->function;
}

/* Write the source from its start to its end, with the functions in their places; functions of other files are last. */
static void write_source(const struct cn_page *page)
{
  const struct cn_explain *explain = page->explain;
  struct function_place *places = cn_alloc((explain->functions.count + 1) * sizeof *places);
  unsigned line = 1, lines = (unsigned)explain->source.lines.count;
  bool open = lines <= MAX_OPEN_LINES;
  size_t count = 0;

  for (size_t f = 0; f < explain->functions.count; f++)
    if (is_shown(&explain->functions.at[f]))
      places[count++] = (struct function_place){cn_page_rows_of(explain, f), f};
  qsort(places, count, sizeof *places, compare_function_places);
  for (size_t i = 0; i < count; i++) {
    struct cn_page_rows rows = places[i].rows;
    if (rows.first > line)
      write_gap(page, line, rows.first);
    bool owns = rows.first >= line;
    if (rows.first)
      cn_page_write_function(page, places[i].function, open, owns);
    line = rows.end > line ? rows.end : line;
  }
  if (line <= lines)
    write_gap(page, line, lines + 1);
  for (size_t i = 0; i < count; i++)
    if (places[i].rows.first == 0)
      cn_page_write_function(page, places[i].function, explain->source.lines.count == 0, false);
  free(places);
}

void cn_page_write(FILE *out, const struct cn_explain *explain)
{
  struct cn_page page = {.out = out, .explain = explain};

  cn_page_index_notes(&page);
  write_head(&page);
  cn_html_format(out, "<header>\n<h1>%s</h1>\n<p class=\"sub\">cairn explain, version " CAIRN_VERSION ", %s</p>\n",
                 explain->path, explain->options);
  write_totals(&page);
  fputs("</header>\n<main>\n", out);
  write_state(&page);
  write_errors(&page);
  cn_page_write_other_notes(&page);
  write_list(&page);
  write_source(&page);
  cn_page_write_rules(out, &explain->diagnostics);
  fputs("</main>\n</body>\n</html>\n", out);
  cn_page_free_notes(&page);
}
