/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast walk over a stretch of regular frames (frames.h): those whose safepoints have been met,
 * whose size is constant, and whose callers are such frames, too.
 */
#ifndef CN_RUNTIME_STRETCH_H
#define CN_RUNTIME_STRETCH_H

#include "runtime/grow.h"
#include "runtime/roots.h"
#include "runtime/walk.h"

/* Walk as far as frames are regular, from the current frame on. The addresses of their plain roots
 * go to `slots`, the others to `others` by callback; neither if `slots` is null. Afterwards
 * walk->frame is the next frame: its roots have not been enumerated, and it must be settled (walk.h).
 * Returns how many frames were walked; 0: the frame is as it was. */
uint64_t cn_stretch_walk(struct cn_walk *walk, struct cn_slots *slots, cairn_stack_root *others,
                         void *env);

#endif
