/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the scalars in a type, with their offsets, up to a limit, and has the sizes of scalars. Needs: nothing.
 * Provides: cn_scalars_of(), cn_scalar_bits(). Breaks: nothing.
 */
#include "compile/core/scalars.h"

#include <string.h>
#include "compile/core/convention.h"

static bool is_full(const struct cn_scalars *out)
{
  return out->list.count > CN_SCALARS_MOST;
}

static void flatten_type(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t at, bool in_union, struct cn_scalars *out)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  uint64_t end = at;

  if (is_full(out))
    return;
  if (kind == LLVMArrayTypeKind) {
    uint64_t stride = LLVMABISizeOfType(ctx->layout, LLVMGetElementType(type));
    for (uint64_t i = 0; i < LLVMGetArrayLength2(type) && !is_full(out); i++)
      flatten_type(ctx, LLVMGetElementType(type), at + i * stride, in_union, out);
    return;
  }
  if (kind != LLVMStructTypeKind) {
    cn_push(&out->list, (struct cn_scalar){type, at});
    return;
  }
  const char *name = LLVMGetStructName(type);
  in_union |= name && strncmp(name, "union.", 6) == 0;
  unsigned members = LLVMCountStructElementTypes(type);
  for (unsigned i = 0; i <= members; i++) {
    uint64_t next =
        i < members ? at + LLVMOffsetOfElement(ctx->layout, type, i) : at + LLVMABISizeOfType(ctx->layout, type);
    for (; in_union && end < next && !is_full(out); end++)
      cn_push(&out->list, (struct cn_scalar){LLVMInt8TypeInContext(ctx->llvm), end});
    if (i == members)
      break;
    LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, i);
    flatten_type(ctx, member, next, in_union, out);
    end = next + LLVMABISizeOfType(ctx->layout, member);
  }
}

void cn_scalars_of(struct cn_ctx *ctx, LLVMTypeRef type, struct cn_scalars *out)
{
  flatten_type(ctx, type, 0, false, out);
}

unsigned cn_scalar_bits(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return LLVMGetIntTypeWidth(type);
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
    return 16;
  case LLVMFloatTypeKind:
    return 32;
  case LLVMDoubleTypeKind:
  case LLVMPointerTypeKind:
    return 64;
  case LLVMFP128TypeKind:
  case LLVMPPC_FP128TypeKind:
    return 128;
  case LLVMArrayTypeKind:
  case LLVMStructTypeKind:
  case LLVMVectorTypeKind:
    return 0;
  default:
    return cn_is_returned_on_x87_stack(type) ? 80 : 0; /* long double */
  }
}
