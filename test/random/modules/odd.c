/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: forms that are only compiled. Much of this would be undefined if it were run; the
 * question is what the rewriter does with it.
 */
#include "random/modules/maker.h"

#include <string.h>

static LLVMValueRef intrinsic(struct cn_maker *m, const char *name, LLVMTypeRef *types, unsigned count)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));

  return LLVMGetIntrinsicDeclaration(m->module, id, types, count);
}

static LLVMValueRef declare(struct cn_maker *m, const char *name, LLVMTypeRef result, LLVMTypeRef *types,
                            unsigned count)
{
  LLVMValueRef f = LLVMGetNamedFunction(m->module, name);

  return f ? f : LLVMAddFunction(m->module, name, LLVMFunctionType(result, types, count, false));
}

static LLVMValueRef call(struct cn_maker *m, LLVMValueRef f, LLVMValueRef *args, unsigned count)
{
  return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

static LLVMValueRef local(struct cn_maker *m, LLVMTypeRef type)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(m->llvm);

  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->function)));
  LLVMValueRef a = LLVMBuildAlloca(builder, type, "");
  LLVMDisposeBuilder(builder);
  return a;
}

static void cast(struct cn_maker *m)
{
  LLVMValueRef p = LLVMBuildAddrSpaceCast(m->builder, cn_get(m, CN_NODE), m->ptr, "");

  cn_safepoint(m);
  cn_set(m, CN_NODE, LLVMBuildAddrSpaceCast(m->builder, p, m->ref, ""));
}

static void integer(struct cn_maker *m)
{
  LLVMValueRef n = LLVMBuildPtrToInt(m->builder, cn_get(m, CN_CELL), m->i64, "");

  cn_safepoint(m);
  cn_set(m, CN_CELL, LLVMBuildIntToPtr(m->builder, n, m->ref, ""));
}

/* The C API does not make allocas of another address space: module.c turns what has these names
 * into some. */
static void managed_alloca(struct cn_maker *m)
{
  LLVMTypeRef type = cn_chance(m, 50) ? m->node : m->i64;
  LLVMValueRef a = local(m, type);

  LLVMSetValueName2(a, "managed", 7);
  a = LLVMBuildAddrSpaceCast(m->builder, a, m->ref, "managed.cast");
  if (type == m->node) {
    LLVMBuildStore(m->builder, cn_get(m, CN_NODE), cn_offset(m, a, 8));
    cn_set(m, CN_SLOT, cn_offset(m, a, 8));
  } else
    LLVMBuildStore(m->builder, cn_int(m, 7), a);
  cn_set(m, CN_CELL, a);
  cn_safepoint(m);
  cn_note(m, LLVMBuildLoad2(m->builder, m->i64, a, ""));
}

static void library(struct cn_maker *m)
{
  LLVMTypeRef p = m->ptr, l = m->i64, qsort[] = {p, l, l, p}, strlen_[] = {m->ref};
  LLVMValueRef args[4];

  switch (cn_below(m, 3)) {
  case 0:
    args[0] = m->fuel, args[1] = cn_int(m, 1), args[2] = cn_int(m, 8);
    args[3] = m->functions[0].value;
    call(m, declare(m, "qsort", m->none, qsort, 4), args, 4);
    break;
  case 1:
    args[0] = cn_get(m, CN_CELL);
    cn_set(m, CN_NUMBER, call(m, declare(m, "strlen", l, strlen_, 1), args, 1));
    break;
  default:
    args[0] = cn_int(m, 8);
    call(m, declare(m, "malloc", p, &l, 1), args, 1);
  }
}

static void constant(struct cn_maker *m)
{
  enum cn_kind kind = cn_any_kind(m);
  LLVMTypeRef type = m->kinds[kind];
  LLVMValueRef value;

  switch (cn_below(m, 4)) {
  case 0:
    value = LLVMGetUndef(type);
    break;
  case 1:
    value = LLVMGetPoison(type);
    break;
  case 2:
    value = LLVMConstNull(type);
    break;
  default:
    value = cn_kind_is_ref(kind) ? LLVMConstIntToPtr(cn_int(m, 4096), type) : LLVMConstNull(type);
  }
  if (kind == CN_CELL && cn_chance(m, 50))
    value = cn_offset(m, value, 8);
  cn_set(m, kind, value);
}

static void managed_global(struct cn_maker *m)
{
  LLVMValueRef g = LLVMGetNamedGlobal(m->module, "managed");

  if (!g)
    g = LLVMAddGlobalInAddressSpace(m->module, LLVMArrayType2(m->i64, 4), "managed", 1);
  LLVMSetInitializer(g, LLVMConstNull(LLVMArrayType2(m->i64, 4)));
  cn_set(m, CN_CELL, cn_chance(m, 50) ? g : cn_offset(m, g, 8 * (int64_t)cn_below(m, 4)));
}

static void atomic_copy(struct cn_maker *m)
{
  bool move = cn_chance(m, 50);
  const char *name = move ? "llvm.memmove.element.unordered.atomic" : "llvm.memcpy.element.unordered.atomic";
  LLVMTypeRef types[] = {m->ref, m->ref, m->i64};
  LLVMValueRef from = cn_get(m, CN_LONGS), to = cn_get(m, CN_LONGS);
  LLVMValueRef args[] = {to, from, cn_int(m, 16), LLVMConstInt(m->i32, 8, false)};

  if (!move)
    args[0] = cn_offset(m, to, 32);
  LLVMValueRef copy = call(m, intrinsic(m, name, types, 3), args, 4);
  LLVMAddCallSiteAttribute(copy, 1, cn_enum_attribute(m, "align", 8));
  LLVMAddCallSiteAttribute(copy, 2, cn_enum_attribute(m, "align", 8));
  if (cn_chance(m, 50))
    LLVMAddCallSiteAttribute(copy, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateStringAttribute(m->llvm, "gc-leaf-function", 16, "", 0));
}

static LLVMValueRef with_state(struct cn_maker *m, LLVMValueRef f, LLVMValueRef *args, unsigned count)
{
  LLVMValueRef state[] = {cn_get(m, CN_NODE), cn_get(m, CN_NUMBER)};
  LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, state, 2);
  LLVMValueRef result =
      LLVMBuildCallWithOperandBundles(m->builder, LLVMGlobalGetValueType(f), f, args, count, &bundle, 1, "");

  LLVMDisposeOperandBundle(bundle);
  return result;
}

static void deoptimize(struct cn_maker *m)
{
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(m->function));
  LLVMBasicBlockRef leave, stay;
  LLVMValueRef reason = LLVMConstInt(m->i32, 7, false);

  if (LLVMGetFunctionCallConv(m->function)) /* the intrinsic's must be the same, and is variadic */
    return;
  leave = cn_cfg_block(m), stay = cn_cfg_block(m);
  LLVMBuildCondBr(m->builder, cn_flag(m), leave, stay);
  LLVMPositionBuilderAtEnd(m->builder, leave);
  LLVMValueRef f = intrinsic(m, "llvm.experimental.deoptimize", &type, 1);
  LLVMValueRef result = with_state(m, f, &reason, 1);
  if (type == m->none)
    LLVMBuildRetVoid(m->builder);
  else
    LLVMBuildRet(m->builder, result);
  LLVMPositionBuilderAtEnd(m->builder, stay);
}

static void guard(struct cn_maker *m)
{
  LLVMValueRef flag = cn_flag(m);

  with_state(m, intrinsic(m, "llvm.experimental.guard", NULL, 0), &flag, 1);
}

static void callbr(struct cn_maker *m)
{
  LLVMTypeRef type = LLVMFunctionType(m->none, &m->i64, 1, false);
  static char text[] = "# ${0:c} ${1:l}", constraints[] = "r,!i";
  LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
                                       LLVMInlineAsmDialectATT, false);
  LLVMBasicBlockRef next = cn_cfg_block(m), other = cn_cfg_block(m);
  LLVMValueRef number = cn_get(m, CN_NUMBER);

  LLVMBuildCallBr(m->builder, type, code, next, &other, 1, &number, 1, NULL, 0, "");
  LLVMPositionBuilderAtEnd(m->builder, other);
  if (cn_chance(m, 50))
    cn_safepoint(m);
  LLVMBuildBr(m->builder, next);
  LLVMPositionBuilderAtEnd(m->builder, next);
}

static void scalable(struct cn_maker *m)
{
  LLVMTypeRef type = LLVMScalableVectorType(m->ref, 2);
  LLVMValueRef at = cn_get(m, CN_NODES), value = LLVMBuildLoad2(m->builder, type, at, "");

  if (cn_chance(m, 60))
    cn_safepoint(m);
  cn_set(m, CN_NODE, LLVMBuildExtractElement(m->builder, value, cn_int(m, 0), ""));
}

static void by_value(struct cn_maker *m)
{
  LLVMTypeRef pair = m->kinds[CN_PAIR];
  LLVMValueRef f = declare(m, "by_value", m->none, &m->ptr, 1), a = local(m, pair);
  LLVMAttributeRef byval = LLVMCreateTypeAttribute(m->llvm, LLVMGetEnumAttributeKindForName("byval", 5), pair);

  LLVMAddAttributeAtIndex(f, 1, byval);
  LLVMBuildStore(m->builder, cn_get(m, CN_NODE), a);
  LLVMAddCallSiteAttribute(call(m, f, &a, 1), 1, byval);
  cn_set(m, CN_NODE, LLVMBuildLoad2(m->builder, m->ref, a, ""));
}

static void thread_local_root(struct cn_maker *m)
{
  LLVMValueRef g = LLVMGetNamedGlobal(m->module, "own"), at;

  if (!g)
    g = LLVMAddGlobal(m->module, m->ref, "own");
  LLVMSetInitializer(g, LLVMConstNull(m->ref));
  LLVMSetThreadLocal(g, true);
  at = call(m, intrinsic(m, "llvm.threadlocal.address", &m->ptr, 1), &g, 1);
  LLVMBuildStore(m->builder, cn_get(m, CN_NODE), at);
  cn_safepoint(m);
  cn_set(m, CN_MAYBE, LLVMBuildLoad2(m->builder, m->ref, at, ""));
}

static void returns_twice(struct cn_maker *m)
{
  LLVMValueRef f = declare(m, "setjmp", m->i32, &m->ptr, 1), buffer;

  buffer = local(m, LLVMArrayType2(m->i64, 25));
  LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cn_enum_attribute(m, "returns_twice", 0));
  call(m, f, &buffer, 1);
}

static void large_result(struct cn_maker *m)
{
  LLVMTypeRef types[] = {m->ref, m->i64, m->i64, m->i64, m->ref};
  LLVMTypeRef type = LLVMStructTypeInContext(m->llvm, types, 5, false);
  LLVMValueRef result = call(m, declare(m, "large_result", type, NULL, 0), NULL, 0);

  cn_set(m, CN_NODE, LLVMBuildExtractValue(m->builder, result, 4, ""));
}

static void dynamic_alloca(struct cn_maker *m)
{
  LLVMValueRef a = LLVMBuildArrayAlloca(m->builder, m->ref, cn_next_below(m, 8), "");

  LLVMBuildStore(m->builder, cn_get(m, CN_NODE), a);
  cn_call_native(m, "random_touch", &a, 1);
  cn_set(m, CN_NODE, LLVMBuildLoad2(m->builder, m->ref, a, ""));
}

static void invariant(struct cn_maker *m)
{
  static const char *const kinds[] = {"invariant.load", "nonnull", "dereferenceable"};
  unsigned which = cn_below(m, 3);
  LLVMValueRef value = LLVMBuildLoad2(m->builder, m->ref, cn_get(m, CN_SLOT), "");
  LLVMMetadataRef bytes = LLVMValueAsMetadata(cn_int(m, 32));
  LLVMMetadataRef node = LLVMMDNodeInContext2(m->llvm, &bytes, which == 2);

  LLVMSetMetadata(value, LLVMGetMDKindIDInContext(m->llvm, kinds[which], (unsigned)strlen(kinds[which])),
                  LLVMMetadataAsValue(m->llvm, node));
  cn_set(m, CN_NODE, value);
}

void cn_odd_step(struct cn_maker *m)
{
  static const struct {
    enum cn_form form;
    cn_step *step;
  } steps[] = {
      {CN_FORM_CASTS, cast},
      {CN_FORM_MANAGED_ALLOCA, managed_alloca},
      {CN_FORM_INTEGERS, integer},
      {CN_FORM_LIBRARY, library},
      {CN_FORM_CONSTANTS, constant},
      {CN_FORM_ATOMIC_COPIES, atomic_copy},
      {CN_FORM_GLOBALS, managed_global},
      {CN_FORM_DEOPTIMIZE, deoptimize},
      {CN_FORM_GUARD, guard},
      {CN_FORM_CALLBR, callbr},
      {CN_FORM_SCALABLE, scalable},
      {CN_FORM_BYVAL, by_value},
      {CN_FORM_THREAD_LOCAL, thread_local_root},
      {CN_FORM_ATTRIBUTES, invariant},
      {CN_FORM_RETURNS_TWICE, returns_twice},
      {CN_FORM_LARGE_RESULT, large_result},
      {CN_FORM_DYNAMIC_ALLOCA, dynamic_alloca},
  };

  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (cn_has(m, steps[i].form) && cn_chance(m, 80)) {
      steps[i].step(m);
      return;
    }
  cn_rare_step(m);
}
