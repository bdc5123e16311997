/* SPDX-License-Identifier: Apache-2.0
 *
 * Emits the tests that decide in line whether a store goes to a place that the collector scans; only other stores call
 * the runtime's check. Part of pass `check-stores`. Needs: the run of places next to a pointer (described_places.c), or
 * a site. Provides: branches to the call of the check. Breaks: struct cn_cfg.
 *
 *   a run        slot - first <= last - first, in unsigned numbers; the stride divides all distances from `first`
 *   a site       p = site.in_caller; p.caller == return address && word(slot - end of frame - p.start) < p.words
 *                || p = site.in_globals; word(slot - p.start) < p.words && p.described[word(slot - p.start)]
 *
 * A copy's words pass if they lie outside of the heap, whose bounds its site has.
 *
 * The runtime gives a site the places of the last slot that the call of its check found (runtime/roots/known_places.c).
 * A return address identifies the frame map of the caller's frame, which begins where the function's frame ends. word()
 * rotates instead of dividing by the distance of words, so that a slot between two words gives a large number.
 */
#include "compile/lower/place_tests.h"

#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/core/convention.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

/* A test before an instruction. Each failing condition continues in block `otherwise`. */
struct place_test {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMValueRef slot; /* its address, a number */
  LLVMBasicBlockRef known, otherwise;
};

static LLVMTypeRef i64_of(const struct place_test *test)
{
  return LLVMInt64TypeInContext(test->ctx->llvm);
}

static LLVMValueRef make_i64(const struct place_test *test, uint64_t value)
{
  return LLVMConstInt(i64_of(test), value, false);
}

/* Split the block before `at`, and continue the test at the end of the block's first part. Returns the end of the new
 * block for the call of the check. */
static LLVMValueRef begin_test(struct place_test *test, struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot)
{
  LLVMBasicBlockRef head = LLVMGetInstructionParent(at);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  *test = (struct place_test){.ctx = ctx, .builder = builder};
  LLVMPositionBuilderBefore(builder, at);
  LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(builder);
  test->known = cn_split_block_before(ctx, at, "place.known");
  test->otherwise = LLVMAppendBasicBlockInContext(ctx->llvm, LLVMGetBasicBlockParent(head), "place.check");
  LLVMPositionBuilderAtEnd(builder, test->otherwise);
  LLVMSetCurrentDebugLocation2(builder, location);
  LLVMValueRef end = LLVMBuildBr(builder, test->known);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(builder, head);
  LLVMSetCurrentDebugLocation2(builder, location);
  test->slot = LLVMBuildPtrToInt(builder, slot, i64_of(test), "");
  return end;
}

static void branch_likely(const struct place_test *test, LLVMValueRef holds, LLVMBasicBlockRef to)
{
  cn_emit_branch_weights(test->ctx, LLVMBuildCondBr(test->builder, holds, to, test->otherwise), CN_MOSTLY, 1);
}

/* Continue in a new block if the condition holds. */
static void require(const struct place_test *test, LLVMValueRef holds)
{
  LLVMBasicBlockRef next = LLVMInsertBasicBlockInContext(test->ctx->llvm, test->known, "place.test");

  branch_likely(test, holds, next);
  LLVMPositionBuilderAtEnd(test->builder, next);
}

static void finish_test(struct place_test *test, LLVMValueRef holds)
{
  branch_likely(test, holds, test->known);
  LLVMDisposeBuilder(test->builder);
}

LLVMValueRef cn_place_test_emit_run(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot,
                                    const struct cn_place_run *run)
{
  struct place_test test;
  LLVMValueRef end = begin_test(&test, ctx, at, slot), index = make_i64(&test, run->first);

  CN_ASSERT(run->first <= run->last);
  LLVMValueRef first = LLVMBuildGEP2(test.builder, LLVMInt8TypeInContext(ctx->llvm), run->origin, &index, 1, "");
  LLVMValueRef distance =
      LLVMBuildSub(test.builder, test.slot, LLVMBuildPtrToInt(test.builder, first, i64_of(&test), ""), "");
  finish_test(&test, LLVMBuildICmp(test.builder, LLVMIntULE, distance, make_i64(&test, run->last - run->first), ""));
  return end;
}

/* ---- sites ---- */

/* The module's record without a caller and without words. */
static LLVMValueRef find_or_add_void_places(struct cn_ctx *ctx)
{
  LLVMTypeRef type = LLVMArrayType2(LLVMInt64TypeInContext(ctx->llvm), CAIRN_ABI_PLACES_DESCRIBED / sizeof(uint64_t));
  LLVMValueRef places = LLVMGetNamedGlobal(ctx->module, CN_NO_PLACES);

  if (places)
    return places;
  places = LLVMAddGlobal(ctx->module, type, CN_NO_PLACES);
  LLVMSetInitializer(places, LLVMConstNull(type));
  LLVMSetLinkage(places, LLVMInternalLinkage);
  LLVMSetGlobalConstant(places, true);
  return places;
}

LLVMValueRef cn_place_test_add_site(struct cn_ctx *ctx, bool of_copy)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  LLVMValueRef places = find_or_add_void_places(ctx);
  LLVMValueRef words[] = {places, places, LLVMConstInt(i64, CAIRN_ABI_LEAST_OBJECT_ADDRESS, false),
                          LLVMConstInt(i64, CAIRN_ABI_END_OF_ADDRESSES, false)};
  unsigned count = (unsigned)((of_copy ? CAIRN_ABI_COPY_SITE_SIZE : CAIRN_ABI_SITE_SIZE) / sizeof(uint64_t));
  LLVMValueRef values = LLVMConstStructInContext(ctx->llvm, words, count, false),
               site = LLVMAddGlobal(ctx->module, LLVMTypeOf(values), CN_SITE);

  CN_CHECK(count <= sizeof words / sizeof *words);
  LLVMSetInitializer(site, values);
  LLVMSetLinkage(site, LLVMInternalLinkage);
  LLVMSetAlignment(site, sizeof(uint64_t));
  return site;
}

/* Load a word that other threads may store meanwhile. */
static LLVMValueRef load_shared(const struct place_test *test, LLVMTypeRef type, LLVMValueRef base, uint64_t offset)
{
  LLVMValueRef index = make_i64(test, offset);
  LLVMValueRef address = LLVMBuildGEP2(test->builder, LLVMInt8TypeInContext(test->ctx->llvm), base, &index, 1, "");
  LLVMValueRef load = LLVMBuildLoad2(test->builder, type, address, "");

  LLVMSetAlignment(load, sizeof(uint64_t));
  LLVMSetOrdering(load, LLVMAtomicOrderingUnordered);
  return load;
}

static LLVMValueRef load_places(const struct place_test *test, LLVMValueRef site, uint64_t offset)
{
  return load_shared(test, LLVMPointerTypeInContext(test->ctx->llvm, 0), site, offset);
}

/* The index of the word at `distance` from the start of the places. A rotation to the left by `rotation` bits divides
 * by the distance of words. */
static LLVMValueRef build_word_index(const struct place_test *test, LLVMValueRef places, LLVMValueRef distance,
                                     LLVMValueRef rotation)
{
  LLVMTypeRef i64 = i64_of(test);
  LLVMValueRef start = load_shared(test, i64, places, CAIRN_ABI_PLACES_START);
  LLVMValueRef bytes = LLVMBuildSub(test->builder, distance, start, "");
  LLVMValueRef rotate = cn_intrinsic(test->ctx, "llvm.fshl", &i64, 1), operands[] = {bytes, bytes, rotation};

  return LLVMBuildCall2(test->builder, LLVMGlobalGetValueType(rotate), rotate, operands, 3, "");
}

static LLVMValueRef build_bound_test(const struct place_test *test, LLVMValueRef places, LLVMValueRef word)
{
  LLVMValueRef words = load_shared(test, i64_of(test), places, CAIRN_ABI_PLACES_WORDS);

  return LLVMBuildICmp(test->builder, LLVMIntULT, word, words, "");
}

/* The end of the function's frame. `address` has the return address. */
static LLVMValueRef build_frame_end(const struct place_test *test, LLVMValueRef address)
{
  LLVMTypeRef i64 = i64_of(test), pointer = LLVMPointerTypeInContext(test->ctx->llvm, 0);
  const char *name = cn_convention_port_of(test->ctx->module)->frame_end_intrinsic;

  if (name == NULL)
    return LLVMBuildAdd(test->builder, LLVMBuildPtrToInt(test->builder, address, i64, ""),
                        make_i64(test, sizeof(uint64_t)), "");
  LLVMValueRef end_of = cn_intrinsic(test->ctx, name, &pointer, 1);
  LLVMValueRef end = LLVMBuildCall2(test->builder, LLVMGlobalGetValueType(end_of), end_of, NULL, 0, "");
  return LLVMBuildPtrToInt(test->builder, end, i64, "");
}

static LLVMValueRef build_caller_test(const struct place_test *test, LLVMValueRef site)
{
  LLVMTypeRef i64 = i64_of(test), pointer = LLVMPointerTypeInContext(test->ctx->llvm, 0);
  LLVMValueRef places = load_places(test, site, CAIRN_ABI_SITE_IN_CALLER);
  LLVMValueRef address_of = cn_intrinsic(test->ctx, "llvm.addressofreturnaddress", &pointer, 1);
  LLVMValueRef address = LLVMBuildCall2(test->builder, LLVMGlobalGetValueType(address_of), address_of, NULL, 0, "");
  LLVMValueRef caller = load_shared(test, i64, places, CAIRN_ABI_PLACES_CALLER);

  require(test, LLVMBuildICmp(test->builder, LLVMIntEQ, load_shared(test, i64, address, 0), caller, ""));
  LLVMValueRef end = build_frame_end(test, address);
  LLVMValueRef rotation = load_shared(test, i64, places, CAIRN_ABI_PLACES_ROTATION);
  LLVMValueRef word = build_word_index(test, places, LLVMBuildSub(test->builder, test->slot, end, ""), rotation);
  return build_bound_test(test, places, word);
}

static LLVMValueRef build_globals_test(const struct place_test *test, LLVMValueRef site)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext(test->ctx->llvm);
  LLVMValueRef places = load_places(test, site, CAIRN_ABI_SITE_IN_GLOBALS);
  LLVMValueRef word = build_word_index(test, places, test->slot, make_i64(test, 64 - 3)),
               index = make_i64(test, CAIRN_ABI_PLACES_DESCRIBED);

  require(test, build_bound_test(test, places, word));
  LLVMValueRef bytes = LLVMBuildGEP2(test->builder, byte, places, &index, 1, "");
  LLVMValueRef described =
      LLVMBuildLoad2(test->builder, byte, LLVMBuildGEP2(test->builder, byte, bytes, &word, 1, ""), "");
  return LLVMBuildIsNotNull(test->builder, described, "");
}

/* Branch to test->known if the site has the slot's place. */
static void branch_if_known(struct place_test *test, LLVMValueRef site, bool in_caller)
{
  LLVMBasicBlockRef check = test->otherwise;

  if (in_caller) {
    test->otherwise = LLVMInsertBasicBlockInContext(test->ctx->llvm, test->known, "place.elsewhere");
    branch_likely(test, build_caller_test(test, site), test->known);
    LLVMPositionBuilderAtEnd(test->builder, test->otherwise);
    test->otherwise = check;
  }
  branch_likely(test, build_globals_test(test, site), test->known);
}

LLVMValueRef cn_place_test_emit_site(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot, LLVMValueRef site,
                                     bool in_caller)
{
  struct place_test test;
  LLVMValueRef end = begin_test(&test, ctx, at, slot);

  branch_if_known(&test, site, in_caller);
  LLVMDisposeBuilder(test.builder);
  return end;
}

/* ---- copies ---- */

/* Branch to test->known if `holds` is true. */
static void pass_if(const struct place_test *test, LLVMValueRef holds)
{
  LLVMBasicBlockRef next = LLVMInsertBasicBlockInContext(test->ctx->llvm, test->known, "place.test");

  LLVMBuildCondBr(test->builder, holds, test->known, next);
  LLVMPositionBuilderAtEnd(test->builder, next);
}

/* Branch to test->known for a word that is certainly not the address of an object: a word outside of the site's bounds
 * of the heap, or between two multiples of the alignment. */
static void pass_other_values(const struct place_test *test, LLVMValueRef from, uint64_t offset, LLVMValueRef site)
{
  LLVMBuilderRef builder = test->builder;
  LLVMValueRef index = make_i64(test, offset);
  LLVMValueRef address = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(test->ctx->llvm), from, &index, 1, "");
  LLVMValueRef word = LLVMBuildLoad2(builder, i64_of(test), address, "");

  LLVMSetAlignment(word, 1);
  LLVMValueRef start = load_shared(test, i64_of(test), site, CAIRN_ABI_SITE_HEAP_START);
  pass_if(test, LLVMBuildICmp(builder, LLVMIntULT, word, start, ""));
  LLVMValueRef end = load_shared(test, i64_of(test), site, CAIRN_ABI_SITE_HEAP_END);
  pass_if(test, LLVMBuildICmp(builder, LLVMIntUGE, word, end, ""));
  LLVMValueRef low = LLVMBuildAnd(builder, word, make_i64(test, CAIRN_ABI_OBJECT_ALIGN - 1), "");
  pass_if(test, LLVMBuildIsNotNull(builder, low, ""));
}

LLVMValueRef cn_place_test_emit_copy(struct cn_ctx *ctx, LLVMValueRef at, const struct cn_tested_copy *copy,
                                     LLVMValueRef site, bool in_caller)
{
  struct place_test test;
  LLVMValueRef end = begin_test(&test, ctx, at, copy->to), to = test.slot;
  LLVMBasicBlockRef done = test.known;
  LLVMValueRef both = LLVMBuildOr(test.builder, to, LLVMBuildPtrToInt(test.builder, copy->from, i64_of(&test), ""), "");
  LLVMValueRef low = LLVMBuildAnd(test.builder, both, make_i64(&test, sizeof(uint64_t) - 1), "");

  CN_ASSERT(copy->words != 0 && copy->words != CN_ALL_WORDS);
  require(&test, LLVMBuildIsNull(test.builder, low, "")); /* the words are the aligned words of both */
  for (uint64_t words = copy->words, w = 0; words; words >>= 1, w++) {
    if (!(words & 1))
      continue;
    test.known = words == 1 ? done : LLVMInsertBasicBlockInContext(ctx->llvm, done, "place.word");
    pass_other_values(&test, copy->from, w * sizeof(uint64_t), site);
    test.slot = LLVMBuildAdd(test.builder, to, make_i64(&test, w * sizeof(uint64_t)), "");
    branch_if_known(&test, site, in_caller);
    LLVMPositionBuilderAtEnd(test.builder, test.known);
  }
  LLVMDisposeBuilder(test.builder);
  return end;
}
