/* SPDX-License-Identifier: Apache-2.0
 *
 * Control flow of one function: blocks in reverse post-order, predecessors, dominators, loops. The LLVM-C API lacks
 * these analyses. The graph is valid until a block or an edge changes.
 */
#ifndef CN_COMPILE_ANALYSIS_CFG_H
#define CN_COMPILE_ANALYSIS_CFG_H

#include <string.h>
#include "base/ptrmap.h"
#include "compile/core/pass.h"

#define CN_NO_BLOCK UINT32_MAX

struct cn_cfg_block {
  LLVMBasicBlockRef block;
  uint32_t *preds, *succs; /* indices of blocks, one for each edge */
  uint32_t pred_count, succ_count;
  uint32_t idom;  /* immediate dominator; for the entry, the entry itself */
  uint32_t loop;  /* header of the innermost natural loop around the block, or CN_NO_BLOCK */
  uint32_t depth; /* number of natural loops around the block */
  uint32_t outer; /* for a header: the header of the next enclosing loop, or CN_NO_BLOCK */
  bool nests;     /* the block is the header of a loop with an inner loop */
  uint32_t place; /* position in a pre-order walk of the dominator tree */
  uint32_t below; /* the number of blocks that this block dominates, itself included */
};

/* The reachable blocks, in reverse post-order. blocks[0] is the entry. An edge i -> j with j <= i is a retreating edge;
 * it is a back edge if j dominates i, else its cycle is irreducible.
 *
 * Invariants (cn_cfg_wrong()):
 *   - the edges are those of the terminators, and preds[] is in ascending order
 *   - every block except the entry has a predecessor that comes before it
 *   - idom comes before its block, and dominates all of its predecessors
 *   - the blocks that a block dominates have the places [place, place + below), and the block itself has the first
 *   - the header of a block's loop dominates the block and has the same depth; the header of the next enclosing loop
 *     dominates that header, and its depth is smaller by one */
struct cn_cfg {
  LLVMValueRef function;
  struct cn_cfg_block *blocks;
  uint32_t *edges; /* the memory of all preds and succs */
  uint32_t count;
  struct cn_ptrmap index; /* LLVMBasicBlockRef -> index */
  bool has_dominators;    /* the dominators and loops have been computed */
};

void cn_cfg_build(struct cn_cfg *cfg, LLVMValueRef function);
/* Build the graph without dominators and loops, so that idom, loop and depth stay unset. */
void cn_cfg_build_edges(struct cn_cfg *cfg, LLVMValueRef function);
/* Add dominators and loops, if they are missing. */
void cn_cfg_add_dominators(struct cn_cfg *cfg);
void cn_cfg_free(struct cn_cfg *cfg);
/* Compares the graph with the function, in linear time. Describes a fault, or returns null. */
const char *cn_cfg_wrong(const struct cn_cfg *cfg);
uint32_t cn_cfg_index_of(const struct cn_cfg *cfg, LLVMBasicBlockRef block); /* CN_NO_BLOCK if unreachable */
bool cn_cfg_dominates(const struct cn_cfg *cfg, uint32_t a, uint32_t b);     /* reflexive */
static inline bool cn_cfg_is_retreating_edge(uint32_t from, uint32_t to)
{
  return to <= from;
}
/* The lowest common ancestor of `a` and `b` in a tree whose parents have lower indices; CN_NO_BLOCK after more than
 * `steps` steps. */
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
static inline uint32_t cn_cfg_common_dominator(const struct cn_cfg *cfg, uint32_t a, uint32_t b)
{
  return cn_tree_common_ancestor(&cfg->blocks->idom, sizeof *cfg->blocks, a, b, UINT32_MAX);
}
/* True if the graph has a cycle other than a natural loop. */
bool cn_cfg_is_irreducible(const struct cn_cfg *cfg);

/* Redirect every edge into `block` to `to`, except edges from blocks in `kept`. Phis stay as they are. */
void cn_redirect_incoming_edges(LLVMBasicBlockRef block, LLVMBasicBlockRef to, const struct cn_ptrmap *kept);
/* The only incoming value of `phi` other than `phi` itself, which then dominates `phi`. Null unless exactly one such
 * value exists. */
LLVMValueRef cn_phi_only_input(LLVMValueRef phi);

#endif
