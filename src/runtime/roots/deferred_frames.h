/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots of activations that young enumerations leave out, bit by bit over several stops
 * (cairn_deferred_roots() of <cairn/collector.h>). Stacks are known by the number of their barriers.
 */
#ifndef CN_RUNTIME_ROOTS_DEFERRED_FRAMES_H
#define CN_RUNTIME_ROOTS_DEFERRED_FRAMES_H

#include <stdbool.h>
#include "runtime/walk/walk.h"

/* Phase STOP: a young enumeration begins. */
void cn_deferred_frames_begin_stop(void);

/* Within it, who walks the stack. Another stack has these barriers from here on. */
void cn_deferred_frames_new_stack(unsigned number);

/* The enumeration gives the roots of all activations younger than the walk's, which has not run
 * since the one before; or, if there is no `more`, of all. */
void cn_deferred_frames_left(unsigned number, const struct cn_walk *walk, bool more);

#endif
