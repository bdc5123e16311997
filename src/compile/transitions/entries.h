/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries of managed functions for native callers. Private to src/compile.
 */
#ifndef CN_COMPILE_TRANSITIONS_ENTRIES_H
#define CN_COMPILE_TRANSITIONS_ENTRIES_H

#include "compile/core/pass.h"

/* Add an entry to each managed definition that native code can reach, and redirect calls in managed code to the
 * bodies. */
void cn_entries_add(struct cn_ctx *ctx);

/* True if the function already has an entry. */
bool cn_entries_has_entry(LLVMValueRef function);

#endif
