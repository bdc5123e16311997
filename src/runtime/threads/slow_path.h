/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow paths that change data guarded by stops. The mutator is busy and managed, so that signals and stops wait.
 */
#ifndef CN_RUNTIME_THREADS_SLOW_PATH_H
#define CN_RUNTIME_THREADS_SLOW_PATH_H

#include "runtime/core/mutator.h"

/* Begin and end a slow path of the calling thread's mutator. A `native` mutator becomes managed after all requested
 * stops have passed, and native again at the end. The end of the outermost slow path delivers the signals that came
 * during the slow path. A handler of these signals may jump out. */
void cn_slow_path_enter(struct cairn_mutator *mutator, bool native);
void cn_slow_path_leave(struct cairn_mutator *mutator, bool native);

/* Let a requested stop pass when native code returns to managed code, or calls it. The stubs also call this. */
void cn_slow_path_back(void);

#endif
