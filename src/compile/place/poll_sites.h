/* SPDX-License-Identifier: Apache-2.0
 *
 * Places of polls within a block. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_POLL_SITES_H
#define CN_COMPILE_PLACE_POLL_SITES_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"
#include "compile/cost/loops.h"
#include "compile/place/poll.h"

/* Each returns the instruction to poll before. */

/* As late as possible on the straight line from the entry on. */
LLVMValueRef cn_poll_site_entry(struct cn_ctx *ctx, const struct cn_cfg *cfg);

/* Must an entry poll come before this instruction? */
bool cn_poll_site_stops(LLVMValueRef instruction);

/* Do integers made of references cross blocks? */
bool cn_poll_site_roaming(const struct cn_cfg *cfg);

/* Has the block no address as an integer, and no inline allocation? */
bool cn_poll_site_plain(LLVMBasicBlockRef block);

/* In a block that ends in a retreating edge; null: none, its predecessors must poll. */
LLVMValueRef cn_poll_site_latch(struct cn_ctx *ctx, LLVMBasicBlockRef block);

/* At the end of a block: the comparison that its branch tests stays beside it. */
LLVMValueRef cn_poll_site_end(struct cn_ctx *ctx, LLVMBasicBlockRef block);

/* The sites of one function, each once, in the order of their addition.
 *
 * It holds (cn_poll_sites_wrong()) that each is listed once, is an instruction of a reachable block
 * of the function, but no phi, and lies in no region without safepoints. */
struct cn_poll_sites {
  CN_VECTOR(LLVMValueRef) list;
  struct cn_ptrmap seen; /* what is listed, to its form, and blocks that had no place */
  const struct cn_cfg *cfg;
  uint32_t *open; /* cn_nopoll_depths(); owned */
};
/* For the function of `cfg`. */
void cn_poll_sites_begin(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_cfg *cfg);
void cn_poll_sites_free(struct cn_poll_sites *sites);
/* What does not hold of them; null: all does. Linear in the blocks that have sites. */
const char *cn_poll_sites_wrong(const struct cn_poll_sites *sites);
/* Null is no site, nor is a place in a region without safepoints. */
void cn_poll_sites_add(struct cn_poll_sites *sites, LLVMValueRef at);
/* The same for one that runs after so much work that a call costs nothing. */
void cn_poll_sites_add_seldom(struct cn_poll_sites *sites, LLVMValueRef at);
/* For the retreating edges out of block `b`: in the block, or else elsewhere on each pass. */
void cn_poll_sites_add_latch(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t b);

/* Before polls are emitted: keep conditional moves that only remember a value, in innermost loops
 * that will poll, conditional moves (selects.c). */
void cn_selects_keep(struct cn_ctx *ctx, const struct cn_loops *loops, const struct cn_poll_sites *sites);

#endif
