/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds a program's requests to transform loops (`#pragma clang loop`) in the loops' metadata. Needs, breaks: nothing.
 * Provides: cn_loops_ask_for_transformation().
 *
 * The optimiser gives a warning with the source line for each request that it cannot fulfil.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/pass.h"

/* True for a property that front ends add unasked, or that only forbids a transformation. */
static bool is_harmless_property(const char *text, unsigned length)
{
  static const char *const harmless[] = {"llvm.loop.mustprogress", "llvm.loop.unroll.disable"};

  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (length == strlen(harmless[i]) && memcmp(text, harmless[i], length) == 0)
      return true;
  return false;
}

/* True for a property, !{!"llvm.loop...", ...}, that asks for a transformation. */
static bool property_asks_for_transformation(LLVMValueRef node)
{
  unsigned count = node && LLVMIsAMDNode(node) ? LLVMGetMDNodeNumOperands(node) : 0, length;

  if (count == 0)
    return false;
  LLVMValueRef *operands = cn_alloc(count * sizeof *operands);
  LLVMGetMDNodeOperands(node, operands);
  const char *name = operands[0] ? LLVMGetMDString(operands[0], &length) : NULL;
  free(operands);
  return name && length > 10 && memcmp(name, "llvm.loop.", 10) == 0 && !is_harmless_property(name, length);
}

static bool loop_asks_for_transformation(LLVMValueRef loop)
{
  unsigned count = LLVMGetMDNodeNumOperands(loop);
  LLVMValueRef *operands = cn_alloc(count * sizeof *operands);
  bool found = false;

  LLVMGetMDNodeOperands(loop, operands);
  for (unsigned i = 1; i < count && !found; i++) /* operand 0 is the node itself */
    found = property_asks_for_transformation(operands[i]);
  free(operands);
  return found;
}

bool cn_loops_ask_for_transformation(const struct cn_ctx *ctx)
{
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, "llvm.loop", 9);

  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f) {
      LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
      LLVMValueRef loop = end && LLVMHasMetadata(end) ? LLVMGetMetadata(end, kind) : NULL;
      if (loop && loop_asks_for_transformation(loop))
        return true;
    }
  return false;
}
