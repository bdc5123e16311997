/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves that a store through an ordinary pointer goes to a place that the collector scans: to a reference in the type
 * of a global, or to a described word of a local. Part of pass `check-stores`. Needs: struct cn_pointer_flow, with the
 * origins of pointers. Breaks: nothing. Provides: struct cn_described_places, which has the layouts of locals; the
 * proof, or its failure; a run of places, so that a comparison of addresses completes the proof.
 *
 * A local of another function is the origin of a pointer only while its function waits for a call. The frame map of
 * that call describes the local, if the function has frame maps.
 */
#include "compile/lower/described_places.h"

#include "base/bitset.h"
#include "base/check.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"

enum { WORD_BYTES = CN_ALLOCA_WORD_BYTES, MAX_CHECKED_PLACES = 1 << 16 /* places checked one by one */ };

/* ---- objects ---- */

static LLVMValueRef function_of_local(LLVMValueRef alloca)
{
  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(alloca));
}

/* True if statepoints of `function` describe its locals. */
static bool describes_locals(const struct cn_described_places *places, LLVMValueRef function)
{
  return function == places->function ||
         (cn_is_managed(function) && !cn_string_attribute(function, CN_ATTR_LEAF) && !cn_has_statepoints(function));
}

static const struct cn_alloca_layouts *layouts_of_function(struct cn_described_places *places, LLVMValueRef function)
{
  bool fresh;
  uint64_t *index = cn_ptrmap_add(&places->locals_index, function, &fresh);

  if (fresh) {
    struct cn_function_locals locals = {.function = function};
    cn_alloca_layouts_find(places->flow.ctx, function, &locals.layouts);
    cn_push(&places->locals, locals);
    *index = places->locals.count;
  }
  return &places->locals.at[*index - 1].layouts;
}

/* The layout of a described local, or null. */
static const struct cn_alloca_layout *alloca_layout_of(struct cn_described_places *places, LLVMValueRef alloca)
{
  LLVMValueRef function = function_of_local(alloca);

  if (!describes_locals(places, function))
    return NULL;
  const struct cn_alloca_layouts *layouts = layouts_of_function(places, function);
  for (size_t i = 0; i < layouts->maps.count; i++)
    if (layouts->maps.at[i].alloca == alloca)
      return &layouts->maps.at[i];
  return NULL;
}

/* The size of the origin in bytes; 0: unknown. With `element`, the size of one element of a global array, because all
 * elements have references at equal offsets. */
static uint64_t origin_bytes_of(struct cn_described_places *places, LLVMValueRef origin, bool element)
{
  if (LLVMIsAAllocaInst(origin)) {
    const struct cn_alloca_layout *local = alloca_layout_of(places, origin);
    return local ? local->words * WORD_BYTES : 0;
  }
  LLVMTypeRef type = LLVMGlobalGetValueType(origin);
  if (element && LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    type = LLVMGetElementType(type);
  return LLVMTypeIsSized(type) ? LLVMABISizeOfType(places->flow.ctx->layout, type) : 0;
}

static bool has_described_reference(struct cn_described_places *places, LLVMValueRef origin, uint64_t offset)
{
  if (LLVMIsAGlobalVariable(origin))
    return cn_types_has_ref_at(places->flow.ctx, LLVMGlobalGetValueType(origin), offset);
  const struct cn_alloca_layout *local = alloca_layout_of(places, origin);
  return local && offset % WORD_BYTES == 0 && offset / WORD_BYTES < local->words &&
         cn_bitset_contains(local->bits, offset / WORD_BYTES);
}

/* ---- places in an object ---- */

/* The words of the span in one element of its origin: each word from *first, below *size, at *step. References are
 * aligned to words. False: there are too many, or their number is unknown. */
static bool find_words_of_span(struct cn_described_places *places, const struct cn_place_span *span, uint64_t *first,
                               uint64_t *size, uint64_t *step)
{
  *size = origin_bytes_of(places, span->origin, true);
  *step = span->stride % WORD_BYTES || *size % span->stride ? WORD_BYTES : span->stride;
  int64_t rest = (int64_t)span->offset % (int64_t)*step;
  *first = (uint64_t)(rest < 0 ? rest + (int64_t)*step : rest);
  return *size != 0 && *size / *step <= MAX_CHECKED_PLACES;
}

/* True if the collector may miss a reference at one of the places. */
static bool may_miss_place_of_span(struct cn_described_places *places, const struct cn_place_span *span)
{
  uint64_t at, size, step;

  if (span->stride == 0)
    return !has_described_reference(places, span->origin, span->offset);
  if (!find_words_of_span(places, span, &at, &size, &step))
    return true;
  for (; at < size; at += step)
    if (!has_described_reference(places, span->origin, at))
      return true;
  return false;
}

bool cn_described_places_may_miss(struct cn_described_places *places, LLVMValueRef pointer, uint64_t offset)
{
  struct cn_pointer_places to = cn_pointer_flow_find(&places->flow, pointer);
  bool missed = to.unknown;

  for (unsigned i = 0; i < to.count && !missed; i++) {
    to.spans[i].offset += offset;
    missed = may_miss_place_of_span(places, &to.spans[i]);
  }
  return missed;
}

/* ---- copies ---- */

/* True if all references of the origin lie at described places. */
static bool has_typed_contents(struct cn_described_places *places, LLVMValueRef origin)
{
  if (LLVMIsAGlobalVariable(origin))
    return true;
  const struct cn_alloca_layout *local = alloca_layout_of(places, origin);
  return local && (!cn_alloca_layout_holds_refs(local) || (local->typed && !local->unclear && !local->huge));
}

static bool is_word_inside(struct cn_described_places *places, const struct cn_place_span *span)
{
  uint64_t size = origin_bytes_of(places, span->origin, false);

  return span->offset % WORD_BYTES == 0 && span->offset < size && size - span->offset >= WORD_BYTES;
}

/* True if a reference may lie at one of the places. */
static bool may_hold_at_span(struct cn_described_places *places, const struct cn_place_span *span)
{
  uint64_t at, size, step;

  if (!has_typed_contents(places, span->origin))
    return true;
  if (span->stride == 0)
    return !is_word_inside(places, span) || has_described_reference(places, span->origin, span->offset);
  if (!find_words_of_span(places, span, &at, &size, &step))
    return true;
  for (; at < size; at += step)
    if (has_described_reference(places, span->origin, at))
      return true;
  return false;
}

typedef bool span_test(struct cn_described_places *places, const struct cn_place_span *span);

/* True if the test is true for some place of the pointer with the places `of`, at the distance `offset`. */
static bool is_any_span(struct cn_described_places *places, const struct cn_pointer_places *of, uint64_t offset,
                        span_test *test)
{
  bool any = of->unknown;

  for (unsigned i = 0; i < of->count && !any; i++) {
    struct cn_place_span span = of->spans[i];
    span.offset += offset;
    any = test(places, &span);
  }
  return any;
}

/* True if no place of the pointer splits a word. */
static bool is_aligned_to_words(const struct cn_pointer_places *of)
{
  uint64_t common = 0;

  for (unsigned i = 0; i < of->count; i++)
    common |= of->spans[i].offset | of->spans[i].stride;
  return common % WORD_BYTES == 0;
}

/* True if a reference may lie, or may be missed, at any word from the places of the pointer on. A pointer to one place
 * points to all later words of the origin, other pointers to all words. */
static bool is_any_word(struct cn_described_places *places, const struct cn_pointer_places *of, span_test *test)
{
  bool any = of->unknown;

  for (unsigned i = 0; i < of->count && !any; i++) {
    struct cn_place_span span = of->spans[i];
    uint64_t size = origin_bytes_of(places, span.origin, false);
    if (span.stride != 0 || size == 0 || span.offset > size || size / WORD_BYTES > MAX_CHECKED_PLACES) {
      any = test(places, &(struct cn_place_span){.origin = span.origin, .stride = WORD_BYTES});
      continue;
    }
    for (span.offset = (span.offset + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
         span.offset + WORD_BYTES <= size && !any; span.offset += WORD_BYTES)
      any = test(places, &span);
  }
  return any;
}

uint64_t cn_described_places_words_at_risk(struct cn_described_places *places, LLVMValueRef to, LLVMValueRef from,
                                           uint64_t bytes)
{
  struct cn_pointer_places targets = cn_pointer_flow_find(&places->flow, to),
                           sources = cn_pointer_flow_find(&places->flow, from);
  uint64_t words = 0;

  if (bytes / WORD_BYTES > MAX_CHECKED_PLACES || !is_aligned_to_words(&targets) || !is_aligned_to_words(&sources))
    return is_any_word(places, &targets, may_miss_place_of_span) && is_any_word(places, &sources, may_hold_at_span)
               ? CN_ALL_WORDS
               : 0;
  for (uint64_t at = 0; at + WORD_BYTES <= bytes; at += WORD_BYTES)
    if (is_any_span(places, &targets, at, may_miss_place_of_span) &&
        is_any_span(places, &sources, at, may_hold_at_span)) {
      if (at / WORD_BYTES >= 63)
        return CN_ALL_WORDS;
      words |= (uint64_t)1 << at / WORD_BYTES;
    }
  return words;
}

LLVMValueRef cn_pointer_local_of(LLVMValueRef pointer)
{
  while (!cn_pointer_is_origin(pointer) && !LLVMIsAPHINode(pointer) && !LLVMIsASelectInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  return LLVMIsAAllocaInst(pointer);
}

/* ---- runs of places ---- */

/* True if the function can compare addresses with the address of `origin`. */
static bool is_origin_at_hand(const struct cn_described_places *places, LLVMValueRef origin)
{
  return LLVMIsAGlobalVariable(origin) ? !LLVMIsThreadLocal(origin) : function_of_local(origin) == places->function;
}

bool cn_described_places_find_run(struct cn_described_places *places, LLVMValueRef pointer, uint64_t offset,
                                  struct cn_place_run *run)
{
  struct cn_pointer_places to = cn_pointer_flow_find(&places->flow, pointer);
  const struct cn_place_span *span = to.spans;
  uint64_t at = span->offset + offset, stride = span->stride;

  if (to.unknown || to.count != 1 || stride == 0 || stride % WORD_BYTES || at % WORD_BYTES ||
      !is_origin_at_hand(places, span->origin) || !has_described_reference(places, span->origin, at))
    return false;
  *run = (struct cn_place_run){span->origin, at, at};
  for (unsigned i = 0; i < MAX_CHECKED_PLACES && run->first >= stride; i++, run->first -= stride)
    if (!has_described_reference(places, span->origin, run->first - stride))
      break;
  for (unsigned i = 0; i < MAX_CHECKED_PLACES; i++, run->last += stride)
    if (!has_described_reference(places, span->origin, run->last + stride))
      break;
  return true;
}

void cn_described_places_free(struct cn_described_places *places)
{
  for (size_t i = 0; i < places->locals.count; i++)
    cn_alloca_layouts_free(&places->locals.at[i].layouts);
  cn_free(&places->locals);
  cn_ptrmap_free(&places->locals_index);
  cn_pointer_flow_free(&places->flow);
}
