/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds locals that hide references from Cairn after optimisation. Part of pass `restore-references`.
 *
 * Needs: optimised IR. Provides: an error for a local that may hold references if neither its type nor its loads and
 * stores show this. The pipeline then optimises again, with all locals that hold references kept in memory
 * (cn_hidden_locals_prevent()). Breaks: nothing.
 *
 * If functions access a struct by its address, SROA can cut the struct only after inlining. A part that is only copied
 * then becomes [N x i8] or i64 (test/compile/restore/locals.c). TBAA of the copies tells whether the part may hold a
 * reference.
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/tbaa.h"
#include "compile/core/each.h"
#include "compile/optimise/prepare.h"

#define ESCAPED_ATTRIBUTE "cairn-escaped"

static LLVMValueRef metadata_of(struct cn_ctx *ctx, LLVMValueRef i, const char *kind)
{
  return LLVMGetMetadata(i, LLVMGetMDKindIDInContext(ctx->llvm, kind, (unsigned)strlen(kind)));
}

/* True if, by its metadata, `i` may copy a reference to or from a local. */
static bool may_move_reference(struct cn_ctx *ctx, LLVMValueRef i, bool is_piece)
{
  LLVMValueRef tag = metadata_of(ctx, i, "tbaa");

  if (tag)
    return cn_tbaa_is_pointer(tag);
  if (metadata_of(ctx, i, "tbaa.struct"))
    return cn_tbaa_may_hold_reference(ctx, i);
  return is_piece;
}

static bool is_volatile_word_access(LLVMValueRef i)
{
  bool load = LLVMIsALoadInst(i) != NULL;

  if (!load && !LLVMIsAStoreInst(i))
    return false;
  LLVMTypeRef type = LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
  return LLVMGetVolatile(i) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64;
}

static bool is_sroa_piece(LLVMValueRef local)
{
  size_t length;

  return strstr(LLVMGetValueName2(local, &length), ".sroa.") != NULL;
}

/* A use of `address` that may store a reference in a local whose type has no references, or null. */
static LLVMValueRef find_hiding_use(struct cn_ctx *ctx, LLVMValueRef address, bool piece)
{
  CN_EACH_USE(use, address) {
    LLVMValueRef user = LLVMGetUser(use);
    LLVMValueRef found = NULL;
    if (LLVMIsAGetElementPtrInst(user))
      found = find_hiding_use(ctx, user, piece);
    else if ((cn_calls_is_memory_copy(user) || is_volatile_word_access(user)) && may_move_reference(ctx, user, piece))
      found = user;
    if (found)
      return found;
  }
  return NULL;
}

void cn_hidden_locals_check(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (LLVMGetStringAttributeAtIndex(function, CN_FUNCTION_INDEX, ESCAPED_ATTRIBUTE, sizeof ESCAPED_ATTRIBUTE - 1))
    return;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (!LLVMIsAAllocaInst(i) || cn_holds_ref(LLVMGetAllocatedType(i)))
        continue;
      LLVMValueRef use = find_hiding_use(ctx, i, is_sroa_piece(i));
      if (use)
        cn_error(ctx, use, "hidden-local",
                 "the optimiser keeps a value that may be a reference in a local whose type does not tell");
    }
}

/* ---- locals kept as declared ---- */

/* Pass the local's address to opaque assembly, so that the optimiser keeps the local with its type. */
static void escape_local(struct cn_ctx *ctx, LLVMValueRef local)
{
  CN_CHECK(LLVMIsAAllocaInst(local) && cn_holds_ref(LLVMGetAllocatedType(local)));
  static const char constraints[] = "r,~{memory}";
  LLVMTypeRef pointer = LLVMTypeOf(local);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), &pointer, 1, false);
  LLVMValueRef code =
      LLVMGetInlineAsm(type, "", 0, constraints, sizeof constraints - 1, true, false, LLVMInlineAsmDialectATT, false);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(local));
  LLVMBuildCall2(builder, type, code, &local, 1, "");
  LLVMDisposeBuilder(builder);
}

void cn_hidden_locals_prevent(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module) {
    if (!cn_is_managed(f) || LLVMIsDeclaration(f) ||
        LLVMGetStringAttributeAtIndex(f, CN_FUNCTION_INDEX, ESCAPED_ATTRIBUTE, sizeof ESCAPED_ATTRIBUTE - 1))
      continue;
    LLVMAddAttributeAtIndex(
        f, CN_FUNCTION_INDEX,
        LLVMCreateStringAttribute(ctx->llvm, ESCAPED_ATTRIBUTE, sizeof ESCAPED_ATTRIBUTE - 1, "", 0));
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (LLVMIsAAllocaInst(i) && cn_holds_ref(LLVMGetAllocatedType(i)))
          escape_local(ctx, i);
  }
}
