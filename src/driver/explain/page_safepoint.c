/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the marks of safepoints in IR and assembly, and the texts that appear while the pointer or the focus is on a
 * mark: the reason, the live references with their places, and the frame map as `cairn frames` prints it. Holds no
 * state.
 */
#include <string.h>
#include "base/check.h"
#include "driver/explain/html.h"
#include "driver/explain/page.h"

const char *const cn_page_kind_classes[CN_EXPLAIN_KINDS] = {"plain", "poll",       "allocation",
                                                            "call",  "relocation", "leaf"};

/* The remark about a poll at this position, or null: place-safepoints makes one at the position of each poll. */
static const struct cairn_diagnostic *find_poll_remark(const struct cn_explain *explain,
                                                       const struct cn_explain_statepoint *p)
{
  const char *function = explain->functions.at[p->function].name;

  for (size_t i = 0; i < explain->diagnostics.count; i++) {
    const struct cairn_diagnostic *d = &explain->diagnostics.at[i];
    if (d->rule && strcmp(d->rule, "poll") == 0 && cn_page_is_about(d, function) && d->line == p->position.at_line &&
        d->column == p->position.at_column && strncmp(d->message, "no poll", 7) != 0)
      return d;
  }
  return NULL;
}

static const char *reason_of(const struct cn_explain *explain, const struct cn_explain_statepoint *p)
{
  const struct cairn_diagnostic *remark = p->kind == CN_EXPLAIN_POLL ? find_poll_remark(explain, p) : NULL;

  return remark ? remark->message : p->why;
}

/* `variables` and `base` may be null. */
static void write_live_row(FILE *out, struct cn_text name, const char *place, const char *base, const char *variables)
{
  fputs("<span class=\"live\"><b>", out);
  cn_html_put(out, name);
  cn_html_format(out, "</b> %s", place ? place : "");
  if (base)
    cn_html_format(out, " (from %s)", base);
  if (variables)
    cn_html_format(out, " <i>%s</i>", variables);
  fputs("</span>", out);
}

/* Write the statepoint's references with their places, if a safepoint with places is known. */
static void write_live(FILE *out, const struct cn_explain_statepoint *p, const struct cn_explain_safepoint *s)
{
  if (p->pairs.count == 0) {
    fputs("<span class=\"live\">no reference is live across it in a register or slot of the stack map</span>", out);
    return;
  }
  fputs("<span class=\"head\">live across it</span>", out);
  for (size_t i = 0; i < p->pairs.count; i++) {
    struct cn_explain_pair pair = p->pairs.at[i];
    if (pair.base >= p->live.count || pair.derived >= p->live.count)
      continue;
    const char *base = pair.base != pair.derived ? cn_text_keep(p->live.at[pair.base]) : NULL;
    const char *variables = pair.derived < p->variables.count ? p->variables.at[pair.derived] : NULL;
    write_live_row(out, p->live.at[pair.derived], s ? s->places.at[i] : NULL, base, variables);
  }
}

static void write_frame(FILE *out, const struct cn_explain_safepoint *s)
{
  fputs("<span class=\"head\">frame map</span><span class=\"frame\">", out);
  cn_html_put_string(out, s->frame);
  fputs("</span>", out);
}

/* The words of a mark: "S12 poll". */
static void open_mark(FILE *out, enum cn_explain_kind kind, size_t number, const char *id)
{
  const char *class = cn_page_kind_classes[kind];

  if (number == CN_EXPLAIN_NONE)
    cn_html_format(out, "<span class=\"mark %s\" tabindex=\"0\">%s", class, class);
  else if (id)
    cn_html_format(out, "<span class=\"mark %s\" tabindex=\"0\" id=\"%s%z\">S%z %s", class, id, number + 1, number + 1,
                   class);
  else
    cn_html_format(out, "<span class=\"mark %s\" tabindex=\"0\">S%z %s", class, number + 1, class);
  fputs("<span class=\"tip\" role=\"tooltip\">", out);
}

static void write_reason(FILE *out, const struct cn_explain *explain, const struct cn_explain_statepoint *p)
{
  cn_html_format(out, "<span class=\"why\">%s</span>", reason_of(explain, p));
}

void cn_page_write_statepoint_mark(const struct cn_page *page, size_t statepoint)
{
  const struct cn_explain *explain = page->explain;
  FILE *out = page->out;
  const struct cn_explain_statepoint *p = &explain->statepoints.at[statepoint];
  const struct cn_explain_safepoint *s = p->safepoint == CN_EXPLAIN_NONE ? NULL : &explain->safepoints.at[p->safepoint];

  open_mark(out, p->kind, p->safepoint, NULL);
  write_reason(out, explain, p);
  write_live(out, p, s);
  if (!s)
    fputs("<span class=\"head\">the code generator removed it, or joined it with another one</span>", out);
  fputs("</span></span>", out);
}

void cn_page_write_safepoint_mark(const struct cn_page *page, size_t safepoint)
{
  const struct cn_explain *explain = page->explain;
  FILE *out = page->out;
  const struct cn_explain_safepoint *s = &explain->safepoints.at[safepoint];

  open_mark(out, s->kind, safepoint, "s");
  if (s->statepoint != CN_EXPLAIN_NONE) {
    write_reason(out, explain, &explain->statepoints.at[s->statepoint]);
    write_live(out, &explain->statepoints.at[s->statepoint], s);
  } else {
    fputs("<span class=\"why\">no single statepoint of the IR fits, so that the references have no names</span>", out);
  }
  write_frame(out, s);
  fputs("</span></span>", out);
}
