/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes diagnostics and remarks as notes of the page, each with a link to the text of its rule, and finds them by
 * line. Owns the index of a page by lines.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/explain/html.h"
#include "driver/explain/page.h"

bool cn_page_is_about(const struct cairn_diagnostic *diagnostic, const char *function)
{
  return diagnostic->function && function && strcmp(diagnostic->function, function) == 0;
}

static const char *base_name_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

/* The head of a function's section has the counts of rule "safepoints". */
static bool is_head(const struct cairn_diagnostic *d)
{
  return d->rule && strcmp(d->rule, "safepoints") == 0;
}

/* True if the diagnostic is about a line of the unit's source. Clang names a file as the command does, or relative to
 * the folder of the compilation. */
static bool is_in_source(const struct cn_explain *explain, const struct cairn_diagnostic *d)
{
  return d->file && d->line && d->line <= explain->source.lines.count &&
         strcmp(base_name_of(explain->path), base_name_of(d->file)) == 0;
}

/* ---- the index by lines ---- */

void cn_page_index_notes(struct cn_page *page)
{
  const struct cairn_diagnostics *all = &page->explain->diagnostics;
  size_t lines = page->explain->source.lines.count, *next;

  page->by_line = cn_alloc((all->count + 1) * sizeof *page->by_line);
  page->first_of_line = cn_alloc((lines + 2) * sizeof *page->first_of_line);
  next = cn_alloc((lines + 2) * sizeof *next);
  for (size_t i = 0; i < all->count; i++)
    if (is_in_source(page->explain, &all->at[i]))
      page->first_of_line[all->at[i].line + 1]++;
  for (size_t line = 0; line <= lines; line++)
    page->first_of_line[line + 1] += page->first_of_line[line];
  memcpy(next, page->first_of_line, (lines + 2) * sizeof *next);
  for (size_t i = 0; i < all->count; i++)
    if (is_in_source(page->explain, &all->at[i]))
      page->by_line[next[all->at[i].line]++] = i;
  free(next);
}

void cn_page_free_notes(struct cn_page *page)
{
  free(page->by_line);
  free(page->first_of_line);
}

/* ---- notes ---- */

void cn_page_write_note(const struct cn_page *page, const struct cairn_diagnostic *d, const char *function, bool placed)
{
  static const char *const classes[] = {"error", "warning", "remark", "remark"};
  static const char *const words[] = {"error: ", "warning: ", "", ""};

  CN_CHECK(d->severity < sizeof classes / sizeof *classes);
  cn_html_format(page->out, "<p class=\"note %s\">", classes[d->severity]);
  if (placed && is_in_source(page->explain, d))
    cn_html_format(page->out, "<a href=\"#L%u\">line %u</a>: ", d->line, d->line);
  else if (placed && d->file && d->line)
    cn_html_format(page->out, "%s:%u: ", d->file, d->line);
  if (d->function && !cn_page_is_about(d, function))
    cn_html_format(page->out, "in %s: ", d->function);
  cn_html_format(page->out, "%s%s", words[d->severity], d->message);
  if (d->rule)
    cn_html_format(page->out, " <a class=\"rule\" href=\"#rule-%s\">%s</a>", d->rule, d->rule);
  fputs("</p>\n", page->out);
}

static bool is_same_or_null(const char *a, const char *b)
{
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_alike(const struct cairn_diagnostic *a, const struct cairn_diagnostic *b)
{
  return a->severity == b->severity && is_same_or_null(a->function, b->function) && is_same_or_null(a->rule, b->rule) &&
         strcmp(a->message, b->message) == 0;
}

void cn_page_write_notes_of_line(const struct cn_page *page, unsigned line, const char *function)
{
  const struct cairn_diagnostic *all = page->explain->diagnostics.at;
  size_t first = page->first_of_line[line], end = page->first_of_line[line + 1];

  for (size_t i = first; i < end; i++) {
    bool written = is_head(&all[page->by_line[i]]);
    for (size_t before = first; before < i && !written; before++)
      written = is_alike(&all[page->by_line[before]], &all[page->by_line[i]]);
    if (!written)
      cn_page_write_note(page, &all[page->by_line[i]], function, false);
  }
}

void cn_page_write_other_notes(const struct cn_page *page)
{
  const struct cairn_diagnostics *all = &page->explain->diagnostics;
  bool any = false;

  for (size_t i = 0; i < all->count; i++) {
    if (is_in_source(page->explain, &all->at[i]))
      continue;
    if (!any)
      fputs("<details class=\"others\"><summary>Notes without a line of this file</summary>\n", page->out);
    any = true;
    cn_page_write_note(page, &all->at[i], NULL, true);
  }
  if (any)
    fputs("</details>\n", page->out);
}
