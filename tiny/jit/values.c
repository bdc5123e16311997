/* SPDX-License-Identifier: Apache-2.0
 *
 * Representations of values: words, unboxed integers, floats and truth values, with guards where a word must be one of
 * these. A register keeps the representation that it was guarded for.
 *
 * An unboxed integer is the word without its last bit, the integer times 8: sums, comparisons and bit operations work
 * on it directly, overflow of 61 bits is overflow of 64, and it is the distance of an element in an array of words.
 */
#include <stddef.h>
#include "unit.h"
#include "tiny/core/object.h"

/* The payload's bits that tell kinds of immediates (value.h). */
enum { FLOAT_BIT = 1, KIND_MASK = 3, SPECIAL = 2 };
enum { ZERO_NUMBER = 2, MINUS_ZERO_NUMBER = 3, THROWN_NUMBER = 4 };

struct tj_var tj_word(LLVMValueRef v)
{
  return (struct tj_var){.rep = TJ_WORD, .v = v};
}

struct tj_var tj_object(LLVMValueRef v, unsigned kind)
{
  return (struct tj_var){.rep = TJ_WORD, .v = v, .kind = (uint8_t)kind};
}

struct tj_var tj_int(LLVMValueRef v)
{
  return (struct tj_var){.rep = TJ_INT, .v = v};
}

struct tj_var tj_float(LLVMValueRef v)
{
  return (struct tj_var){.rep = TJ_FLOAT, .v = v};
}

struct tj_var tj_bool(LLVMValueRef v)
{
  return (struct tj_var){.rep = TJ_BOOL, .v = v};
}

LLVMValueRef tj_special(struct tj_unit *u, unsigned number)
{
  return tj_tag_from(u, tj_i64(u, (int64_t)(number << 2 | SPECIAL)));
}

LLVMValueRef tj_nil(struct tj_unit *u)
{
  return LLVMConstNull(u->ref);
}

/* ---- tests ---- */

static LLVMValueRef has_bits(struct tj_unit *u, LLVMValueRef word, int64_t mask, int64_t bits)
{
  LLVMValueRef low = LLVMBuildAnd(u->b, tj_tag_value(u, word), tj_i64(u, mask), "");

  return LLVMBuildAnd(u->b, tj_tag_is(u, word), LLVMBuildICmp(u->b, LLVMIntEQ, low, tj_i64(u, bits), ""), "");
}

LLVMValueRef tj_is_integer(struct tj_unit *u, LLVMValueRef word)
{
  return has_bits(u, word, KIND_MASK, 0);
}

LLVMValueRef tj_is_flat(struct tj_unit *u, LLVMValueRef word)
{
  return has_bits(u, word, FLOAT_BIT, FLOAT_BIT);
}

LLVMValueRef tj_is_reference(struct tj_unit *u, LLVMValueRef word)
{
  LLVMValueRef some = LLVMBuildICmp(u->b, LLVMIntNE, word, tj_nil(u), "");

  return LLVMBuildAnd(u->b, some, LLVMBuildNot(u->b, tj_tag_is(u, word), ""), "");
}

LLVMValueRef tj_is_kind(struct tj_unit *u, struct tj_var var, uint32_t kind)
{
  if (var.rep != TJ_WORD || (var.kind && var.kind != TJ_ANY_KIND))
    return LLVMConstInt(u->i1, var.rep == TJ_WORD && var.kind == kind, false);
  LLVMBasicBlockRef object = tj_block(u, "object"), join = tj_block(u, "kind"), from = tj_here(u);
  LLVMBuildCondBr(u->b, tj_is_reference(u, var.v), object, join);
  tj_at(u, object);
  LLVMValueRef found = tj_load(u, u->i32, var.v, offsetof(struct tiny_object, kind), TJ_HEADER);
  LLVMValueRef same = LLVMBuildICmp(u->b, LLVMIntEQ, found, tj_i32(u, kind), "");
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
  return tj_phi2(u, u->i1, same, object, LLVMConstInt(u->i1, 0, false), from);
}

LLVMValueRef tj_is_true(struct tj_unit *u, struct tj_var var)
{
  if (var.rep == TJ_BOOL)
    return var.v;
  if (var.rep != TJ_WORD)
    return LLVMConstInt(u->i1, 1, false);
  LLVMValueRef some = LLVMBuildICmp(u->b, LLVMIntNE, var.v, tj_nil(u), ""),
               other = LLVMBuildICmp(u->b, LLVMIntNE, var.v, tj_special(u, 0), "");
  return LLVMBuildAnd(u->b, some, other, "");
}

/* ---- from words and back ---- */

static LLVMValueRef decode_integer(struct tj_unit *u, LLVMValueRef word)
{
  return LLVMBuildShl(u->b, tj_tag_value(u, word), tj_i64(u, 1), "");
}

static LLVMValueRef rotate_left(struct tj_unit *u, LLVMValueRef bits, unsigned by)
{
  LLVMValueRef arguments[] = {bits, bits, tj_i64(u, by)};

  return tj_intrinsic(u, "llvm.fshl", u->i64, arguments, 3);
}

static LLVMValueRef decode_flat(struct tj_unit *u, LLVMValueRef word)
{
  LLVMValueRef up = LLVMBuildShl(u->b, tj_tag_value(u, word), tj_i64(u, 1), "");
  LLVMValueRef bits = rotate_left(u, LLVMBuildOr(u->b, up, tj_i64(u, 1), ""), 61);

  return LLVMBuildBitCast(u->b, LLVMBuildSub(u->b, bits, tj_i64(u, INT64_C(3) << 60), ""), u->f64, "");
}

static LLVMValueRef encode_integer(struct tj_unit *u, LLVMValueRef integer)
{
  return tj_tag_from(u, LLVMBuildAShr(u->b, integer, tj_i64(u, 1), ""));
}

/* The word of a float, if its last two bits say that it is one. */
static LLVMValueRef float_word(struct tj_unit *u, LLVMValueRef number, LLVMValueRef *is_flat)
{
  LLVMValueRef bits = LLVMBuildBitCast(u->b, number, u->i64, "");
  LLVMValueRef word = rotate_left(u, LLVMBuildAdd(u->b, bits, tj_i64(u, INT64_C(3) << 60), ""), 3);
  LLVMValueRef ends = LLVMBuildAnd(u->b, word, tj_i64(u, 3), "");

  *is_flat = LLVMBuildICmp(u->b, LLVMIntEQ, ends, tj_i64(u, 3), "");
  return word;
}

static LLVMValueRef flat_value(struct tj_unit *u, LLVMValueRef word)
{
  return tj_tag_from(u, LLVMBuildAShr(u->b, word, tj_i64(u, 1), ""));
}

/* 0.0 or -0.0. */
static LLVMValueRef zero_value(struct tj_unit *u, LLVMValueRef number)
{
  LLVMValueRef bits = LLVMBuildBitCast(u->b, number, u->i64, "");
  LLVMValueRef minus = LLVMBuildICmp(u->b, LLVMIntSLT, bits, tj_i64(u, 0), "");

  return LLVMBuildSelect(u->b, minus, tj_special(u, MINUS_ZERO_NUMBER), tj_special(u, ZERO_NUMBER), "");
}

static LLVMValueRef is_zero(struct tj_unit *u, LLVMValueRef number)
{
  return LLVMBuildFCmp(u->b, LLVMRealOEQ, number, LLVMConstReal(u->f64, 0.0), "");
}

/* The value of a float. Floats without immediate are allocated or, if there is an instance, leave for the interpreter:
 * the value is then an immediate, and its stores need no barrier. */
static LLVMValueRef encode_float(struct tj_unit *u, struct tj_instance *in, LLVMValueRef number)
{
  LLVMBasicBlockRef flat = tj_block(u, "flat"), rare = tj_block(u, "rare"), zero = tj_block(u, "zero"),
                    box = tj_block(u, "box"), join = tj_block(u, "encoded"), from[3];
  LLVMValueRef condition, word = float_word(u, number, &condition), values[3];

  tj_branch_likely(u, condition, flat, rare);
  tj_at(u, flat);
  values[0] = flat_value(u, word);
  from[0] = flat;
  LLVMBuildBr(u->b, join);
  tj_at(u, rare);
  LLVMBuildCondBr(u->b, is_zero(u, number), zero, box);
  tj_at(u, zero);
  values[1] = zero_value(u, number);
  from[1] = zero;
  LLVMBuildBr(u->b, join);
  tj_at(u, box);
  if (in) {
    tj_leave(u, in, TJ_RANGE);
  } else {
    values[2] = tj_call_runtime(u, TJ_box_float, &number);
    from[2] = box;
    LLVMBuildBr(u->b, join);
  }
  tj_at(u, join);
  LLVMValueRef phi = LLVMBuildPhi(u->b, u->ref, "");
  LLVMAddIncoming(phi, values, from, in ? 2 : 3);
  return phi;
}

LLVMValueRef tj_box(struct tj_unit *u, struct tj_var var)
{
  switch (var.rep) {
  case TJ_WORD:
    return var.v;
  case TJ_INT:
    return encode_integer(u, var.v);
  case TJ_FLOAT:
    return encode_float(u, NULL, var.v);
  case TJ_BOOL:
    return LLVMBuildSelect(u->b, var.v, tj_special(u, 1), tj_special(u, 0), "");
  default:
    return tj_nil(u);
  }
}

static LLVMValueRef integer_to_float(struct tj_unit *u, LLVMValueRef integer)
{
  return LLVMBuildSIToFP(u->b, LLVMBuildAShr(u->b, integer, tj_i64(u, 3), ""), u->f64, "");
}

/* ---- registers ---- */

LLVMValueRef tj_reg_word(struct tj_unit *u, struct tj_instance *in, unsigned reg)
{
  if (in->regs[reg].rep == TJ_FLOAT && tj_speculates(u, in, TJ_RANGE))
    return encode_float(u, in, in->regs[reg].v);
  return tj_box(u, in->regs[reg]);
}

LLVMValueRef tj_reg_int(struct tj_unit *u, struct tj_instance *in, unsigned reg)
{
  struct tj_var *var = &in->regs[reg];

  if (var->rep == TJ_INT)
    return var->v;
  if (var->rep != TJ_WORD) {
    tj_guard(u, in, LLVMConstInt(u->i1, 0, false), TJ_TYPE);
    return tj_i64(u, 0);
  }
  tj_guard(u, in, tj_is_integer(u, var->v), TJ_TYPE);
  *var = tj_int(decode_integer(u, var->v));
  return var->v;
}

/* A function of the module: the float of a word that is an integer, a zero or a box, else TJ_NO_NUMBER. */
static void emit_number_function(struct tj_unit *u)
{
  LLVMValueRef word = LLVMGetParam(u->function, 0);
  LLVMBasicBlockRef whole = tj_block(u, "whole"), other = tj_block(u, "other"), zero = tj_block(u, "zero"),
                    some = tj_block(u, "some"), box = tj_block(u, "box"), none = tj_block(u, "none"),
                    object = tj_block(u, "object");

  LLVMBuildCondBr(u->b, tj_is_integer(u, word), whole, other);
  tj_at(u, whole);
  LLVMBuildRet(u->b, integer_to_float(u, decode_integer(u, word)));
  tj_at(u, other);
  LLVMValueRef plus = LLVMBuildICmp(u->b, LLVMIntEQ, word, tj_special(u, ZERO_NUMBER), ""),
               minus = LLVMBuildICmp(u->b, LLVMIntEQ, word, tj_special(u, MINUS_ZERO_NUMBER), "");
  LLVMBuildCondBr(u->b, LLVMBuildOr(u->b, plus, minus, ""), zero, some);
  tj_at(u, zero);
  LLVMBuildRet(u->b, LLVMBuildSelect(u->b, minus, LLVMConstReal(u->f64, -0.0), LLVMConstReal(u->f64, 0.0), ""));
  tj_at(u, some);
  LLVMBuildCondBr(u->b, tj_is_reference(u, word), object, none);
  tj_at(u, object);
  LLVMValueRef kind = tj_load(u, u->i32, word, offsetof(struct tiny_object, kind), TJ_HEADER);
  LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntEQ, kind, tj_i32(u, TINY_FLOAT), ""), box, none);
  tj_at(u, box);
  LLVMBuildRet(u->b, tj_load(u, u->f64, word, offsetof(struct tiny_float, number), TJ_FIXED));
  tj_at(u, none);
  LLVMBuildRet(u->b, LLVMConstBitCast(tj_i64(u, (int64_t)TJ_NO_NUMBER), u->f64));
}

static LLVMValueRef number_function(struct tj_unit *u, LLVMTypeRef type)
{
  LLVMValueRef made = LLVMGetNamedFunction(u->module, "tiny.number"), function = u->function;
  LLVMBasicBlockRef here = tj_here(u);

  if (made)
    return made;
  made = LLVMAddFunction(u->module, "tiny.number", type);
  LLVMSetLinkage(made, LLVMInternalLinkage);
  LLVMSetGC(made, "statepoint-example");
  unsigned noinline_kind = LLVMGetEnumAttributeKindForName("noinline", 8);
  LLVMAddAttributeAtIndex(made, (unsigned)LLVMAttributeFunctionIndex,
                          LLVMCreateEnumAttribute(u->llvm, noinline_kind, 0));
  u->function = made;
  tj_at(u, tj_block(u, "entry"));
  emit_number_function(u);
  u->function = function;
  tj_at(u, here);
  return made;
}

/* A word that is no flat float: an integer, a zero or a box. */
static LLVMValueRef decode_rare(struct tj_unit *u, struct tj_instance *in, LLVMValueRef word)
{
  LLVMTypeRef type = LLVMFunctionType(u->f64, &u->ref, 1, false);
  LLVMValueRef number = LLVMBuildCall2(u->b, type, number_function(u, type), &word, 1, "");
  LLVMValueRef bits = LLVMBuildBitCast(u->b, number, u->i64, "");

  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntNE, bits, tj_i64(u, (int64_t)TJ_NO_NUMBER), ""), TJ_TYPE);
  return number;
}

void tj_unbox_float(struct tj_unit *u, struct tj_instance *in, unsigned reg)
{
  struct tj_var *var = &in->regs[reg];
  LLVMValueRef word = var->v;

  if (var->rep != TJ_WORD)
    return;
  LLVMBasicBlockRef flat = tj_block(u, "flat"), rare = tj_block(u, "number"), join = tj_block(u, "decoded");
  tj_branch_likely(u, tj_is_flat(u, word), flat, rare);
  tj_at(u, flat);
  LLVMValueRef easy = decode_flat(u, word);
  LLVMBuildBr(u->b, join);
  tj_at(u, rare);
  tj_guard(u, in, LLVMBuildNot(u->b, tj_is_integer(u, word), ""), TJ_OVERFLOW);
  LLVMValueRef hard = decode_rare(u, in, word);
  LLVMBasicBlockRef from = tj_here(u);
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
  *var = tj_float(tj_phi2(u, u->f64, easy, flat, hard, from));
}

LLVMValueRef tj_reg_number(struct tj_unit *u, struct tj_instance *in, unsigned reg, LLVMValueRef *integer)
{
  struct tj_var *var = &in->regs[reg];

  *integer = NULL;
  if (var->rep == TJ_FLOAT)
    return var->v;
  if (var->rep == TJ_INT) {
    *integer = LLVMConstInt(u->i1, 1, false);
    return integer_to_float(u, var->v);
  }
  if (var->rep != TJ_WORD) {
    tj_guard(u, in, LLVMConstInt(u->i1, 0, false), TJ_TYPE);
    return LLVMConstReal(u->f64, 0.0);
  }
  LLVMBasicBlockRef flat = tj_block(u, "flat"), rare = tj_block(u, "number"), join = tj_block(u, "decoded");
  LLVMValueRef word = var->v;
  tj_branch_likely(u, tj_is_flat(u, word), flat, rare);
  tj_at(u, flat);
  LLVMValueRef easy = decode_flat(u, word);
  LLVMBuildBr(u->b, join);
  tj_at(u, rare);
  LLVMValueRef whole = tj_is_integer(u, word), hard = decode_rare(u, in, word);
  LLVMBasicBlockRef from = tj_here(u);
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
  *integer = tj_phi2(u, u->i1, LLVMConstInt(u->i1, 0, false), flat, whole, from);
  return tj_phi2(u, u->f64, easy, flat, hard, from);
}
