#include "compile/chunk.h"

#include <stdlib.h>
#include "base/check.h"

void cn_chunk_loops(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work)
{
  (void)ctx, (void)function, (void)small_work;
}

/* Insertion through a builder would take the name and, positioned at an instruction, the debug location. */
void cn_chunk_move_before(struct cn_ctx *ctx, LLVMValueRef instruction, LLVMValueRef before)
{
  size_t length;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  const char *name = LLVMGetValueName2(instruction, &length);
  char *copy = cn_strdup(name);

  LLVMPositionBuilderBefore(builder, before);
  LLVMSetCurrentDebugLocation2(builder, NULL);
  LLVMInstructionRemoveFromParent(instruction);
  LLVMInsertIntoBuilderWithName(builder, instruction, copy);
  LLVMDisposeBuilder(builder);
  free(copy);
}
