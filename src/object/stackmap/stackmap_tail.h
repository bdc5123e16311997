/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the lists of constants that Cairn appends to the values of a record (abi.def, "Described allocas", "Points",
 * "Spans"). A list ends with its length, so the search begins at its end; the list's first operand is its mark. Private
 * to src/object.
 */
#ifndef CN_OBJECT_STACKMAP_STACKMAP_TAIL_H
#define CN_OBJECT_STACKMAP_STACKMAP_TAIL_H

#include <cairn/stackmap.h>

struct cn_record_reader {
  const struct cairn_stackmap *map;
  const struct cairn_stackmap_record *record;
};

/* Sets *error, unless it is null, to the status at the record; returns the status. */
enum cairn_status cn_stackmap_fail_at_record(const struct cn_record_reader *reader, enum cairn_status status,
                                             struct cairn_stackmap_error *error);

/* Reads the constant at location `index`; false if the location has another kind. */
bool cn_stackmap_read_constant(const struct cn_record_reader *reader, uint32_t index, uint64_t *value);

/* Removes the list with mark `mark` from the end of [first, *end), if it is there, and sets [*from, *to) to the
 * operands between its mark and its length. */
bool cn_stackmap_cut_tail(const struct cn_record_reader *reader, uint64_t mark, uint32_t first, uint32_t *end,
                          uint32_t *from, uint32_t *to);

/* True if a constant in [first, end) is `mark`. */
bool cn_stackmap_has_mark(const struct cn_record_reader *reader, uint64_t mark, uint32_t first, uint32_t end);

#endif
