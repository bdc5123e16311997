/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass verify-safepoints: proves for each function that its rewriting is correct (statepoints-later, "Safepoint
 * Semantics & Verification"; docs/architecture.md, invariant 1). The verifier and the rewriter share only the
 * classification of calls and the access to operand bundles.
 *
 * Needs: nothing. Provides: diagnostics. Breaks: nothing. Rules:
 *   stale-reference      a use after a safepoint, on some static path, that may have moved the object
 *   integer-of-reference a use of a stale integer or unmanaged pointer computed from a reference, or a valid one
 *                        escapes the checks (check_escapes.c)
 *   integer-to-reference, unmanaged-to-reference
 *                        a conversion makes a reference to an unknown object
 *   missed-parse-point   a plain call may reach a safepoint, in a rewritten module
 *   leaf-reaches-safepoint   a function that callers treat as a leaf has a parse point
 *   wrong-base, relocate-index, gc-live-duplicate
 *                        a statepoint lists wrong references (check_bases.c)
 *   unsupported-instruction, unsupported-type, unsupported-constant
 *                        LLVM 22 lacks the kind, or only a target defines it
 *   undescribed-alloca   a statepoint lacks an alloca with references (check_allocas.c)
 *   stale-word           a use of the value of a root by tag from before a safepoint (stale_words.c)
 *   unlisted-operand     a call that must list its operands leaves one out (check_operands.c)
 *   described-tail       a statepoint's description of locals is malformed (check_descriptions.c)
 *   use-after-free       an array is used or listed after it was freed (check_freed.c)
 *   nopoll-safepoint, nopoll-region
 *                        a safepoint in code that must be free of safepoints; a region that stays open (check_nopoll.c)
 *   unchanging-memory    an access through a reference that the code generator may move over a safepoint
 *                        (check_attributes.c)
 *   span-tail            a statepoint's list of spans differs from the open spans (check_spans.c)
 *   loop-without-poll, recursion-without-poll, false-claim
 *                        a long loop or a recursion lacks a safepoint, or an attribute of a definition is false
 *                        (check_polls.c; optional)
 *
 * LLVM's verify<safepoint-ir> misses plain calls at parse points, wrong bases, casts, integers and allocas
 * (docs/llvm-22.md). LLVM's pass also reports a correct comparison of a value with a phi of the value if only some
 * paths have a safepoint; this verifier accepts the comparison (stale_values.c).
 */
#include "compile/verify/verify.h"

#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/effects/intrinsics.h"

/* The advice for a call of a library function. LLVM's own rewriter treats functions with names of the C library as
 * leaves. */
static const char *leaf_advice_of(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  return callee && LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee)
             ? "; if it never comes to a safepoint, give it the attribute \"gc-leaf-function\""
             : "";
}

static void check_parse_point(struct cn_verifier *v, LLVMValueRef call, bool leaf)
{
  struct cn_call_class class = cn_classify_call(call);
  char name[160];

  if (class.kind == CN_CALL_PARSE_POINT) {
    const struct cn_finding finding = {.value = LLVMGetCalledValue(call)};
    cn_report_finding(v->ctx, call, "missed-parse-point", &finding, "%s (%s) is no statepoint%s",
                      cn_calls_describe(call, name, sizeof name), class.why, leaf_advice_of(call));
  } else if (leaf && class.kind == CN_CALL_STATEPOINT) {
    cn_error(v->ctx, call, "leaf-reaches-safepoint",
             "a function marked as a leaf, whose callers have no frame map, has a safepoint at %s",
             cn_verify_name_statepoint(call, name, sizeof name));
  }
}

static void check_parse_points(struct cn_verifier *v)
{
  bool leaf = cn_string_attribute(v->function, CN_ATTR_LEAF) != NULL;

  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block)
      if (cn_is_call(i))
        check_parse_point(v, i, leaf);
}

/* True if a reference is converted from an integer or an unmanaged pointer. Three sources are exempt: relocates return
 * a pointer in address space 1 even if another address space is managed, and constants and allocas stay in place. */
static bool is_made_of_nonreference(LLVMValueRef i)
{
  LLVMValueRef from = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;

  if (!from || LLVMIsConstant(from))
    return false;
  return LLVMIsAIntToPtrInst(i) || (LLVMIsAAddrSpaceCastInst(i) && !cn_holds_ref(LLVMTypeOf(from)) &&
                                    !cn_is_relocate(from) && !cn_is_address_in_local(from));
}

/* True if a tail call is the only use of a converted integer. Pass tail-calls makes a tail call through its caller's
 * signature, so an integer parameter of the callee may be a reference in the signature, converted just before the
 * jump. */
static bool is_used_by_tail_call_only(LLVMValueRef i)
{
  LLVMUseRef use = LLVMGetFirstUse(i);
  LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;

  if (!user || cn_classify_call(user).kind != CN_CALL_MUSTTAIL)
    return false;
  LLVMValueRef callee = cn_direct_callee(user);
  if (!callee || LLVMGlobalGetValueType(callee) == LLVMGetCalledFunctionType(user))
    return false;
  while (i && i != user && cn_classify_call(i).kind != CN_CALL_STATEPOINT)
    i = LLVMGetNextInstruction(i);
  return i == user;
}

static void check_reference_casts(struct cn_verifier *v)
{
  char name[120];

  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block)
      if (cn_holds_ref(LLVMTypeOf(i)) && is_made_of_nonreference(i) && !is_used_by_tail_call_only(i)) {
        const struct cn_finding finding = {.value = i, .other = LLVMGetOperand(i, 0)};
        cn_report_finding(v->ctx, i, LLVMIsAIntToPtrInst(i) ? "integer-to-reference" : "unmanaged-to-reference",
                          &finding, "%s is made of %s: the collector cannot know its object",
                          cn_value_name(i, name, sizeof name),
                          LLVMIsAIntToPtrInst(i) ? "an integer" : "an unmanaged pointer");
      }
}

/* The first operand that is a reference and a constant of an unknown kind, or null. */
static LLVMValueRef find_unknown_constant(struct cn_ptrmap *met, LLVMValueRef i)
{
  for (int o = 0; o < LLVMGetNumOperands(i); o++) {
    LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
    if (operand && LLVMIsConstant(operand) && cn_holds_ref(LLVMTypeOf(operand)) && !cn_is_known_constant(met, operand))
      return operand;
  }
  return NULL;
}

static void check_instruction_kind(struct cn_verifier *v, struct cn_ptrmap *met, LLVMValueRef i)
{
  if (!cn_is_known_opcode(LLVMGetInstructionOpcode(i)))
    cn_error(v->ctx, i, "unsupported-instruction", "the effect of this instruction on references is unknown");
  else if (!cn_is_known_type(met, LLVMTypeOf(i)) ||
           (LLVMIsAAllocaInst(i) && !cn_is_known_type(met, LLVMGetAllocatedType(i))))
    cn_error(v->ctx, i, "unsupported-type", "its type may hide a reference");
  else if (find_unknown_constant(met, i))
    cn_error(v->ctx, i, "unsupported-constant", "a constant of an unknown kind is used as a reference");
}

/* Report instructions of kinds that a target or a later LLVM defines. */
static void check_instruction_kinds(struct cn_verifier *v)
{
  struct cn_ptrmap met = {0};

  for (unsigned p = 0; p < LLVMCountParams(v->function); p++)
    if (!cn_is_known_type(&met, LLVMTypeOf(LLVMGetParam(v->function, p))))
      cn_error(v->ctx, v->function, "unsupported-type", "the type of parameter %u may hide a reference", p + 1);
  for (uint32_t b = 0; b < v->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, v->cfg.blocks[b].block)
      check_instruction_kind(v, &met, i);
  cn_ptrmap_free(&met);
}

static void verify_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_verifier v = {.ctx = ctx, .function = function};

  CN_CHECK(!LLVMIsDeclaration(function));
  cn_cfg_build(&v.cfg, function);
  cn_epochs_build(&v.epochs, &v.cfg, cn_epochs_is_statepoint);
  cn_values_build(&v.values, &v.epochs);
  cn_objects_build(&v.objects, &v);
  cn_objects_classify(&v.objects);
  check_instruction_kinds(&v);
  check_parse_points(&v);
  check_reference_casts(&v);
  cn_verify_stale_uses(&v);
  cn_verify_escapes(&v);
  cn_verify_relocates(&v);
  cn_verify_allocas(&v);
  cn_verify_explicit_frees(&v);
  cn_verify_user_words(&v);
  cn_verify_nopoll(&v);
  cn_verify_spans(&v);
  cn_verify_attributes(&v);
  if (ctx->options && ctx->options->check_polls)
    cn_verify_polls(&v);
  CN_ASSERT_VALID(cn_values_wrong(&v.values)); /* the checks keep the states unchanged */
  CN_ASSERT_VALID(cn_objects_wrong(&v.objects));
  cn_stale_words_free(&v.words);
  cn_ptrmap_free(&v.live);
  cn_objects_free(&v.objects);
  cn_values_free(&v.values);
  cn_epochs_free(&v.epochs);
  cn_cfg_free(&v.cfg);
}

static bool is_managed_definition(LLVMValueRef function)
{
  return !LLVMIsDeclaration(function) && cn_is_managed(function);
}

bool cn_verify_safepoints(struct cn_ctx *ctx)
{
  bool rewritten = false;

  if (LLVMGetNamedMetadata(ctx->module, CN_WORDS_LOWERED, sizeof CN_WORDS_LOWERED - 1)) {
    cn_error(ctx, NULL, "lowered-words",
             "the integers of its words look like addresses: verify the module as it was before "
             "lower-tags");
    return false;
  }
  CN_EACH_FUNCTION(f, ctx->module)
    rewritten |= is_managed_definition(f) && cn_calls_is_rewritten_function(f);
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f && rewritten; f = LLVMGetNextFunction(f))
    if (is_managed_definition(f))
      verify_function(ctx, f);
  if (rewritten && ctx->options && ctx->options->check_polls)
    cn_verify_poll_claims(ctx);
  return ctx->errors == 0;
}
