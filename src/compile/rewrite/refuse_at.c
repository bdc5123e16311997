/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses one instruction, with its name. Part of rewrite-statepoints. Needs: any instruction. Provides: a diagnostic
 * if the instruction is reachable. Breaks: nothing.
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/rewrite/refuse.h"

bool cn_refuse_is_reachable(struct cn_function_check *judge, LLVMValueRef instruction)
{
  CN_ASSERT(LLVMIsAInstruction(instruction));
  if (!judge->has_cfg)
    cn_cfg_build_edges(&judge->cfg, judge->function);
  judge->has_cfg = true;
  return cn_cfg_index_of(&judge->cfg, LLVMGetInstructionParent(instruction)) != CN_NO_BLOCK;
}

void cn_refuse_at(struct cn_function_check *judge, LLVMValueRef at, const char *rule, const char *why)
{
  char name[96];

  if (!cn_refuse_is_reachable(judge, at))
    return;
  if (cn_is_call(at))
    cn_calls_describe(at, name, sizeof name);
  else
    cn_value_name(at, name, sizeof name);
  cn_error(judge->ctx, at, rule, "%s: %s", name, why);
}
