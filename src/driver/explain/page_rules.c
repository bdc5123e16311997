/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the texts of the rules of a page's diagnostics, from docs/refused.md, as HTML. Holds no state.
 */
#include "driver/explain/page.h"

#include <string.h>
#include "driver/explain/html.h"
#include "driver/rules.h"

struct entry_search {
  const char *rule;
  FILE *out;
  bool found;
};

/* Write text of Markdown: `code`, *emphasis* and [links](target), whose targets are left out. */
static void write_markdown(FILE *out, struct cn_text text)
{
  bool code = false, emphasis = false;

  while (text.size) {
    size_t plain = 0, link = text.at[0] == '[' && !code ? cn_text_find(text, "](") : text.size;
    if (text.at[0] == '`') {
      fputs(code ? "</code>" : "<code>", out);
      code = !code;
      text = cn_text_skip(text, 1);
    } else if (text.at[0] == '*' && !code) {
      fputs(emphasis ? "</em>" : "<em>", out);
      emphasis = !emphasis;
      text = cn_text_skip(text, 1);
    } else if (link < text.size) {
      cn_html_put(out, (struct cn_text){text.at + 1, link - 1});
      text = cn_text_skip(text, link);
      text = cn_text_skip(text, cn_text_before(text, ')').size + 1);
    } else {
      for (plain = 1; plain < text.size && !strchr("`*[", text.at[plain]);)
        plain++;
      cn_html_put(out, (struct cn_text){text.at, plain});
      text = cn_text_skip(text, plain);
    }
  }
  fputs(emphasis ? "</em>" : "", out);
  fputs(code ? "</code>" : "", out);
}

static bool write_entry(void *env, const struct cn_rule_entry *entry)
{
  struct entry_search *search = env;

  if (!cn_rules_names(entry, search->rule))
    return true;
  cn_html_format(search->out, "<dd><span class=\"place\">%s</span> ", cn_text_keep(entry->section));
  write_markdown(search->out, cn_text_skip(entry->text, 2));
  fputs("</dd>\n", search->out);
  search->found = true;
  return true;
}

typedef CN_VECTOR(const char *) rule_names;

/* Add the name of a rule if the list lacks it. */
static void add_rule(rule_names *names, const char *rule)
{
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->at[i], rule) == 0)
      return;
  cn_push(names, rule);
}

void cn_page_write_rules(FILE *out, const struct cairn_diagnostics *diagnostics)
{
  rule_names names = {0};

  for (size_t i = 0; i < diagnostics->count; i++)
    if (diagnostics->at[i].rule)
      add_rule(&names, diagnostics->at[i].rule);
  if (names.count)
    fputs("<section class=\"rules\">\n<h2>Rules</h2>\n<dl>\n", out);
  for (size_t i = 0; i < names.count; i++) {
    struct entry_search search = {.rule = names.at[i], .out = out};
    cn_html_format(out, "<dt id=\"rule-%s\">%s</dt>\n", names.at[i], names.at[i]);
    cn_rules_visit(write_entry, &search);
    if (!search.found)
      fputs("<dd>This rule has no text.</dd>\n", out);
  }
  if (names.count)
    fputs("</dl>\n</section>\n", out);
  cn_free(&names);
}
