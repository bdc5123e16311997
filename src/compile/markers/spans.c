/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds open spans (pillar-stack-iterator-2011, "the SPAN construct (taken from C--)"; docs/spans.md). A span lasts
 * from `call void @cairn.span.begin(i64 key, ptr value)` to `call void @cairn.span.end(i64 key)`. A stack walk finds
 * the value of the innermost open span with a key.
 *
 * Part of prepare and of rewrite-statepoints. Needs: struct cn_cfg. Provides: the open spans at each place and during
 * each call; the operands that list them in a statepoint; errors of the rules span-marker, span-nesting and span-value.
 * Breaks: nothing.
 *
 * The optimiser treats the markers of spans and regions (nopoll.c) as calls that read and write any memory. So the
 * markers keep their order on every path.
 */
#include "compile/markers/spans.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

static LLVMTypeRef marker_type(struct cn_ctx *ctx, unsigned parameters)
{
  LLVMTypeRef types[] = {LLVMInt64TypeInContext(ctx->llvm), LLVMPointerTypeInContext(ctx->llvm, 0)};

  return LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), types, parameters, false);
}

enum { BEGIN_PARAMETER_COUNT = 2, END_PARAMETER_COUNT = 1 };

static LLVMValueRef find_marker(struct cn_ctx *ctx, const char *name, unsigned parameters)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  return function && LLVMGlobalGetValueType(function) == marker_type(ctx, parameters) ? function : NULL;
}

struct cn_span_markers cn_span_markers(struct cn_ctx *ctx)
{
  return (struct cn_span_markers){.begin = find_marker(ctx, CN_SPAN_BEGIN, BEGIN_PARAMETER_COUNT),
                                  .end = find_marker(ctx, CN_SPAN_END, END_PARAMETER_COUNT)};
}

static bool is_marker_call(LLVMValueRef marker, LLVMValueRef i)
{
  return marker && LLVMIsACallInst(i) && LLVMGetCalledValue(i) == marker &&
         LLVMGetCalledFunctionType(i) == LLVMGlobalGetValueType(marker);
}

static bool span_is_begin(const struct cn_span_markers *marks, LLVMValueRef i)
{
  return is_marker_call(marks->begin, i);
}

static bool span_is_end(const struct cn_span_markers *marks, LLVMValueRef i)
{
  return is_marker_call(marks->end, i);
}

static LLVMValueRef span_metadata_of(LLVMValueRef i)
{
  return cn_calls_find_metadata(i, CN_SPAN_METADATA);
}

void cn_span_set_metadata(LLVMValueRef call, LLVMValueRef node)
{
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(call));

  CN_ASSERT(cn_is_call(call));
  LLVMSetMetadata(call, LLVMGetMDKindIDInContext(llvm, CN_SPAN_METADATA, sizeof CN_SPAN_METADATA - 1), node);
}

static bool has_spans(const struct cn_span_markers *marks, LLVMValueRef function, bool metadata)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (span_is_begin(marks, i) || span_is_end(marks, i) || (metadata && span_metadata_of(i)))
        return true;
  return false;
}

bool cn_spans_are_in_function(const struct cn_span_markers *marks, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  return has_spans(marks, function, true);
}

bool cn_spans_have_markers_in(const struct cn_span_markers *marks, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  return (marks->begin || marks->end) && has_spans(marks, function, false);
}

/* ---- open spans ---- */

/* The triple of a span: the number of the outer spans with the depth in its high half, the key, and the value. */
#define DEPTH_SHIFT 32

static uint32_t push_open_span(struct cn_spans *s, uint32_t outer, struct cn_open_span one)
{
  return cn_triples_add(&s->open, (struct cn_word_triple){outer | (uint64_t)one.depth << DEPTH_SHIFT,
                                                          (uintptr_t)one.key, (uintptr_t)one.value});
}

bool cn_spans_pop_innermost(const struct cn_spans *s, uint32_t *open, struct cn_open_span *out)
{
  const struct cn_word_triple *t = &s->open.items.at[*open];

  if (*open == 0)
    return false;
  *out = (struct cn_open_span){.key = (LLVMValueRef)(uintptr_t)t->b,
                               .value = (LLVMValueRef)(uintptr_t)t->c,
                               .depth = (uint32_t)(t->a >> DEPTH_SHIFT)};
  *open = (uint32_t)t->a;
  return true;
}

/* Close the innermost span with `key`. Spans that were opened inside the closed span stay open. */
static uint32_t close_span_of_key(struct cn_spans *s, uint32_t open, LLVMValueRef key)
{
  CN_VECTOR(struct cn_open_span) kept = {0};
  struct cn_open_span one = {0};
  uint32_t left = CN_NO_SPAN;

  while (cn_spans_pop_innermost(s, &open, &one)) {
    if (one.key == key) {
      left = open;
      break;
    }
    cn_push(&kept, one);
  }
  while (left != CN_NO_SPAN && kept.count)
    left = push_open_span(s, left, kept.at[--kept.count]);
  cn_free(&kept);
  return left;
}

/* The inlining depth of `i` according to its debug location. */
static uint32_t inlining_depth_of(LLVMValueRef i)
{
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
  uint32_t depth = 0;

  while (location && (location = LLVMDILocationGetInlinedAt(location)))
    depth++;
  return depth;
}

uint32_t cn_spans_open_after(struct cn_spans *s, const struct cn_span_markers *marks, LLVMValueRef i, uint32_t open)
{
  if (span_is_begin(marks, i))
    return push_open_span(s, open,
                          (struct cn_open_span){.key = LLVMGetOperand(i, 0),
                                                .value = LLVMGetOperand(i, 1),
                                                .depth = inlining_depth_of(i)});
  return span_is_end(marks, i) ? close_span_of_key(s, open, LLVMGetOperand(i, 0)) : open;
}

uint32_t cn_spans_open_during_call(struct cn_spans *s, LLVMValueRef call, uint32_t open)
{
  LLVMValueRef node = span_metadata_of(call);
  unsigned count = node ? LLVMGetMDNodeNumOperands(node) & ~1u : 0;

  CN_ASSERT(cn_is_call(call));
  if (!count)
    return open;
  LLVMValueRef *operands = cn_alloc((count + 1) * sizeof *operands);
  LLVMGetMDNodeOperands(node, operands);
  for (; count; count -= 2)
    open =
        push_open_span(s, open,
                       (struct cn_open_span){
                           .key = operands[count - 2], .value = operands[count - 1], .depth = inlining_depth_of(call)});
  free(operands);
  return open;
}

static uint32_t open_spans_at_block_end(struct cn_spans *s, const struct cn_span_markers *marks,
                                        LLVMBasicBlockRef block, uint32_t open)
{
  CN_EACH_INSTRUCTION(i, block) {
    uint32_t after = cn_spans_open_after(s, marks, i, open);
    open = after == CN_NO_SPAN ? open : after;
  }
  return open;
}

/* A block starts with the open spans at the end of the first predecessor that precedes the block in reverse post-order.
 * Every block except the entry has an earlier predecessor. */
void cn_spans_find_open(struct cn_spans *s, const struct cn_span_markers *marks, const struct cn_cfg *cfg)
{
  uint32_t *ends = cn_alloc(cfg->count * sizeof *ends);

  *s = (struct cn_spans){.starts = cn_alloc(cfg->count * sizeof *s->starts)};
  cn_triples_add(&s->open, (struct cn_word_triple){0, 0, 0});
  for (uint32_t b = 0; b < cfg->count; b++) {
    uint32_t p = 0;
    while (b && cfg->blocks[b].preds[p] >= b)
      p++;
    s->starts[b] = b ? ends[cfg->blocks[b].preds[p]] : 0;
    ends[b] = open_spans_at_block_end(s, marks, cfg->blocks[b].block, s->starts[b]);
  }
  free(ends);
}

void cn_spans_free(struct cn_spans *s)
{
  cn_triples_free(&s->open);
  free(s->starts);
  s->starts = NULL;
}

/* ---- checks ---- */

static void check_marker_use(struct cn_ctx *ctx, LLVMValueRef function, const char *name, LLVMValueRef user)
{
  if (!is_marker_call(function, user))
    cn_error(ctx, LLVMIsAInstruction(user) ? user : function, "span-marker", "@%s is used other than by a call", name);
  else if (!cn_is_managed(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
    cn_error(ctx, user, "span-marker", "a span in an unmanaged function, whose frames have no maps");
}

static void check_marker_declaration(struct cn_ctx *ctx, const char *name, unsigned parameters)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  if (!function)
    return;
  if (!LLVMIsDeclaration(function) || !find_marker(ctx, name, parameters)) {
    cn_error(ctx, function, "span-marker", "@%s is not declared as void (%s), without a body", name,
             parameters == BEGIN_PARAMETER_COUNT ? "i64, ptr" : "i64");
    return;
  }
  CN_EACH_USE(use, function)
    check_marker_use(ctx, function, name, LLVMGetUser(use));
}

void cn_spans_check_markers(struct cn_ctx *ctx)
{
  check_marker_declaration(ctx, CN_SPAN_BEGIN, BEGIN_PARAMETER_COUNT);
  check_marker_declaration(ctx, CN_SPAN_END, END_PARAMETER_COUNT);
}

static void check_key_and_value(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef key, LLVMValueRef value)
{
  const char *why = cn_span_refusal_reason(ctx, key, value);

  if (why)
    cn_error(ctx, at, "span-value", "%s", why);
}

static void check_span_metadata(struct cn_ctx *ctx, LLVMValueRef call, LLVMValueRef node)
{
  unsigned count = LLVMGetMDNodeNumOperands(node);
  LLVMValueRef *operands = cn_alloc((count + 1) * sizeof *operands);

  LLVMGetMDNodeOperands(node, operands);
  if (count % 2)
    cn_error(ctx, call, "span-value", "!%s is no list of keys and values", CN_SPAN_METADATA);
  for (unsigned i = 0; i + 1 < count; i += 2)
    if (operands[i + 1])
      check_key_and_value(ctx, call, operands[i], operands[i + 1]);
    else
      cn_error(ctx, call, "span-value", "the value of a span was deleted");
  free(operands);
}

static void check_instruction_spans(struct cn_ctx *ctx, const struct cn_span_markers *marks, LLVMValueRef i,
                                    bool constants)
{
  LLVMValueRef node = span_metadata_of(i);

  if (constants && span_is_begin(marks, i))
    check_key_and_value(ctx, i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
  if (constants && span_is_end(marks, i))
    check_key_and_value(ctx, i, LLVMGetOperand(i, 0), NULL);
  if (node)
    check_span_metadata(ctx, i, node);
}

static bool has_non_intrinsic_call(LLVMBasicBlockRef block)
{
  CN_EACH_INSTRUCTION(i, block)
    if (cn_is_call(i) && !cn_calls_some_intrinsic(i))
      return true;
  return false;
}

bool *cn_spans_find_call_free_tails(const struct cn_cfg *cfg)
{
  bool *idle = cn_alloc(cfg->count * sizeof *idle);

  for (uint32_t b = cfg->count; b-- > 0;) {
    const struct cn_cfg_block *block = &cfg->blocks[b];
    idle[b] = !has_non_intrinsic_call(block->block);
    for (uint32_t n = 0; n < block->succ_count && idle[b]; n++)
      idle[b] = block->succs[n] > b && idle[block->succs[n]];
  }
  return idle;
}

static void check_block_nesting(struct cn_ctx *ctx, struct cn_spans *s, const struct cn_span_markers *marks,
                                const struct cn_cfg *cfg, const bool *idle, uint32_t b)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
  uint32_t open = s->starts[b];

  CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
    uint32_t after = cn_spans_open_after(s, marks, i, open);
    if (after == CN_NO_SPAN)
      cn_error(ctx, i, "span-nesting", "a span ends that has not begun");
    else
      open = after;
  }
  for (uint32_t n = 0; n < cfg->blocks[b].succ_count; n++) {
    uint32_t to = cfg->blocks[b].succs[n];
    if (s->starts[to] != open && !idle[to])
      cn_error(ctx, end, "span-nesting", "from here on a span is open on some paths and not on others");
  }
}

void cn_spans_check(struct cn_ctx *ctx, LLVMValueRef function, bool constants)
{
  struct cn_span_markers marks = cn_span_markers(ctx);
  struct cn_spans spans;
  struct cn_cfg cfg;

  CN_ASSERT(LLVMIsAFunction(function));
  if (!cn_spans_are_in_function(&marks, function))
    return;
  cn_cfg_build_edges(&cfg, function);
  cn_spans_find_open(&spans, &marks, &cfg);
  bool *idle = cn_spans_find_call_free_tails(&cfg);
  for (uint32_t b = 0; b < cfg.count; b++) {
    check_block_nesting(ctx, &spans, &marks, &cfg, idle, b);
    CN_EACH_INSTRUCTION(i, cfg.blocks[b].block)
      check_instruction_spans(ctx, &marks, i, constants);
  }
  free(idle);
  cn_spans_free(&spans);
  cn_cfg_free(&cfg);
}

/* ---- operands of statepoints ---- */

void cn_span_operands_begin_module(struct cn_ctx *ctx, struct cn_span_operands *tails)
{
  *tails = (struct cn_span_operands){.marks = cn_span_markers(ctx)};
  CN_CHECK(cn_span_table_read(ctx, &tails->table)); /* earlier checks refused sections of another form */
}

void cn_span_operands_begin_function(struct cn_span_operands *tails, const struct cn_cfg *cfg)
{
  if (!cn_spans_are_in_function(&tails->marks, cfg->function))
    return;
  cn_spans_find_open(&tails->spans, &tails->marks, cfg);
  for (uint32_t b = 0; b < cfg->count; b++) {
    uint32_t open = tails->spans.starts[b];
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
      uint32_t here = cn_is_call(i) ? cn_spans_open_during_call(&tails->spans, i, open) : 0;
      if (here)
        *cn_ptrmap_add(&tails->calls, i, NULL) = here;
      open = cn_spans_open_after(&tails->spans, &tails->marks, i, open);
    }
  }
}

/* True if an inner span of the same function has the same key, so that walks never find this span. */
static bool is_shadowed_span(const struct cn_spans *s, uint32_t from, uint32_t outer, const struct cn_open_span *one)
{
  struct cn_open_span inner;

  while (from != outer && cn_spans_pop_innermost(s, &from, &inner))
    if (from != outer && inner.key == one->key && inner.depth <= one->depth)
      return true;
  return false;
}

void cn_span_operands_append(struct cn_ctx *ctx, struct cn_span_operands *tails, LLVMValueRef call,
                             struct cn_operands *out)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);
  const uint64_t *found = tails->calls.count ? cn_ptrmap_find(&tails->calls, call) : NULL;
  size_t first = out->values.count, count = 0;
  struct cn_open_span one;

  CN_ASSERT(cn_is_call(call));
  if (!found)
    return;
  cn_push(&out->values, LLVMConstInt(i64, CAIRN_ABI_SPAN_MARK, false));
  cn_push(&out->values, NULL);
  for (uint32_t open = (uint32_t)*found; cn_spans_pop_innermost(&tails->spans, &open, &one);) {
    if (is_shadowed_span(&tails->spans, (uint32_t)*found, open, &one))
      continue;
    uint32_t entry = cn_span_table_add(ctx, &tails->table, one.key, one.value);
    cn_push(&out->values, LLVMConstInt(i64, entry, false));
    cn_push(&out->values, LLVMConstInt(i64, one.depth, false));
    count++;
  }
  out->values.at[first + 1] = LLVMConstInt(i64, count, false);
  size_t length = out->values.count - first;
  cn_push(&out->values, LLVMConstInt(i64, length, false));
}

void cn_span_operands_copy_metadata(const struct cn_span_operands *tails, LLVMValueRef call, LLVMValueRef statepoint)
{
  LLVMValueRef node = tails->calls.count ? span_metadata_of(call) : NULL;

  CN_ASSERT(cn_is_call(call));
  CN_ASSERT(cn_is_call(statepoint));
  if (node)
    cn_span_set_metadata(statepoint, node);
}

void cn_span_operands_end_function(struct cn_span_operands *tails)
{
  if (!tails->spans.starts)
    return;
  cn_spans_free(&tails->spans);
  cn_ptrmap_free(&tails->calls);
}

void cn_span_operands_end_module(struct cn_ctx *ctx, struct cn_span_operands *tails)
{
  cn_span_table_write(ctx, &tails->table);
}
