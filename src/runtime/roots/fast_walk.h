/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast walk over a stretch of regular frames (index.h): those whose safepoints have been met,
 * which end at a constant distance or where their frame pointer says, and whose callers are such
 * frames, too.
 */
#ifndef CN_RUNTIME_ROOTS_FAST_WALK_H
#define CN_RUNTIME_ROOTS_FAST_WALK_H

#include "runtime/roots/frame_roots.h"
#include "runtime/walk/prefetch.h"
#include "runtime/walk/walk.h"

/* What does not change while a stretch is walked. */
struct cn_fast_walk {
  struct cn_walk *walk;
  const struct cn_index *index;
  const uintptr_t *end; /* no word of the stack lies at or above it */
  struct cn_root_slots *slots;
  cairn_stack_root *others;
  void *env;
};

/* Walk as far as frames are regular, from the current frame on, whose callee-saved registers are
 * all known. The addresses of their plain roots go to `slots`, the others to `others` by callback.
 * Afterwards walk->frame is the next frame: its roots have not been enumerated, and it must be
 * settled (walk.h). Returns how many frames were walked; 0: the frame is as it was. */
uint64_t cn_fast_walk_walk(struct cn_walk *walk, struct cn_root_slots *slots, cairn_stack_root *others, void *env);

/* The loop. A port may have a form of it that is faster on some processors (arch.h). */
typedef uint64_t cn_fast_walk_loop(const struct cn_fast_walk *stretch);

extern bool cn_fast_walk_any; /* do not use a port's loop; for tests */

/* The loop's rare cases. Each returns where the next addresses of roots go. */
enum { CN_STRETCH_GROUP = 8, CN_STRETCH_ROOM = CN_ENTRY_PLAIN_MAX + CN_STRETCH_GROUP };
uintptr_t **cn_fast_walk_room(const struct cn_fast_walk *stretch, uintptr_t **out);
uintptr_t **cn_fast_walk_others(const struct cn_fast_walk *stretch, const struct cn_map *map, uintptr_t **out);

#endif
