/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits polls. Private to src/compile.
 */
#ifndef CN_COMPILE_PLACE_POLL_H
#define CN_COMPILE_PLACE_POLL_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"
#include "compile/cost/loops.h"

/* The place of the call of the slow path, from the fastest code to the smallest. */
enum cn_poll_form {
  CN_POLL_FORM_AT_FUNCTION_END, /* at the function's end: two instructions on the fast path, 22 to 25 bytes */
  CN_POLL_FORM_IN_PLACE,        /* in place, with a branch past it: two instructions on the fast path, 16 bytes */
  CN_POLL_FORM_STUB_CALL        /* a call of the stub, which reads the word: four instructions, 5 bytes */
};

struct cn_poll_emitter {
  struct cn_ctx *ctx;
  LLVMValueRef user; /* the module's own @gc.safepoint_poll, or null */
  LLVMValueRef slow; /* cairn_poll_slow, or null */
  LLVMValueRef stub; /* cairn_poll; null if all polls are in line */
  unsigned count;    /* emitted so far */
};

/* Find or declare the functions that polls call; false after an error, with the module unchanged. */
bool cn_polls_begin(struct cn_poll_emitter *polls, struct cn_ctx *ctx);

/* Insert a poll before `at`, which must be neither a phi nor a landing pad, unless `at` is in a safepoint-free
 * interval. `form` is ignored for the module's own poll, and at -Os and -Oz, where each poll calls the stub. A remark
 * at the poll's debug location says `reason`. */
void cn_poll_emit(struct cn_poll_emitter *polls, LLVMValueRef at, enum cn_poll_form form, const char *reason);

/* Inline the module's own poll at all inserted polls, and drop unused declarations. Called after the last poll. */
bool cn_polls_end(struct cn_poll_emitter *polls);

/* ---- user_poll.c: the module's own poll ---- */

/* Set *poll to @gc.safepoint_poll, or to null if the module lacks it. False after an error. */
bool cn_user_poll_find(struct cn_ctx *ctx, LLVMValueRef *poll);

/* Insert a call of the poll before `at`, in the funclet of `pad` (may be null). */
void cn_user_poll_emit_call(struct cn_ctx *ctx, LLVMValueRef poll, LLVMValueRef at, LLVMValueRef pad);

/* Inline the calls of cn_user_poll_emit_call(), and no others. */
bool cn_user_poll_inline(struct cn_ctx *ctx, LLVMValueRef poll);

/* ---- poll_sites.c: finds and lists the places of polls ---- */

/* Each of the following functions finds a place for a poll: the poll goes before the returned instruction. */

/* The place of the entry poll: as late as possible before the first branch, and before instruction `need`, which may be
 * null, if `need` precedes that branch. */
LLVMValueRef cn_poll_site_at_entry(struct cn_ctx *ctx, const struct cn_cfg *cfg, LLVMValueRef need);

/* True if an integer made of a reference is live over the end of a block. */
bool cn_poll_site_has_roaming_address(const struct cn_cfg *cfg);

/* True if the block contains no integer made of a reference and no in-line allocation. */
bool cn_poll_site_is_plain_block(LLVMBasicBlockRef block);

/* The place in a block that ends in a retreating edge; null if the block lacks a place, so that its predecessors must
 * poll. */
LLVMValueRef cn_poll_site_at_latch(struct cn_ctx *ctx, LLVMBasicBlockRef block);

/* The place at the end of a block, before the comparison that the branch tests. */
LLVMValueRef cn_poll_site_at_end(struct cn_ctx *ctx, LLVMBasicBlockRef block);

/* The sites of one function, each once, in the order of their addition.
 *
 * Invariant (cn_poll_sites_wrong()): each site is listed once, is an instruction of a reachable block of the function,
 * other than a phi or a landing pad, and lies outside safepoint-free intervals. */
struct cn_poll_sites {
  CN_VECTOR(LLVMValueRef) list;
  const char *reason;       /* the text of the remarks on sites that are added from now on; static text */
  struct cn_ptrmap reasons; /* site -> its text */
  struct cn_ptrmap seen;    /* site -> its form; also the blocks without a place */
  const struct cn_cfg *cfg;
  uint32_t *open; /* cn_nopoll_compute_depths(); owned */
};
/* Begin the sites of the function of `cfg`. */
void cn_poll_sites_begin(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_cfg *cfg);
void cn_poll_sites_free(struct cn_poll_sites *sites);
/* The first broken part of the invariant, or null. Takes time linear in the blocks with sites. */
const char *cn_poll_sites_wrong(const struct cn_poll_sites *sites);
/* Add a site, unless `at` is null or in a safepoint-free interval. */
void cn_poll_sites_add(struct cn_poll_sites *sites, LLVMValueRef at);
/* The text of the remark on a site. */
const char *cn_poll_sites_reason_of(const struct cn_poll_sites *sites, LLVMValueRef at);
/* Like cn_poll_sites_add(), for a site that runs so rarely that a call of the stub costs little. */
void cn_poll_sites_add_rare(struct cn_poll_sites *sites, LLVMValueRef at);
/* Add the sites for the retreating edges out of block `b`: in the block, or at other places that run in each
 * iteration. */
void cn_poll_sites_add_latch(struct cn_poll_sites *sites, struct cn_ctx *ctx, const struct cn_loops *loops, uint32_t b);

/* Keep selects that only remember a value as conditional moves, in innermost loops that will poll (selects.c). Called
 * before polls are emitted. */
void cn_selects_keep(struct cn_ctx *ctx, const struct cn_loops *loops, const struct cn_poll_sites *sites);

#endif
