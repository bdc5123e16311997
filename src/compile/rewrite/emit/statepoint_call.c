/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds one statepoint: a gc.statepoint with the arguments, bundles, convention and attributes of a call replaces the
 * call, and a gc.result replaces the call's result (statepoints-original, "Intrinsics"). Part of rewrite-statepoints.
 * Needs: struct cn_refs with live sets. Provides: the statepoint in place of the call; an error if it has too many
 * operands. Breaks: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/effects/deopt_records.h"
#include "compile/effects/points.h"
#include "compile/core/statepoint_attributes.h"
#include "compile/rewrite/emit/emitter.h"
#include "compile/tail/tail.h"

enum { FLAG_TRANSITION = 1, FLAG_DEOPT_LIVE_IN = 2 };
enum { FIXED_ARGUMENT_COUNT = CN_STATEPOINT_FIXED_ARGS };

static LLVMOperandBundleRef make_bundle(const char *tag, const struct cn_operands *operands)
{
  return LLVMCreateOperandBundle(tag, strlen(tag), operands->values.at, (unsigned)operands->values.count);
}

static void append_bundle_operands(LLVMValueRef call, const char *tag, struct cn_operands *out, uint32_t *first,
                                   uint32_t *end)
{
  cn_calls_find_bundle(call, tag, first, end);
  for (uint32_t i = *first; i < *end; i++)
    cn_push(&out->values, LLVMGetOperand(call, i));
}

static void append_call_bundles(struct cn_parse_point *point, struct cn_operands *deopt, struct cn_operands *transition)
{
  uint32_t end;

  point->args = LLVMGetNumArgOperands(point->call);
  append_bundle_operands(point->call, "deopt", deopt, &point->deopt, &point->deopt_end);
  append_bundle_operands(point->call, "gc-transition", transition, &point->transition, &end);
}

/* The callee of `call`, with a freeze that LLVM 22 needs: for a callee that is another result of a multi-result node,
 * instruction selection uses result 0 (docs/llvm-22.md, "multi-result callees"). Only loads, phis and freezes stay
 * unfrozen, because each has a separate node; a cast may share the node of its operand. */
static LLVMValueRef selectable_callee_of(struct cn_emitter *e, LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);

  if (!LLVMIsAInstruction(callee) || LLVMIsAFreezeInst(callee) || LLVMIsALoadInst(callee) || LLVMIsAPHINode(callee))
    return callee;
  return LLVMBuildFreeze(e->builder, callee, "");
}

static LLVMValueRef id_constant_of(struct cn_emitter *e, uint64_t id)
{
  if (!e->id_constant || e->id != id)
    e->id_constant = LLVMConstInt(e->i64, id, false);
  e->id = id;
  return e->id_constant;
}

/* Describe a statepoint with patch bytes or deopt values, after the program's own deopt operands (abi.def, "Points").
 * Runtimes that read only pairs do without, unless the operands are Cairn's records. */
static void append_point_description(struct cn_emitter *e, LLVMValueRef call, struct cn_operands *deopt)
{
  struct cn_operands words = {0};
  uint64_t patch = 0;
  bool records = cn_deopt_is_record(deopt->values.at, deopt->values.count);

  CN_CHECK(cn_statepoint_parse_directive(call, "statepoint-num-patch-bytes", CAIRN_ABI_POINT_REGION_MAX, &patch));
  if ((patch == 0 && !deopt->values.count) || (e->ctx->options->roots == CAIRN_ROOT_FORMS_PAIRS && !records))
    return;
  const struct cn_point_description description = {.kind = CAIRN_ABI_POINT_STATEPOINT,
                                                   .convention = LLVMGetInstructionCallConv(call),
                                                   .bytes = patch,
                                                   .values = deopt->values.at,
                                                   .count = deopt->values.count};
  cn_point_append_description(e->ctx, &description, &words);
  for (size_t i = 0; i < words.values.count; i++)
    cn_push(&deopt->values, words.values.at[i]);
  cn_free(&words.values);
}

static void append_statepoint_arguments(struct cn_emitter *e, const struct cn_parse_point *point,
                                        struct cn_operands *args, bool transition)
{
  LLVMValueRef call = point->call;
  uint64_t id = cn_statepoint_default_id(call), patch = 0;
  unsigned flags = transition ? FLAG_TRANSITION : 0;
  bool live_in;

  CN_CHECK(cn_statepoint_parse_directive(call, "statepoint-id", UINT64_MAX, &id) &&
           cn_statepoint_parse_directive(call, "statepoint-num-patch-bytes", CAIRN_ABI_POINT_REGION_MAX, &patch) &&
           cn_statepoint_deopt_lowering(call, &live_in));
  if (live_in)
    flags |= FLAG_DEOPT_LIVE_IN;
  cn_push(&args->values, id_constant_of(e, id));
  cn_push(&args->values, cn_emitter_i32_constant(e, patch));
  cn_push(&args->values, selectable_callee_of(e, call));
  cn_push(&args->values, cn_emitter_i32_constant(e, point->args));
  cn_push(&args->values, cn_emitter_i32_constant(e, flags));
  for (uint32_t i = 0; i < point->args; i++)
    cn_push(&args->values, LLVMGetOperand(call, i));
  cn_push(&args->values, cn_emitter_i32_constant(e, 0));
  cn_push(&args->values, cn_emitter_i32_constant(e, 0));
}

static LLVMValueRef build_statepoint(struct cn_emitter *e, LLVMValueRef call, bool has_deopt, bool has_transition)
{
  struct cn_statepoint_scratch *s = &e->scratch;
  LLVMOperandBundleRef bundles[4];
  unsigned count = 0, operands = (unsigned)s->args.values.count;
  LLVMTypeRef type = LLVMGlobalGetValueType(e->statepoint);

  if (has_deopt || s->deopt.values.count)
    bundles[count++] = make_bundle("deopt", &s->deopt);
  if (has_transition)
    bundles[count++] = make_bundle("gc-transition", &s->transition);
  if (s->live.values.count)
    bundles[count++] = make_bundle("gc-live", &s->live);
  if (s->funclet.values.count)
    bundles[count++] = make_bundle("funclet", &s->funclet);
  LLVMValueRef statepoint =
      LLVMIsAInvokeInst(call)
          ? LLVMBuildInvokeWithOperandBundles(e->builder, type, e->statepoint, s->args.values.at, operands,
                                              LLVMGetNormalDest(call), LLVMGetUnwindDest(call), bundles, count, "")
          : LLVMBuildCallWithOperandBundles(e->builder, type, e->statepoint, s->args.values.at, operands, bundles,
                                            count, "");
  while (count)
    LLVMDisposeOperandBundle(bundles[--count]);
  LLVMSetInstructionCallConv(statepoint, LLVMGetInstructionCallConv(call));
  if (cn_is_in_tail_position(call)) /* for pass tail-calls */
    LLVMSetTailCallKind(statepoint, LLVMTailCallKindTail);
  LLVMAddCallSiteAttribute(statepoint, 3,
                           LLVMCreateTypeAttribute(e->ctx->llvm, e->elementtype, LLVMGetCalledFunctionType(call)));
  cn_statepoint_copy_attributes(call, statepoint);
  return statepoint;
}

static unsigned set_operands_from(LLVMValueRef statepoint, unsigned at, const struct cn_operands *operands)
{
  CN_ASSERT(cn_is_call(statepoint));
  for (size_t i = 0; i < operands->values.count; i++)
    LLVMSetOperand(statepoint, at++, operands->values.at[i]);
  CN_ASSERT(at < (unsigned)LLVMGetNumOperands(statepoint));
  return at;
}

/* True if the call has only arguments, so that its statepoint can be a copy of a template. */
static bool has_arguments_only(LLVMValueRef call, uint32_t arguments)
{
  return LLVMIsACallInst(call) && LLVMGetNumOperandBundles(call) == 0 && !cn_is_in_tail_position(call) &&
         !cn_calls_site_has_attributes(call, arguments);
}

/* As build_statepoint(), for a call with only arguments: copy a template. */
static LLVMValueRef copy_statepoint(struct cn_emitter *e, LLVMValueRef call)
{
  const struct cn_statepoint_scratch *s = &e->scratch;
  const struct cn_statepoint_shape shape = {.callee = LLVMGetCalledFunctionType(call),
                                            .args = (uint32_t)s->args.values.count,
                                            .deopt = (uint32_t)s->deopt.values.count,
                                            .live = (uint32_t)s->live.values.count,
                                            .convention = LLVMGetInstructionCallConv(call)};
  LLVMValueRef statepoint = cn_templates_copy(&e->templates, &shape);

  if (!statepoint) {
    statepoint = build_statepoint(e, call, false, false);
    cn_templates_add(&e->templates, &shape, statepoint);
    return statepoint;
  }
  unsigned at = set_operands_from(statepoint, 0, &s->args);
  at = set_operands_from(statepoint, at, &s->deopt);
  at = set_operands_from(statepoint, at, &s->live);
  CN_CHECK(at + 1 == (unsigned)LLVMGetNumOperands(statepoint)); /* the last operand is the declaration */
  LLVMInsertIntoBuilder(e->builder, statepoint);
  return statepoint;
}

static void replace_result(struct cn_emitter *e, struct cn_refs *refs, struct cn_parse_point *point)
{
  LLVMValueRef call = point->call, statepoint = point->last;
  LLVMTypeRef type = LLVMTypeOf(call);
  uint32_t index = cn_refs_index(refs, call);
  bool listed = index != CN_NO_INDEX && refs->values.at[index].cross_count > 0;
  size_t length;

  if (LLVMGetTypeKind(type) == LLVMVoidTypeKind || (!LLVMGetFirstUse(call) && !listed)) {
    if (index != CN_NO_INDEX)
      refs->values.at[index].value = NULL; /* the call has no result to replace */
    return;
  }
  if (e->result_type != type)
    e->result = cn_intrinsic(e->ctx, "llvm.experimental.gc.result", &type, 1);
  e->result_type = type;
  cn_emitter_move_after_definition(e, statepoint);
  LLVMValueRef result = cn_emitter_build_call(e, e->result, &statepoint, 1);
  cn_copy_result_attributes(call, result);
  const char *name = LLVMGetValueName2(call, &length);
  char *copy = cn_format("%.*s", (int)length, name);
  LLVMReplaceAllUsesWith(call, result);
  LLVMSetValueName2(call, "", 0);
  LLVMSetValueName2(result, copy, length);
  free(copy);
  if (index != CN_NO_INDEX)
    refs->values.at[index].value = result;
  point->last = result;
}

static void clear_scratch(struct cn_statepoint_scratch *s)
{
  s->args.values.count = s->deopt.values.count = s->transition.values.count = 0;
  s->live.values.count = s->funclet.values.count = 0;
}

void cn_emit_statepoint(struct cn_emitter *e, struct cn_refs *refs, struct cn_parse_point *point)
{
  struct cn_statepoint_scratch *s = &e->scratch;
  LLVMValueRef call = point->call;
  uint32_t first, end;
  bool has_deopt = cn_calls_find_bundle(call, "deopt", &first, &end);
  bool has_transition = cn_calls_find_bundle(call, "gc-transition", &first, &end);

  CN_ASSERT(cn_classify_call(call).kind == CN_CALL_PARSE_POINT);
  clear_scratch(s);
  append_bundle_operands(call, "funclet", &s->funclet, &first, &end);
  LLVMPositionBuilderBefore(e->builder, call);
  LLVMSetCurrentDebugLocation2(e->builder, LLVMInstructionGetDebugLoc(call));
  append_call_bundles(point, &s->deopt, &s->transition);
  append_point_description(e, call, &s->deopt);
  for (size_t i = 0; i < e->described.operands.count; i++)
    cn_push(&s->deopt.values, e->described.operands.at[i]);
  cn_span_operands_append(e->ctx, &e->spans, call, &s->deopt);
  for (size_t i = 0; i < point->live.count; i++) {
    CN_CHECK(refs->values.at[point->live.at[i]].value);
    cn_push(&s->live.values, refs->values.at[point->live.at[i]].value);
  }
  point->transition_at = FIXED_ARGUMENT_COUNT + point->args + 2 + (uint32_t)s->deopt.values.count;
  point->live_operand = point->transition_at + (uint32_t)s->transition.values.count;
  append_statepoint_arguments(e, point, &s->args, has_transition);
  if (cn_statepoint_is_too_long(s->deopt.values.count, s->live.values.count,
                                s->args.values.count + s->transition.values.count))
    cn_error(e->ctx, call, "statepoint-operands", "%s", cn_statepoint_too_long_reason);
  point->last = has_arguments_only(call, point->args) ? copy_statepoint(e, call)
                                                      : build_statepoint(e, call, has_deopt, has_transition);
  LLVMValueRef statepoint = point->last;
  CN_ASSERT((uint32_t)LLVMGetNumOperands(statepoint) > point->live_operand + point->live.count);
  CN_CHECK(point->live.count == 0 || LLVMGetOperand(statepoint, point->live_operand) == s->live.values.at[0]);
  cn_span_operands_copy_metadata(&e->spans, call, statepoint);
  replace_result(e, refs, point);
  LLVMInstructionEraseFromParent(call);
  point->call = statepoint;
}
