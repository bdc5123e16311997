/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of rules: the entries of docs/refused.md, which is a part of the tools.
 */
#ifndef CN_DRIVER_RULES_H
#define CN_DRIVER_RULES_H

#include <stdbool.h>
#include <stdio.h>
#include "driver/text.h"

/* The text of docs/refused.md. */
extern const char cn_rules_text[];

/* A list item with the lines that continue it, and the headings that it stands under. */
struct cn_rule_entry {
  struct cn_text section, group; /* "## In C sources", "Casts:"; may be empty */
  struct cn_text text;
};

/* Call `visit` for each entry, until it returns false. */
typedef bool cn_rule_visitor(void *env, const struct cn_rule_entry *entry);
void cn_rules_visit(cn_rule_visitor *visit, void *env);
/* True if the entry is about the rule. */
bool cn_rules_names(const struct cn_rule_entry *entry, const char *rule);

/* True if the page has an entry for the rule. */
bool cn_rules_has(const char *rule);

/* Print the entries of the rule, each under the headings of its place. */
void cn_rules_print(FILE *out, const char *rule);

/* The rule whose name is most similar; null if all names differ too much. */
const char *cn_rules_find_nearest(const char *rule);

/* Print the entries of the rule on standard output. For an unknown rule, an error says that the name is `kinds`, such
 * as "no rule", and names the most similar rule. Returns the exit status. */
int cn_rules_explain(const char *rule, const char *kinds);

#endif
