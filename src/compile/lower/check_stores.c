/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `check-stores`: ensures that the program stores each reference at a place that the collector scans.
 *
 * Needs: cn_mark_unproved_stores() ran on the function before the optimiser. Provides: a check at run time
 * (cairn_check_store, cairn_check_copy) for each store of a reference through an ordinary pointer, and each copy that
 * may bring references to ordinary memory, unless the target is provably a local or a global that holds references; an
 * error for intrinsics that store several references in ordinary memory. Breaks: struct cn_cfg.
 *
 * Locals and globals that hold references are described to the collector. The collector would silently lose a reference
 * in memory of the C library. Often only inlining shows a pointer's origin, so this pass runs late. Until then the
 * stores are `unordered` atomic, which costs nothing and prevents the optimiser from replacing the stores by memcpy.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/managed_functions.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/words.h"
#include "compile/effects/intrinsics.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"
#include "compile/lower/described_places.h"
#include "compile/lower/place_tests.h"
#include "compile/lower/store_copies.h"

/* If `i` stores a value that holds references in ordinary memory, return the address and set `*type` to the type of the
 * value. Otherwise return null. */
static LLVMValueRef address_of_ref_store(LLVMValueRef i, LLVMTypeRef *type)
{
  bool store = LLVMIsAStoreInst(i) != NULL, exchange = LLVMIsAAtomicCmpXchgInst(i) != NULL;

  if (!store && !exchange && !LLVMIsAAtomicRMWInst(i))
    return NULL;
  LLVMValueRef slot = LLVMGetOperand(i, store ? 1 : 0);
  *type = LLVMTypeOf(LLVMGetOperand(i, store ? 0 : exchange ? 2 : 1));
  return cn_holds_ref(*type) && !cn_is_ref(LLVMTypeOf(slot)) ? slot : NULL;
}

static bool is_described_origin(LLVMValueRef origin)
{
  if (LLVMIsAGlobalVariable(origin)) /* a root if its type has references */
    return cn_holds_ref(LLVMGlobalGetValueType(origin));
  return LLVMIsAAllocaInst(origin) || LLVMIsUndef(origin) || LLVMIsNull(origin);
}

/* True if each origin of `pointer` is a local or a global that holds references, and so is described. */
static bool is_proved_described(LLVMValueRef pointer)
{
  cn_pointer_sources sources = cn_pointer_sources_find(pointer);
  bool proved = true;

  for (size_t i = 0; i < sources.count && proved; i++)
    proved = !cn_pointer_is_origin(sources.at[i]) || is_described_origin(sources.at[i]);
  cn_free(&sources);
  return proved;
}

void cn_mark_unproved_stores(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMTypeRef type;

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAStoreInst(i) && address_of_ref_store(i, &type) && cn_is_ref(type) && !LLVMGetVolatile(i) &&
          LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
          LLVMGetAlignment(i) >= LLVMABISizeOfType(ctx->layout, LLVMTypeOf(LLVMGetOperand(i, 0))) &&
          !is_proved_described(LLVMGetOperand(i, 1)))
        LLVMSetOrdering(i, LLVMAtomicOrderingUnordered);
}

/* ---- checks ---- */

static void emit_call_before(struct cn_ctx *ctx, LLVMValueRef at, const char *name, LLVMValueRef *arguments,
                             unsigned count)
{
  LLVMTypeRef types[4];

  CN_CHECK(count <= sizeof types / sizeof *types && LLVMIsAInstruction(at));
  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), types, count, false);
  LLVMValueRef callee = cn_emit_declare_function(ctx, name, type, LLVMCCallConv);
  if (!callee)
    return;
  cn_emit_mark_leaf(ctx, callee);
  cn_emit_mark_still(ctx, callee);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMPositionBuilderBefore(builder, at);
  LLVMBuildCall2(builder, type, callee, arguments, count, "");
  LLVMDisposeBuilder(builder);
}

/* The name of the place in the source, with its line (store_names.c), or null. Caller frees. */
static char *source_place_name(struct cn_ctx *ctx, LLVMValueRef at)
{
  unsigned length, kind = LLVMGetMDKindIDInContext(ctx->llvm, CN_SLOT_METADATA, (unsigned)strlen(CN_SLOT_METADATA));
  LLVMValueRef node = LLVMHasMetadata(at) ? LLVMGetMetadata(at, kind) : NULL, string = NULL;

  if (node && LLVMGetMDNodeNumOperands(node) == 1)
    LLVMGetMDNodeOperands(node, &string);
  const char *text = string ? LLVMGetMDString(string, &length) : NULL;
  return text ? cn_format("%.*s", (int)length, text) : NULL;
}

static char *format_unknown_place(LLVMValueRef at)
{
  unsigned length = 0, line = LLVMGetDebugLocLine(at);
  const char *file = line ? LLVMGetDebugLocFilename(at, &length) : NULL;

  return file ? cn_format("%s at %.*s:%u", CN_SLOT_UNKNOWN, (int)length, file, line) : cn_strdup(CN_SLOT_UNKNOWN);
}

/* Add the string for the message at run time, with the place and source line of a store. */
static LLVMValueRef build_store_description(struct cn_ctx *ctx, LLVMValueRef at)
{
  char *named = source_place_name(ctx, at);
  char *text = named ? named : format_unknown_place(at);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMPositionBuilderBefore(builder, at);
  LLVMValueRef string = LLVMBuildGlobalString(builder, text, "cairn.slot");
  LLVMSetUnnamedAddress(string, LLVMGlobalUnnamedAddr);
  LLVMDisposeBuilder(builder);
  free(text);
  return string;
}

static LLVMValueRef emit_address(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef pointer, uint64_t offset)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), offset, false);

  LLVMPositionBuilderBefore(builder, at);
  LLVMValueRef address = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(ctx->llvm), pointer, &index, 1, "");
  LLVMDisposeBuilder(builder);
  return address;
}

/* Code that decides in line is larger than a call. */
static bool may_decide_in_line(const struct cn_ctx *ctx)
{
  const struct cairn_compile_options *options = ctx->options;

  return options->opt_level > 0 && !options->size_level && options->tier != CAIRN_TIER_QUICK &&
         cn_is_placement_option_on(ctx, CAIRN_PLACEMENT_STORE_TESTS);
}

/* True if a parameter of the function is among the sources of the pointer. */
static bool comes_from_parameter(LLVMValueRef pointer)
{
  cn_pointer_sources sources = cn_pointer_sources_find(pointer);
  bool any = false;

  for (size_t i = 0; i < sources.count; i++)
    any |= LLVMIsAArgument(sources.at[i]) != NULL;
  cn_free(&sources);
  return any;
}

/* Test the place `pointer` + `offset` in line before `at`, a store or a copy. Returns the place of the check's call, an
 * instruction. *site gets the site that the call must pass, or null. */
static LLVMValueRef emit_place_test(struct cn_described_places *places, LLVMValueRef at, LLVMValueRef pointer,
                                    uint64_t offset, LLVMValueRef *site)
{
  struct cn_ctx *ctx = places->flow.ctx;
  struct cn_place_run run;
  LLVMValueRef slot = pointer;

  *site = NULL;
  if (!may_decide_in_line(ctx))
    return at;
  bool known = cn_described_places_find_run(places, pointer, offset, &run), in_caller = comes_from_parameter(pointer);
  if (offset)
    slot = emit_address(ctx, at, pointer, offset);
  if (known)
    return cn_place_test_emit_run(ctx, at, slot, &run);
  *site = cn_place_test_add_site(ctx, cn_is_call(at));
  return cn_place_test_emit_site(ctx, at, slot, *site, in_caller);
}

/* Check the store `at` of a reference at `pointer` + `offset`. */
static void emit_slot_check(struct cn_described_places *places, LLVMValueRef at, LLVMValueRef pointer, uint64_t offset,
                            void *env)
{
  struct cn_ctx *ctx = places->flow.ctx;
  LLVMValueRef site, check = emit_place_test(places, at, pointer, offset, &site);
  LLVMValueRef arguments[3] = {offset ? emit_address(ctx, check, pointer, offset) : pointer,
                               build_store_description(ctx, at), site};

  (void)env;
  emit_call_before(ctx, check, site ? CN_CHECK_STORE_AT : CN_CHECK_STORE, arguments, site ? 3 : 2);
}

/* Called for the reference at `slot` + `offset` of the store `at`. */
typedef void missed_visitor(struct cn_described_places *places, LLVMValueRef at, LLVMValueRef slot, uint64_t offset,
                            void *env);

struct missed_visit {
  LLVMValueRef at, slot; /* the store and its address */
  missed_visitor *visit;
  void *env;
};

/* Visit each reference of a value of `type` at the visit's slot + `offset` that the collector may miss. */
static void visit_missed(struct cn_described_places *places, const struct missed_visit *visit, LLVMTypeRef type,
                         uint64_t offset)
{
  struct cn_ctx *ctx = places->flow.ctx;
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  if (!cn_holds_ref(type))
    return;
  if (cn_is_ref(type)) {
    if (cn_described_places_may_miss(places, visit->slot, offset))
      visit->visit(places, visit->at, visit->slot, offset, visit->env);
  } else if (kind == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      visit_missed(places, visit, LLVMStructGetTypeAtIndex(type, i),
                   offset + LLVMOffsetOfElement(ctx->layout, type, i));
  } else if (kind != LLVMScalableVectorTypeKind) { /* scalable vectors are refused */
    CN_CHECK(kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind);
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t size = LLVMABISizeOfType(ctx->layout, element);
    uint64_t count = kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count; i++)
      visit_missed(places, visit, element, offset + i * size);
  }
}

static void emit_store_checks(struct cn_described_places *places, LLVMValueRef store, LLVMValueRef slot,
                              LLVMTypeRef type)
{
  const struct missed_visit visit = {store, slot, emit_slot_check, NULL};

  CN_ASSERT(cn_holds_ref(type) && !cn_is_ref(LLVMTypeOf(slot)));
  if (LLVMIsAStoreInst(store) && LLVMGetOrdering(store) == LLVMAtomicOrderingUnordered)
    LLVMSetOrdering(store, LLVMAtomicOrderingNotAtomic);
  visit_missed(places, &visit, type, 0);
}

/* ---- copies ---- */

/* True if the path ends at `i`, because the lifetime of `local` ends or the collector may run. `*comes` is set if the
 * collector may run. */
static bool ends_lifetime_or_collects(LLVMValueRef i, LLVMValueRef local, bool *comes)
{
  if (cn_calls_intrinsic(i, "llvm.lifetime.end"))
    return LLVMGetOperand(i, LLVMGetNumArgOperands(i) - 1) == local;
  *comes = cn_is_call(i) && cn_classify_call(i).kind != CN_CALL_LEAF;
  return *comes;
}

/* Follow the path from `i` to the end of block `b`, and mark the successors in `reached`. Returns true if the collector
 * may run on the path. A retreating edge counts too, because each loop may get a poll. */
static bool may_collect_from_instruction(const struct cn_cfg *cfg, uint32_t b, LLVMValueRef i, LLVMValueRef local,
                                         bool *reached)
{
  bool comes = false;

  for (; i; i = LLVMGetNextInstruction(i))
    if (ends_lifetime_or_collects(i, local, &comes))
      return comes;
  for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++) {
    comes |= cn_cfg_is_retreating_edge(b, cfg->blocks[b].succs[s]);
    reached[cfg->blocks[b].succs[s]] = true;
  }
  return comes;
}

static bool may_collect_after_copy(LLVMValueRef copy, LLVMValueRef local)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(copy);
  struct cn_cfg cfg;

  cn_cfg_build_edges(&cfg, LLVMGetBasicBlockParent(block));
  bool *reached = cn_alloc((cfg.count + 1) * sizeof *reached), comes = false;
  uint32_t b = cn_cfg_index_of(&cfg, block);
  if (b != CN_NO_BLOCK)
    comes = may_collect_from_instruction(&cfg, b, LLVMGetNextInstruction(copy), local, reached);
  for (; b < cfg.count && !comes; b++)
    if (reached[b])
      comes = may_collect_from_instruction(&cfg, b, LLVMGetFirstInstruction(cfg.blocks[b].block), local, reached);
  free(reached);
  cn_cfg_free(&cfg);
  return comes;
}

static LLVMValueRef widen_length(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef length)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  LLVMPositionBuilderBefore(builder, at);
  length = LLVMBuildIntCast2(builder, length, LLVMInt64TypeInContext(ctx->llvm), false, "");
  LLVMDisposeBuilder(builder);
  return length;
}

/* Test the words of a copy from ordinary memory in line. Result and *site are as in emit_place_test(). */
static LLVMValueRef emit_copy_test(struct cn_described_places *places, LLVMValueRef copy, uint64_t words,
                                   LLVMValueRef *site)
{
  enum { MAX_TESTED_WORDS = 4 };
  struct cn_ctx *ctx = places->flow.ctx;
  struct cn_tested_copy tested = {LLVMGetOperand(copy, 0), LLVMGetOperand(copy, 1), words};

  CN_ASSERT(words != 0);
  if ((words & (words - 1)) == 0)
    return emit_place_test(places, copy, tested.to, (uint64_t)__builtin_ctzll(words) * sizeof words, site);
  if (!may_decide_in_line(ctx) || cn_words(ctx).reference_bits != 0 || __builtin_popcountll(words) > MAX_TESTED_WORDS)
    return copy;
  *site = cn_place_test_add_site(ctx, true);
  return cn_place_test_emit_copy(ctx, copy, &tested, *site, comes_from_parameter(tested.to));
}

/* The words of a copy that need a check, a bit for each, as in cn_described_places_words_at_risk(); 0: none. A copy has
 * no type: it may bring references from managed memory, and also from ordinary memory if its size is constant, as in
 * the assignment of a struct. */
static uint64_t find_words_to_check(struct cn_described_places *places, LLVMValueRef copy)
{
  CN_CHECK(LLVMGetNumArgOperands(copy) >= 3);
  LLVMValueRef to = LLVMGetOperand(copy, 0), from = LLVMGetOperand(copy, 1),
               constant = LLVMIsAConstantInt(LLVMGetOperand(copy, 2));
  if (cn_is_ref(LLVMTypeOf(to)) || (!cn_is_ref(LLVMTypeOf(from)) && !constant))
    return 0;
  uint64_t bytes = constant ? LLVMConstIntGetZExtValue(constant) : UINT64_MAX;
  if (bytes < sizeof(uint64_t))
    return 0;
  uint64_t words = cn_described_places_words_at_risk(places, to, from, bytes);
  LLVMValueRef local = words ? cn_pointer_local_of(to) : NULL;
  return local && !may_collect_after_copy(copy, local) ? 0 : words;
}

/* Emit the check of a copy, if it needs one. The runtime checks the copied words. */
static void emit_copy_check(struct cn_described_places *places, LLVMValueRef copy)
{
  uint64_t words = find_words_to_check(places, copy);
  LLVMValueRef arguments[4] = {NULL}, check = copy;

  if (words == 0)
    return;
  for (unsigned i = 0; i < 3; i++)
    arguments[i] = LLVMGetOperand(copy, i);
  bool from_managed = cn_is_ref(LLVMTypeOf(arguments[1]));
  if (!from_managed)
    check = emit_copy_test(places, copy, words, &arguments[3]);
  arguments[2] = widen_length(places->flow.ctx, check, arguments[2]);
  if (arguments[3])
    emit_call_before(places->flow.ctx, check, CN_CHECK_COPY_AT, arguments, 4);
  else
    emit_call_before(places->flow.ctx, check, from_managed ? CN_CHECK_COPY : CN_CHECK_NATIVE_COPY, arguments, 3);
}

/* True if `i` is an intrinsic that stores several references in ordinary memory. */
static bool stores_several_refs(LLVMValueRef i)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(i);

  if (!row || (row->effect != CN_EFFECT_STORE && row->effect != CN_EFFECT_PATTERN))
    return false;
  return cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(i, (unsigned)row->value))) &&
         !cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(i, (unsigned)row->place)));
}

static void refuse_intrinsic(struct cn_ctx *ctx, LLVMValueRef i, const char *why)
{
  char name[96];

  cn_error(ctx, i, "unknown-intrinsic", "%s: %s", cn_calls_describe(i, name, sizeof name), why);
}

static void check_instruction(struct cn_described_places *places, LLVMValueRef i, bool copies)
{
  LLVMTypeRef type;
  LLVMValueRef slot = address_of_ref_store(i, &type);

  if (slot)
    emit_store_checks(places, i, slot, type);
  else if (stores_several_refs(i))
    refuse_intrinsic(places->flow.ctx, i,
                     "it stores several references in ordinary memory; pass expand-intrinsics "
                     "makes single stores of vectors of fixed size");
  else if (copies && cn_intrinsic_has_effect(i, CN_EFFECT_COPY))
    emit_copy_check(places, i);
}

/* Checks split blocks, so the instructions are listed first. */
static void check_stores_of_function(struct cn_described_places *places, LLVMValueRef function, bool copies)
{
  CN_VECTOR(LLVMValueRef) list = {0};
  LLVMTypeRef type;

  CN_ASSERT(LLVMIsAFunction(function));
  places->function = function;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (address_of_ref_store(i, &type) || cn_intrinsic_row_of_call(i))
        cn_push(&list, i);
  for (size_t i = 0; i < list.count; i++)
    check_instruction(places, list.at[i], copies);
  cn_free(&list);
}

/* ---- pointers of checked stores, for the choice of copies ---- */

static void add_pointer(struct cn_described_places *places, LLVMValueRef at, LLVMValueRef slot, uint64_t offset,
                        void *env)
{
  (void)places;
  (void)at;
  (void)offset;
  cn_push((cn_pointer_sources *)env, slot);
}

cn_pointer_sources cn_checked_pointers_find(struct cn_described_places *places, LLVMValueRef function)
{
  cn_pointer_sources pointers = {0};
  LLVMTypeRef type;

  places->function = function;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMValueRef slot = address_of_ref_store(i, &type);
      const struct missed_visit visit = {i, slot, add_pointer, &pointers};
      if (slot) {
        visit_missed(places, &visit, type, 0);
      } else if (cn_intrinsic_has_effect(i, CN_EFFECT_COPY) && find_words_to_check(places, i) != 0) {
        cn_push(&pointers, LLVMGetOperand(i, 0));
        cn_push(&pointers, LLVMGetOperand(i, 1));
      }
    }
  return pointers;
}

bool cn_check_stores(struct cn_ctx *ctx)
{
  bool copies = cn_managed_module_has_references(ctx);
  struct cn_described_places places = {.flow = {.ctx = ctx}};

  if (copies && may_decide_in_line(ctx) && cn_is_placement_option_on(ctx, CAIRN_PLACEMENT_STORE_COPIES))
    cn_store_copies_add(ctx);
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      check_stores_of_function(&places, f, copies);
  cn_described_places_free(&places);
  return ctx->errors == 0;
}
