/* SPDX-License-Identifier: Apache-2.0
 *
 * Control flow of one function: blocks in reverse post-order, predecessors, dominators, loops.
 * The LLVM-C API has none of these. Valid until a block or an edge changes.
 */
#ifndef CN_COMPILE_ANALYSIS_CFG_H
#define CN_COMPILE_ANALYSIS_CFG_H

#include <string.h>
#include "base/ptrmap.h"
#include "compile/core/pass.h"

#define CN_NO_BLOCK UINT32_MAX

struct cn_cfg_block {
  LLVMBasicBlockRef block;
  uint32_t *preds, *succs; /* indices; a block that is a successor twice is listed twice */
  uint32_t pred_count, succ_count;
  uint32_t idom;  /* immediate dominator; the entry's is itself */
  uint32_t loop;  /* header of the innermost natural loop that the block is in, or CN_NO_BLOCK */
  uint32_t depth; /* number of natural loops around it */
  uint32_t outer; /* of a header: the header of the next loop around its loop, or CN_NO_BLOCK */
  bool nests;     /* header of a loop that has another in it */
  uint32_t place; /* in the tree of dominators, visited parents first */
  uint32_t below; /* the number of blocks from `place` on that this one dominates, itself among them */
};

/* Reachable blocks only, in reverse post-order: blocks[0] is the entry, and an edge i -> j with
 * j <= i is a retreating edge (a back edge if j dominates i, else its loop is irreducible).
 *
 * It holds (cn_cfg_wrong()) that
 *   - the edges are those of the terminators, and preds[] has each, ascending
 *   - every block except the entry has a predecessor that comes before it
 *   - idom comes before its block, and dominates all of its predecessors
 *   - the blocks that a block dominates have the places [place, place + below), its own first
 *   - the header of a block's loop dominates it, and is as deep; that of the next loop dominates
 *     the header, and is less deep by one */
struct cn_cfg {
  LLVMValueRef function;
  struct cn_cfg_block *blocks;
  uint32_t *edges; /* preds and succs are slices of it */
  uint32_t count;
  struct cn_ptrmap index; /* LLVMBasicBlockRef -> index */
  bool has_dominators;    /* true: loops are known, too */
};

void cn_cfg_build(struct cn_cfg *cfg, LLVMValueRef function);
/* Like cn_cfg_build(), without dominators and loops: idom, loop and depth stay unset. */
void cn_cfg_build_edges(struct cn_cfg *cfg, LLVMValueRef function);
/* Add dominators and loops, if they are missing. */
void cn_cfg_add_dominators(struct cn_cfg *cfg);
void cn_cfg_free(struct cn_cfg *cfg);
/* Null, or the fault of the graph, compared with the function as it is now. Linear. */
const char *cn_cfg_wrong(const struct cn_cfg *cfg);
uint32_t cn_cfg_index_of(const struct cn_cfg *cfg, LLVMBasicBlockRef block); /* CN_NO_BLOCK if unreachable */
bool cn_cfg_dominates(const struct cn_cfg *cfg, uint32_t a, uint32_t b);     /* reflexive */
static inline bool cn_cfg_is_retreating_edge(uint32_t from, uint32_t to)
{
  return to <= from;
}
/* The meeting point of the paths upwards from `a` and `b` in a tree whose parents have lower indices; `steps` bounds
 * the steps. CN_NO_BLOCK: the bound is reached. */
static inline uint32_t cn_tree_common_ancestor(const void *parents, size_t stride, uint32_t a, uint32_t b,
                                               uint32_t steps)
{
  for (; a != b; steps--) {
    uint32_t *deep = a > b ? &a : &b;
    if (steps == 0)
      return CN_NO_BLOCK;
    memcpy(deep, (const char *)parents + *deep * stride, sizeof *deep);
  }
  return a;
}
/* The nearest block that dominates both. */
static inline uint32_t cn_cfg_common_dominator(const struct cn_cfg *cfg, uint32_t a, uint32_t b)
{
  return cn_tree_common_ancestor(&cfg->blocks->idom, sizeof *cfg->blocks, a, b, UINT32_MAX);
}
/* True if the graph has a cycle other than a natural loop. */
bool cn_cfg_is_irreducible(const struct cn_cfg *cfg);

/* Redirect every edge into `block` to `to`, except those from blocks in `kept`. Phis stay as they are. */
void cn_redirect_incoming_edges(LLVMBasicBlockRef block, LLVMBasicBlockRef to, const struct cn_ptrmap *kept);
/* A phi like `old`, with its incoming values still to come, at the builder's place. */
LLVMValueRef cn_build_phi_like(LLVMBuilderRef builder, LLVMValueRef old, const char *name);
/* The one incoming value of `phi` other than itself, which dominates it then; null if the number of such values is
 * other than one. */
LLVMValueRef cn_phi_only_input(LLVMValueRef phi);

#endif
