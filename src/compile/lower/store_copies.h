/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of functions that store through their parameters. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_STORE_COPIES_H
#define CN_COMPILE_LOWER_STORE_COPIES_H

#include "compile/lower/described_places.h"

/* Add copies to the module, and redirect calls to them (store_copies.c). */
void cn_store_copies_add(struct cn_ctx *ctx);

/* The pointers of the stores and copies in `function` that need a check (check_stores.c). Some pointers may occur
 * several times. The caller frees the list. */
cn_pointer_sources cn_checked_pointers_find(struct cn_described_places *places, LLVMValueRef function);

#endif
