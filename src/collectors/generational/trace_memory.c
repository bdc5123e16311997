/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a tracer: its mark stack, and the space for its copies. Phase STOP; each tracer changes only its own
 * stack and cursors. Several tracers take stress mode's blocks from `cn_trace_cycle.copied`, atomically. The file has
 * no state, and takes no lock.
 */
#include "collectors/generational/trace_memory.h"

#include "base/check.h"
#include "collectors/generational/space/tables.h"
#include "runtime/os/os.h"

enum {
  MIN_STACK_SLOTS = 4096,
  KEPT_STACK_SLOTS = 1 << 17 /* slots of a stack that a tracer keeps for the next collection */
};

/* ---- mark stacks ---- */

bool cn_trace_grow_stack(struct cn_tracer *tracer)
{
  size_t depth = tracer->depth != 0 ? 2 * tracer->depth : MIN_STACK_SLOTS;
  uintptr_t *stack = cn_os_resize_mapping(tracer->stack, tracer->depth * sizeof *stack, depth * sizeof *stack);

  if (stack == NULL)
    return false;
  CN_CHECK(tracer->count < depth);
  tracer->stack = stack;
  tracer->depth = depth;
  return true;
}

void cn_trace_make_stack_room(struct cn_tracer *tracer)
{
  if (!cn_trace_grow_stack(tracer))
    cairn_out_of_memory(false, "no memory to trace the heap: %zu objects wait", tracer->count);
}

void cn_trace_push_entries(struct cn_tracer *tracer, const uintptr_t *entries, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (tracer->count == tracer->depth)
      cn_trace_make_stack_room(tracer);
    tracer->stack[tracer->count++] = entries[i];
  }
}

void cn_trace_reset_stack(struct cn_tracer *tracer)
{
  CN_CHECK(tracer->count == tracer->bottom);
  tracer->count = tracer->bottom = 0;
  if (tracer->depth <= KEPT_STACK_SLOTS)
    return;
  cn_os_free_mapping(tracer->stack, tracer->depth * sizeof *tracer->stack);
  tracer->stack = NULL;
  tracer->depth = 0;
}

/* ---- space for copies ---- */

static bool find_copy_space(struct cn_copy_cursor *cursor, size_t bytes, bool fresh)
{
  return (bytes <= cursor->end - cursor->free || cn_blocks_next_hole(cursor, fresh)) &&
         bytes <= cursor->end - cursor->free;
}

/* CN_TRACE_MOVE: takes space from the range of the copies, which suffices for all copies. Each of several tracers has
 * its own blocks, so that objects of two tracers never share a word of bits. */
static uintptr_t find_stress_copy_space(struct cn_tracer *tracer, size_t bytes)
{
  bool big = bytes > CN_SINGLE_COPY_MIN_BYTES;
  size_t size = big ? (bytes + CN_CARD_BYTES - 1) & ~(size_t)(CN_CARD_BYTES - 1) : CN_BLOCK_BYTES;

  if (!cn_trace_cycle.shared)
    return 0;
  uintptr_t at = __atomic_fetch_add(&cn_trace_cycle.copied, size, __ATOMIC_RELAXED);
  uintptr_t end = cn_trace_cycle.copies + cn_trace_cycle.copies_bytes;
  if (at > end || size > end - at)
    return 0;
  if (!big)
    tracer->cursor = (struct cn_copy_cursor){at + bytes, at + size};
  return at;
}

uintptr_t cn_trace_refill_copy_cursor(struct cn_tracer *tracer, size_t bytes)
{
  bool fresh = cn_trace_cycle.mode == CN_TRACE_FULL, small = bytes <= CN_LINE_BYTES;
  struct cn_copy_cursor *cursor = small ? &tracer->cursor : &tracer->long_cursor;
  uintptr_t block = 0;

  if (cn_trace_cycle.mode == CN_TRACE_MOVE)
    block = find_stress_copy_space(tracer, bytes);
  else if (bytes > CN_BLOCK_BYTES) {
    block = cn_blocks_allocate_for_object(bytes);
  } else if (find_copy_space(cursor, bytes, fresh || !small)) {
    block = cursor->free;
    cursor->free += bytes;
    CN_CHECK(cursor->free <= cursor->end);
  }
  if (block == 0)
    cairn_out_of_memory(false, "no memory to copy an object of %zu bytes to", bytes);
  return block;
}
