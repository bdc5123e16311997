/* SPDX-License-Identifier: Apache-2.0
 *
 * Which instructions show the address of a reference. Needs, breaks: nothing. Provides:
 * cn_shows_addresses().
 */
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/values/refs.h"

bool cn_shows_addresses(const struct cn_cfg *cfg)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if ((cn_takes_address(i) || LLVMIsAAddrSpaceCastInst(i)) && cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))))
        return true;
  return false;
}
