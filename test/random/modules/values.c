/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: steps that compute values of values.
 */
#include "random/modules/maker.h"

static void note_bit(struct cn_maker *m, LLVMValueRef bit)
{
  cn_note(m, LLVMBuildZExt(m->builder, bit, m->i64, ""));
}

/* Kinds whose values may be swapped for each other at will. */
static enum cn_kind some_reference(struct cn_maker *m)
{
  return (enum cn_kind)(CN_NODE + (int)cn_below(m, CN_TREE - CN_NODE + 1));
}

static void choose(struct cn_maker *m)
{
  enum cn_kind kind = cn_any_kind(m);
  LLVMValueRef a = cn_get(m, kind), b = cn_get(m, kind), c;

  if (kind == CN_LANES && cn_chance(m, 50)) { /* lane by lane */
    c = LLVMBuildICmp(m->builder, LLVMIntEQ, a, b, "");
    b = cn_get(m, kind);
  } else
    c = cn_flag(m);
  cn_set(m, kind, LLVMBuildSelect(m->builder, c, a, b, ""));
}

/* A diamond whose phi has a value of each side, and a constant maybe. */
static void join(struct cn_maker *m)
{
  enum cn_kind kind = some_reference(m);
  LLVMBasicBlockRef from[2], to[2] = {cn_cfg_block(m), cn_cfg_block(m)}, after = cn_cfg_block(m);
  LLVMValueRef value[2];

  LLVMBuildCondBr(m->builder, cn_flag(m), to[0], to[1]);
  for (int i = 0; i < 2; i++) {
    LLVMPositionBuilderAtEnd(m->builder, to[i]);
    if (cn_chance(m, 40))
      cn_steps(m, 1);
    value[i] = kind == CN_MAYBE && cn_chance(m, 40) ? LLVMConstNull(m->ref) : cn_get(m, kind);
    from[i] = LLVMGetInsertBlock(m->builder);
    LLVMBuildBr(m->builder, after);
  }
  LLVMPositionBuilderAtEnd(m->builder, after);
  LLVMValueRef phi = LLVMBuildPhi(m->builder, m->ref, "");
  LLVMAddIncoming(phi, value, from, 2);
  if (cn_chance(m, 30))
    cn_safepoint(m);
  cn_set(m, kind, phi);
}

static void maybe(struct cn_maker *m)
{
  LLVMValueRef a = cn_get(m, CN_MAYBE), null = LLVMConstNull(m->ref), c;

  switch (cn_below(m, 4)) {
  case 0:
    cn_set(m, CN_MAYBE, null);
    break;
  case 1:
    cn_set(m, CN_MAYBE, cn_get(m, CN_NODE));
    break;
  case 2:
    note_bit(m, LLVMBuildICmp(m->builder, cn_chance(m, 50) ? LLVMIntEQ : LLVMIntNE, a, null, ""));
    break;
  default: /* a node at last; the test may lie before a safepoint, its use after */
    c = LLVMBuildICmp(m->builder, LLVMIntEQ, a, null, "");
    if (cn_chance(m, 40))
      cn_safepoint(m);
    cn_set(m, CN_NODE, LLVMBuildSelect(m->builder, c, cn_get(m, CN_NODE), a, ""));
  }
}

static void compare(struct cn_maker *m)
{
  enum cn_kind kind = some_reference(m);
  LLVMValueRef a = cn_get(m, kind), b = cn_get(m, kind);

  if (cn_chance(m, 30))
    cn_safepoint(m);
  note_bit(m, LLVMBuildICmp(m->builder, cn_chance(m, 50) ? LLVMIntEQ : LLVMIntNE, a, b, ""));
}

/* Order within one object, which moving does not change. */
static void order(struct cn_maker *m)
{
  LLVMValueRef array = cn_get(m, CN_LONGS);
  LLVMValueRef i = cn_next_below(m, CN_LENGTH), j = cn_int(m, cn_below(m, CN_LENGTH));
  LLVMValueRef a = cn_gep(m, m->i64, array, i), b = cn_gep(m, m->i64, array, j);

  if (cn_chance(m, 50))
    cn_safepoint(m);
  note_bit(m, LLVMBuildICmp(m->builder, LLVMIntULT, a, b, ""));
}

/* The distance within one object, formed where nothing can move. */
static void difference(struct cn_maker *m)
{
  LLVMValueRef array = cn_get(m, CN_LONGS);
  LLVMValueRef i = cn_next_below(m, CN_LENGTH), a = cn_gep(m, m->i64, array, i);

  a = LLVMBuildPtrToInt(m->builder, a, m->i64, "");
  a = LLVMBuildSub(m->builder, a, LLVMBuildPtrToInt(m->builder, array, m->i64, ""), "");
  cn_note(m, a);
}

static void arithmetic(struct cn_maker *m)
{
  static const LLVMOpcode operations[] = {LLVMAdd, LLVMSub, LLVMMul, LLVMAnd, LLVMOr, LLVMXor};
  LLVMValueRef a = cn_get(m, CN_NUMBER), b = cn_get(m, CN_NUMBER);

  switch (cn_below(m, 4)) {
  case 0: /* small enough to be exact */
    a = LLVMBuildAnd(m->builder, a, cn_int(m, 1023), "");
    a = LLVMBuildSIToFP(m->builder, a, m->f64, "");
    cn_set(m, CN_REAL, a);
    break;
  case 1:
    a = cn_get(m, CN_REAL);
    a = LLVMBuildFAdd(m->builder, a, LLVMConstReal(m->f64, 0.5), "");
    cn_set(m, CN_REAL, a);
    cn_note(m, LLVMBuildFPToSI(m->builder, a, m->i64, ""));
    break;
  default:
    cn_set(m, CN_NUMBER, LLVMBuildBinOp(m->builder, operations[cn_below(m, 6)], a, b, ""));
  }
}

static LLVMValueRef through(struct cn_maker *m, const char *intrinsic, LLVMValueRef a, LLVMValueRef b)
{
  LLVMTypeRef types[] = {m->ref, m->i64};
  unsigned id = LLVMLookupIntrinsicID(intrinsic, __builtin_strlen(intrinsic));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->module, id, types, b ? 2 : 1);
  LLVMValueRef args[] = {a, b};

  return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, b ? 2 : 1, "");
}

/* The same address, by another name. */
static void rename_value(struct cn_maker *m)
{
  enum cn_kind kind = some_reference(m);
  LLVMValueRef a = cn_get(m, kind);

  if (!cn_has(m, CN_FORM_MASKS) || cn_chance(m, 30))
    a = LLVMBuildFreeze(m->builder, a, "");
  else if (cn_chance(m, 40))
    a = through(m, "llvm.ptrmask", a, cn_int(m, -8));
  else
    a = through(m, cn_chance(m, 50) ? "llvm.launder.invariant.group" : "llvm.strip.invariant.group", a, NULL);
  if (cn_chance(m, 30))
    cn_safepoint(m);
  cn_set(m, kind, a);
}

static void aggregate(struct cn_maker *m)
{
  LLVMValueRef a = cn_get(m, CN_PAIR), b = cn_get(m, CN_BOTH);

  switch (cn_below(m, 6)) {
  case 0:
    cn_set(m, CN_PAIR, LLVMBuildInsertValue(m->builder, a, cn_get(m, CN_NODE), 0, ""));
    break;
  case 1:
    cn_set(m, CN_PAIR, LLVMBuildInsertValue(m->builder, a, cn_get(m, CN_CELL), 2, ""));
    break;
  case 2:
    cn_set(m, CN_NODE, LLVMBuildExtractValue(m->builder, a, 0, ""));
    break;
  case 3:
    cn_set(m, CN_CELL, LLVMBuildExtractValue(m->builder, a, 2, ""));
    break;
  case 4:
    a = LLVMBuildExtractValue(m->builder, b, cn_below(m, 2), "");
    cn_set(m, CN_BOTH, LLVMBuildInsertValue(m->builder, b, a, cn_below(m, 2), ""));
    break;
  default:
    a = LLVMBuildExtractValue(m->builder, b, cn_below(m, 2), "");
    cn_set(m, CN_SLOT, LLVMBuildExtractValue(m->builder, a, 0, ""));
  }
}

/* Two addresses from one. */
static LLVMValueRef spread(struct cn_maker *m, LLVMTypeRef type, LLVMValueRef from)
{
  LLVMValueRef two[] = {cn_int(m, cn_below(m, CN_LENGTH)), cn_int(m, cn_below(m, CN_LENGTH))};
  LLVMValueRef indices = LLVMConstVector(two, 2);

  return LLVMBuildGEP2(m->builder, type, from, &indices, 1, "");
}

static void vector_memory(struct cn_maker *m)
{
  LLVMValueRef array = cn_get(m, CN_NODES), value;

  array = cn_offset(m, array, 16 * (int64_t)cn_below(m, CN_LENGTH / 2));
  if (cn_chance(m, 50)) {
    value = LLVMBuildLoad2(m->builder, m->kinds[CN_LANES], array, "");
    LLVMSetAlignment(value, 8);
    cn_set(m, CN_LANES, value);
  } else {
    value = LLVMBuildStore(m->builder, cn_get(m, CN_LANES), array);
    LLVMSetAlignment(value, 8);
  }
}

static void gather(struct cn_maker *m)
{
  LLVMTypeRef types[] = {m->kinds[CN_LANES], m->kinds[CN_LANES]};
  unsigned id = LLVMLookupIntrinsicID("llvm.masked.gather", 18);
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->module, id, types, 2);
  LLVMValueRef at = spread(m, m->ref, cn_get(m, CN_NODES));
  LLVMValueRef yes[] = {LLVMConstInt(m->i1, 1, false), LLVMConstInt(m->i1, 1, false)};
  LLVMValueRef args[] = {at, LLVMConstVector(yes, 2), cn_get(m, CN_LANES)};

  if (cn_chance(m, 40))
    cn_safepoint(m);
  LLVMValueRef value = LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, 3, "");
  LLVMAddCallSiteAttribute(value, 1, cn_enum_attribute(m, "align", 8));
  cn_set(m, CN_LANES, value);
}

static void lanes(struct cn_maker *m)
{
  LLVMValueRef a = cn_get(m, CN_LANES), b, at;

  switch (cn_below(m, 6)) {
  case 0:
    at = cn_chance(m, 60) ? cn_int(m, cn_below(m, 2)) : cn_next_below(m, 2);
    cn_set(m, CN_LANES, LLVMBuildInsertElement(m->builder, a, cn_get(m, CN_NODE), at, ""));
    break;
  case 1:
    at = cn_chance(m, 60) ? cn_int(m, cn_below(m, 2)) : cn_next_below(m, 2);
    cn_set(m, CN_NODE, LLVMBuildExtractElement(m->builder, a, at, ""));
    break;
  case 2:
    b = cn_get(m, CN_LANES);
    at = LLVMConstVector((LLVMValueRef[]){LLVMConstInt(m->i32, cn_below(m, 4), false), LLVMConstInt(m->i32, 2, false)},
                         2);
    cn_set(m, CN_LANES, LLVMBuildShuffleVector(m->builder, a, b, at, ""));
    break;
  case 3:
    a = spread(m, m->i64, cn_get(m, CN_LONGS));
    if (cn_chance(m, 50))
      cn_safepoint(m);
    cn_set(m, CN_CELL, LLVMBuildExtractElement(m->builder, a, cn_int(m, cn_below(m, 2)), ""));
    break;
  case 4:
    gather(m);
    break;
  default:
    vector_memory(m);
  }
}

void cn_value_step(struct cn_maker *m)
{
  static cn_step *const plain[] = {choose, join, maybe, compare, order, arithmetic, rename_value};

  if (cn_has(m, CN_FORM_AGGREGATES) && cn_chance(m, 30))
    aggregate(m);
  else if (cn_has(m, CN_FORM_VECTORS) && cn_chance(m, 30))
    lanes(m);
  else if (m->run && cn_chance(m, 5))
    difference(m);
  else
    plain[cn_below(m, 7)](m);
}
