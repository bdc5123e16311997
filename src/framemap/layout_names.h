/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a layout are one string, so that linkers merge equal strings. The first line is the type's name. Each
 * further line is a field:
 *
 *   OFFSET{*COUNT/STRIDE} NAME
 *
 * OFFSET is the decimal offset of the field, or of its first element if the field is in an array. A pair COUNT/STRIDE
 * follows for each array around the field, the outermost first, and NAME has "[]" for each array. COUNT is 0 for a
 * flexible array member. Offsets count from the payload; in the layout of an array, they count from an element's start.
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

/* Write the name of the field at `offset`, with indices in its brackets, into text[size]. The text is truncated to
 * `size` and always ends with a zero byte. False if the layout has no such field. Lines of another form are skipped. */
bool cn_layout_names_find_field(const char *names, uint64_t offset, char *text, size_t size);

/* The line after `line`, with its length in *length. Null at the end. The first `line` is the type's name. */
const char *cn_layout_names_next_line(const char *line, size_t *length);

#endif
