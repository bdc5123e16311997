/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast walk over a run of regular frames (index.h). The index has the decoded safepoint of a regular frame, and the
 * frame's end is at a constant distance or given by the frame pointer; the caller of each frame in a run is regular,
 * too.
 */
#ifndef CN_RUNTIME_ROOTS_FAST_WALK_H
#define CN_RUNTIME_ROOTS_FAST_WALK_H

#include "runtime/roots/frame_roots.h"
#include "runtime/walk/prefetch.h"
#include "runtime/walk/walk.h"

/* The parameters of the walk over one run. */
struct cn_fast_walk {
  struct cn_walk *walk;
  const struct cn_index *index;
  const uintptr_t *end; /* all words of the stack lie below this address */
  struct cn_root_slots *slots;
  cairn_stack_root *others;
  void *env;
};

/* Walk over regular frames, beginning with the current frame, whose callee-saved registers are all known. Adds the
 * addresses of plain roots to `slots`, and calls `others` for other roots. Afterwards walk->frame is the first frame
 * that was not walked: the caller must resolve it (walk.h) and enumerate its roots. Returns the number of frames
 * walked; 0: the frame is unchanged. */
uint64_t cn_fast_walk_regular_frames(struct cn_walk *walk, struct cn_root_slots *slots, cairn_stack_root *others,
                                     void *env);

/* The loop over frames. A port may have a faster loop for some processors (arch.h). */
typedef uint64_t cn_fast_walk_loop(const struct cn_fast_walk *stretch);

extern bool cn_fast_walk_portable_only; /* for tests: true disables the port's loops */

/* The loop's rare cases. Each function returns the end of the addresses written so far. */
enum { CN_FAST_WALK_GROUP_ROOTS = 8, CN_FAST_WALK_MIN_ROOM = CN_ENTRY_PLAIN_MAX + CN_FAST_WALK_GROUP_ROOTS };
uintptr_t **cn_fast_walk_grow_slots(const struct cn_fast_walk *stretch, uintptr_t **out);
uintptr_t **cn_fast_walk_visit_others(const struct cn_fast_walk *stretch, const struct cn_frame_map *map,
                                      uintptr_t **out);

#endif
