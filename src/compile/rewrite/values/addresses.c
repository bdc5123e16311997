/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether a function shows the address of a reference: by an instruction that takes it, or by a cast to another
 * address space. Needs: struct cn_cfg. Provides: cn_has_address_integers(). Breaks: nothing.
 */
#include "compile/core/each.h"
#include "compile/rewrite/values/refs.h"

bool cn_has_address_integers(const struct cn_cfg *cfg)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if ((cn_is_pointer_to_integer_cast(i) || LLVMIsAAddrSpaceCastInst(i)) &&
          cn_holds_ref(LLVMTypeOf(LLVMGetOperand(i, 0))))
        return true;
  return false;
}
