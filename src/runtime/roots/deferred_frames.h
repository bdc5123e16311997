/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits the roots of deferred frames, which young enumerations skip, in parts over several stops
 * (cairn_deferred_roots() of <cairn/collector.h>). A stack is identified by the number of its set of barriers.
 */
#ifndef CN_RUNTIME_ROOTS_DEFERRED_FRAMES_H
#define CN_RUNTIME_ROOTS_DEFERRED_FRAMES_H

#include <stdbool.h>
#include "runtime/walk/walk.h"

/* Phase STOP, at the beginning of a young enumeration. */
void cn_deferred_frames_begin_stop(void);

/* During a young enumeration, on the thread that walks the stack: forget the previous stack of this set of barriers. */
void cn_deferred_frames_forget_stack(unsigned number);

/* During a young enumeration: note the activation at which the scan of the stack ends. The enumeration visits the roots
 * of all younger activations; the walk's activation has not run since the previous enumeration. If `more` is false, the
 * enumeration visits all activations. */
void cn_deferred_frames_note_left(unsigned number, const struct cn_walk *walk, bool more);

#endif
