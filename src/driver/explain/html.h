/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes text as HTML. The text is hostile: names and sources may hold any bytes.
 */
#ifndef CN_DRIVER_EXPLAIN_HTML_H
#define CN_DRIVER_EXPLAIN_HTML_H

#include <stdio.h>
#include "driver/text.h"

/* Write a text for the content of an element or for an attribute in double quotes. Bytes outside UTF-8, and characters
 * that HTML excludes, become U+FFFD. */
void cn_html_put(FILE *out, struct cn_text text);
void cn_html_put_string(FILE *out, const char *string);

/* Write a format whose %s are escaped: each takes a const char *. %u takes an unsigned, %z a size_t. The other bytes of
 * the format are HTML. */
void cn_html_format(FILE *out, const char *format, ...);

#endif
