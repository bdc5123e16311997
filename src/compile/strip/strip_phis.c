/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces phis that join a value with itself: after relocations are removed, the phis that joined the relocations of a
 * value have only this value as input. Part of strip-statepoints. Needs: any function. Provides: at least two values
 * flow through every phi of pointers. Breaks: only the phis.
 */
#include <stdlib.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/analysis/value_flow.h"
#include "compile/rewrite/values/refs.h"
#include "compile/strip/strip.h"

/* A graph for cn_value_flow_find_origins(): the phis of pointers in reachable blocks, and the other values that are
 * their inputs. */
struct phi_graph {
  CN_VECTOR(LLVMValueRef) phis, sources;
  CN_VECTOR(uint32_t) first, inputs; /* inputs: a node's index, or at first ~index for a source */
  struct cn_ptrmap nodes, known;     /* phi -> index of phis; value -> index of sources */
};

static void gather_pointer_phis(struct phi_graph *web, const struct cn_cfg *cfg)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].block); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
      if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind) {
        *cn_ptrmap_add(&web->nodes, i, NULL) = web->phis.count;
        cn_push(&web->phis, i);
      }
}

static void add_phi_inputs(struct phi_graph *web, LLVMValueRef phi)
{
  CN_ASSERT(LLVMIsAPHINode(phi));
  cn_push(&web->first, (uint32_t)web->inputs.count);
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    uint64_t *node = cn_ptrmap_find(&web->nodes, value);
    bool fresh = false;
    uint64_t *source = node ? NULL : cn_ptrmap_add(&web->known, value, &fresh);
    if (fresh) {
      *source = web->sources.count;
      cn_push(&web->sources, value);
    }
    cn_push(&web->inputs, node ? (uint32_t)*node : ~(uint32_t)*source);
  }
}

static void replace_redundant_phis(struct phi_graph *web)
{
  uint32_t sources = (uint32_t)web->sources.count, nodes = (uint32_t)web->phis.count;

  for (size_t i = 0; i < web->inputs.count; i++) {
    uint32_t input = web->inputs.at[i];
    web->inputs.at[i] = input & 1u << 31 ? ~input + 1 : sources + 1 + input;
  }
  CN_CHECK(web->first.count == (size_t)nodes + 1);
  uint32_t *top = cn_value_flow_find_origins(sources, nodes, web->first.at, web->inputs.at);
  for (uint32_t n = 0; n < nodes; n++)
    if (top[n] != sources + 1 + n)
      LLVMReplaceAllUsesWith(web->phis.at[n],
                             top[n] <= sources ? web->sources.at[top[n] - 1] : web->phis.at[top[n] - sources - 1]);
  for (uint32_t n = 0; n < nodes; n++)
    if (top[n] != sources + 1 + n)
      LLVMInstructionEraseFromParent(web->phis.at[n]);
  free(top);
}

void cn_strip_redundant_phis(LLVMValueRef function)
{
  struct phi_graph web = {0};
  struct cn_cfg cfg;

  CN_ASSERT(LLVMIsAFunction(function));
  cn_cfg_build(&cfg, function);
  gather_pointer_phis(&web, &cfg);
  for (size_t i = 0; i < web.phis.count; i++)
    add_phi_inputs(&web, web.phis.at[i]);
  cn_push(&web.first, (uint32_t)web.inputs.count);
  if (web.phis.count)
    replace_redundant_phis(&web);
  cn_cfg_free(&cfg);
  cn_free(&web.phis);
  cn_free(&web.sources);
  cn_free(&web.first);
  cn_free(&web.inputs);
  cn_ptrmap_free(&web.nodes);
  cn_ptrmap_free(&web.known);
}
