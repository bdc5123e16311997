/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves long calls into helper functions that make the calls in pieces: cairn.long.NAME, one per leaf and module. A
 * caller of a helper needs few registers and little code: only a comparison of the length and a cold call beside the
 * old call. Part of pass `place-safepoints`.
 *
 * Needs: any long call. Provides: managed helper functions that poll on each path. Breaks: struct cn_cfg.
 *
 * In a module with its own poll, calls are cut in place (docs/placement.md, "Long calls").
 *
 * If words may be immediates, an argument must have the low bits of a reference. A pointer with other low bits, such as
 * the address of a byte in a text, is passed as an object and a distance to cairn.long.at.NAME. A call is cut in place
 * if the pass finds no object for a pointer with other low bits, for instance if a variable steps through bytes, or if
 * the result would have other low bits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/words.h"
#include "compile/cost/cost.h"
#include "compile/place/long_calls.h"

#define LEAF_ARGUMENT_COUNT 3 /* destination; value or source; number of bytes */
#define MAX_PLACE_COUNT 2

struct place_passing {
  bool apart[MAX_PLACE_COUNT];           /* passed as an object and a distance; else unchanged */
  LLVMValueRef objects[MAX_PLACE_COUNT]; /* for those */
  unsigned arguments;
};

static void add_helper_attributes(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef caller)
{
  static const char frame_pointer[] = "frame-pointer";
  const char *gc = LLVMGetGC(caller);
  LLVMAttributeRef frames =
      LLVMGetStringAttributeAtIndex(caller, CN_FUNCTION_INDEX, frame_pointer, sizeof frame_pointer - 1);

  if (frames)
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX, frames);
  if (gc)
    LLVMSetGC(function, gc);
  else
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                            LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_MANAGED, sizeof CN_ATTR_MANAGED - 1, "", 0));
  if (ctx->options->size_level) /* the helper gets calls of any length, and its callers rely on its polls */
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                            LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_POLLS, sizeof CN_ATTR_POLLS - 1, "", 0));
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "noinline", 0);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "uwtable", 2);
}

/* Build the helper's pointer to the memory: one parameter, or the sum of an object and a distance. */
static LLVMValueRef build_place_in_helper(LLVMBuilderRef builder, LLVMValueRef function, bool apart, unsigned *at)
{
  LLVMValueRef first = LLVMGetParam(function, (*at)++), distance;

  if (!apart)
    return first;
  distance = LLVMGetParam(function, (*at)++);
  LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(first)));
  return LLVMBuildGEP2(builder, byte, first, &distance, 1, "");
}

/* Fill `function` with a call of the leaf on the parameters, and cut this call. */
static void build_helper_body(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_long_call *which,
                              const struct place_passing *handing, struct cn_poll_emitter *polls)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef leaf = cn_direct_callee(which->call), arguments[LEAF_ARGUMENT_COUNT + 1];
  unsigned count = LLVMGetNumArgOperands(which->call), at = 0;
  struct cn_long_call inner = *which;
  struct cn_ptrmap polled = {0};

  CN_CHECK(count == LEAF_ARGUMENT_COUNT || count == LEAF_ARGUMENT_COUNT + 1);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(ctx->llvm, function, ""));
  for (unsigned i = 0; i < LEAF_ARGUMENT_COUNT; i++)
    arguments[i] = build_place_in_helper(builder, function, i < MAX_PLACE_COUNT && handing->apart[i], &at);
  CN_CHECK(LLVMCountParams(function) == at && at == handing->arguments);
  if (count > LEAF_ARGUMENT_COUNT)
    arguments[LEAF_ARGUMENT_COUNT] = LLVMGetOperand(which->call, LEAF_ARGUMENT_COUNT); /* its volatile flag is false */
  inner.call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(leaf), leaf, arguments, count, "");
  inner.limit = 0;
  if (which->result == CN_LONG_RESULT_NONE)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, inner.call);
  cn_long_cut_call(ctx, &inner, polls, &polled);
  CN_ASSERT(polled.count); /* the call has at least one loop of pieces */
  cn_ptrmap_free(&polled);
  LLVMDisposeBuilder(builder);
}

static LLVMValueRef find_or_build_helper(struct cn_ctx *ctx, const struct cn_long_call *which,
                                         const struct place_passing *handing, struct cn_poll_emitter *polls)
{
  LLVMTypeRef types[LEAF_ARGUMENT_COUNT + MAX_PLACE_COUNT];
  unsigned count = 0;
  size_t length;
  char element[24] = ""; /* one helper per element size, which is a constant in the helper */
  if (which->element)
    snprintf(element, sizeof element, "%" PRIu64 ".", which->element);
  char *name = cn_format(CN_LONG_PREFIX "%s%s%s", handing->arguments > LEAF_ARGUMENT_COUNT ? "at." : "", element,
                         LLVMGetValueName2(cn_direct_callee(which->call), &length));
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  for (unsigned i = 0; i < LEAF_ARGUMENT_COUNT; i++) {
    types[count++] = LLVMTypeOf(LLVMGetOperand(which->call, i));
    if (i < MAX_PLACE_COUNT && handing->apart[i])
      types[count++] = LLVMInt64TypeInContext(ctx->llvm);
  }
  LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(which->call), types, count, false);
  if (!function || LLVMIsDeclaration(function) || LLVMGlobalGetValueType(function) != type) {
    function = LLVMAddFunction(ctx->module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    add_helper_attributes(ctx, function, LLVMGetBasicBlockParent(LLVMGetInstructionParent(which->call)));
    build_helper_body(ctx, function, which, handing, polls);
  }
  free(name);
  return function;
}

/* ---- places apart ---- */

/* The object of a pointer whose low bits may differ from a reference's: the pointer at the start of its GEPs if that
 * has the low bits of a reference, else null. */
static LLVMValueRef object_of_place(struct cn_ctx *ctx, struct cairn_word_kind kind, LLVMValueRef place)
{
  while (LLVMIsAGetElementPtrInst(place) && !cn_words_prove_tag_bits(ctx, kind, place))
    place = LLVMGetOperand(place, 0);
  return cn_words_prove_tag_bits(ctx, kind, place) ? place : NULL;
}

/* Build the distance from `object` to `place`: the GEPs of `place` applied to null, so that no address becomes an
 * integer. */
static LLVMValueRef build_distance_to_place(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef object,
                                            LLVMValueRef place)
{
  LLVMValueRef indices[16];

  if (place == object)
    return LLVMConstNull(LLVMPointerTypeInContext(ctx->llvm, 0));
  unsigned count = (unsigned)LLVMGetNumOperands(place) - 1;
  LLVMValueRef before = build_distance_to_place(ctx, builder, object, LLVMGetOperand(place, 0));
  CN_CHECK(count <= sizeof indices / sizeof *indices);
  for (unsigned i = 0; i < count; i++)
    indices[i] = LLVMGetOperand(place, i + 1);
  return LLVMBuildGEP2(builder, LLVMGetGEPSourceElementType(place), before, indices, count, "");
}

/* Choose how the helper gets the memory of the call. False if the helper cannot receive the pointers of the call, or
 * cannot return its result. */
static bool choose_place_passing(struct cn_ctx *ctx, const struct cn_long_call *which, struct place_passing *handing)
{
  struct cairn_word_kind kind = cn_words(ctx);
  bool all = true;

  *handing = (struct place_passing){.arguments = LEAF_ARGUMENT_COUNT};
  for (unsigned i = 0; i < which->places; i++) {
    LLVMValueRef place = LLVMGetOperand(which->call, i);
    if (kind.reference_bits == 0 || !cn_is_ref(LLVMTypeOf(place)))
      continue;
    all &= cn_words_prove_tag_bits(ctx, kind, place);
    handing->objects[i] = object_of_place(ctx, kind, place);
    if (!handing->objects[i])
      return false;
  }
  for (unsigned i = 0; !all && i < which->places; i++) {
    handing->apart[i] = handing->objects[i] != NULL;
    handing->arguments += handing->apart[i];
  }
  return all || !cn_is_ref(LLVMTypeOf(which->call));
}

static LLVMValueRef build_helper_call(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef function,
                                      const struct cn_long_call *which, const struct place_passing *handing)
{
  LLVMValueRef arguments[LEAF_ARGUMENT_COUNT + MAX_PLACE_COUNT];
  unsigned count = 0;

  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(which->call));
  for (unsigned i = 0; i < LEAF_ARGUMENT_COUNT; i++) {
    LLVMValueRef place = LLVMGetOperand(which->call, i);
    if (i >= MAX_PLACE_COUNT || !handing->apart[i]) {
      arguments[count++] = place;
      continue;
    }
    LLVMValueRef way = build_distance_to_place(ctx, builder, handing->objects[i], place);
    arguments[count++] = handing->objects[i];
    arguments[count++] = LLVMBuildPtrToInt(builder, way, LLVMInt64TypeInContext(ctx->llvm), "");
  }
  CN_CHECK(count == handing->arguments);
  return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

static void join_results(LLVMBuilderRef builder, LLVMValueRef call, LLVMBasicBlockRef plain, LLVMValueRef cold,
                         LLVMBasicBlockRef done)
{
  LLVMBasicBlockRef from = LLVMGetInstructionParent(cold);

  if (!LLVMGetFirstUse(call))
    return;
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(done));
  LLVMValueRef both = LLVMBuildPhi(builder, LLVMTypeOf(call), "long.result");
  LLVMReplaceAllUsesWith(call, both);
  LLVMAddIncoming(both, &call, &plain, 1);
  LLVMAddIncoming(both, &cold, &from, 1);
}

static void branch_on_length(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_long_call *which,
                             const struct place_passing *handing, LLVMValueRef function)
{
  LLVMValueRef call = which->call, length = LLVMGetOperand(call, which->length);
  LLVMBasicBlockRef head = LLVMGetInstructionParent(call);
  LLVMBasicBlockRef done = cn_split_block_before(ctx, LLVMGetNextInstruction(call), "long.done");
  LLVMBasicBlockRef plain = cn_split_block_before(ctx, call, "long.plain");
  LLVMBasicBlockRef cold = LLVMAppendBasicBlockInContext(ctx->llvm, LLVMGetBasicBlockParent(head), "long.cold");
  LLVMValueRef limit = LLVMConstInt(LLVMTypeOf(length), which->limit, false);

  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(builder, cold);
  LLVMValueRef instead = build_helper_call(ctx, builder, function, which, handing);
  LLVMBuildBr(builder, done);
  LLVMPositionBuilderAtEnd(builder, head);
  LLVMValueRef is_long = LLVMBuildICmp(builder, LLVMIntUGT, length, limit, "long");
  cn_emit_mark_branch_unlikely(ctx, LLVMBuildCondBr(builder, is_long, cold, plain));
  join_results(builder, call, plain, instead, done);
  cn_work_attach_promise(ctx, call, cn_work_of_bytes(which->limit));
}

void cn_long_outline_call(struct cn_ctx *ctx, const struct cn_long_call *which, struct cn_poll_emitter *polls,
                          struct cn_ptrmap *polled)
{
  struct place_passing handing;

  CN_CHECK(!polls->user && which->length == LEAF_ARGUMENT_COUNT - 1 && which->places <= MAX_PLACE_COUNT);
  if (!choose_place_passing(ctx, which, &handing)) {
    cn_long_cut_call(ctx, which, polls, polled);
    return;
  }
  LLVMValueRef function = find_or_build_helper(ctx, which, &handing, polls);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  if (which->limit) {
    branch_on_length(ctx, builder, which, &handing, function);
  } else {
    LLVMPositionBuilderBefore(builder, which->call);
    cn_emit_replace_instruction(which->call, build_helper_call(ctx, builder, function, which, &handing));
  }
  LLVMDisposeBuilder(builder);
}
