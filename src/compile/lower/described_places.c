/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves that a store through an ordinary pointer goes to a place that the collector scans: to a reference in the type
 * of a global, or to a described word of a local of the function. Part of pass `check-stores`. Needs, breaks: nothing.
 * Provides: struct cn_described_places, which has the layouts of the function's locals; the origins of a pointer; the
 * proof, or its failure.
 *
 * A pointer from a single chain of GEPs points to one place, or to places at equal distances. A pointer from phis and
 * selects may point to any word of each of its origins.
 */
#include "compile/lower/described_places.h"

#include "base/bitset.h"
#include "base/check.h"
#include "compile/core/memory_types.h"

enum { WORD_BYTES = CN_ALLOCA_WORD_BYTES, MAX_CHECKED_PLACES = 1 << 16 /* places checked one by one */ };

static bool is_gep(LLVMValueRef pointer)
{
  return LLVMIsAGetElementPtrInst(pointer) ||
         (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

/* True if the result is the first operand, or the calling thread's copy of a thread-local, which is described like a
 * global. */
static bool yields_first_operand(LLVMValueRef pointer)
{
  return LLVMIsABitCastInst(pointer) || LLVMIsAFreezeInst(pointer) ||
         cn_calls_intrinsic(pointer, "llvm.threadlocal.address");
}

static void add_value_once(cn_pointer_sources *list, LLVMValueRef value)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i] == value)
      return;
  cn_push(list, value);
}

/* Set [first, last) to the operands of `pointer` (a GEP, cast, phi, select or address of a thread-local) that give its
 * address. The range is empty for an origin. */
static void find_source_operands(LLVMValueRef pointer, unsigned *first, unsigned *last)
{
  *first = *last = 0;
  if (is_gep(pointer) || yields_first_operand(pointer)) {
    *last = 1;
  } else if (LLVMIsASelectInst(pointer)) {
    *first = 1;
    *last = 3;
  } else if (LLVMIsAPHINode(pointer)) {
    *last = LLVMCountIncoming(pointer);
  }
  CN_ASSERT(*first == *last || *last <= (unsigned)LLVMGetNumOperands(pointer));
}

cn_pointer_sources cn_pointer_sources_find(LLVMValueRef pointer)
{
  cn_pointer_sources seen = {0};

  add_value_once(&seen, pointer);
  for (size_t i = 0; i < seen.count; i++) {
    unsigned first, last;
    find_source_operands(seen.at[i], &first, &last);
    for (; first < last; first++)
      add_value_once(&seen, LLVMGetOperand(seen.at[i], first));
  }
  return seen;
}

bool cn_pointer_is_origin(LLVMValueRef pointer)
{
  unsigned first, last;

  find_source_operands(pointer, &first, &last);
  return first == last;
}

/* ---- objects ---- */

static const struct cn_alloca_layout *alloca_layout_of(struct cn_described_places *places, LLVMValueRef alloca)
{
  if (!places->found)
    cn_alloca_layouts_find(places->ctx, places->function, &places->locals);
  places->found = true;
  for (size_t i = 0; i < places->locals.maps.count; i++)
    if (places->locals.maps.at[i].alloca == alloca)
      return &places->locals.maps.at[i];
  return NULL;
}

/* The size of the origin in bytes. With `element`, the size of one element of a global array, because all elements have
 * references at equal offsets. */
static uint64_t origin_bytes_of(struct cn_described_places *places, LLVMValueRef origin, bool element)
{
  const struct cn_alloca_layout *local = LLVMIsAAllocaInst(origin) ? alloca_layout_of(places, origin) : NULL;

  if (local)
    return local->words * WORD_BYTES;
  LLVMTypeRef type = LLVMGlobalGetValueType(origin);
  if (element && LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    type = LLVMGetElementType(type);
  return LLVMTypeIsSized(type) ? LLVMABISizeOfType(places->ctx->layout, type) : 0;
}

static bool has_described_reference(struct cn_described_places *places, LLVMValueRef origin, uint64_t offset)
{
  if (LLVMIsAGlobalVariable(origin))
    return cn_types_has_ref_at(places->ctx, LLVMGlobalGetValueType(origin), offset);
  const struct cn_alloca_layout *local = alloca_layout_of(places, origin);
  return local && offset % WORD_BYTES == 0 && offset / WORD_BYTES < local->words &&
         cn_bitset_contains(local->bits, offset / WORD_BYTES);
}

/* True for a local or a global. The contents of other memory are unknown. */
static bool is_local_or_global(LLVMValueRef origin)
{
  return LLVMIsAAllocaInst(origin) || LLVMIsAGlobalVariable(origin);
}

static bool is_undefined_or_null(LLVMValueRef origin)
{
  return LLVMIsUndef(origin) || LLVMIsNull(origin);
}

/* ---- places in an object ---- */

/* The places of a pointer into `origin`: `offset` plus all multiples of `stride`. */
struct place_span {
  LLVMValueRef origin;
  uint64_t offset, stride;
};

/* Find the places of `pointer`. False if a phi or select chooses `pointer`. */
static bool find_place_span(struct cn_ctx *ctx, LLVMValueRef pointer, uint64_t offset, struct place_span *span)
{
  *span = (struct place_span){.offset = offset};
  for (; is_gep(pointer) || yields_first_operand(pointer); pointer = LLVMGetOperand(pointer, 0))
    if (is_gep(pointer))
      cn_types_gep_offset_and_stride(ctx, pointer, &span->offset, &span->stride);
  span->origin = pointer;
  return cn_pointer_is_origin(pointer);
}

/* True if the collector may miss a reference at one of the places. All references are aligned to words. */
static bool may_miss_place_of_span(struct cn_described_places *places, const struct place_span *span)
{
  if (!is_local_or_global(span->origin))
    return !is_undefined_or_null(span->origin);
  if (span->stride == 0)
    return !has_described_reference(places, span->origin, span->offset);
  uint64_t size = origin_bytes_of(places, span->origin, true);
  uint64_t step = span->stride % WORD_BYTES || size % span->stride ? WORD_BYTES : span->stride;
  int64_t rest = (int64_t)span->offset % (int64_t)step;
  uint64_t at = (uint64_t)(rest < 0 ? rest + (int64_t)step : rest);
  if (size == 0 || size / step > MAX_CHECKED_PLACES)
    return true;
  for (; at < size; at += step)
    if (!has_described_reference(places, span->origin, at))
      return true;
  return false;
}

/* True if the collector may miss a reference at some word of an origin of `pointer`. */
static bool may_miss_in_any_origin(struct cn_described_places *places, LLVMValueRef pointer)
{
  cn_pointer_sources sources = cn_pointer_sources_find(pointer);
  bool missed = false;

  for (size_t i = 0; i < sources.count && !missed; i++) {
    struct place_span span = {.origin = sources.at[i], .stride = WORD_BYTES};
    missed = cn_pointer_is_origin(sources.at[i]) && may_miss_place_of_span(places, &span);
  }
  cn_free(&sources);
  return missed;
}

bool cn_described_places_may_miss(struct cn_described_places *places, LLVMValueRef pointer, uint64_t offset)
{
  struct place_span span;

  return find_place_span(places->ctx, pointer, offset, &span) ? may_miss_place_of_span(places, &span)
                                                              : may_miss_in_any_origin(places, pointer);
}

bool cn_described_places_may_miss_any(struct cn_described_places *places, LLVMValueRef pointer, uint64_t bytes)
{
  struct place_span span;

  if (!find_place_span(places->ctx, pointer, 0, &span) || !is_local_or_global(span.origin) || span.stride)
    return may_miss_in_any_origin(places, pointer);
  uint64_t size = origin_bytes_of(places, span.origin, false),
           at = (span.offset + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
  uint64_t end = bytes > size ? size : span.offset + bytes;
  if (end > size || end / WORD_BYTES > MAX_CHECKED_PLACES)
    return true;
  for (; at + WORD_BYTES <= end; at += WORD_BYTES)
    if (!has_described_reference(places, span.origin, at))
      return true;
  return false;
}

LLVMValueRef cn_pointer_local_of(LLVMValueRef pointer)
{
  while (!cn_pointer_is_origin(pointer) && !LLVMIsAPHINode(pointer) && !LLVMIsASelectInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  return LLVMIsAAllocaInst(pointer);
}

bool cn_described_places_lack_refs(struct cn_described_places *places, LLVMValueRef pointer)
{
  cn_pointer_sources sources = cn_pointer_sources_find(pointer);
  bool none = true;

  for (size_t i = 0; i < sources.count && none; i++) {
    LLVMValueRef origin = sources.at[i];
    if (!cn_pointer_is_origin(origin) || is_undefined_or_null(origin))
      continue;
    if (LLVMIsAGlobalVariable(origin))
      none = !cn_holds_ref(LLVMGlobalGetValueType(origin));
    else
      none = LLVMIsAAllocaInst(origin) && !cn_alloca_layout_holds_refs(alloca_layout_of(places, origin));
  }
  cn_free(&sources);
  return none;
}

void cn_described_places_free(struct cn_described_places *places)
{
  cn_alloca_layouts_free(&places->locals);
}
