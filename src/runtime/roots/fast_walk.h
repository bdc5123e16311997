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
uint64_t cn_fast_walk_walk(struct cn_walk *walk, struct cn_root_slots *slots, cairn_stack_root *others, void *env);

/* The loop. A port may have a variant that is faster on some processors (arch.h). */
typedef uint64_t cn_fast_walk_loop(const struct cn_fast_walk *stretch);

extern bool cn_fast_walk_any; /* true: port's loops are left out; for tests */

/* The loop's rare cases. Each returns the place for the next addresses of roots. */
enum { CN_STRETCH_GROUP = 8, CN_STRETCH_ROOM = CN_ENTRY_PLAIN_MAX + CN_STRETCH_GROUP };
uintptr_t **cn_fast_walk_room(const struct cn_fast_walk *stretch, uintptr_t **out);
uintptr_t **cn_fast_walk_others(const struct cn_fast_walk *stretch, const struct cn_map *map, uintptr_t **out);

#endif
