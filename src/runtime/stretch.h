/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast walk over a stretch of regular frames (frames.h): those whose safepoints have been met,
 * which end at a constant distance or where their frame pointer says, and whose callers are such
 * frames, too.
 */
#ifndef CN_RUNTIME_STRETCH_H
#define CN_RUNTIME_STRETCH_H

#include "runtime/roots.h"
#include "runtime/walk.h"

/* What stays as it is while a stretch is walked. */
struct cn_stretch {
  struct cn_walk *walk;
  const struct cn_index *index;
  const uintptr_t *end; /* no word of the stack lies at or above it */
  /* Of the code, if the table is large, so that fetching ahead pays; else 0. */
  uintptr_t low, length;
  struct cn_slots *slots;
  cairn_stack_root *others;
  void *env;
};

/* Walk as far as frames are regular, from the current frame on, whose callee-saved registers are
 * all known. The addresses of their plain roots go to `slots`, the others to `others` by callback.
 * Afterwards walk->frame is the next frame: its roots have not been enumerated, and it must be
 * settled (walk.h). Returns how many frames were walked; 0: the frame is as it was. */
uint64_t cn_stretch_walk(struct cn_walk *walk, struct cn_slots *slots, cairn_stack_root *others,
                         void *env);

/* The loop, which a port may have in a form that is faster on some processors (arch.h). */
typedef uint64_t cn_stretch_loop(const struct cn_stretch *stretch);

extern bool cn_stretch_any; /* do not use that: for tests */

/* Fetching ahead: so many words of the stack at once, when so many are left of those before. */
enum { CN_STRETCH_AHEAD = 256, CN_STRETCH_LEFT = 256, CN_STRETCH_LARGE = 1 << 12 };
struct cn_stretch_ahead {
  const struct cn_entry *start[CN_STRETCH_AHEAD + 8]; /* where the search of some words begins */
  size_t count;
};

/* Of the loop, what it seldom does. Each returns where the next addresses of roots go. */
enum { CN_STRETCH_GROUP = 8, CN_STRETCH_ROOM = CN_ENTRY_PLAIN_MAX + CN_STRETCH_GROUP };
uintptr_t **cn_stretch_room(const struct cn_stretch *stretch, uintptr_t **out);
/* `pc_slot` is null while the walk's frame is the current one. */
uintptr_t **cn_stretch_others(const struct cn_stretch *stretch, uintptr_t *pc_slot,
                              const uintptr_t *places, const struct cn_map *map, uintptr_t **out);
void cn_stretch_leave(const struct cn_stretch *stretch, uintptr_t *pc_slot,
                      const uintptr_t *places);

#endif
