/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: what front ends rarely emit, and is valid for all that.
 */
#include "random/modules/maker.h"

#include <string.h>

static LLVMValueRef call_intrinsic(struct cn_maker *m, const char *name, LLVMTypeRef *types, unsigned type_count,
                                   LLVMValueRef *args, unsigned count)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->module, id, types, type_count);

  return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

static LLVMValueRef bit(struct cn_maker *m, bool value)
{
  return LLVMConstInt(m->i1, value, false);
}

static void assume(struct cn_maker *m)
{
  LLVMValueRef args[] = {cn_get(m, CN_CELL), cn_int(m, 8)}, yes = bit(m, true);
  LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("align", 5, args, 2);
  unsigned id = LLVMLookupIntrinsicID("llvm.assume", 11);
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->module, id, NULL, 0);

  LLVMBuildCallWithOperandBundles(m->builder, LLVMGlobalGetValueType(f), f, &yes, 1, &bundle, 1, "");
  LLVMDisposeOperandBundle(bundle);
}

static void vector_intrinsic(struct cn_maker *m)
{
  LLVMTypeRef lanes = LLVMVectorType(m->ref, 2), wide = LLVMVectorType(m->ref, 4);
  LLVMTypeRef both[] = {lanes, m->ref}, widths[] = {wide, lanes}, narrow[] = {lanes, wide};
  LLVMValueRef yes[] = {bit(m, true), bit(m, cn_chance(m, 50))};
  LLVMValueRef mask = LLVMConstVector(yes, 2), args[4], value;

  switch (cn_below(m, 3)) {
  case 0:
    args[0] = cn_get(m, CN_NODES), args[1] = mask, args[2] = LLVMConstNull(lanes);
    value = call_intrinsic(m, "llvm.masked.load", both, 2, args, 3);
    break;
  case 1:
    args[0] = LLVMBuildInsertElement(m->builder, LLVMConstNull(lanes), cn_get(m, CN_NODE), cn_int(m, 0), "");
    value = call_intrinsic(m, "llvm.vector.reverse", both, 1, args, 1);
    break;
  default:
    args[0] = LLVMGetPoison(wide);
    args[1] = LLVMBuildInsertElement(m->builder, LLVMConstNull(lanes), cn_get(m, CN_NODE), cn_int(m, 1), "");
    args[2] = cn_int(m, 2);
    args[0] = call_intrinsic(m, "llvm.vector.insert", widths, 2, args, 3);
    cn_safepoint(m);
    args[1] = cn_int(m, 2);
    value = call_intrinsic(m, "llvm.vector.extract", narrow, 2, args, 2);
  }
  if (cn_chance(m, 50))
    cn_safepoint(m);
  cn_set(m, CN_MAYBE, LLVMBuildExtractElement(m->builder, value, cn_int(m, 1), ""));
}

static void intrinsics(struct cn_maker *m)
{
  LLVMTypeRef r = m->ref, l = m->i64, types[] = {l, r, m->ptr};
  LLVMValueRef ref = cn_get(m, CN_LONGS), number = cn_get(m, CN_NUMBER), no = bit(m, false);
  LLVMValueRef three = LLVMConstInt(m->i32, 1, false);

  switch (cn_below(m, 9)) {
  case 0:
    cn_set(m, CN_LONGS, call_intrinsic(m, "llvm.ssa.copy", &r, 1, &ref, 1));
    break;
  case 1:
    number = call_intrinsic(m, "llvm.objectsize", types, 2, (LLVMValueRef[]){ref, no, no, no}, 4);
    cn_set(m, CN_NUMBER, number);
    break;
  case 2:
    call_intrinsic(m, "llvm.prefetch", &r, 1, (LLVMValueRef[]){ref, three, three, three}, 4);
    break;
  case 3:
    call_intrinsic(m, "llvm.invariant.start", &r, 1, (LLVMValueRef[]){cn_int(m, 8), ref}, 2);
    break;
  case 4:
    assume(m);
    break;
  case 5:
    LLVMBuildMemSet(m->builder, ref, LLVMConstInt(m->i8, 0, false), cn_int(m, 24), 8);
    break;
  case 6:
    call_intrinsic(m, "llvm.fake.use", NULL, 0, &ref, 1);
    break;
  case 7:
    types[0] = types[1] = r;
    cn_set(m, CN_LONGS, call_intrinsic(m, "llvm.experimental.gc.get.pointer.base", types, 2, (LLVMValueRef[]){ref}, 1));
    break;
  default:
    vector_intrinsic(m);
  }
}

static void odd_callee(struct cn_maker *m)
{
  LLVMTypeRef type = LLVMFunctionType(m->none, NULL, 0, false);
  LLVMTypeRef other = LLVMFunctionType(m->ref, &m->ref, 1, false);
  LLVMValueRef callee, arg = cn_get(m, CN_NODE), first = m->functions[0].value;
  LLVMBasicBlockRef gone, on;

  switch (cn_below(m, 6)) {
  case 0:
    callee = LLVMConstNull(m->ptr);
    break;
  case 1:
    callee = LLVMConstIntToPtr(cn_int(m, 65536), m->ptr);
    break;
  case 2:
    callee = LLVMGetPoison(m->ptr);
    break;
  case 3: /* by another type than its own */
    cn_set(m, CN_NODE, LLVMBuildCall2(m->builder, other, first, &arg, 1, ""));
    return;
  case 4:
    callee = LLVMGetNamedGlobalAlias(m->module, "alias", 5);
    if (!callee)
      callee = LLVMAddAlias2(m->module, type, 0, first, "alias");
    break;
  default: /* never to return */
    gone = cn_cfg_block(m), on = cn_cfg_block(m);
    LLVMBuildCondBr(m->builder, cn_flag(m), gone, on);
    LLVMPositionBuilderAtEnd(m->builder, gone);
    cn_safepoint(m);
    LLVMBuildUnreachable(m->builder);
    LLVMPositionBuilderAtEnd(m->builder, on);
    return;
  }
  LLVMBuildCall2(m->builder, type, callee, NULL, 0, "");
}

/* Phis of one value and themselves, of undefined values, that swap, and with one block twice. */
static void odd_phis(struct cn_maker *m)
{
  LLVMBasicBlockRef before = LLVMGetInsertBlock(m->builder), body = cn_cfg_block(m), after = cn_cfg_block(m), latch;
  LLVMValueRef a = cn_get(m, CN_NODE), b = cn_get(m, CN_NODE), p[4], in[3];
  LLVMValueRef branch = LLVMBuildSwitch(m->builder, cn_next(m), body, 2);

  LLVMAddCase(branch, cn_int(m, 1), body);
  LLVMAddCase(branch, cn_int(m, 2), body);
  LLVMPositionBuilderAtEnd(m->builder, body);
  for (int i = 0; i < 4; i++)
    p[i] = LLVMBuildPhi(m->builder, m->ref, "");
  for (int i = 0; i < 4; i++) {
    in[0] = in[1] = in[2] = i == 0 ? a : i == 1 ? b : i == 2 ? LLVMGetUndef(m->ref) : a;
    LLVMAddIncoming(p[i], in, (LLVMBasicBlockRef[]){before, before, before}, 3);
  }
  if (cn_chance(m, 70))
    cn_safepoint(m);
  if (cn_chance(m, 50))
    LLVMBuildStore(m->builder, p[0], cn_offset(m, p[3], 8));
  latch = LLVMGetInsertBlock(m->builder);
  LLVMAddIncoming(p[0], &p[1], &latch, 1);
  LLVMAddIncoming(p[1], &p[0], &latch, 1);
  LLVMAddIncoming(p[2], &p[2], &latch, 1);
  LLVMAddIncoming(p[3], &p[3], &latch, 1);
  LLVMBuildCondBr(m->builder, cn_flag(m), body, after);
  LLVMPositionBuilderAtEnd(m->builder, after);
  cn_set(m, CN_NODE, p[cn_below(m, 4)]);
  cn_set(m, CN_MAYBE, p[2]);
}

/* A type with references in it that is not among the kinds. */
static LLVMTypeRef odd_type(struct cn_maker *m, unsigned depth)
{
  LLVMTypeRef parts[4];
  unsigned count = 1 + cn_below(m, 4);

  switch (cn_below(m, depth ? 6 : 3)) {
  case 0:
    return m->ref;
  case 1:
    return LLVMVectorType(m->ref, 1 + cn_below(m, 5));
  case 2:
    return LLVMStructTypeInContext(m->llvm, (LLVMTypeRef[]){m->i8, m->ref, m->f64}, 3, cn_chance(m, 20));
  case 3:
    return LLVMArrayType2(odd_type(m, depth - 1), cn_below(m, 4));
  default:
    for (unsigned i = 0; i < count; i++)
      parts[i] = odd_type(m, depth - 1);
    return LLVMStructTypeInContext(m->llvm, parts, count, false);
  }
}

static void odd_values(struct cn_maker *m)
{
  LLVMTypeRef type = odd_type(m, 3);
  LLVMValueRef at = cn_get(m, CN_NODES), value, other;

  value = LLVMBuildLoad2(m->builder, type, at, "");
  LLVMSetAlignment(value, 8);
  if (cn_chance(m, 60))
    cn_safepoint(m);
  if (cn_chance(m, 40))
    value = LLVMBuildFreeze(m->builder, value, "");
  if (cn_chance(m, 40)) {
    other = cn_chance(m, 50) ? LLVMConstNull(type) : LLVMGetPoison(type);
    value = LLVMBuildSelect(m->builder, cn_flag(m), value, other, "");
    cn_safepoint(m);
  }
  LLVMSetAlignment(LLVMBuildStore(m->builder, value, cn_get(m, CN_NODES)), 8);
}

void cn_rare_step(struct cn_maker *m)
{
  if (cn_has(m, CN_FORM_INTRINSICS) && cn_chance(m, 70))
    intrinsics(m);
  else if (cn_has(m, CN_FORM_CALLEES) && cn_chance(m, 70))
    odd_callee(m);
  else if (cn_has(m, CN_FORM_PHIS) && cn_chance(m, 70))
    odd_phis(m);
  else if (cn_has(m, CN_FORM_TYPES))
    odd_values(m);
}
