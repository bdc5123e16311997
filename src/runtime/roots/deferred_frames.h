/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits the roots of deferred frames, which young enumerations leave out, in parts over several stops
 * (cairn_deferred_roots() of <cairn/collector.h>). A stack is named by the number of its barriers.
 */
#ifndef CN_RUNTIME_ROOTS_DEFERRED_FRAMES_H
#define CN_RUNTIME_ROOTS_DEFERRED_FRAMES_H

#include <stdbool.h>
#include "runtime/walk/walk.h"

/* Phase STOP: a young enumeration begins. */
void cn_deferred_frames_begin_stop(void);

/* During this enumeration, on the thread that walks the stack: another stack has the barriers from now on. */
void cn_deferred_frames_forget_stack(unsigned number);

/* During this enumeration: it gives the roots of all activations younger than the walk's, which has stood still since
 * the last enumeration. If `more` is false, it gives the roots of all activations. */
void cn_deferred_frames_note_left(unsigned number, const struct cn_walk *walk, bool more);

#endif
