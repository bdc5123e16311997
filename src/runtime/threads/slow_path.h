/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow paths of a thread that change data guarded by stops: the mutator is busy and managed, so that signals and
 * stops wait.
 */
#ifndef CN_RUNTIME_THREADS_SLOW_PATH_H
#define CN_RUNTIME_THREADS_SLOW_PATH_H

#include "runtime/core/mutator.h"

/* Begin and end a slow path of the calling thread's mutator. A `native` mutator becomes managed after the stops that
 * are requested, and native again. At the end of the outermost slow path the signals that came meanwhile are
 * delivered; their handlers may jump out. */
void cn_slow_path_enter(struct cairn_mutator *mutator, bool native);
void cn_slow_path_leave(struct cairn_mutator *mutator, bool native);

/* Let the requested stop pass: native code has returned to managed code, or calls it. The stubs call it, too. */
void cn_slow_path_back(void);

#endif
