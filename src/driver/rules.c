/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds and prints the entries of rules in docs/refused.md: list items that begin with the rules' names in backquotes.
 * Holds no state; the text of the page is a constant of the tool.
 */
#include "driver/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/tool.h"

static bool begins_entry(struct cn_text line)
{
  return cn_text_begins_with(line, "- `");
}

/* An entry ends at the next entry, heading, or paragraph, which begins in the first column. */
static bool ends_entry(struct cn_text line)
{
  return line.size > 0 && line.at[0] != ' ';
}

void cn_rules_visit(cn_rule_visitor *visit, void *env)
{
  struct cn_text rest = cn_text_of(cn_rules_text), line, more;
  struct cn_rule_entry entry = {0};

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

bool cn_rules_names(const struct cn_rule_entry *entry, const char *rule)
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

static bool find_entry(void *env, const struct cn_rule_entry *entry)
{
  struct rule_search *search = env;

  search->found = cn_rules_names(entry, search->rule);
  return !search->found;
}

bool cn_rules_has(const char *rule)
{
  struct rule_search search = {.rule = rule};

  cn_rules_visit(find_entry, &search);
  return search.found;
}

/* ---- as text ---- */

static bool print_entry(void *env, const struct cn_rule_entry *entry)
{
  struct rule_search *search = env;

  if (!cn_rules_names(entry, search->rule))
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

  cn_rules_visit(print_entry, &search);
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

static bool compare_entry(void *env, const struct cn_rule_entry *entry)
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
  cn_rules_visit(compare_entry, &search);
  return search.nearest.size ? cn_text_keep(search.nearest) : NULL;
}

int cn_rules_explain(const char *rule, const char *kinds)
{
  const char *nearest = cn_rules_find_nearest(rule);

  if (cn_rules_has(rule)) {
    cn_rules_print(stdout, rule);
    return CN_EXIT_OK;
  }
  if (nearest)
    cn_tool_error("'%s' is %s; the most similar rule is '%s'", rule, kinds, nearest);
  else
    cn_tool_error("'%s' is %s", rule, kinds);
  return CN_EXIT_FAILED;
}
