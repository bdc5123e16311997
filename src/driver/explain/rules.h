/* SPDX-License-Identifier: Apache-2.0
 *
 * The texts of rules: the entries of docs/refused.md, which is a part of the tool.
 */
#ifndef CN_DRIVER_EXPLAIN_RULES_H
#define CN_DRIVER_EXPLAIN_RULES_H

#include <stdbool.h>
#include <stdio.h>
#include <cairn/compile.h>
#include "driver/text.h"

/* The text of docs/refused.md. */
extern const char cn_rules_text[];

/* True if the page has an entry for the rule. */
bool cn_rules_has(const char *rule);

/* Print the entries of the rule, each under the headings of its place. */
void cn_rules_print(FILE *out, const char *rule);

/* The rule whose name is most similar; null if all names differ too much. */
const char *cn_rules_find_nearest(const char *rule);

/* Write the rules of the diagnostics as a section of the HTML page, with anchors "rule-NAME". */
void cn_rules_write_page_section(FILE *out, const struct cairn_diagnostics *diagnostics);

#endif
