/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: calls. Each may become an invoke, carry bundles, and go through a pointer.
 */
#include "random/modules/maker.h"

#include <stdio.h>
#include <string.h>

enum { CN_BUNDLES = 3, CN_STATE = 4 };

static LLVMOperandBundleRef bundle(const char *tag, LLVMValueRef *values, unsigned count)
{
  return LLVMCreateOperandBundle(tag, strlen(tag), values, count);
}

/* Values that deoptimisation would want: any scalar. */
static unsigned some_state(struct cn_maker *m, LLVMValueRef *state)
{
  unsigned count = cn_below(m, CN_STATE + 1);

  for (unsigned i = 0; i < count; i++)
    state[i] = cn_chance(m, 30) ? cn_int(m, cn_below(m, 9)) : cn_get(m, (enum cn_kind)cn_below(m, CN_TREE + 1));
  return count;
}

static unsigned make_bundles(struct cn_maker *m, LLVMOperandBundleRef *out)
{
  LLVMValueRef state[CN_STATE];
  unsigned count = 0;

  if (cn_has(m, CN_FORM_DEOPT) && cn_chance(m, 50))
    out[count++] = bundle("deopt", state, some_state(m, state));
  if (cn_has(m, CN_FORM_TRANSITIONS) && cn_chance(m, 50))
    out[count++] = bundle("gc-transition", state, some_state(m, state));
  if (cn_has(m, CN_FORM_BUNDLES) && cn_chance(m, 50))
    out[count++] = bundle("cairn-test", state, some_state(m, state));
  while (m->plain && count > 0)
    LLVMDisposeOperandBundle(out[--count]);
  return count;
}

static void decorate(struct cn_maker *m, LLVMValueRef call)
{
  LLVMTypeRef type = LLVMTypeOf(call);
  char number[16];
  LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

  if (cn_has(m, CN_FORM_DIRECTIVES) && cn_chance(m, 50)) {
    snprintf(number, sizeof number, "%u", cn_below(m, 1000));
    LLVMAddCallSiteAttribute(call, whole,
                             LLVMCreateStringAttribute(m->llvm, "statepoint-id", 13, number, (unsigned)strlen(number)));
    LLVMAddCallSiteAttribute(call, whole, LLVMCreateStringAttribute(m->llvm, "statepoint-num-patch-bytes", 26, "0", 1));
  }
  if (!cn_has(m, CN_FORM_ATTRIBUTES) || cn_chance(m, 50))
    return;
  if (type == m->ref) {
    LLVMAddCallSiteAttribute(call, LLVMAttributeReturnIndex, cn_enum_attribute(m, "noalias", 0));
    LLVMAddCallSiteAttribute(call, LLVMAttributeReturnIndex, cn_enum_attribute(m, "dereferenceable", 8));
  }
  LLVMAddCallSiteAttribute(call, whole, cn_enum_attribute(m, "nofree", 0));
  if (LLVMGetTypeKind(type) != LLVMVoidTypeKind && cn_chance(m, 30))
    LLVMAddCallSiteAttribute(call, whole, cn_enum_attribute(m, "memory", 0));
}

/* Spans round a call: of the same key, or overlapping. */
static void open_spans(struct cn_maker *m, unsigned count)
{
  LLVMValueRef args[2];

  for (unsigned i = 0; i < count; i++) {
    args[0] = cn_int(m, cn_below(m, 2));
    args[1] = LLVMConstIntToPtr(cn_int(m, 1 + cn_below(m, 3)), m->ptr);
    cn_call_native(m, "cairn.span.begin", args, 2);
    m->spans[i] = args[0];
  }
}

static void close_spans(struct cn_maker *m, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    cn_call_native(m, "cairn.span.end", &m->spans[i], 1);
}

/* Every call of the module's own making that may collect comes here. */
static LLVMValueRef emit(struct cn_maker *m, LLVMTypeRef type, LLVMValueRef target, LLVMValueRef *args, unsigned count,
                         unsigned convention)
{
  LLVMOperandBundleRef bundles[CN_BUNDLES];
  unsigned bundle_count = make_bundles(m, bundles), spans = 0;
  LLVMValueRef call;

  if (cn_has(m, CN_FORM_SPANS) && !m->pad_count)
    open_spans(m, spans = cn_below(m, CN_SPANS + 1));
  if (m->pad_count && cn_chance(m, 60)) {
    LLVMBasicBlockRef normal = cn_cfg_block(m), pad = m->pads[cn_below(m, m->pad_count)];
    call = LLVMBuildInvokeWithOperandBundles(m->builder, type, target, args, count, normal, pad, bundles, bundle_count,
                                             "");
    LLVMPositionBuilderAtEnd(m->builder, normal);
  } else
    call = LLVMBuildCallWithOperandBundles(m->builder, type, target, args, count, bundles, bundle_count, "");
  for (unsigned i = 0; i < bundle_count; i++)
    LLVMDisposeOperandBundle(bundles[i]);
  LLVMSetInstructionCallConv(call, convention);
  decorate(m, call);
  close_spans(m, spans);
  return call;
}

static LLVMValueRef emit_native(struct cn_maker *m, const char *name, LLVMValueRef *args, unsigned count)
{
  LLVMValueRef f = cn_native(m, name);

  return emit(m, LLVMGlobalGetValueType(f), f, args, count, LLVMCCallConv);
}

void cn_safepoint(struct cn_maker *m)
{
  LLVMValueRef number;

  if (cn_chance(m, 50)) {
    emit_native(m, "cairn_collect", NULL, 0);
    return;
  }
  number = cn_get(m, CN_NUMBER);
  emit_native(m, "random_native", &number, 1);
}

LLVMValueRef cn_call_function(struct cn_maker *m, const struct cn_random_function *callee, LLVMValueRef target)
{
  LLVMValueRef args[CN_PARAMETERS], result;
  bool has_place = false;

  for (unsigned p = 0; p < callee->count; p++) {
    args[p] = cn_get(m, callee->params[p]);
    has_place |= callee->params[p] == CN_PLACE;
  }
  result = emit(m, LLVMGlobalGetValueType(callee->value), target, args, callee->count,
                LLVMGetFunctionCallConv(callee->value));
  /* A local of ours must not be given to a tail call. */
  if (cn_has(m, CN_FORM_TAIL) && !has_place && LLVMIsACallInst(result))
    LLVMSetTailCall(result, cn_chance(m, 70));
  return result;
}

/* The pointer from memory, where no optimiser sees it, or from an aggregate. */
static LLVMValueRef through_memory(struct cn_maker *m, LLVMValueRef function)
{
  LLVMTypeRef two = LLVMStructTypeInContext(m->llvm, (LLVMTypeRef[]){m->ptr, m->ptr}, 2, false);
  LLVMValueRef fields[] = {cn_native(m, "random_native"), function}, table, loaded;

  table = LLVMAddGlobal(m->module, two, "table");
  LLVMSetInitializer(table, LLVMConstStructInContext(m->llvm, fields, 2, false));
  LLVMSetLinkage(table, LLVMInternalLinkage);
  LLVMSetGlobalConstant(table, cn_chance(m, 20));
  if (cn_has(m, CN_FORM_COMPUTED_CALLEE)) {
    loaded = LLVMBuildLoad2(m->builder, two, table, "");
    LLVMSetVolatile(loaded, cn_chance(m, 50));
    return LLVMBuildExtractValue(m->builder, loaded, 1, "");
  }
  loaded = LLVMBuildLoad2(m->builder, m->ptr, LLVMBuildStructGEP2(m->builder, two, table, 1, ""), "");
  LLVMSetVolatile(loaded, cn_chance(m, 50));
  return loaded;
}

static void call_own(struct cn_maker *m)
{
  const struct cn_random_function *callee = &m->functions[cn_below(m, m->function_count)];
  LLVMValueRef target = callee->value, result;
  bool usual = LLVMGetFunctionCallConv(target) <= LLVMFastCallConv;

  /* The stubs of the transitions do not know other conventions. */
  if ((usual || !m->run) && cn_chance(m, cn_has(m, CN_FORM_COMPUTED_CALLEE) ? 80 : 20))
    target = through_memory(m, callee->value);
  result = cn_call_function(m, callee, target);
  if (callee->result != CN_VOID)
    cn_set(m, callee->result, result);
}

/* A native function that calls a managed one. */
static void call_back(struct cn_maker *m)
{
  LLVMValueRef args[] = {m->functions[0].value, cn_get(m, CN_NUMBER)};

  emit_native(m, "random_back", args, 2);
}

static void call_variadic(struct cn_maker *m)
{
  LLVMValueRef args[8], result;
  unsigned count = cn_below(m, 6);

  args[0] = cn_int(m, count);
  for (unsigned i = 0; i < count; i++)
    args[i + 1] = cn_get(m, i % 2 ? CN_REAL : CN_NUMBER);
  result = emit_native(m, "random_sum", args, count + 1);
  cn_set(m, CN_NUMBER, result);
}

/* If nobody catches it, nothing happens. */
static void call_thrower(struct cn_maker *m)
{
  LLVMValueRef number = cn_get(m, CN_NUMBER);

  emit_native(m, "random_throw", &number, 1);
}

static void call_assembly(struct cn_maker *m)
{
  LLVMTypeRef type = LLVMFunctionType(m->i64, &m->i64, 1, false);
  const char *text = m->machine->add_three, *constraints = m->machine->constraints;
  LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), cn_chance(m, 50),
                                       false, LLVMInlineAsmDialectATT, false);
  LLVMValueRef number = cn_get(m, CN_NUMBER);

  cn_set(m, CN_NUMBER, LLVMBuildCall2(m->builder, type, code, &number, 1, ""));
}

static void call_reals(struct cn_maker *m)
{
  LLVMValueRef args[] = {cn_get(m, CN_REAL), cn_get(m, CN_NUMBER), cn_get(m, CN_REAL)};

  args[1] = LLVMBuildAnd(m->builder, args[1], cn_int(m, 7), "");
  LLVMValueRef mean = emit_native(m, "random_mean", args, 3);
  cn_note(m, LLVMBuildFPToSI(m->builder, mean, m->i64, ""));
}

/* A function that returns a pair in memory of ours. */
static void call_sret(struct cn_maker *m)
{
  LLVMTypeRef pair = m->kinds[CN_PAIR], types[] = {m->ptr, m->ref};
  LLVMTypeRef type = LLVMFunctionType(m->none, types, 2, false);
  LLVMAttributeRef sret = LLVMCreateTypeAttribute(m->llvm, LLVMGetEnumAttributeKindForName("sret", 4), pair);
  LLVMValueRef f = LLVMGetNamedFunction(m->module, "fill");
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->function));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(m->llvm);

  LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef local = LLVMBuildAlloca(builder, pair, ""), args[] = {local, cn_get(m, CN_NODE)};
  if (!f) {
    f = LLVMAddFunction(m->module, "fill", type);
    LLVMSetGC(f, "statepoint-example");
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(f, 1, sret);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(m->llvm, f, ""));
    LLVMValueRef collect = cn_native(m, "cairn_collect"), node = LLVMGetParam(f, 1);
    LLVMBuildStore(builder, node, LLVMGetParam(f, 0));
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(collect), collect, NULL, 0, "");
    LLVMBuildStore(builder, node, LLVMBuildStructGEP2(builder, pair, LLVMGetParam(f, 0), 2, ""));
    LLVMBuildRetVoid(builder);
  }
  LLVMDisposeBuilder(builder);
  LLVMValueRef call = emit(m, type, f, args, 2, LLVMCCallConv);
  LLVMAddCallSiteAttribute(call, 1, sret);
  if (cn_chance(m, 50))
    cn_safepoint(m);
  cn_set(m, CN_NODE, LLVMBuildLoad2(m->builder, m->ref, local, ""));
  LLVMValueRef second = LLVMBuildStructGEP2(m->builder, pair, local, 2, "");
  cn_set(m, CN_CELL, LLVMBuildLoad2(m->builder, m->ref, second, ""));
}

void cn_call_step(struct cn_maker *m)
{
  unsigned what = cn_below(m, 10);

  if (what < 4)
    call_own(m);
  else if (what == 4)
    call_back(m);
  else if (what == 5)
    call_reals(m);
  else
    cn_safepoint(m);
}

void cn_form_step(struct cn_maker *m)
{
  if ((cn_has(m, CN_FORM_INVOKES) || cn_has(m, CN_FORM_TOKEN_PADS)) && cn_chance(m, 40))
    call_thrower(m);
  else if (cn_has(m, CN_FORM_VARIADIC) && cn_chance(m, 30))
    call_variadic(m);
  else if (cn_has(m, CN_FORM_ASSEMBLY) && cn_chance(m, 30))
    call_assembly(m);
  else if (cn_has(m, CN_FORM_POINTS) && cn_chance(m, 50))
    cn_point_step(m);
  else if (cn_has(m, CN_FORM_SRET) && cn_chance(m, 30))
    call_sret(m);
  else if (cn_has(m, CN_FORM_LOCALS) && cn_chance(m, 50))
    cn_local_step(m);
  else if (!m->run)
    cn_odd_step(m);
}
