/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the spans of statepoints (abi.def, SPAN_MARK) back into markers, which rewrite-statepoints finds after the
 * optimiser has moved the calls. Part of strip-statepoints. Needs: any function. Provides: markers around calls;
 * cn_strip_refuse_spans(), which reports lists that markers cannot express. Breaks: nothing.
 *
 * Only functions that have lost their markers get new ones. Each call with spans gets markers, which also enclose the
 * calls that are inlined in its place.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/emitted_names.h"
#include "compile/strip/strip.h"

/* The operands [first, end) of a statepoint, which are pairs of a span's index and an inlining depth. */
struct span_pairs {
  uint32_t first, end;
};

static struct span_pairs find_span_pairs(LLVMValueRef statepoint)
{
  uint32_t first, end;
  struct span_pairs pairs = {0, 0};

  CN_ASSERT(cn_is_call(statepoint));
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(statepoint); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(statepoint, i);
    uint32_t own = cn_strip_count_before_spans(bundle), count = LLVMGetNumOperandBundleArgs(bundle);
    size_t length;
    const char *tag = LLVMGetOperandBundleTag(bundle, &length);
    if (own < count && length == 5 && memcmp(tag, "deopt", 5) == 0 &&
        cn_calls_find_bundle(statepoint, "deopt", &first, &end))
      pairs = (struct span_pairs){first + own + 2, end - 1};
    LLVMDisposeOperandBundle(bundle);
  }
  return pairs;
}

/* True if the invoke also has its spans in metadata, so that the rewriter finds them again. */
static bool has_span_metadata(LLVMValueRef statepoint, struct span_pairs pairs)
{
  LLVMValueRef node = cn_calls_find_metadata(statepoint, CN_SPAN_METADATA);

  CN_ASSERT(cn_is_call(statepoint));
  return node && (uint32_t)LLVMGetMDNodeNumOperands(node) >= pairs.end - pairs.first;
}

void cn_strip_refuse_spans(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint)
{
  struct span_pairs pairs = find_span_pairs(statepoint);
  uint64_t index, depth;

  if (pairs.first == pairs.end)
    return;
  if (LLVMIsAInvokeInst(statepoint) && !has_span_metadata(statepoint, pairs))
    cn_error(ctx, statepoint, "span-unwrap",
             "an invoke in a span whose markers were dropped: the end of the span is unknown");
  for (uint32_t o = pairs.first; o < pairs.end; o += 2)
    if (o + 1 == pairs.end || !cn_strip_read_number(LLVMGetOperand(statepoint, o), &index) ||
        !cn_strip_read_number(LLVMGetOperand(statepoint, o + 1), &depth) || index == 0 ||
        index >= table->entries.items.count) {
      cn_error(ctx, statepoint, "span-unwrap", "the description of spans here is malformed");
      return;
    }
}

/* The debug location of `call` in the function that opened the span, which is the function at inlining depth
 * `depth`. */
static LLVMMetadataRef location_at_depth(LLVMValueRef call, uint64_t depth)
{
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(call), outer;
  uint64_t deep = 0;

  for (outer = location; outer && LLVMDILocationGetInlinedAt(outer); outer = LLVMDILocationGetInlinedAt(outer))
    deep++;
  for (; deep > depth; deep--)
    location = LLVMDILocationGetInlinedAt(location);
  return location;
}

void cn_strip_spans_to_markers(struct cn_ctx *ctx, const struct cn_span_table *table, LLVMValueRef statepoint,
                               LLVMValueRef call)
{
  struct span_pairs pairs = find_span_pairs(statepoint);
  uint64_t index, depth;

  CN_ASSERT(cn_is_call(statepoint));
  CN_ASSERT(cn_is_call(call));
  if (!LLVMIsACallInst(call))
    return;
  for (uint32_t o = pairs.end; o > pairs.first; o -= 2) { /* the greatest index first */
    CN_CHECK(cn_strip_read_number(LLVMGetOperand(statepoint, o - 2), &index) &&
             cn_strip_read_number(LLVMGetOperand(statepoint, o - 1), &depth));
    CN_CHECK(index < table->entries.items.count);
    const struct cn_word_triple *entry = &table->entries.items.at[index];
    LLVMValueRef key = (LLVMValueRef)(uintptr_t)entry->b;
    LLVMMetadataRef location = location_at_depth(call, depth);
    cn_spans_build_marker(ctx, call, location, key, (LLVMValueRef)(uintptr_t)entry->c);
    cn_spans_build_marker(ctx, LLVMGetNextInstruction(call), location, key, NULL);
  }
}
