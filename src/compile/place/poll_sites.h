/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds and lists the places of polls. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_POLL_SITES_H
#define CN_COMPILE_PLACE_POLL_SITES_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"
#include "compile/cost/loops.h"
#include "compile/place/poll.h"

/* Each function returns the instruction to poll before. */

/* The entry poll's: as late as possible on the straight line from the entry on, and before `need` if `need` (or null)
 * is on it. */
LLVMValueRef cn_poll_site_at_entry(struct cn_ctx *ctx, const struct cn_cfg *cfg, LLVMValueRef need);

/* True if an entry poll must come before this instruction. */
bool cn_poll_site_must_precede(LLVMValueRef instruction);

/* True if integers made of references cross blocks. */
bool cn_poll_site_has_roaming_address(const struct cn_cfg *cfg);

/* True if the block has no address as an integer and no inline allocation. */
bool cn_poll_site_is_plain_block(LLVMBasicBlockRef block);

/* In a block that ends in a retreating edge; null: the block has no place, its predecessors must poll. */
LLVMValueRef cn_poll_site_at_latch(struct cn_ctx *ctx, LLVMBasicBlockRef block);

/* At the end of a block: the comparison that its branch tests stays beside the branch. */
LLVMValueRef cn_poll_site_at_end(struct cn_ctx *ctx, LLVMBasicBlockRef block);

/* The sites of one function, each once, in the order of their addition.
 *
 * Invariant (cn_poll_sites_wrong()): each site is listed once, is an instruction of a reachable block of the function,
 * other than a phi or a landing pad, and lies outside safepoint-free regions. */
struct cn_poll_sites {
  CN_VECTOR(LLVMValueRef) list;
  struct cn_ptrmap seen; /* each listed site, to its form, and blocks without a place */
  const struct cn_cfg *cfg;
  uint32_t *open; /* cn_nopoll_compute_depths(); owned */
};
/* Begin the sites of the function of `cfg`. */
void cn_poll_sites_begin(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_cfg *cfg);
void cn_poll_sites_free(struct cn_poll_sites *sites);
/* The part of the invariant that is broken; null: all holds. Linear in the blocks that have sites. */
const char *cn_poll_sites_wrong(const struct cn_poll_sites *sites);
/* Add a site. Null and places in safepoint-free regions are ignored. */
void cn_poll_sites_add(struct cn_poll_sites *sites, LLVMValueRef at);
/* Like cn_poll_sites_add(), for a site that runs after so much work that the cost of a call is small. */
void cn_poll_sites_add_rare(struct cn_poll_sites *sites, LLVMValueRef at);
/* Add the site for the retreating edges out of block `b`: in the block, or else elsewhere in each iteration. */
void cn_poll_sites_add_latch(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t b);

/* Before polls are emitted: keep conditional moves that only remember a value as moves, in innermost loops that will
 * poll (selects.c). */
void cn_selects_keep(struct cn_ctx *ctx, const struct cn_loops *loops, const struct cn_poll_sites *sites);

#endif
