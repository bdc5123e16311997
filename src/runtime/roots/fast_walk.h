/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast walk over a run of regular frames (index.h): their safepoints have been met, they end at a constant distance
 * or where their frame pointer says, and their callers are such frames, too.
 */
#ifndef CN_RUNTIME_ROOTS_FAST_WALK_H
#define CN_RUNTIME_ROOTS_FAST_WALK_H

#include "runtime/roots/frame_roots.h"
#include "runtime/walk/prefetch.h"
#include "runtime/walk/walk.h"

/* Constant while a run is walked. */
struct cn_fast_walk {
  struct cn_walk *walk;
  const struct cn_index *index;
  const uintptr_t *end; /* all words of the stack lie below */
  struct cn_root_slots *slots;
  cairn_stack_root *others;
  void *env;
};

/* Walk as far as frames are regular, beginning with the current frame, whose callee-saved registers are all known. Adds
 * the addresses of their plain roots to `slots`, and gives the others to `others` by callback. Afterwards walk->frame
 * is the next frame: its roots are still to be enumerated, and it must be settled (walk.h). Returns the number of
 * frames walked; 0: the frame is unchanged. */
uint64_t cn_fast_walk_regular_frames(struct cn_walk *walk, struct cn_root_slots *slots, cairn_stack_root *others,
                                     void *env);

/* The loop. A port may have a variant that is faster on some processors (arch.h). */
typedef uint64_t cn_fast_walk_loop(const struct cn_fast_walk *stretch);

extern bool cn_fast_walk_portable_only; /* true: port's loops are left out; for tests */

/* The loop's rare cases. Each returns the place for the next addresses of roots. */
enum { CN_FAST_WALK_GROUP_ROOTS = 8, CN_FAST_WALK_MIN_ROOM = CN_ENTRY_PLAIN_MAX + CN_FAST_WALK_GROUP_ROOTS };
uintptr_t **cn_fast_walk_grow_slots(const struct cn_fast_walk *stretch, uintptr_t **out);
uintptr_t **cn_fast_walk_visit_others(const struct cn_fast_walk *stretch, const struct cn_frame_map *map,
                                      uintptr_t **out);

#endif
