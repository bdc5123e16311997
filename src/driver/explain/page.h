/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the page of `cairn explain`: one self-contained HTML document.
 */
#ifndef CN_DRIVER_EXPLAIN_PAGE_H
#define CN_DRIVER_EXPLAIN_PAGE_H

#include <stdio.h>
#include "driver/explain/explain.h"

/* The text of page.css. */
extern const char cn_explain_style[];

/* A page in the making. */
struct cn_page {
  FILE *out;
  const struct cn_explain *explain;
  /* Indices of the diagnostics about the unit's own source, by line; those of line L begin at first_of_line[L] and end
   * before first_of_line[L + 1]. */
  size_t *by_line, *first_of_line;
};

/* page.c: write the page. */
void cn_page_write(FILE *out, const struct cn_explain *explain);

/* Names of the kinds in classes of the page. */
extern const char *const cn_page_kind_classes[CN_EXPLAIN_KINDS];

/* ---- page_function.c ---- */

/* The lines of the unit's source that a function's section shows: [first, end), numbered from 1. Both are 0 for a
 * function of another file or without debug information. */
struct cn_page_rows {
  unsigned first, end;
};
struct cn_page_rows cn_page_rows_of(const struct cn_explain *explain, size_t function);

/* Write a function's section. `owns_lines` gives the lines their anchors. */
void cn_page_write_function(const struct cn_page *page, size_t function, bool open, bool owns_lines);
/* Write the source cell of a line, in the section of `function`, which may be null, up to the cell's end. */
void cn_page_open_source_cell(const struct cn_page *page, unsigned line, const char *function, bool owned);

/* ---- page_notes.c ---- */

/* Write a diagnostic as a note. `function` is the function of the section, whose name the note leaves out, or null. */
void cn_page_write_note(const struct cn_page *page, const struct cairn_diagnostic *diagnostic, const char *function,
                        bool placed);
/* Write the notes about a line of the unit's source, each once. */
void cn_page_write_notes_of_line(const struct cn_page *page, unsigned line, const char *function);
/* Write the notes about other files, and about functions or the module as a whole. */
void cn_page_write_other_notes(const struct cn_page *page);
/* Fill in the index by lines, and free it. */
void cn_page_index_notes(struct cn_page *page);
void cn_page_free_notes(struct cn_page *page);
/* True if the diagnostic is about the function. */
bool cn_page_is_about(const struct cairn_diagnostic *diagnostic, const char *function);

/* ---- page_rules.c ---- */

/* Write the rules of the diagnostics as a section, with anchors "rule-NAME". */
void cn_page_write_rules(FILE *out, const struct cairn_diagnostics *diagnostics);

/* ---- page_safepoint.c ---- */

/* Write the mark of a statepoint of the IR, or of a safepoint of the assembly, with the text that hovering shows. */
void cn_page_write_statepoint_mark(const struct cn_page *page, size_t statepoint);
void cn_page_write_safepoint_mark(const struct cn_page *page, size_t safepoint);

#endif
