/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits polls, each with a source line near it, for pass `place-safepoints` (statepoints-later, "PlaceSafepoints").
 *
 * Needs: an instruction to poll before, which is neither a phi nor a landing pad. Provides: a poll, unless the
 * instruction lies in a safepoint-free interval; struct cn_poll_emitter, with the count of polls and the functions that
 * polls call; an error if the module uses the names of these functions for anything else. The functions are declared
 * before the first poll, and deleted after the last poll if they are unused. Breaks: struct cn_cfg.
 *
 * A poll tests the thread's poll word, or compares the stack pointer with the thread's stack limit. The poll branches
 * to a block that calls cairn_poll_slow() with the preserve_all convention, so that the hot path keeps its registers.
 * The block is placed at the function's end, or beside the comparison if a shorter poll with a taken branch is better.
 * Polls that rarely run, and all polls at -Os and -Oz, are a call of the stub cairn_poll(), which reads the word: 5
 * bytes. If the module defines @gc.safepoint_poll, its body replaces all of these forms (user_poll.c).
 */
#include "compile/place/poll.h"

#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "compile/analysis/funclets.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/markers.h"

/* Build a test whether the stack pointer is below the thread's limit: one comparison with memory and a branch on the
 * flag. */
static LLVMValueRef emit_stack_check(struct cn_poll_emitter *p, LLVMBuilderRef builder)
{
  const struct cn_convention_port *port = cn_convention_port_of(p->ctx->module);
  const char *code = port->stack_check_assembly, *operands = port->stack_check_constraints;
  LLVMContextRef llvm = p->ctx->llvm;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(llvm), i32 = LLVMInt32TypeInContext(llvm);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(p->ctx->llvm, 0);
  LLVMTypeRef type = LLVMFunctionType(i32, &pointer, 1, false);
  LLVMValueRef limit = cn_emit_mutator_field_address(p->ctx, builder, CAIRN_ABI_MUTATOR_STACK_LIMIT);
  LLVMValueRef compare = LLVMGetInlineAsm(type, code, strlen(code), operands, strlen(operands), true, false,
                                          LLVMInlineAsmDialectATT, false);
  LLVMValueRef call = LLVMBuildCall2(builder, type, compare, &limit, 1, "poll");

  LLVMAddCallSiteAttribute(call, 1, LLVMCreateTypeAttribute(p->ctx->llvm, cn_attribute_kind("elementtype"), i64));
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(p->ctx, "nounwind"));
  return LLVMBuildICmp(builder, LLVMIntNE, call, LLVMConstInt(i32, 0, false), "poll.asked");
}

/* Compare only the low half of the poll word, which holds all bits: the instruction is a byte shorter. */
static LLVMValueRef emit_check(struct cn_poll_emitter *p, LLVMBuilderRef builder)
{
  if (p->ctx->options->poll == CAIRN_POLL_STACK)
    return emit_stack_check(p, builder);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(p->ctx->llvm);
  LLVMValueRef word =
      LLVMBuildLoad2(builder, i32, cn_emit_mutator_field_address(p->ctx, builder, CAIRN_ABI_MUTATOR_POLL), "poll");

  LLVMSetVolatile(word, true);
  LLVMSetAlignment(word, 8);
  return LLVMBuildICmp(builder, LLVMIntNE, word, LLVMConstInt(i32, 0, false), "poll.asked");
}

/* True if polls may call the stub: only if polls test the poll word, since the stub reads only this word. */
static bool may_call_poll_stub(const struct cairn_compile_options *options)
{
  return (options->opt_level > 0 || options->tier == CAIRN_TIER_QUICK) && options->poll == CAIRN_POLL_WORD;
}

/* True if all polls are calls: for small code, or for little work of the code generator. */
static bool prefers_poll_stub(const struct cairn_compile_options *options)
{
  return options->size_level || options->tier == CAIRN_TIER_QUICK;
}

static LLVMValueRef find_line_from(LLVMValueRef i)
{
  while (i && !LLVMGetDebugLocLine(i))
    i = LLVMGetNextInstruction(i);
  return i;
}

/* The last instruction with a line in a predecessor of `block`; with several predecessors, the one with the greatest
 * line. */
static LLVMValueRef find_last_line_before(LLVMBasicBlockRef block)
{
  LLVMValueRef best = NULL;

  CN_EACH_USE(use, LLVMBasicBlockAsValue(block)) {
    LLVMValueRef i = LLVMGetUser(use);
    if (!LLVMIsAInstruction(i))
      continue;
    while (i && !LLVMGetDebugLocLine(i))
      i = LLVMGetPreviousInstruction(i);
    if (i && (!best || LLVMGetDebugLocLine(i) > LLVMGetDebugLocLine(best)))
      best = i;
  }
  return best;
}

/* The instruction `at`, or an instruction near it with a line if the optimiser left `at` without a line. Profiles of a
 * slow loop name the line of its poll. */
static LLVMValueRef find_line_near(LLVMValueRef at)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
  if (!LLVMGetSubprogram(LLVMGetBasicBlockParent(block)))
    return at;
  LLVMValueRef found = find_line_from(at);

  if (!found)
    found = find_line_from(LLVMGetFirstInstruction(block));
  if (!found)
    found = find_last_line_before(block);
  return found ? found : at;
}

static void emit_slow_path_call(LLVMBuilderRef builder, LLVMValueRef callee, LLVMValueRef pad)
{
  LLVMSetInstructionCallConv(cn_funclet_build_call(builder, callee, pad), LLVMPreserveAllCallConv);
}

/* The code generator places the block beside its branch if both directions have equal weights. */
static void emit_check_and_branch(struct cn_poll_emitter *p, LLVMBuilderRef builder, LLVMValueRef at, LLVMValueRef pad,
                                  bool beside)
{
  LLVMBasicBlockRef head = LLVMGetInstructionParent(at);
  LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(builder);
  LLVMValueRef asked = emit_check(p, builder);
  LLVMBasicBlockRef done = cn_split_block_before(p->ctx, at, "poll.done");
  LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(p->ctx->llvm, LLVMGetBasicBlockParent(head), "poll.slow");

  CN_ASSERT((LLVMIsAAllocaInst(at) || LLVMGetInstructionParent(at) == done) &&
            LLVMGetSuccessor(LLVMGetBasicBlockTerminator(head), 0) == done);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(builder, head);
  LLVMSetCurrentDebugLocation2(builder, location);
  cn_emit_branch_weights(p->ctx, LLVMBuildCondBr(builder, asked, slow, done), 1, beside ? 1 : CN_MOSTLY);
  if (beside)
    LLVMMoveBasicBlockAfter(slow, head);
  LLVMPositionBuilderAtEnd(builder, slow);
  LLVMSetCurrentDebugLocation2(builder, location);
  emit_slow_path_call(builder, p->slow, pad);
  LLVMBuildBr(builder, done);
}

void cn_poll_emit(struct cn_poll_emitter *p, LLVMValueRef at, enum cn_poll_form form, const char *reason)
{
  CN_CHECK(at && !LLVMIsAPHINode(at) && !LLVMIsALandingPadInst(at));
  LLVMValueRef pad = cn_funclet_pad_of(LLVMGetInstructionParent(at));

  if (cn_nopoll_is_in_region(p->ctx, at))
    return;
  p->count++;
  LLVMValueRef near = find_line_near(at);
  cn_remark(p->ctx, near, "poll", "%s", reason);
  if (p->user) {
    cn_user_poll_emit_call(p->ctx, p->user, at, pad);
    return;
  }
  CN_CHECK(p->slow);
  bool called = form == CN_POLL_FORM_STUB_CALL || prefers_poll_stub(p->ctx->options);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(p->ctx->llvm);
  LLVMPositionBuilderBefore(builder, at);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(near));
  if (called && p->stub)
    emit_slow_path_call(builder, p->stub, pad);
  else
    emit_check_and_branch(p, builder, at, pad, form == CN_POLL_FORM_IN_PLACE);
  LLVMDisposeBuilder(builder);
}

bool cn_polls_begin(struct cn_poll_emitter *polls, struct cn_ctx *ctx)
{
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);

  *polls = (struct cn_poll_emitter){.ctx = ctx};
  if (!cn_user_poll_find(ctx, &polls->user))
    return false;
  if (polls->user)
    return true;
  polls->slow = cn_emit_declare_function(ctx, CN_POLL_SLOW, type, LLVMPreserveAllCallConv);
  if (may_call_poll_stub(ctx->options))
    polls->stub = cn_emit_declare_function(ctx, CN_POLL, type, LLVMPreserveAllCallConv);
  return polls->slow && (polls->stub || !may_call_poll_stub(ctx->options));
}

static void delete_unused_declaration(LLVMValueRef declaration)
{
  if (declaration && !LLVMGetFirstUse(declaration))
    LLVMDeleteFunction(declaration);
}

bool cn_polls_end(struct cn_poll_emitter *polls)
{
  CN_CHECK(!polls->user != !polls->slow);
  delete_unused_declaration(polls->slow);
  delete_unused_declaration(polls->stub);
  return !polls->user || !polls->count || cn_user_poll_inline(polls->ctx, polls->user);
}
