/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the entries of rules in docs/refused.md: list items that begin with the rules' names in backquotes. Holds no
 * state; the text of the page is a constant of the tool.
 */
#include "driver/explain/rules.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/explain/html.h"

/* A list item with the lines that continue it, and the headings that it stands under. */
struct rule_entry {
  struct cn_text section, group; /* "## In C sources", "Casts:"; may be empty */
  struct cn_text text;
};

/* Called for each entry, until it returns false. */
typedef bool entry_visitor(void *env, const struct rule_entry *entry);

static bool begins_entry(struct cn_text line)
{
  return cn_text_begins_with(line, "- `");
}

/* An entry ends at the next entry, heading, or paragraph, which begins in the first column. */
static bool ends_entry(struct cn_text line)
{
  return line.size > 0 && line.at[0] != ' ';
}

static void visit_entries(entry_visitor *visit, void *env)
{
  struct cn_text rest = cn_text_of(cn_rules_text), line, more;
  struct rule_entry entry = {0};

  while (cn_text_next_line(&rest, &line)) {
    if (cn_text_begins_with(line, "## ")) {
      entry.section = cn_text_skip(line, 3);
      entry.group = (struct cn_text){0};
    } else if (line.size > 1 && line.at[0] != ' ' && line.at[line.size - 1] == ':' && !begins_entry(line)) {
      entry.group = (struct cn_text){line.at, line.size - 1};
    }
    if (!begins_entry(line))
      continue;
    entry.text = line;
    for (struct cn_text after = rest; cn_text_next_line(&after, &more) && !ends_entry(more); rest = after)
      if (more.size)
        entry.text.size = (size_t)(more.at + more.size - line.at);
    if (!visit(env, &entry))
      return;
  }
}

/* Take the next name of "`a`, `b`: text". False at the colon. */
static bool next_name(struct cn_text *rest, struct cn_text *name)
{
  while (rest->size && (rest->at[0] == '-' || rest->at[0] == ' ' || rest->at[0] == ','))
    *rest = cn_text_skip(*rest, 1);
  if (!rest->size || rest->at[0] != '`')
    return false;
  *name = cn_text_before(cn_text_skip(*rest, 1), '`');
  *rest = cn_text_skip(*rest, name->size + 2);
  return true;
}

static bool names_rule(const struct rule_entry *entry, const char *rule)
{
  struct cn_text rest = entry->text, name;

  while (next_name(&rest, &name))
    if (cn_text_is(name, rule))
      return true;
  return false;
}

struct rule_search {
  const char *rule;
  FILE *out;
  bool found;
};

static bool find_entry(void *env, const struct rule_entry *entry)
{
  struct rule_search *search = env;

  search->found = names_rule(entry, search->rule);
  return !search->found;
}

bool cn_rules_has(const char *rule)
{
  struct rule_search search = {.rule = rule};

  visit_entries(find_entry, &search);
  return search.found;
}

/* ---- as text ---- */

static bool print_entry(void *env, const struct rule_entry *entry)
{
  struct rule_search *search = env;

  if (!names_rule(entry, search->rule))
    return true;
  fprintf(search->out, "%s%.*s%s%.*s:\n\n%.*s\n", search->found ? "\n" : "", (int)entry->section.size,
          entry->section.at, entry->group.size ? ", " : "", (int)entry->group.size,
          entry->group.size ? entry->group.at : "", (int)entry->text.size, entry->text.at);
  search->found = true;
  return true;
}

void cn_rules_print(FILE *out, const char *rule)
{
  struct rule_search search = {.rule = rule, .out = out};

  visit_entries(print_entry, &search);
}

/* ---- similar names ---- */

static size_t min_of(size_t a, size_t b)
{
  return a < b ? a : b;
}

enum { MAX_NAME = 64 };

/* The number of bytes to insert, delete or replace (Levenshtein); both names are at most MAX_NAME long. */
static size_t distance_of(struct cn_text a, struct cn_text b)
{
  size_t row[MAX_NAME + 1];

  CN_CHECK(a.size <= MAX_NAME && b.size <= MAX_NAME);
  for (size_t j = 0; j <= b.size; j++)
    row[j] = j;
  for (size_t i = 1; i <= a.size; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size; j++) {
      size_t replaced = diagonal + (a.at[i - 1] != b.at[j - 1]);
      diagonal = row[j];
      row[j] = min_of(min_of(row[j], row[j - 1]) + 1, replaced);
    }
  }
  return row[b.size];
}

struct nearest_search {
  struct cn_text rule, nearest;
  size_t distance;
};

static bool compare_entry(void *env, const struct rule_entry *entry)
{
  struct nearest_search *search = env;
  struct cn_text rest = entry->text, name;

  while (next_name(&rest, &name)) {
    if (name.size > MAX_NAME)
      continue;
    size_t distance = distance_of(search->rule, name);
    if (distance < search->distance) {
      search->distance = distance;
      search->nearest = name;
    }
  }
  return true;
}

const char *cn_rules_find_nearest(const char *rule)
{
  struct nearest_search search = {.rule = cn_text_of(rule)};

  if (search.rule.size == 0 || search.rule.size > MAX_NAME)
    return NULL;
  search.distance = search.rule.size / 2 + 1; /* half of the name is similar */
  visit_entries(compare_entry, &search);
  return search.nearest.size ? cn_text_keep(search.nearest) : NULL;
}

/* ---- in the page ---- */

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

static bool write_entry(void *env, const struct rule_entry *entry)
{
  struct rule_search *search = env;

  if (!names_rule(entry, search->rule))
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

void cn_rules_write_page_section(FILE *out, const struct cairn_diagnostics *diagnostics)
{
  rule_names names = {0};

  for (size_t i = 0; i < diagnostics->count; i++)
    if (diagnostics->at[i].rule)
      add_rule(&names, diagnostics->at[i].rule);
  if (names.count)
    fputs("<section class=\"rules\">\n<h2>Rules</h2>\n<dl>\n", out);
  for (size_t i = 0; i < names.count; i++) {
    struct rule_search search = {.rule = names.at[i], .out = out};
    cn_html_format(out, "<dt id=\"rule-%s\">%s</dt>\n", names.at[i], names.at[i]);
    visit_entries(write_entry, &search);
    if (!search.found)
      fputs("<dd>This rule has no text.</dd>\n", out);
  }
  if (names.count)
    fputs("</dl>\n</section>\n", out);
  cn_free(&names);
}
