/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass note-stores: the runtime is told of each store of references, with its place in the source,
 * so that CAIRN_VERIFY=stores can say which one had no barrier:
 *
 *   call void @cairn_note_store(ptr addrspace(1) to, i64 bytes, ptr place)
 *
 * It does nothing without options->note_stores.
 *
 * Needs: what stores is what will run, so after the optimiser; not yet rewritten functions.
 * Provides: a call, which is a leaf, immediately before each store. Null is no reference, and
 * locals are roots: of these no call tells. Breaks: nothing.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/names.h"

static LLVMValueRef place_of(LLVMBuilderRef builder, LLVMValueRef at)
{
  unsigned length = 0, line = LLVMGetDebugLocLine(at);
  const char *file = line ? LLVMGetDebugLocFilename(at, &length) : NULL;
  char *text = file ? cn_format("%.*s:%u", (int)length, file, line) : cn_strdup("");
  LLVMValueRef string = LLVMBuildGlobalString(builder, text, "cairn.place");

  LLVMSetUnnamedAddress(string, LLVMGlobalUnnamedAddr);
  free(text);
  return string;
}

/* Where the store goes and how far. Lanes that a mask leaves out count, too; and where lanes lie
 * apart, or no barrier covers the store, it may go anywhere. */
static void find_range(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_access *access,
                       LLVMValueRef *slot, LLVMValueRef *bytes)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);

  if (access->kind == CN_ACCESS_UNKNOWN || !cn_is_ref(LLVMTypeOf(access->slot))) {
    *slot = LLVMConstNull(cn_ref_type(ctx));
    *bytes = LLVMConstAllOnes(i64);
    return;
  }
  *slot = access->slot;
  CN_CHECK(access->bytes || access->value);
  *bytes =
      access->bytes
          ? LLVMBuildZExtOrBitCast(builder, access->bytes, i64, "")
          : LLVMConstInt(i64, LLVMStoreSizeOfType(ctx->layout, LLVMTypeOf(access->value)), false);
}

static bool tells_nothing(const struct cn_access *access)
{
  return access->kind == CN_ACCESS_NONE || access->kind == CN_ACCESS_CLEARS ||
         (access->value && LLVMIsNull(access->value)) ||
         (access->slot && cn_is_ref(LLVMTypeOf(access->slot)) &&
          cn_address_is_local(cn_address_root_of(access->slot)));
}

static bool note_store(struct cn_ctx *ctx, LLVMValueRef at)
{
  const struct cn_access access = cn_access_written(ctx, at);

  if (tells_nothing(&access))
    return true;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMPositionBuilderBefore(builder, at);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(at));
  LLVMValueRef arguments[3];
  find_range(ctx, builder, &access, &arguments[0], &arguments[1]);
  arguments[2] = place_of(builder, at);
  LLVMTypeRef types[] = {LLVMTypeOf(arguments[0]), LLVMTypeOf(arguments[1]),
                         LLVMTypeOf(arguments[2])};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), types, 3, false);
  LLVMValueRef callee = cn_emit_declare(ctx, CN_NOTE_STORE, type, LLVMCCallConv);
  if (callee) {
    cn_emit_mark_leaf(ctx, callee);
    LLVMBuildCall2(builder, type, callee, arguments, 3, "");
  }
  LLVMDisposeBuilder(builder);
  return callee != NULL;
}

bool cn_note_stores(struct cn_ctx *ctx)
{
  if (!ctx->options->note_stores)
    return true;
  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f))
      continue;
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (!note_store(ctx, i))
          return false;
  }
  return ctx->errors == 0;
}
