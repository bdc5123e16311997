/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares statepoints' lists of spans (abi.def, SPAN_MARK) with the function's markers and with the table
 * (docs/spans.md). Needs: struct cn_cfg. Provides: span-tail. Breaks: nothing.
 *
 * If drop-markers has removed the markers, a list must still be well formed. This file and spans.c share no code: this
 * file keeps a list of the open spans for each block, and looks up the values in the table.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/verify/verify.h"

struct open_span {
  uint64_t key;
  LLVMValueRef value;
  uint64_t depth;
};
struct span_stack {
  CN_VECTOR(struct open_span) at;
  bool known; /* a path to the block has been followed */
};

static bool read_constant(LLVMValueRef value, uint64_t *out)
{
  if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  *out = LLVMConstIntGetZExtValue(value);
  return true;
}

static bool is_span_marker(LLVMValueRef i, const char *name, unsigned arguments)
{
  LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
  size_t length;

  return callee && LLVMIsAFunction(callee) && LLVMGetNumArgOperands(i) == arguments &&
         strcmp(LLVMGetValueName2(callee, &length), name) == 0;
}

static uint64_t inlining_depth_of(LLVMValueRef i)
{
  LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
  uint64_t depth = 0;

  for (; at && LLVMDILocationGetInlinedAt(at); at = LLVMDILocationGetInlinedAt(at))
    depth++;
  return depth;
}

static void apply_span_marker(struct span_stack *stack, LLVMValueRef i)
{
  struct open_span one = {0};
  size_t n = stack->at.count;

  if (is_span_marker(i, CN_SPAN_BEGIN, 2) && read_constant(LLVMGetOperand(i, 0), &one.key)) {
    one.value = LLVMGetOperand(i, 1);
    one.depth = inlining_depth_of(i);
    cn_push(&stack->at, one);
  }
  if (!is_span_marker(i, CN_SPAN_END, 1) || !read_constant(LLVMGetOperand(i, 0), &one.key))
    return;
  while (n && stack->at.at[n - 1].key != one.key)
    n--;
  if (!n)
    return;
  memmove(&stack->at.at[n - 1], &stack->at.at[n], (stack->at.count - n) * sizeof one);
  stack->at.count--;
}

/* ---- tails ---- */

/* The operands [first, end) of a list, which are pairs of an index and a depth. */
struct span_tail {
  uint32_t first, end;
};

/* False if there is a mark at another index than the length gives. */
static bool find_span_tail(LLVMValueRef statepoint, struct span_tail *tail)
{
  uint32_t first, end;
  uint64_t length = 0, mark = 0, count = 0;

  *tail = (struct span_tail){0, 0};
  if (!cn_calls_find_bundle(statepoint, "deopt", &first, &end) || first == end)
    return true;
  if (read_constant(LLVMGetOperand(statepoint, end - 1), &length) && length >= 2 && length < end - first &&
      read_constant(LLVMGetOperand(statepoint, end - 1 - (uint32_t)length), &mark) && mark == CAIRN_ABI_SPAN_MARK) {
    *tail = (struct span_tail){end + 1 - (uint32_t)length, end - 1};
    return read_constant(LLVMGetOperand(statepoint, tail->first - 1), &count) && 2 * count == tail->end - tail->first &&
           count < length;
  }
  for (uint32_t i = first; i < end; i++)
    if (read_constant(LLVMGetOperand(statepoint, i), &mark) && mark == CAIRN_ABI_SPAN_MARK)
      return false;
  return true;
}

static LLVMValueRef span_table_entry_at(struct cn_verifier *v, uint64_t index)
{
  LLVMValueRef table = LLVMGetNamedGlobal(v->ctx->module, CN_SPAN_TABLE);
  LLVMValueRef entries = table ? LLVMGetInitializer(table) : NULL;

  if (!entries || LLVMGetTypeKind(LLVMTypeOf(entries)) != LLVMArrayTypeKind || index == 0 ||
      index >= LLVMGetArrayLength2(LLVMTypeOf(entries)))
    return NULL;
  return LLVMGetAggregateElement(entries, (unsigned)index);
}

/* A constant: the sum of a global and an offset, or a number. */
struct symbol_and_offset {
  LLVMValueRef global;
  uint64_t offset;
};

static struct symbol_and_offset symbol_and_offset_of(struct cn_verifier *v, LLVMValueRef constant)
{
  struct symbol_and_offset place = {0};
  uint64_t n = 0;

  for (; LLVMIsAConstantExpr(constant); constant = LLVMGetOperand(constant, 0)) {
    if (LLVMGetConstOpcode(constant) == LLVMGetElementPtr && !cn_types_gep_offset(v->ctx, constant, &place.offset))
      return (struct symbol_and_offset){0};
    if (LLVMGetConstOpcode(constant) == LLVMAdd && read_constant(LLVMGetOperand(constant, 1), &n))
      place.offset += n;
  }
  place.global = LLVMIsAGlobalValue(constant) ? constant : NULL;
  if (!place.global && read_constant(constant, &n))
    place.offset += n;
  return place;
}

static bool entry_matches_span(struct cn_verifier *v, LLVMValueRef entry, const struct open_span *one)
{
  LLVMValueRef key = LLVMGetAggregateElement(entry, 0), integer = LLVMGetAggregateElement(entry, 1);
  LLVMValueRef distance = LLVMGetAggregateElement(entry, 2);
  struct symbol_and_offset place = symbol_and_offset_of(v, one->value);
  uint64_t n;

  if (!key || !integer || !distance || !read_constant(key, &n) || n != one->key)
    return false;
  if (!place.global)
    return read_constant(integer, &n) && n == place.offset && LLVMIsNull(distance);
  struct symbol_and_offset other = symbol_and_offset_of(v, distance);
  return other.global == place.global && other.offset == place.offset;
}

static bool is_hidden_span(const struct span_stack *stack, size_t which)
{
  const struct open_span *one = &stack->at.at[which];

  for (size_t i = which + 1; i < stack->at.count; i++)
    if (stack->at.at[i].key == one->key && stack->at.at[i].depth <= one->depth)
      return true;
  return false;
}

static LLVMValueRef build_depth_constant(struct cn_verifier *v, const struct open_span *one)
{
  return LLVMConstInt(LLVMInt64TypeInContext(v->ctx->llvm), one->depth, false);
}

/* Compare the list with the open spans, smallest first. The list may leave out only a span that a smaller span of the
 * same key hides. The result is null, or a description of the error. */
static const char *compare_span_tail(struct cn_verifier *v, LLVMValueRef statepoint, struct span_tail tail,
                                     const struct span_stack *stack)
{
  size_t n = stack->at.count;
  uint64_t index;

  CN_CHECK(tail.first <= tail.end && (tail.end - tail.first) % 2 == 0);
  for (uint32_t o = tail.first; o < tail.end; o += 2) {
    LLVMValueRef entry = read_constant(LLVMGetOperand(statepoint, o), &index) ? span_table_entry_at(v, index) : NULL;
    if (!entry)
      return "names an entry that the table has not";
    if (!stack->known)
      continue;
    while (n && is_hidden_span(stack, n - 1))
      n--;
    if (!n || LLVMGetOperand(statepoint, o + 1) != build_depth_constant(v, &stack->at.at[n - 1]) ||
        !entry_matches_span(v, entry, &stack->at.at[n - 1]))
      return "has another span than is open here";
    n--;
  }
  while (n && is_hidden_span(stack, n - 1))
    n--;
  return n && stack->known ? "leaves out a span" : NULL;
}

/* Push the spans that the call's metadata gives; check_statepoint_spans() pops these spans. */
static void push_metadata_spans(struct span_stack *stack, LLVMValueRef call)
{
  LLVMValueRef node = cn_calls_find_metadata(call, CN_SPAN_METADATA);
  unsigned count = node ? LLVMGetMDNodeNumOperands(node) & ~1u : 0;
  LLVMValueRef *operands = cn_alloc((count + 1) * sizeof *operands);
  struct open_span one = {.depth = inlining_depth_of(call)};

  if (node)
    LLVMGetMDNodeOperands(node, operands);
  for (; count; count -= 2)
    if (operands[count - 2] && operands[count - 1] && read_constant(operands[count - 2], &one.key)) {
      one.value = operands[count - 1];
      cn_push(&stack->at, one);
    }
  free(operands);
}

static void check_statepoint_spans(struct cn_verifier *v, LLVMValueRef i, struct span_stack *stack)
{
  const char *wrong = "has its mark, but at another place than its length says";
  size_t open = stack->at.count;
  struct span_tail tail;
  char name[160];

  if (cn_classify_call(i).kind != CN_CALL_STATEPOINT)
    return;
  push_metadata_spans(stack, i);
  if (find_span_tail(i, &tail))
    wrong = compare_span_tail(v, i, tail, stack);
  CN_CHECK(stack->at.count >= open);
  stack->at.count = open;
  if (wrong)
    cn_error(v->ctx, i, "span-tail", "the description of spans at %s %s",
             cn_verify_name_statepoint(i, name, sizeof name), wrong);
}

/* ---- functions ---- */

static bool has_span_markers(struct cn_verifier *v)
{
  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block)
      if (is_span_marker(i, CN_SPAN_BEGIN, 2))
        return true;
  return false;
}

static void check_block_spans(struct cn_verifier *v, struct span_stack *stacks, uint32_t b)
{
  struct span_stack *here = &stacks[b];

  CN_CHECK(here->known); /* set by a predecessor that precedes the block */
  CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block) {
    check_statepoint_spans(v, i, here);
    apply_span_marker(here, i);
  }
  for (uint32_t s = 0; s < v->cfg.blocks[b].succ_count; s++) {
    struct span_stack *to = &stacks[v->cfg.blocks[b].succs[s]];
    if (to->known || v->cfg.blocks[b].succs[s] <= b)
      continue;
    to->known = true;
    for (size_t n = 0; n < here->at.count; n++)
      cn_push(&to->at, here->at.at[n]);
  }
  cn_free(&here->at);
}

void cn_verify_spans(struct cn_verifier *v)
{
  bool marked = has_span_markers(v);
  struct span_stack *stacks = cn_alloc(v->cfg.count * sizeof *stacks);

  stacks[0].known = marked;
  for (uint32_t b = 0; b < v->cfg.count; b++)
    if (marked)
      check_block_spans(v, stacks, b);
    else
      CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block)
        check_statepoint_spans(v, i, &stacks[b]);
  free(stacks);
}
