/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic and comparisons. The interpreter's quickened opcodes tell the types so far (bytecode.def): NAME for
 * integers, NAME_F for floats, NAME_X for others. Operands that are unboxed already decide before the opcode does.
 * Other operations are calls of the program.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "tiny/core/object.h"

enum variant { INTEGERS, FLOATS, MIXED };

static enum variant variant_of(uint32_t op)
{
  switch (op) {
  case TINY_OP_ADD_F:
  case TINY_OP_SUBTRACT_F:
  case TINY_OP_MULTIPLY_F:
  case TINY_OP_DIVIDE:
  case TINY_OP_JUMP_LESS_F:
  case TINY_OP_JUMP_LESS_EQUAL_F:
    return FLOATS;
  case TINY_OP_ADD_X:
  case TINY_OP_SUBTRACT_X:
  case TINY_OP_MULTIPLY_X:
  case TINY_OP_DIVIDE_X:
  case TINY_OP_FLOOR_DIVIDE_X:
  case TINY_OP_MODULO_X:
  case TINY_OP_POWER:
  case TINY_OP_ADD_SMALL_X:
  case TINY_OP_JUMP_LESS_X:
  case TINY_OP_JUMP_LESS_EQUAL_X:
  case TINY_OP_JUMP_EQUAL_X:
  case TINY_OP_JUMP_LESS_SMALL_X:
  case TINY_OP_JUMP_GREATER_SMALL_X:
  case TINY_OP_JUMP_EQUAL_SMALL_X:
    return MIXED;
  default:
    return INTEGERS;
  }
}

static bool is_number(enum tj_rep rep)
{
  return rep == TJ_INT || rep == TJ_FLOAT;
}

/* The variant for operands of these representations. */
static enum variant choose(struct tj_unit *u, struct tj_instance *in, enum variant seen, enum tj_rep b, enum tj_rep c)
{
  if (b == TJ_INT && c == TJ_INT)
    return INTEGERS;
  if (b == TJ_BOOL || c == TJ_BOOL || b == TJ_NONE || c == TJ_NONE)
    return MIXED;
  if (is_number(b) && is_number(c))
    return FLOATS;
  if (!tj_speculates(u, in, TJ_TYPE))
    return MIXED;
  if (b == TJ_FLOAT || c == TJ_FLOAT)
    return FLOATS;
  return seen;
}

/* ---- integers ---- */

static LLVMValueRef with_overflow(struct tj_unit *u, struct tj_instance *in, const char *name, LLVMValueRef x,
                                  LLVMValueRef y)
{
  LLVMValueRef arguments[] = {x, y}, pair = tj_intrinsic(u, name, u->i64, arguments, 2);

  tj_guard(u, in, LLVMBuildNot(u->b, LLVMBuildExtractValue(u->b, pair, 1, ""), ""), TJ_OVERFLOW);
  return LLVMBuildExtractValue(u->b, pair, 0, "");
}

static LLVMValueRef signs_differ(struct tj_unit *u, LLVMValueRef rest, LLVMValueRef y)
{
  LLVMValueRef some = LLVMBuildICmp(u->b, LLVMIntNE, rest, tj_i64(u, 0), "");
  LLVMValueRef differ = LLVMBuildICmp(u->b, LLVMIntSLT, LLVMBuildXor(u->b, rest, y, ""), tj_i64(u, 0), "");

  return LLVMBuildAnd(u->b, some, differ, "");
}

/* The power of two that the integer is, a constant; -1 for others. */
static int log2_of(LLVMValueRef y)
{
  uint64_t n = LLVMIsAConstantInt(y) ? LLVMConstIntGetZExtValue(y) >> 3 : 0;

  return n && (n & (n - 1)) == 0 && n >> 60 == 0 ? __builtin_ctzll(n) : -1;
}

static LLVMValueRef floor_divide(struct tj_unit *u, struct tj_instance *in, LLVMValueRef x, LLVMValueRef y)
{
  if (log2_of(y) >= 0)
    return LLVMBuildAnd(u->b, LLVMBuildAShr(u->b, x, tj_i64(u, log2_of(y)), ""), tj_i64(u, -8), "");
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntNE, y, tj_i64(u, 0), ""), TJ_RANGE);
  LLVMValueRef q = LLVMBuildSDiv(u->b, x, y, ""), rest = LLVMBuildSRem(u->b, x, y, "");
  LLVMValueRef less = LLVMBuildZExt(u->b, signs_differ(u, rest, y), u->i64, "");
  q = LLVMBuildSub(u->b, q, less, "");
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntNE, q, tj_i64(u, INT64_C(1) << 60), ""), TJ_OVERFLOW);
  return LLVMBuildShl(u->b, q, tj_i64(u, 3), "");
}

static LLVMValueRef modulo(struct tj_unit *u, struct tj_instance *in, LLVMValueRef x, LLVMValueRef y)
{
  if (log2_of(y) >= 0)
    return LLVMBuildAnd(u->b, x, LLVMBuildSub(u->b, y, tj_i64(u, 8), ""), "");
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntNE, y, tj_i64(u, 0), ""), TJ_RANGE);
  LLVMValueRef rest = LLVMBuildSRem(u->b, x, y, "");
  return LLVMBuildSelect(u->b, signs_differ(u, rest, y), LLVMBuildAdd(u->b, rest, y, ""), rest, "");
}

static LLVMValueRef shift(struct tj_unit *u, struct tj_instance *in, bool left, LLVMValueRef x, LLVMValueRef y)
{
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntULE, y, tj_i64(u, 60 << 3), ""), TJ_RANGE);
  LLVMValueRef by = LLVMBuildLShr(u->b, y, tj_i64(u, 3), "");
  if (left)
    return LLVMBuildShl(u->b, x, by, "");
  return LLVMBuildAnd(u->b, LLVMBuildAShr(u->b, x, by, ""), tj_i64(u, -8), "");
}

/* Null: there is no operation on integers. */
static LLVMValueRef integer_operation(struct tj_unit *u, struct tj_instance *in, uint32_t base, LLVMValueRef x,
                                      LLVMValueRef y)
{
  switch (base) {
  case TINY_OP_ADD:
    return with_overflow(u, in, "llvm.sadd.with.overflow", x, y);
  case TINY_OP_SUBTRACT:
    return with_overflow(u, in, "llvm.ssub.with.overflow", x, y);
  case TINY_OP_MULTIPLY:
    return with_overflow(u, in, "llvm.smul.with.overflow", LLVMBuildAShr(u->b, x, tj_i64(u, 3), ""), y);
  case TINY_OP_FLOOR_DIVIDE:
    return floor_divide(u, in, x, y);
  case TINY_OP_MODULO:
    return modulo(u, in, x, y);
  case TINY_OP_AND:
    return LLVMBuildAnd(u->b, x, y, "");
  case TINY_OP_OR:
    return LLVMBuildOr(u->b, x, y, "");
  case TINY_OP_XOR:
    return LLVMBuildXor(u->b, x, y, "");
  case TINY_OP_SHIFT_LEFT:
  case TINY_OP_SHIFT_RIGHT:
    return shift(u, in, base == TINY_OP_SHIFT_LEFT, x, y);
  default:
    return NULL;
  }
}

/* ---- floats ---- */

static LLVMValueRef float_operation(struct tj_unit *u, uint32_t base, LLVMValueRef x, LLVMValueRef y)
{
  switch (base) {
  case TINY_OP_ADD:
    return LLVMBuildFAdd(u->b, x, y, "");
  case TINY_OP_SUBTRACT:
    return LLVMBuildFSub(u->b, x, y, "");
  case TINY_OP_MULTIPLY:
    return LLVMBuildFMul(u->b, x, y, "");
  case TINY_OP_DIVIDE:
    return LLVMBuildFDiv(u->b, x, y, "");
  default:
    return NULL;
  }
}

/* Both numbers; unless `integers_too`, a guard tells that one is a float: words count as floats first, and as any
 * number after a failure. */
static void read_numbers(struct tj_unit *u, struct tj_instance *in, unsigned b, unsigned c, bool integers_too,
                         LLVMValueRef *x, LLVMValueRef *y)
{
  LLVMValueRef x_integer, y_integer;

  if (!integers_too && tj_speculates(u, in, TJ_OVERFLOW)) {
    tj_unbox_float(u, in, b);
    tj_unbox_float(u, in, c);
  }
  *x = tj_reg_number(u, in, b, &x_integer);
  *y = b == c ? *x : tj_reg_number(u, in, c, &y_integer);
  if (b == c)
    y_integer = x_integer;
  if (x_integer && y_integer && !integers_too)
    tj_guard(u, in, LLVMBuildNot(u->b, LLVMBuildAnd(u->b, x_integer, y_integer, ""), ""), TJ_TYPE);
}

/* ---- instructions ---- */

static struct tj_var call_arithmetic(struct tj_unit *u, struct tj_instance *in, uint32_t base, struct tj_var b,
                                     struct tj_var c)
{
  LLVMValueRef arguments[] = {tj_i32(u, base), tj_box(u, b), tj_box(u, c)};

  return tj_word(tj_check_thrown(u, in, tj_call_runtime(u, TJ_arithmetic, arguments)));
}

static void emit_binary(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t op = word & 255, base = in->body->rows[op].base;
  unsigned a = TINY_A(word), b = TINY_B(word), c = TINY_C(word);
  bool bits = base >= TINY_OP_AND && base <= TINY_OP_SHIFT_RIGHT;
  enum variant variant = choose(u, in, variant_of(op), in->regs[b].rep, in->regs[c].rep);
  LLVMValueRef x, y, result = NULL;

  if (base == TINY_OP_DIVIDE && variant == INTEGERS)
    variant = FLOATS;
  bool safe = tj_speculates(u, in, TJ_OVERFLOW) && tj_speculates(u, in, TJ_RANGE) && base != TINY_OP_POWER;
  if (variant == INTEGERS && safe) {
    x = tj_reg_int(u, in, b);
    y = tj_reg_int(u, in, c);
    result = integer_operation(u, in, base, x, y);
    in->regs[a] = tj_int(result);
  } else if (variant == FLOATS && base <= TINY_OP_DIVIDE_X && !bits) {
    read_numbers(u, in, b, c, base == TINY_OP_DIVIDE, &x, &y);
    result = float_operation(u, base, x, y);
    in->regs[a] = tj_float(result);
  }
  if (!result)
    in->regs[a] = call_arithmetic(u, in, base, in->regs[b], in->regs[c]);
}

static void emit_add_small(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word), b = TINY_B(word);
  enum tj_rep rep = in->regs[b].rep;
  enum variant variant = choose(u, in, variant_of(word & 255), rep, rep == TJ_FLOAT ? TJ_FLOAT : TJ_INT);
  int64_t c = TINY_SMALL_OF(word);

  if (rep == TJ_FLOAT)
    in->regs[a] = tj_float(LLVMBuildFAdd(u->b, in->regs[b].v, LLVMConstReal(u->f64, (double)c), ""));
  else if (variant == INTEGERS && tj_speculates(u, in, TJ_OVERFLOW))
    in->regs[a] = tj_int(with_overflow(u, in, "llvm.sadd.with.overflow", tj_reg_int(u, in, b), tj_i64(u, c * 8)));
  else
    in->regs[a] =
        call_arithmetic(u, in, c < 0 ? TINY_OP_SUBTRACT : TINY_OP_ADD, in->regs[b], tj_int(tj_i64(u, labs(c) * 8)));
}

/* No opcode tells the type: an integer first; after a failure a float; then anything. */
static void emit_negate(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word), b = TINY_B(word);
  enum tj_rep rep = in->regs[b].rep;
  LLVMValueRef integer;

  if (rep == TJ_FLOAT) {
    in->regs[a] = tj_float(LLVMBuildFNeg(u->b, in->regs[b].v, ""));
  } else if ((rep == TJ_INT || rep == TJ_WORD) && tj_speculates(u, in, TJ_TYPE) && tj_speculates(u, in, TJ_OVERFLOW)) {
    LLVMValueRef x = tj_reg_int(u, in, b);
    in->regs[a] = tj_int(with_overflow(u, in, "llvm.ssub.with.overflow", tj_i64(u, 0), x));
  } else if (rep == TJ_WORD && tj_speculates(u, in, TJ_RANGE)) {
    LLVMValueRef x = tj_reg_number(u, in, b, &integer);
    tj_guard(u, in, LLVMBuildNot(u->b, integer, ""), TJ_RANGE);
    in->regs[a] = tj_float(LLVMBuildFNeg(u->b, x, ""));
  } else {
    in->regs[a] = call_arithmetic(u, in, TINY_OP_NEGATE, in->regs[b], tj_word(tj_nil(u)));
  }
}

static void emit_complement(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word), b = TINY_B(word);

  if (in->regs[b].rep == TJ_INT || (in->regs[b].rep == TJ_WORD && tj_speculates(u, in, TJ_TYPE)))
    in->regs[a] = tj_int(LLVMBuildXor(u->b, tj_reg_int(u, in, b), tj_i64(u, -8), ""));
  else
    in->regs[a] = call_arithmetic(u, in, TINY_OP_COMPLEMENT, in->regs[b], tj_word(tj_nil(u)));
}

static void emit_text(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned first = TINY_B(word), count = TINY_C(word), taken = 0;
  LLVMValueRef text = NULL, nil = tj_nil(u), arguments[] = {NULL, nil, nil, nil, nil};

  do {
    unsigned parts = 0;
    if (text)
      arguments[++parts] = text;
    while (parts < 4 && taken < count)
      arguments[++parts] = tj_box(u, in->regs[first + taken++]);
    arguments[0] = tj_i32(u, parts);
    text = tj_check_thrown(u, in, tj_call_runtime(u, TJ_jit_text_4, arguments));
  } while (taken < count);
  in->regs[TINY_A(word)] = tj_object(text, TINY_STRING);
}

bool tj_emit_arithmetic(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t op = word & 255, base = in->body->rows[op].base;

  if (base >= TINY_OP_ADD && base <= TINY_OP_SHIFT_RIGHT)
    emit_binary(u, in, word);
  else if (base == TINY_OP_ADD_SMALL)
    emit_add_small(u, in, word);
  else if (op == TINY_OP_NEGATE)
    emit_negate(u, in, word);
  else if (op == TINY_OP_COMPLEMENT)
    emit_complement(u, in, word);
  else if (op == TINY_OP_NOT)
    in->regs[TINY_A(word)] = tj_bool(LLVMBuildNot(u->b, tj_is_true(u, in->regs[TINY_B(word)]), ""));
  else if (op == TINY_OP_TEXT)
    emit_text(u, in, word);
  else
    return false;
  return true;
}

/* ---- comparisons ---- */

/* Equality of words: objects other than strings and floats are equal if they are the same; the rest is a call. */
static LLVMValueRef equal_words(struct tj_unit *u, LLVMValueRef x, LLVMValueRef y)
{
  LLVMBasicBlockRef object = tj_block(u, "object"), same = tj_block(u, "same"), call = tj_block(u, "equal"),
                    join = tj_block(u, "compared");
  LLVMValueRef arguments[] = {x, y};

  LLVMBuildCondBr(u->b, tj_is_reference(u, x), object, call);
  tj_at(u, object);
  LLVMValueRef kind = tj_load(u, u->i32, x, offsetof(struct tiny_object, kind), TJ_HEADER);
  LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntUGT, kind, tj_i32(u, TINY_FLOAT), ""), same, call);
  tj_at(u, same);
  LLVMValueRef fast = LLVMBuildICmp(u->b, LLVMIntEQ, x, y, "");
  LLVMBuildBr(u->b, join);
  tj_at(u, call);
  LLVMValueRef slow = LLVMBuildICmp(u->b, LLVMIntNE, tj_call_runtime(u, TJ_jit_equal, arguments), tj_i64(u, 0), "");
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
  return tj_phi2(u, u->i1, fast, same, slow, call);
}

/* The bytes of a short string, from the first on, are those of the symbol: `string` has its length. */
static LLVMValueRef has_bytes(struct tj_unit *u, LLVMValueRef string, const struct tiny_symbol *symbol)
{
  uint64_t bytes = 0, mask = symbol->length < 8 ? (UINT64_C(1) << 8 * symbol->length) - 1 : UINT64_MAX;

  if (symbol->length == 0)
    return LLVMConstInt(u->i1, 1, false);
  memcpy(&bytes, symbol->bytes, symbol->length);
  LLVMValueRef found = tj_load(u, u->i64, string, offsetof(struct tiny_string, bytes), TJ_FIXED);
  return LLVMBuildICmp(u->b, LLVMIntEQ, LLVMBuildAnd(u->b, found, tj_i64(u, (int64_t)mask), ""),
                       tj_i64(u, (int64_t)bytes), "");
}

/* Equality of a value and the string of a symbol that is short. Objects have whole words, so that a word of the bytes
 * may be read. */
static LLVMValueRef equal_symbol(struct tj_unit *u, struct tj_var var, const struct tiny_symbol *symbol)
{
  LLVMBasicBlockRef string = tj_block(u, "string"), same = tj_block(u, "same"), join = tj_block(u, "compared"), from[3];
  LLVMValueRef no = LLVMConstInt(u->i1, 0, false), values[] = {no, no, NULL};

  LLVMValueRef is_string = tj_is_kind(u, var, TINY_STRING);
  from[0] = tj_here(u);
  LLVMBuildCondBr(u->b, is_string, string, join);
  tj_at(u, string);
  LLVMValueRef length = tj_load(u, u->i32, var.v, offsetof(struct tiny_string, length), TJ_FIXED);
  LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntEQ, length, tj_i32(u, symbol->length), ""), same, join);
  from[1] = string;
  tj_at(u, same);
  values[2] = has_bytes(u, var.v, symbol);
  from[2] = same;
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
  LLVMValueRef phi = LLVMBuildPhi(u->b, u->i1, "");
  LLVMAddIncoming(phi, values, from, 3);
  return phi;
}

static const struct tiny_symbol *short_symbol(struct tj_unit *u, uint32_t number)
{
  const struct tiny_symbol *symbol = number ? tiny_table_at(&u->request->tables->symbols, number) : NULL;

  return symbol && symbol->length <= 8 ? symbol : NULL;
}

static LLVMValueRef compare_by_call(struct tj_unit *u, struct tj_instance *in, uint32_t base, struct tj_var b,
                                    struct tj_var c)
{
  const struct tiny_symbol *b_symbol = short_symbol(u, b.symbol), *c_symbol = short_symbol(u, c.symbol);

  if (base == TINY_OP_JUMP_EQUAL && (b_symbol || c_symbol))
    return b_symbol ? equal_symbol(u, c, b_symbol) : equal_symbol(u, b, c_symbol);
  LLVMValueRef arguments[] = {tj_i32(u, base), tj_box(u, b), tj_box(u, c)};
  if (base == TINY_OP_JUMP_EQUAL && (b.rep == TJ_BOOL || c.rep == TJ_BOOL))
    return LLVMBuildICmp(u->b, LLVMIntEQ, arguments[1], arguments[2], "");
  if (base == TINY_OP_JUMP_EQUAL)
    return equal_words(u, arguments[1], arguments[2]);
  LLVMValueRef truth = tj_check_thrown(u, in, tj_call_runtime(u, TJ_compare, arguments));
  return LLVMBuildICmp(u->b, LLVMIntEQ, truth, tj_special(u, 1), "");
}

/* The number of a register, as a float. An integer that needs more than 53 bits leaves. */
static LLVMValueRef read_exact(struct tj_unit *u, struct tj_instance *in, unsigned reg)
{
  LLVMValueRef integer, x = tj_reg_number(u, in, reg, &integer);

  if (integer) {
    LLVMValueRef size = tj_intrinsic(u, "llvm.fabs", u->f64, &x, 1);
    LLVMValueRef fits = LLVMBuildFCmp(u->b, LLVMRealOLT, size, LLVMConstReal(u->f64, 0x1p53), "");
    tj_guard(u, in, LLVMBuildOr(u->b, LLVMBuildNot(u->b, integer, ""), fits, ""), TJ_OVERFLOW);
  }
  return x;
}

/* The comparison that the opcode makes, of its registers or of a register and a small number. */
static LLVMValueRef emit_truth(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  static const struct {
    LLVMIntPredicate integer;
    LLVMRealPredicate real;
  } predicates[] = {{LLVMIntSLT, LLVMRealOLT}, {LLVMIntSLE, LLVMRealOLE}, {LLVMIntEQ, LLVMRealOEQ}};
  uint32_t op = word & 255, base = in->body->rows[op].base;
  unsigned which = base == TINY_OP_JUMP_LESS         ? 0
                   : base == TINY_OP_JUMP_LESS_EQUAL ? 1
                                                     : 2,
           b = TINY_B(word), c = TINY_C(word);
  LLVMValueRef x, y;
  enum variant variant = choose(u, in, variant_of(op), in->regs[b].rep, in->regs[c].rep);

  if (variant == FLOATS && !tj_speculates(u, in, TJ_OVERFLOW))
    variant = MIXED;
  switch (variant) {
  case INTEGERS:
    x = tj_reg_int(u, in, b);
    y = tj_reg_int(u, in, c);
    return LLVMBuildICmp(u->b, predicates[which].integer, x, y, "");
  case FLOATS:
    x = read_exact(u, in, b);
    y = read_exact(u, in, c);
    return LLVMBuildFCmp(u->b, predicates[which].real, x, y, "");
  default:
    return compare_by_call(u, in, base, in->regs[b], in->regs[c]);
  }
}

static LLVMValueRef emit_small_truth(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t op = word & 255, base = in->body->rows[op].base;
  unsigned b = TINY_B(word);
  int64_t c = TINY_SMALL_OF(word);
  bool less = base == TINY_OP_JUMP_LESS_SMALL, greater = base == TINY_OP_JUMP_GREATER_SMALL;
  enum tj_rep rep = in->regs[b].rep;

  if (rep == TJ_FLOAT)
    return LLVMBuildFCmp(u->b,
                         less      ? LLVMRealOLT
                         : greater ? LLVMRealOGT
                                   : LLVMRealOEQ,
                         in->regs[b].v, LLVMConstReal(u->f64, (double)c), "");
  if (choose(u, in, variant_of(op), rep, TJ_INT) == INTEGERS)
    return LLVMBuildICmp(u->b,
                         less      ? LLVMIntSLT
                         : greater ? LLVMIntSGT
                                   : LLVMIntEQ,
                         tj_reg_int(u, in, b), tj_i64(u, c * 8), "");
  struct tj_var small = tj_int(tj_i64(u, c * 8));
  if (greater)
    return compare_by_call(u, in, TINY_OP_JUMP_LESS, small, in->regs[b]);
  return compare_by_call(u, in, less ? TINY_OP_JUMP_LESS : TINY_OP_JUMP_EQUAL, in->regs[b], small);
}

static LLVMValueRef is_nil(struct tj_unit *u, struct tj_var var)
{
  if (var.rep != TJ_WORD)
    return LLVMConstInt(u->i1, var.rep == TJ_NONE, false);
  return LLVMBuildICmp(u->b, LLVMIntEQ, var.v, tj_nil(u), "");
}

static void jump_if(struct tj_unit *u, struct tj_instance *in, LLVMValueRef truth, bool sense)
{
  LLVMBasicBlockRef taken = tj_block(u, "taken"), next = tj_block(u, "next");
  uint32_t target = tj_jump_target(in->body, in->at), after = in->at + tj_words_at(in->body, in->at);

  LLVMBuildCondBr(u->b, truth, sense ? taken : next, sense ? next : taken);
  tj_at(u, taken);
  tj_go(u, in, target);
  tj_at(u, next);
  tj_go(u, in, after);
}

static void emit_for_prepare(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  LLVMValueRef from = tj_reg_int(u, in, TINY_A(word)), to = tj_reg_int(u, in, TINY_A(word) + 1);

  jump_if(u, in, LLVMBuildICmp(u->b, LLVMIntSGE, from, to, ""), true);
}

static void emit_for_loop(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  LLVMValueRef from = tj_reg_int(u, in, TINY_A(word)), to = tj_reg_int(u, in, TINY_A(word) + 1);
  LLVMValueRef next = LLVMBuildNSWAdd(u->b, from, tj_i64(u, 8), "");

  in->regs[TINY_A(word)] = tj_int(next);
  jump_if(u, in, LLVMBuildICmp(u->b, LLVMIntSLT, next, to, ""), true);
}

bool tj_emit_compare(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t op = word & 255, base = in->body->rows[op].base;

  if (base == TINY_OP_JUMP_LESS || base == TINY_OP_JUMP_LESS_EQUAL || base == TINY_OP_JUMP_EQUAL)
    jump_if(u, in, emit_truth(u, in, word), TINY_A(word));
  else if (base == TINY_OP_JUMP_LESS_SMALL || base == TINY_OP_JUMP_GREATER_SMALL || base == TINY_OP_JUMP_EQUAL_SMALL)
    jump_if(u, in, emit_small_truth(u, in, word), TINY_A(word));
  else if (op == TINY_OP_JUMP_NIL)
    jump_if(u, in, is_nil(u, in->regs[TINY_B(word)]), TINY_A(word));
  else if (op == TINY_OP_JUMP_TRUE || op == TINY_OP_JUMP_FALSE)
    jump_if(u, in, tj_is_true(u, in->regs[TINY_A(word)]), op == TINY_OP_JUMP_TRUE);
  else if (op == TINY_OP_JUMP || op == TINY_OP_LOOP)
    tj_go(u, in, tj_jump_target(in->body, in->at));
  else if (op == TINY_OP_FOR_PREPARE)
    emit_for_prepare(u, in, word);
  else if (op == TINY_OP_FOR_LOOP)
    emit_for_loop(u, in, word);
  else
    return false;
  return true;
}
