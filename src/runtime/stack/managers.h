/* SPDX-License-Identifier: Apache-2.0
 *
 * The code info managers of Cairn's own code: of what has frame maps, in images and from JITs, and
 * of the stubs. The walker steps over frames with maps by itself and comes here for the rest only.
 */
#ifndef CN_RUNTIME_STACK_MANAGERS_H
#define CN_RUNTIME_STACK_MANAGERS_H

#include "runtime/walk/walk.h"

extern const struct cairn_code_manager cn_manager_compiled;

/* The manager of the walk's current activation, and its data. */
const struct cairn_code_manager *cn_manager_of(const struct cn_walk *walk, void **data);

#endif
