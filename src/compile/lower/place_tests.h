/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests in line of the places of stores. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_PLACE_TESTS_H
#define CN_COMPILE_LOWER_PLACE_TESTS_H

#include "compile/lower/described_places.h"

/* Before `at`, test whether `slot` lies in the run, and branch to a new block if it does not. Returns the end of that
 * block, for its call of the check. */
LLVMValueRef cn_place_test_emit_run(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot,
                                    const struct cn_place_run *run);

/* Add the variables of a store's or a copy's site, struct cn_store_site or struct cn_copy_site. */
LLVMValueRef cn_place_test_add_site(struct cn_ctx *ctx, bool of_copy);

/* Like cn_place_test_emit_run(), with the places that the runtime gives the site. If `in_caller` is true, the slot may
 * lie in the frame of the function's caller. */
LLVMValueRef cn_place_test_emit_site(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot, LLVMValueRef site,
                                     bool in_caller);

/* Like cn_place_test_emit_site(), for a copy that may bring references to some of its words, a bit for each. The test
 * passes words that are no reference to an object. The site is a copy's. */
struct cn_tested_copy {
  LLVMValueRef to, from;
  uint64_t words;
};
LLVMValueRef cn_place_test_emit_copy(struct cn_ctx *ctx, LLVMValueRef at, const struct cn_tested_copy *copy,
                                     LLVMValueRef site, bool in_caller);

#endif
