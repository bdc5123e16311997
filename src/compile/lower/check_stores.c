/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `check-stores`: ensures that the program stores each reference at a place that the collector scans.
 *
 * Needs: cn_mark_unproved_stores() ran on the function before the optimiser. Provides: a check at run time
 * (cairn_check_store, cairn_check_copy) for each store of a reference through an ordinary pointer, and each copy that
 * may bring references to ordinary memory, unless the target is a local or a global that holds references; an error for
 * intrinsics that store several references in ordinary memory. Breaks: nothing.
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
#include "compile/effects/intrinsics.h"
#include "compile/core/emitted_names.h"
#include "compile/lower/lower.h"
#include "compile/lower/described_places.h"

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

static void emit_call_before(struct cn_ctx *ctx, LLVMValueRef at, const char *name, LLVMValueRef *arguments,
                             unsigned count)
{
  LLVMTypeRef types[3];

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
static LLVMValueRef build_store_description(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef at)
{
  char *named = source_place_name(ctx, at);
  char *text = named ? named : format_unknown_place(at);
  LLVMValueRef string = LLVMBuildGlobalString(builder, text, "cairn.slot");

  LLVMSetUnnamedAddress(string, LLVMGlobalUnnamedAddr);
  free(text);
  return string;
}

static void emit_slot_check(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot, uint64_t offset)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMTypeRef byte = LLVMInt8TypeInContext(ctx->llvm);
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), offset, false);

  LLVMPositionBuilderBefore(builder, at);
  if (offset)
    slot = LLVMBuildGEP2(builder, byte, slot, &index, 1, "");
  LLVMValueRef arguments[] = {slot, build_store_description(ctx, builder, at)};
  LLVMDisposeBuilder(builder);
  emit_call_before(ctx, at, CN_CHECK_STORE, arguments, 2);
}

/* Check each reference of a value of `type` that `at` stores at `slot` + `offset`. */
static void emit_checks_of_type(struct cn_described_places *places, LLVMValueRef at, LLVMValueRef slot,
                                LLVMTypeRef type, uint64_t offset)
{
  struct cn_ctx *ctx = places->ctx;
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  if (!cn_holds_ref(type))
    return;
  if (cn_is_ref(type)) {
    if (cn_described_places_may_miss(places, slot, offset))
      emit_slot_check(ctx, at, slot, offset);
  } else if (kind == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      emit_checks_of_type(places, at, slot, LLVMStructGetTypeAtIndex(type, i),
                          offset + LLVMOffsetOfElement(ctx->layout, type, i));
  } else if (kind != LLVMScalableVectorTypeKind) { /* scalable vectors are refused */
    CN_CHECK(kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind);
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t size = LLVMABISizeOfType(ctx->layout, element);
    uint64_t count = kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count; i++)
      emit_checks_of_type(places, at, slot, element, offset + i * size);
  }
}

static void emit_store_checks(struct cn_described_places *places, LLVMValueRef store, LLVMValueRef slot,
                              LLVMTypeRef type)
{
  CN_ASSERT(cn_holds_ref(type) && !cn_is_ref(LLVMTypeOf(slot)));
  if (LLVMIsAStoreInst(store) && LLVMGetOrdering(store) == LLVMAtomicOrderingUnordered)
    LLVMSetOrdering(store, LLVMAtomicOrderingNotAtomic);
  emit_checks_of_type(places, store, slot, type, 0);
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

/* Emit the check of a copy. A copy has no type: it may bring references from managed memory, and also from ordinary
 * memory if its size is constant, as in the assignment of a struct. The runtime checks the copied words. */
static void emit_copy_check(struct cn_described_places *places, LLVMValueRef copy)
{
  LLVMValueRef arguments[3];

  CN_CHECK(LLVMGetNumArgOperands(copy) >= 3);
  for (unsigned i = 0; i < 3; i++)
    arguments[i] = LLVMGetOperand(copy, i);
  bool from_managed = cn_is_ref(LLVMTypeOf(arguments[1]));
  LLVMValueRef constant = LLVMIsAConstantInt(arguments[2]);
  if (cn_is_ref(LLVMTypeOf(arguments[0])) || (!from_managed && !constant))
    return;
  uint64_t bytes = constant ? LLVMConstIntGetZExtValue(constant) : UINT64_MAX;
  LLVMValueRef local = cn_pointer_local_of(arguments[0]);
  if (bytes >= sizeof(uint64_t) && cn_described_places_may_miss_any(places, arguments[0], bytes) &&
      !cn_described_places_lack_refs(places, arguments[1]) && (!local || may_collect_after_copy(copy, local))) {
    arguments[2] = widen_length(places->ctx, copy, arguments[2]);
    emit_call_before(places->ctx, copy, from_managed ? CN_CHECK_COPY : CN_CHECK_NATIVE_COPY, arguments, 3);
  }
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

static void check_stores_of_function(struct cn_ctx *ctx, LLVMValueRef function, bool copies)
{
  struct cn_described_places places = {.ctx = ctx, .function = function};
  LLVMTypeRef type;

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMValueRef slot = address_of_ref_store(i, &type);
      if (slot)
        emit_store_checks(&places, i, slot, type);
      else if (stores_several_refs(i))
        refuse_intrinsic(ctx, i,
                         "it stores several references in ordinary memory; pass expand-intrinsics "
                         "makes single stores of vectors of fixed size");
      else if (copies && cn_intrinsic_has_effect(i, CN_EFFECT_COPY))
        emit_copy_check(&places, i);
    }
  cn_described_places_free(&places);
}

bool cn_check_stores(struct cn_ctx *ctx)
{
  bool copies = cn_managed_module_has_references(ctx);

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      check_stores_of_function(ctx, f, copies);
  return ctx->errors == 0;
}
