/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass place-safepoints: polls (statepoints-later, "PlaceSafepoints"). Parseable calls need nothing
 * here: the rewriter makes each call that cn_classify_call() names a parse point into a statepoint.
 *
 * Needs: nothing. Provides: in every managed function, a poll at the entry and on every cycle,
 * loops excepted that provably do little work or that call, on each pass, a function of the module
 * that polls. Breaks: struct cn_cfg; loops are strip-mined (chunk.c).
 *
 * A poll is a load of the thread's poll word and a branch to a cold block that calls
 * cairn_poll_slow() under the preserve_all convention, so that the hot path spills nothing; or the
 * body of @gc.safepoint_poll, if the module defines it. Functions that contain statepoints have
 * been done before and are left alone, and so are those with "cairn-nopoll" or "gc-leaf-function"
 * (callers take the latter for leaves, so no safepoint may lie in them).
 */
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/calls.h"
#include "compile/chunk.h"
#include "compile/emit.h"
#include "compile/loops.h"
#include "compile/names.h"

#define USER_POLL "gc.safepoint_poll"

struct placer {
  struct cn_ctx *ctx;
  LLVMValueRef user_poll;  /* the module's own @gc.safepoint_poll, or null */
  LLVMValueRef slow;       /* cairn_poll_slow */
  struct cn_ptrmap wanted; /* the functions that get polls */
  unsigned polls;
};

/* ---- one poll ---- */

static void emit_user_poll(struct placer *p, LLVMValueRef at)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(p->ctx->llvm);

  LLVMPositionBuilderBefore(builder, at);
  LLVMValueRef call =
      LLVMBuildCall2(builder, LLVMGlobalGetValueType(p->user_poll), p->user_poll, NULL, 0, "");
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, cn_emit_attribute(p->ctx, "alwaysinline"));
  LLVMDisposeBuilder(builder);
}

static LLVMValueRef emit_check(struct placer *p, LLVMBuilderRef builder)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(p->ctx->llvm);
  LLVMValueRef word = LLVMBuildLoad2(
      builder, i64, cn_emit_mutator(p->ctx, builder, CAIRN_ABI_MUTATOR_POLL), "poll");

  LLVMSetVolatile(word, true);
  LLVMSetAlignment(word, 8);
  return LLVMBuildICmp(builder, LLVMIntNE, word, LLVMConstInt(i64, 0, false), "poll.asked");
}

/* Insert a poll before `at`, which is no phi. */
static void emit_poll(struct placer *p, LLVMValueRef at)
{
  p->polls++;
  if (p->user_poll) {
    emit_user_poll(p, at);
    return;
  }
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(p->ctx->llvm);
  LLVMBasicBlockRef head = LLVMGetInstructionParent(at);
  LLVMPositionBuilderBefore(builder, at);
  LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(builder);
  LLVMValueRef asked = emit_check(p, builder);
  LLVMBasicBlockRef done = cn_split_before(p->ctx, at, "poll.done");
  LLVMBasicBlockRef cold =
      LLVMAppendBasicBlockInContext(p->ctx->llvm, LLVMGetBasicBlockParent(head), "poll.slow");

  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(builder, head);
  LLVMSetCurrentDebugLocation2(builder, location);
  cn_emit_unlikely(p->ctx, LLVMBuildCondBr(builder, asked, cold, done));
  LLVMPositionBuilderAtEnd(builder, cold);
  LLVMSetCurrentDebugLocation2(builder, location);
  LLVMValueRef call =
      LLVMBuildCall2(builder, LLVMGlobalGetValueType(p->slow), p->slow, NULL, 0, "");
  LLVMSetInstructionCallConv(call, LLVMPreserveAllCallConv);
  LLVMBuildBr(builder, done);
  LLVMDisposeBuilder(builder);
}

/* ---- which functions ---- */

static bool has_attribute(LLVMValueRef function, const char *name)
{
  return LLVMGetStringAttributeAtIndex(function, CN_FUNCTION_INDEX, name, (unsigned)strlen(name)) !=
         NULL;
}

static bool wants_polls(LLVMValueRef function)
{
  size_t length;
  unsigned naked = cn_attribute_kind("naked");

  return !LLVMIsDeclaration(function) && cn_is_managed(function) &&
         strcmp(LLVMGetValueName2(function, &length), USER_POLL) != 0 &&
         !has_attribute(function, "cairn-nopoll") && !has_attribute(function, "gc-leaf-function") &&
         !LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, naked) &&
         !cn_has_statepoints(function);
}

/* ---- sites ---- */

typedef CN_VECTOR(LLVMValueRef) site_vector;

/* Where to poll at the end of a block: before its terminator, and before the comparison that the
 * terminator branches on if nothing else uses it, so that the two stay one machine instruction. */
static LLVMValueRef end_site(struct cn_ctx *ctx, LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
    return end;
  LLVMValueRef compare = LLVMGetCondition(end);
  if ((!LLVMIsAICmpInst(compare) && !LLVMIsAFCmpInst(compare)) ||
      LLVMGetInstructionParent(compare) != block || LLVMGetNextUse(LLVMGetFirstUse(compare)))
    return end;
  cn_move_before(ctx, compare, end);
  return compare;
}

static bool is_mutator(LLVMValueRef global)
{
  size_t length;

  return LLVMIsAGlobalVariable(global) &&
         strcmp(LLVMGetValueName2(global, &length), CN_MUTATOR) == 0;
}

/* The address of the thread's struct cairn_mutator: an allocation in line begins. A poll between it
 * and the end of the allocation would leave it with a free pointer from before a collection. */
static bool is_mutator_address(LLVMValueRef i)
{
  return cn_calls_intrinsic(i, "llvm.threadlocal.address") && is_mutator(LLVMGetOperand(i, 0));
}

/* Where to poll in a block that ends in a retreating edge: at its start, so that the code generator
 * finds what it computes in one piece. */
static LLVMValueRef latch_site(struct cn_ctx *ctx, LLVMBasicBlockRef block)
{
  LLVMValueRef first = LLVMGetFirstInstruction(block);

  while (LLVMIsAPHINode(first))
    first = LLVMGetNextInstruction(first);
  if (LLVMIsALandingPadInst(first) || LLVMIsAFuncletPadInst(first) || LLVMIsATerminatorInst(first))
    return end_site(ctx, block);
  return first;
}

/* Must the entry poll come before `i`? What an observer could order with it must not be delayed by
 * a collection, a volatile access may be half of a pair that has to stay together, and an integer
 * made of a reference must not live over the poll. */
static bool stops_entry_poll(LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAlloca:
    return false;
  case LLVMLoad:
    return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
    return true;
  case LLVMCall: {
    LLVMValueRef callee = cn_direct_callee(i);
    return is_mutator_address(i) || !callee || !LLVMGetIntrinsicID(callee) ||
           !cn_calls_have(i, "willreturn") || !cn_calls_have(i, "nocallback");
  }
  default:
    return LLVMIsATerminatorInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
           LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) || LLVMIsAVAArgInst(i);
  }
}

/* As late as possible on the straight line from the entry on: what is computed before it is not
 * hindered by it. Not before an alloca of the entry block, which would become a dynamic one. */
static LLVMValueRef entry_site(struct cn_ctx *ctx, const struct cn_cfg *cfg)
{
  uint32_t b = 0;
  LLVMValueRef site = LLVMGetFirstInstruction(cfg->blocks[0].block);

  for (LLVMValueRef i = site; i; i = LLVMGetNextInstruction(i))
    if (LLVMIsAAllocaInst(i))
      site = LLVMGetNextInstruction(i);
  for (;;) {
    while (!stops_entry_poll(site))
      site = LLVMGetNextInstruction(site);
    const struct cn_block *block = &cfg->blocks[b];
    bool straight = LLVMIsABranchInst(site) && block->succ_count == 1 &&
                    cfg->blocks[block->succs[0]].pred_count == 1;
    if (!straight)
      break;
    b = block->succs[0];
    site = LLVMGetFirstInstruction(cfg->blocks[b].block);
  }
  return LLVMIsATerminatorInst(site) ? end_site(ctx, cfg->blocks[b].block) : site;
}

/* A direct call ends here and nowhere else: no other unit's definition, maybe one without polls,
 * takes the place of a weak one. */
static bool is_certain(LLVMValueRef callee)
{
  LLVMLinkage linkage = LLVMGetLinkage(callee);

  return linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage ||
         linkage == LLVMPrivateLinkage;
}

/* The block calls a function of this module that polls at its entry. */
static bool calls_poller(const struct placer *p, LLVMBasicBlockRef block)
{
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef callee = LLVMIsACallInst(i) ? cn_direct_callee(i) : NULL;
    if (callee && is_certain(callee) && cn_ptrmap_find(&p->wanted, callee))
      return true;
  }
  return false;
}

/* Every way from the header `to` to the end of block `b` leads over a call that polls: the blocks
 * that all of them share are the latch and what dominates it, up to the header. */
static bool polls_in_callee(const struct placer *p, const struct cn_cfg *cfg, uint32_t to,
                            uint32_t b)
{
  while (!calls_poller(p, cfg->blocks[b].block)) {
    if (b == to)
      return false;
    b = cfg->blocks[b].idom;
  }
  return true;
}

/* The block ends in a retreating edge that needs a poll: each does, whether its loop is natural or
 * not, unless the loop does little or polls anyway on each pass. */
static bool polls_at_end(const struct placer *p, const struct cn_loops *loops, uint32_t b)
{
  const struct cn_cfg *cfg = loops->cfg;

  for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++) {
    uint32_t to = cfg->blocks[b].succs[s];
    if (!cn_cfg_retreats(b, to))
      continue;
    if (!cn_cfg_dominates(cfg, to, b))
      return true;
    if (loops->at[loops->of[to]].work > CN_SMALL_WORK && !polls_in_callee(p, cfg, to, b))
      return true;
  }
  return false;
}

/* For verify-safepoints, which cannot see that the loop that `b` ends runs for a bounded time. */
static void mark_bounded(struct cn_ctx *ctx, LLVMBasicBlockRef b)
{
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, CN_BOUNDED, sizeof CN_BOUNDED - 1);
  LLVMMetadataRef empty = LLVMMDNodeInContext2(ctx->llvm, NULL, 0);

  LLVMSetMetadata(LLVMGetBasicBlockTerminator(b), kind, LLVMMetadataAsValue(ctx->llvm, empty));
}

static void collect_sites(struct placer *p, LLVMValueRef function, const struct cn_chunks *chunks,
                          site_vector *sites)
{
  struct cn_cfg cfg;
  struct cn_loops loops;

  cn_cfg_build(&cfg, function);
  cn_loops_find(&loops, &cfg);
  cn_push(sites, entry_site(p->ctx, &cfg));
  for (uint32_t b = 0; b < cfg.count; b++) {
    bool bounded = cn_ptrmap_find(&chunks->bounded, cfg.blocks[b].block);
    if (bounded)
      mark_bounded(p->ctx, cfg.blocks[b].block);
    if (cn_ptrmap_find(&chunks->first, cfg.blocks[b].block) ||
        (!bounded && polls_at_end(p, &loops, b)))
      cn_push(sites, latch_site(p->ctx, cfg.blocks[b].block));
  }
  cn_loops_free(&loops);
  cn_cfg_free(&cfg);
}

/* ---- functions ---- */

static void place_in(struct placer *p, LLVMValueRef function)
{
  const struct cairn_compile_options *options = p->ctx->options;
  struct cn_chunks chunks = {0};
  site_vector sites = {0};

  if (!options || (options->opt_level > 0 && options->size_level == 0))
    cn_chunk_loops(p->ctx, function, CN_SMALL_WORK, &chunks);
  collect_sites(p, function, &chunks, &sites);
  for (size_t i = 0; i < sites.count; i++)
    emit_poll(p, sites.at[i]);
  cn_free(&sites);
  cn_ptrmap_free(&chunks.bounded);
  cn_ptrmap_free(&chunks.first);
}

/* ---- the module's own poll ---- */

static bool find_user_poll(struct placer *p)
{
  LLVMTypeRef void_type = LLVMFunctionType(LLVMVoidTypeInContext(p->ctx->llvm), NULL, 0, false);

  p->user_poll = LLVMGetNamedFunction(p->ctx->module, USER_POLL);
  if (!p->user_poll)
    return true;
  if (LLVMGlobalGetValueType(p->user_poll) != void_type)
    cn_error(p->ctx, p->user_poll, "poll-type", "@" USER_POLL " must have type void ()");
  else if (LLVMIsDeclaration(p->user_poll))
    cn_error(p->ctx, p->user_poll, "poll-body",
             "@" USER_POLL " is declared but has no body to insert at polls");
  return p->ctx->errors == 0;
}

/* The LLVM-C API has no inliner but the passes; the calls carry `alwaysinline`. */
static bool inline_user_polls(struct placer *p)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(p->ctx->module, "always-inline", NULL, options);

  LLVMDisposePassBuilderOptions(options);
  if (error) {
    char *message = LLVMGetErrorMessage(error);
    cn_error(p->ctx, p->user_poll, "poll-inline", "cannot insert @" USER_POLL ": %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
  }
  for (LLVMUseRef use = LLVMGetFirstUse(p->user_poll); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cn_is_call(user) && cn_direct_callee(user) == p->user_poll &&
        cn_is_managed(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)))) {
      cn_error(p->ctx, user, "poll-inline",
               "the body of @" USER_POLL " cannot be inserted in line");
      return false;
    }
  }
  return true;
}

static bool place(struct cn_ctx *ctx)
{
  struct placer placer = {.ctx = ctx};
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);

  if (!find_user_poll(&placer))
    return false;
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f; f = LLVMGetNextFunction(f))
    if (wants_polls(f))
      cn_ptrmap_add(&placer.wanted, f, NULL);
  if (placer.wanted.count && !placer.user_poll)
    placer.slow = cn_emit_declare(ctx, CN_POLL_SLOW, type, LLVMPreserveAllCallConv);
  bool ok = placer.slow || placer.user_poll || !placer.wanted.count;
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); ok && f; f = LLVMGetNextFunction(f))
    if (cn_ptrmap_find(&placer.wanted, f))
      place_in(&placer, f);
  cn_ptrmap_free(&placer.wanted);
  return ok && (!placer.user_poll || !placer.polls || inline_user_polls(&placer));
}

/* Only LLVM's inliner knows whether the module's own poll can be inserted, and when it says no,
 * some are. */
bool cn_place(struct cn_ctx *ctx)
{
  return LLVMGetNamedFunction(ctx->module, USER_POLL) ? cn_rehearse(ctx, place) : place(ctx);
}
