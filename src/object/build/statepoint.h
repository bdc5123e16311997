/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes one statepoint's record apart (statepoint.c), for statepoint_roots.c and statepoint_deopt.c. Private to
 * src/object.
 */
#ifndef CN_OBJECT_BUILD_STATEPOINT_H
#define CN_OBJECT_BUILD_STATEPOINT_H

#include <cairn/stackmap.h>
#include "framemap/framemap_format.h"

struct cn_statepoint_record {
  const struct cairn_stackmap *map;
  const struct cairn_stackmap_record *record;
  struct cairn_stackmap_statepoint statepoint;
  struct cairn_stackmap_described described;
  const struct cn_safepoint *frame; /* with its shape filled in */
  uint64_t stack_size;              /* the stack map's; above INT32_MAX: unknown */
  uint32_t spans;                   /* entries of the object's span table; the first is its header */
};

/* The location, based on the frame's base instead of the stack pointer if the callee's convention lets it move the
 * return address: the callee's frame then leaves the stack pointer unknown. */
struct cairn_stackmap_location cn_record_rebase_location(const struct cn_statepoint_record *record,
                                                         struct cairn_stackmap_location place);
/* A location of the record, based in this way. */
struct cairn_stackmap_location cn_record_location_at(const struct cn_statepoint_record *record, uint32_t index);
/* True if the location is a constant, whose value is stored. */
bool cn_record_get_constant(const struct cn_statepoint_record *record, uint32_t index, uint64_t *value);

/* Tells if the register keeps its value over the call. */
enum cn_keeps { CN_KEEPS_VALUE, CN_KEEPS_NEVER, CN_KEEPS_NOT_HERE, CN_KEEPS_NOT_GENERAL };
enum cn_keeps cn_record_keeps_register(const struct cn_statepoint_record *record, unsigned reg);

/* True if a place may be based on the register. */
bool cn_record_is_frame_base(const struct cn_safepoint *frame, unsigned reg);
/* True if the `size` bytes at reg + offset lie in the frame: above the stack pointer, below the return address, clear
 * of the saved registers. True if the register's value is unknown. */
bool cn_record_lies_in_frame(const struct cn_statepoint_record *record, unsigned reg, int64_t offset, uint64_t size);
/* True if the bytes at reg + offset lie above the frame address, among the caller's arguments. Their number is unknown
 * in objects. LLVM puts deopt values there, and never references. */
bool cn_record_is_argument(const struct cn_statepoint_record *record, unsigned reg, int64_t offset);

/* statepoint_deopt.c: fill in the program's deopt values, and the spans. Null, or the reason of a refusal. */
const char *cn_statepoint_deopt_build(const struct cn_statepoint_record *record, struct cn_safepoint_details *out);

#endif
