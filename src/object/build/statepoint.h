/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes one statepoint's record (statepoint.c), for statepoint_roots.c and statepoint_deopt.c. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_STATEPOINT_H
#define CN_OBJECT_BUILD_STATEPOINT_H

#include <cairn/stackmap.h>
#include "framemap/framemap_format.h"

struct cn_statepoint_record {
  const struct cn_frame_port *port;
  const struct cairn_stackmap *map;
  const struct cairn_stackmap_record *record;
  struct cairn_stackmap_statepoint statepoint;
  struct cairn_stackmap_described described;
  const struct cn_safepoint *frame; /* with its frame address and saved registers */
  uint64_t stack_size;              /* stack size by the stack map; unknown if above INT32_MAX */
  uint32_t spans;                   /* number of entries of the object's span table, with its header */
  /* The frame pointer's distance below the frame address, if cn_record_base_frame_on_sp() has changed the frame; else
   * 0 */
  int32_t frame_pointer_distance;
};

/* Base the frame address of `frame`, the record's frame, on the stack pointer if call-frame information has based it on
 * the frame pointer and the stack map tells the frame's size. Walkers and frame maps then need no frame pointer. Only
 * for ports whose calls push nothing: there the stack pointer at a call is constant in frames of a known size. */
void cn_record_base_frame_on_sp(struct cn_statepoint_record *record, struct cn_safepoint *frame);

/* The location with the stack pointer in place of the frame pointer if cn_record_base_frame_on_sp() has changed the
 * frame. The location with the frame's base in place of the stack pointer if the callee's convention allows the callee
 * to move its return address or its frame: the callee's frame then does not give the stack pointer. */
struct cairn_stackmap_location cn_record_rebase_location(const struct cn_statepoint_record *record,
                                                         struct cairn_stackmap_location place);
/* Location `index` of the record, after cn_record_rebase_location(). */
struct cairn_stackmap_location cn_record_location_at(const struct cn_statepoint_record *record, uint32_t index);

/* Says if a register keeps its value over the call. */
enum cn_keeps { CN_KEEPS_VALUE, CN_KEEPS_NEVER, CN_KEEPS_NOT_HERE, CN_KEEPS_NOT_GENERAL };
enum cn_keeps cn_record_keeps_register(const struct cn_statepoint_record *record, unsigned reg);

/* True if call-frame information bases the frame address on the register, and the register is not the stack pointer. */
bool cn_record_is_frame_register(const struct cn_statepoint_record *record, unsigned reg);
/* True if the register may be the base of a place. */
bool cn_record_is_frame_base(const struct cn_statepoint_record *record, unsigned reg);
/* True if `size` bytes at reg + offset lie in the frame, between the stack pointer and the return address and outside
 * the saved registers, or if the register's value is unknown. */
bool cn_record_lies_in_frame(const struct cn_statepoint_record *record, unsigned reg, int64_t offset, uint64_t size);
/* True if the bytes at reg + offset lie above the frame address, among the arguments from the caller, whose number is
 * unknown in objects. LLVM may place deopt values in these arguments, but no references. */
bool cn_record_is_argument(const struct cn_statepoint_record *record, unsigned reg, int64_t offset);

/* statepoint_deopt.c: set the program's deopt values and the spans of `out`. Null, or the reason of a refusal. */
const char *cn_statepoint_deopt_build(const struct cn_statepoint_record *record, struct cn_safepoint_details *out);

#endif
