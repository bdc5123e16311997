/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of polls within a block. Private to src/compile.
 */
#ifndef CN_COMPILE_SITES_H
#define CN_COMPILE_SITES_H

#include "compile/cfg.h"
#include "compile/pass.h"

/* Each gives the instruction to poll before. */

/* On the straight line from the entry on, as late as can be. */
LLVMValueRef cn_site_entry(struct cn_ctx *ctx, const struct cn_cfg *cfg);

/* In a block that ends in a retreating edge. */
LLVMValueRef cn_site_latch(struct cn_ctx *ctx, LLVMBasicBlockRef block);

/* At the end of a block: the comparison that its branch tests stays beside it. */
LLVMValueRef cn_site_end(struct cn_ctx *ctx, LLVMBasicBlockRef block);

#endif
