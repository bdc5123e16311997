/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass lower-barriers: replaces the calls of insert-barriers by the code of the kind, in line. The code is the body of
 * a function that the module or this file defines. LLVM's always-inliner copies the body to the calls. `a` is the
 * slot's address:
 *
 *   cards     table[(a >> CARD_SHIFT) & mask] = 1; for a group of stores: if the byte is 0
 *   snapshot  if (mutator.barrier) cairn_barrier_snapshot(slot)
 *   loads     if (value & mutator.barrier) value = cairn_barrier_load(slot, value)
 *   a range   cards, up to the length of a card: the first and the last card, in line; up to that of MAX_INLINE_CARDS,
 *             except at -Os and -Oz: a loop over the cards; otherwise cairn_barrier_range(to, bytes)
 *
 * The mask turns any address into a valid index, so a store outside the heap dirties some card without harm. The slow
 * functions preserve every register except the result's register.
 *
 * Needs: final, verified statepoints. Provides: a module free of calls of barriers; a call that LLVM cannot inline is
 * an error. Breaks: struct cn_cfg.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/barriers/barriers.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

/* Marking this number of cards takes about as long as saving the registers for the slow path. */
enum { MAX_INLINE_CARDS = 16 };

struct template_body {
  struct cn_ctx *ctx;
  LLVMBuilderRef b;
  LLVMValueRef function;
  LLVMTypeRef i64;
};

static LLVMValueRef i64_constant(const struct template_body *y, uint64_t value)
{
  return LLVMConstInt(y->i64, value, false);
}

static LLVMValueRef load_mutator_word(const struct template_body *y, uint64_t offset)
{
  return LLVMBuildLoad2(y->b, y->i64, cn_emit_mutator_field_address(y->ctx, y->b, offset), "");
}

/* Load a word of the mutator that is constant while managed code runs, so that LLVM may keep the word in a register. */
static LLVMValueRef load_constant_word(const struct template_body *y, LLVMTypeRef type, uint64_t offset)
{
  LLVMValueRef word = LLVMBuildLoad2(y->b, type, cn_emit_mutator_field_address(y->ctx, y->b, offset), "");

  LLVMSetMetadata(word, cn_metadata_kind(y->ctx, "invariant.load"), LLVMMDNodeInContext(y->ctx->llvm, NULL, 0));
  return word;
}

static LLVMValueRef build_card_address(const struct template_body *y, LLVMValueRef address)
{
  LLVMValueRef index = LLVMBuildLShr(y->b, address, i64_constant(y, CAIRN_ABI_CARD_SHIFT), "index");
  LLVMValueRef mask = load_constant_word(y, y->i64, CAIRN_ABI_MUTATOR_CARD_MASK);
  LLVMValueRef kept = LLVMBuildAnd(y->b, index, mask, "");
  LLVMTypeRef pointer = LLVMPointerTypeInContext(y->ctx->llvm, 0);
  LLVMValueRef table = load_constant_word(y, pointer, CAIRN_ABI_MUTATOR_CARDS);

  return LLVMBuildGEP2(y->b, LLVMInt8TypeInContext(y->ctx->llvm), table, &kept, 1, "entry");
}

static LLVMValueRef build_address(const struct template_body *y, LLVMValueRef reference)
{
  return LLVMBuildPtrToInt(y->b, reference, y->i64, "address");
}

static void emit_card_mark(const struct template_body *y, LLVMValueRef address)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(y->ctx->llvm);

  LLVMBuildStore(y->b, LLVMConstInt(byte, 1, false), build_card_address(y, address));
}

static LLVMValueRef emit_slow_call(const struct template_body *y, const char *name, LLVMTypeRef result,
                                   LLVMValueRef *arguments, unsigned count)
{
  LLVMTypeRef types[2];

  CN_CHECK(count <= 2);
  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
  LLVMValueRef function = cn_emit_declare_function(y->ctx, name, type, LLVMPreserveAllCallConv);
  if (!function)
    return NULL;
  cn_emit_mark_leaf(y->ctx, function);
  LLVMValueRef made = LLVMBuildCall2(y->b, type, function, arguments, count, "");
  LLVMSetInstructionCallConv(made, LLVMPreserveAllCallConv);
  return made;
}

static LLVMBasicBlockRef append_block(const struct template_body *y, const char *name)
{
  return LLVMAppendBasicBlockInContext(y->ctx->llvm, y->function, name);
}

static void emit_slow_call_if(const struct template_body *y, LLVMValueRef condition, const char *name,
                              LLVMValueRef *arguments, unsigned count)
{
  LLVMBasicBlockRef slow = append_block(y, "barrier.slow"), rest = append_block(y, "barrier.rest");

  cn_emit_mark_branch_unlikely(y->ctx, LLVMBuildCondBr(y->b, condition, slow, rest));
  LLVMPositionBuilderAtEnd(y->b, slow);
  emit_slow_call(y, name, LLVMVoidTypeInContext(y->ctx->llvm), arguments, count);
  LLVMBuildBr(y->b, rest);
  LLVMPositionBuilderAtEnd(y->b, rest);
}

static LLVMValueRef build_nonzero_test(const struct template_body *y, LLVMValueRef value)
{
  return LLVMBuildICmp(y->b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

static void emit_store_body(const struct template_body *y, enum cairn_barriers kind)
{
  LLVMValueRef slot = LLVMGetParam(y->function, 1);

  if (kind == CAIRN_BARRIERS_CARDS) {
    emit_card_mark(y, build_address(y, slot));
  } else {
    CN_CHECK(kind == CAIRN_BARRIERS_SNAPSHOT);
    emit_slow_call_if(y, build_nonzero_test(y, load_mutator_word(y, CAIRN_ABI_MUTATOR_BARRIER)),
                      CN_BARRIER_SNAPSHOT_SLOW, &slot, 1);
  }
  LLVMBuildRetVoid(y->b);
}

/* Marks the card of `address` if it is clean. After a group of stores the store buffer is full, so a load costs less
 * than another store. */
static void emit_card_mark_if_clean(const struct template_body *y, LLVMValueRef address)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(y->ctx->llvm);
  LLVMBasicBlockRef clean = append_block(y, "barrier.clean"), rest = append_block(y, "barrier.rest");
  LLVMValueRef entry = build_card_address(y, address);
  LLVMValueRef marked = LLVMBuildLoad2(y->b, byte, entry, "marked");
  LLVMValueRef is_clean = LLVMBuildICmp(y->b, LLVMIntEQ, marked, LLVMConstNull(byte), "");

  cn_emit_mark_branch_unlikely(y->ctx, LLVMBuildCondBr(y->b, is_clean, clean, rest));
  LLVMPositionBuilderAtEnd(y->b, clean);
  LLVMBuildStore(y->b, LLVMConstInt(byte, 1, false), entry);
  LLVMBuildBr(y->b, rest);
  LLVMPositionBuilderAtEnd(y->b, rest);
}

/* Marks the cards from that of `address` on, up to that of the last byte of the range. */
static void emit_card_loop(const struct template_body *y, LLVMValueRef address, LLVMValueRef last)
{
  LLVMBasicBlockRef before = LLVMGetInsertBlock(y->b), cards = append_block(y, "barrier.cards"),
                    end = append_block(y, "barrier.last");
  LLVMValueRef last_address = LLVMBuildAdd(y->b, address, last, "");

  LLVMBuildBr(y->b, cards);
  LLVMPositionBuilderAtEnd(y->b, cards);
  LLVMValueRef at = LLVMBuildPhi(y->b, y->i64, "at");
  emit_card_mark(y, at);
  LLVMValueRef next = LLVMBuildAdd(y->b, at, i64_constant(y, (uint64_t)1 << CAIRN_ABI_CARD_SHIFT), "");
  LLVMBuildCondBr(y->b, LLVMBuildICmp(y->b, LLVMIntULT, next, last_address, ""), cards, end);
  LLVMAddIncoming(at, &address, &before, 1);
  LLVMAddIncoming(at, &next, &cards, 1);
  LLVMPositionBuilderAtEnd(y->b, end);
  emit_card_mark(y, last_address);
}

static LLVMValueRef build_length_test(const struct template_body *y, LLVMValueRef last, uint64_t cards)
{
  return LLVMBuildICmp(y->b, LLVMIntULT, last, i64_constant(y, cards << CAIRN_ABI_CARD_SHIFT), "");
}

/* Emits the paths of a range by its length. If the length is a constant, LLVM removes the other paths after inlining.
 */
static void emit_range_body(const struct template_body *y, enum cairn_barriers kind)
{
  LLVMValueRef to = LLVMGetParam(y->function, 0), bytes = LLVMGetParam(y->function, 1);
  LLVMValueRef arguments[] = {to, bytes};
  LLVMTypeRef none = LLVMVoidTypeInContext(y->ctx->llvm);

  if (kind != CAIRN_BARRIERS_CARDS) {
    emit_slow_call(y, CN_BARRIER_RANGE_SLOW, none, arguments, 2);
    LLVMBuildRetVoid(y->b);
    return;
  }
  /* A range of at most the length of a card touches only the cards of its first and last byte. */
  LLVMBasicBlockRef marks = append_block(y, "barrier.short"), some = append_block(y, "barrier.some"),
                    loop = append_block(y, "barrier.loop"), slow = append_block(y, "barrier.long"),
                    rest = append_block(y, "barrier.rest");
  LLVMValueRef last = LLVMBuildSub(y->b, bytes, i64_constant(y, 1), "last"), address = build_address(y, to);
  LLVMBuildCondBr(y->b, build_length_test(y, last, 1), marks, some);
  LLVMPositionBuilderAtEnd(y->b, marks);
  emit_card_mark_if_clean(y, address);
  emit_card_mark_if_clean(y, LLVMBuildAdd(y->b, address, last, ""));
  LLVMBuildBr(y->b, rest);
  LLVMPositionBuilderAtEnd(y->b, some);
  LLVMBuildCondBr(y->b, build_length_test(y, last, y->ctx->options->size_level ? 0 : MAX_INLINE_CARDS), loop, slow);
  LLVMPositionBuilderAtEnd(y->b, loop);
  emit_card_loop(y, address, last);
  LLVMBuildBr(y->b, rest);
  LLVMPositionBuilderAtEnd(y->b, slow);
  emit_slow_call(y, CN_BARRIER_RANGE_SLOW, none, arguments, 2);
  LLVMBuildBr(y->b, rest);
  LLVMPositionBuilderAtEnd(y->b, rest);
  LLVMBuildRetVoid(y->b);
}

static void emit_load_body(const struct template_body *y)
{
  LLVMValueRef arguments[] = {LLVMGetParam(y->function, 0), LLVMGetParam(y->function, 1)};
  LLVMBasicBlockRef slow = append_block(y, "barrier.slow"), rest = append_block(y, "barrier.rest");
  LLVMValueRef mask = load_mutator_word(y, CAIRN_ABI_MUTATOR_BARRIER);
  LLVMValueRef bad = LLVMBuildAnd(y->b, build_address(y, arguments[1]), mask, "bad");

  cn_emit_mark_branch_unlikely(y->ctx, LLVMBuildCondBr(y->b, build_nonzero_test(y, bad), slow, rest));
  LLVMPositionBuilderAtEnd(y->b, slow);
  LLVMValueRef healed = emit_slow_call(y, CN_BARRIER_LOAD_SLOW, LLVMTypeOf(arguments[1]), arguments, 2);
  LLVMBuildRet(y->b, healed);
  LLVMPositionBuilderAtEnd(y->b, rest);
  LLVMBuildRet(y->b, arguments[1]);
}

static void define_barrier(struct cn_ctx *ctx, LLVMValueRef function, const char *name, enum cairn_barriers kind)
{
  struct template_body y = {ctx, LLVMCreateBuilderInContext(ctx->llvm), function, LLVMInt64TypeInContext(ctx->llvm)};

  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMPositionBuilderAtEnd(y.b, append_block(&y, ""));
  if (strcmp(name, CN_BARRIER_STORE) == 0)
    emit_store_body(&y, kind);
  else if (strcmp(name, CN_BARRIER_RANGE) == 0)
    emit_range_body(&y, kind);
  else
    emit_load_body(&y);
  LLVMDisposeBuilder(y.b);
}

/* Gives the function the target attributes of its callers, so that LLVM may inline the function. */
static void copy_target_of_callers(LLVMValueRef function)
{
  LLVMValueRef user = LLVMGetFirstUse(function) ? LLVMGetUser(LLVMGetFirstUse(function)) : NULL;

  if (user && LLVMIsACallInst(user))
    cn_emit_copy_target_attributes(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), function);
}

static const char *const barrier_names[] = {CN_BARRIER_STORE, CN_BARRIER_RANGE, CN_BARRIER_LOAD};

/* Prepares the functions for the inliner. False if the module calls no barrier. */
static bool define_used_barriers(struct cn_ctx *ctx, enum cairn_barriers kind)
{
  bool some = false;

  for (size_t i = 0; i < sizeof barrier_names / sizeof *barrier_names; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(ctx->module, barrier_names[i]);
    if (!function || !LLVMGetFirstUse(function))
      continue;
    some = true;
    if (!LLVMIsDeclaration(function)) {
      if (cn_is_managed(function))
        cn_error(ctx, function, "barrier-template", "@%s is managed code", barrier_names[i]);
    } else if (kind == CAIRN_BARRIERS_NONE || kind == CAIRN_BARRIERS_CUSTOM) {
      cn_error(ctx, LLVMGetUser(LLVMGetFirstUse(function)), "barrier-template",
               "@%s is called, but neither a kind of barriers nor the module defines it", barrier_names[i]);
    } else {
      define_barrier(ctx, function, barrier_names[i], kind);
      copy_target_of_callers(function);
    }
    LLVMRemoveEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("noinline"));
    LLVMRemoveEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("optnone"));
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "alwaysinline", 0);
  }
  return some;
}

/* Reports calls that the inliner left, and deletes the functions defined by this file. */
static void check_barriers_inlined(struct cn_ctx *ctx)
{
  for (size_t i = 0; i < sizeof barrier_names / sizeof *barrier_names; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(ctx->module, barrier_names[i]);
    if (function && LLVMGetFirstUse(function))
      cn_error(ctx, LLVMGetUser(LLVMGetFirstUse(function)), "barrier-template", "@%s could not be put in line",
               barrier_names[i]);
    else if (function && LLVMGetLinkage(function) == LLVMInternalLinkage)
      LLVMDeleteFunction(function);
  }
}

bool cn_lower_barriers(struct cn_ctx *ctx)
{
  if (!define_used_barriers(ctx, ctx->options->barriers) || ctx->errors)
    return ctx->errors == 0;
  if (cn_run_llvm_passes(ctx, "always-inline"))
    check_barriers_inlined(ctx);
  return ctx->errors == 0;
}
