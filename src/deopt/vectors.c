/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds callee-saved vector registers of an activation to which a thread goes on after it has left younger ones. Frame
 * maps have the registers that managed code saves. For native code, stubs and the runtime's own functions, the
 * platform's unwinder reads call-frame information. Runs on the thread whose stack it reads. The file has no state.
 */
#include "deopt/vectors.h"

#include "framemap/port.h"
#include "runtime/arch/arch.h"

struct search {
  uintptr_t pc, sp;
  uint64_t *vector;
  bool found;
};

void cn_vectors_read(const struct cn_os_frame *frame, uint64_t *vector)
{
  for (int i = 0; i < (int)CN_ARCH_SAVED_VECTORS; i++)
    vector[i] = cn_os_frame_register(frame, CN_ARCH_FRAME_PORT->callee_saved[CN_CALLEE_SAVED_COUNT + i]);
}

/* The end of the callee of a stub is a word higher (arch.h). */
static bool look_at(void *env, const struct cn_os_frame *frame)
{
  struct search *search = env;

  search->found = frame->pc == search->pc && frame->sp - search->sp <= sizeof frame->sp;
  if (search->found)
    cn_vectors_read(frame, search->vector);
  return !search->found;
}

bool cn_vectors_find(uintptr_t pc, uintptr_t sp, uint64_t *vector)
{
  struct search search = {pc, sp, vector, CN_ARCH_SAVED_VECTORS == 0};

  if (!search.found && cn_os_has_unwinder(true))
    cn_os_unwind_stack(look_at, &search);
  return search.found;
}

bool cn_vectors_go_to_caller(struct cn_walk *walk, uint64_t *vector)
{
  const struct cn_frame_map *map = walk->frame.map;
  uint64_t natives = walk->natives;
  bool there = cn_walk_next(walk);

  if (there && map != NULL && walk->natives == natives)
    cn_map_read_vectors(map, walk->frame.sp, vector);
  return there;
}
