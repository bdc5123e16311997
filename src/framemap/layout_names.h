/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a layout: one string, so that linkers keep one copy of equal ones. Its first line is the type's name.
 * Each further line is a field:
 *
 *   OFFSET{*COUNT/STRIDE} NAME
 *
 * OFFSET, decimal, is that of the field, or of its first place if there are several: then a pair follows for each array
 * that it is in, the outermost first, and NAME has "[]" for each. A COUNT of 0 is the flexible member's. Offsets are
 * from the payload, of arrays from an element's start.
 *
 *   "struct table\n0 count\n8*0/16 slot[].key\n16*0/16 slot[].value"
 */
#ifndef CN_FRAMEMAP_LAYOUT_NAMES_H
#define CN_FRAMEMAP_LAYOUT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the type's name, at the start of `names`. */
size_t cn_layout_names_type_length(const char *names);

/* Write the field at `offset`, with numbers in its brackets, into text[size]. The text is cut to fit and always ends
 * with a zero byte. False if there is no such field. Lines of another form are skipped. */
bool cn_layout_names_find_field(const char *names, uint64_t offset, char *text, size_t size);

/* The line after that at `line`; its length goes to *length. Null at the end. The first `line` is that of the type's
 * name. */
const char *cn_layout_names_next_line(const char *line, size_t *length);

#endif
