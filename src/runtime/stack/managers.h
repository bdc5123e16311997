/* SPDX-License-Identifier: Apache-2.0
 *
 * The code info manager of code with frame maps, in images and from JITs. The walker steps over such frames without the
 * manager, and calls the manager only for other services.
 */
#ifndef CN_RUNTIME_STACK_MANAGERS_H
#define CN_RUNTIME_STACK_MANAGERS_H

#include "runtime/walk/walk.h"

extern const struct cairn_code_manager cn_compiled_code_manager;

/* The manager of the walk's current activation. `*data` gets the manager's data. */
const struct cairn_code_manager *cn_manager_of(const struct cn_walk *walk, void **data);

#endif
