/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of texts, by address and length, for the readers of IR, of assembly and of pages.
 */
#ifndef CN_DRIVER_TEXT_H
#define CN_DRIVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/vector.h"

struct cn_text {
  const char *at;
  size_t size;
};
typedef CN_VECTOR(struct cn_text) cn_texts;

struct cn_text cn_text_of(const char *string);
bool cn_text_equals(struct cn_text a, struct cn_text b);
bool cn_text_is(struct cn_text text, const char *string);
bool cn_text_begins_with(struct cn_text text, const char *prefix);
/* The text after its first `count` bytes; empty if it is shorter. */
struct cn_text cn_text_skip(struct cn_text text, size_t count);
/* The text from its first to its last byte other than spaces, tabs and carriage returns. */
struct cn_text cn_text_trim(struct cn_text text);
/* The part before the first `c`, or all of it. */
struct cn_text cn_text_before(struct cn_text text, char c);
/* The offset of the first occurrence of `string`, or the size of the text. */
size_t cn_text_find(struct cn_text text, const char *string);
/* Take the next line of *rest, without its newline. False at the end. */
bool cn_text_next_line(struct cn_text *rest, struct cn_text *line);
/* A copy that ends in a zero and lives as long as the process. */
const char *cn_text_keep(struct cn_text text);

/* The length of the bracketed list at the start of `text`, with both brackets; IR quotes names and strings. 0 if the
 * text does not begin with a bracket, or the bracket stays open. */
size_t cn_text_bracket_length(struct cn_text text);
/* Split a list at its commas outside of brackets and quotes, and trim the parts. */
void cn_text_split(struct cn_text list, cn_texts *parts);
/* The part after the last space outside of brackets and quotes. */
struct cn_text cn_text_last_word(struct cn_text text);

#endif
