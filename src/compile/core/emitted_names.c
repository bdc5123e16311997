/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds enum attributes and names to emitted IR, recognises names of Cairn's functions and functions with statepoints,
 * gives the type of references, and has the names of the kinds of barriers. Needs: nothing. Provides: the functions of
 * emitted_names.h, except those of kind_ids.c; the tables of pass.h. Breaks: nothing.
 */
#include "compile/core/emitted_names.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/each.h"

LLVMTypeRef cn_ref_type(struct cn_ctx *ctx)
{
  return LLVMPointerTypeInContext(ctx->llvm, CAIRN_ABI_ADDRESS_SPACE);
}

void cn_add_enum_attribute(struct cn_ctx *ctx, LLVMValueRef function, LLVMAttributeIndex index, const char *name,
                           uint64_t value)
{
  CN_ASSERT(LLVMIsAFunction(function));
  LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(ctx->llvm, cn_attribute_kind(name), value));
}

bool cn_is_poll_stub(const char *name)
{
  CN_ASSERT(name);
  return strcmp(name, CN_POLL_SLOW) == 0 || strcmp(name, CN_POLL) == 0;
}

bool cn_is_slow_allocation(const char *name)
{
  CN_ASSERT(name);
  return strcmp(name, CN_ALLOC_SLOW) == 0 || strcmp(name, CN_ALLOC_INDEXED_SLOW) == 0 ||
         strcmp(name, CN_ALLOC_UNINIT_SLOW) == 0 || strcmp(name, CN_RESIZE_SLOW) == 0;
}

bool cn_is_allocation_name(const char *name)
{
  CN_ASSERT(name);
  return strncmp(name, CN_ALLOC, sizeof CN_ALLOC - 1) == 0 ||
         strncmp(name, CN_RESIZE_ARRAY, sizeof CN_RESIZE_ARRAY - 1) == 0;
}

bool cn_has_statepoints(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_calls_intrinsic(i, "llvm.experimental.gc.statepoint"))
        return true;
  return false;
}

void cn_name_value_after(LLVMValueRef value, LLVMValueRef other, const char *suffix)
{
  size_t length, more = strlen(suffix);
  const char *name = LLVMGetValueName2(other, &length);
  char space[120];

  if (length == 0)
    return;
  char *whole = length + more <= sizeof space ? space : cn_alloc(length + more);
  memcpy(whole, name, length);
  memcpy(whole + length, suffix, more);
  LLVMSetValueName2(value, whole, length + more);
  if (whole != space)
    free(whole);
}

const char *const cn_barrier_kind_names[CAIRN_BARRIERS_KINDS] = {
#define CAIRN_BARRIERS_KIND(constant, number, name, mark, help) name,
#include <cairn/barriers.def>
#undef CAIRN_BARRIERS_KIND
};
const char *const cn_barrier_kind_marks[CAIRN_BARRIERS_KINDS] = {
#define CAIRN_BARRIERS_KIND(constant, number, name, mark, help) mark,
#include <cairn/barriers.def>
#undef CAIRN_BARRIERS_KIND
};
