/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: stackmaps, and patchpoints of no-ops, whose values recorder.c reads while the module runs. In modules
 * for reference, a call with the same values stands in the place of each point.
 */
#include <string.h>
#include "random/modules/maker.h"
#include "random/modules/records.h"

enum { FIXED = 4, ANY_REGISTER = 13, ARGUMENTS = 6, NO_CONVENTION = 1000 };

struct value {
  LLVMValueRef value;
  unsigned code;
};

/* ---- values ---- */

static struct value defined_value(struct cn_maker *m, enum cn_kind kind)
{
  struct value v = {cn_get(m, kind), CN_RECORD_NUMBER};
  unsigned bits = 1 + cn_below(m, 63);

  switch (kind) {
  case CN_NUMBER:
    if (cn_chance(m, 50))
      return (struct value){LLVMBuildTrunc(m->builder, v.value, LLVMIntTypeInContext(m->llvm, bits), ""), bits};
    v.code = CN_RECORD_INTEGER;
    return v;
  case CN_REAL:
    if (cn_chance(m, 30))
      return (struct value){LLVMBuildFPTrunc(m->builder, v.value, LLVMFloatTypeInContext(m->llvm), ""),
                            CN_RECORD_FLOAT};
    v.code = CN_RECORD_DOUBLE;
    return v;
  case CN_PLACE:
    v.code = CN_RECORD_LOCAL_REFERENCE;
    return v;
  case CN_SLOT:
  case CN_NODES:
    v.code = CN_RECORD_REFERENCE;
    return v;
  default:
    return v;
  }
}

static struct value choose_value(struct cn_maker *m)
{
  enum cn_kind kind;

  do
    kind = (enum cn_kind)cn_below(m, CN_PLAIN_KINDS);
  while (!cn_kind_used(m, kind));
  struct value v = defined_value(m, kind);
  if (cn_chance(m, 10))
    return (struct value){LLVMGetUndef(LLVMTypeOf(v.value)), v.code | CN_RECORD_UNDEFINED};
  if (kind != CN_PLACE && cn_chance(m, 10))
    v.value = LLVMConstNull(LLVMTypeOf(v.value));
  return v;
}

/* Some are too short for a call. */
static unsigned choose_length(struct cn_maker *m)
{
  unsigned call = m->machine->call_bytes, bytes = cn_chance(m, 15) ? cn_below(m, call) : call + cn_below(m, 35);

  return bytes / m->machine->unit * m->machine->unit;
}

static void describe(struct cn_maker *m, const struct value *values, unsigned count, unsigned arguments,
                     LLVMValueRef *out)
{
  uint64_t words[CN_RECORD_WORDS] = {(uint64_t)arguments << CN_RECORD_ARGUMENTS_SHIFT};

  for (unsigned i = 0; i < count; i++)
    words[i / CN_RECORD_WORD_CODES] |= (uint64_t)values[i].code << 8 * (i % CN_RECORD_WORD_CODES);
  for (unsigned i = 0; i < CN_RECORD_WORDS; i++)
    out[i] = cn_int(m, (int64_t)words[i]);
}

/* ---- reference ---- */

static void push_word(struct cn_maker *m, struct value v)
{
  LLVMValueRef word = v.value;

  if (v.code == CN_RECORD_FLOAT)
    word = LLVMBuildBitCast(m->builder, word, m->i32, "");
  if (v.code & CN_RECORD_UNDEFINED)
    word = cn_int(m, 0);
  else if (v.code == CN_RECORD_DOUBLE)
    word = LLVMBuildBitCast(m->builder, word, m->i64, "");
  else if (v.code != CN_RECORD_INTEGER)
    word = LLVMBuildZExt(m->builder, word, m->i64, "");
  cn_call_native(m, "random_push", &word, 1);
}

/* Calls of the recorder with the values, one by one, and then with the point. */
static void call_recorder(struct cn_maker *m, LLVMValueRef id, const struct value *values, unsigned count,
                          LLVMValueRef *description)
{
  LLVMValueRef args[] = {id, description[0], description[1]};

  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef value = values[i].value;
    if (values[i].code == CN_RECORD_NUMBER || values[i].code == CN_RECORD_REFERENCE)
      cn_call_native(m, "random_push_reference", &value, 1);
    else if (values[i].code == CN_RECORD_LOCAL_REFERENCE)
      cn_call_native(m, "random_push_local", &value, 1);
    else
      push_word(m, values[i]);
  }
  cn_call_native(m, "random_record", args, 3);
}

/* ---- points ---- */

static LLVMValueRef build_point(struct cn_maker *m, bool stackmap, LLVMValueRef *args, unsigned count)
{
  const char *name = stackmap ? "llvm.experimental.stackmap" : "llvm.experimental.patchpoint.void";
  LLVMValueRef point = LLVMGetIntrinsicDeclaration(m->module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);

  return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(point), point, args, count, "");
}

/* LLVM fills the shadow of a stackmap with no-ops up to another point. */
static void end_shadow(struct cn_maker *m)
{
  LLVMValueRef args[] = {cn_int(m, -1), LLVMConstInt(m->i32, 0, false)};

  if (!m->plain)
    build_point(m, true, args, 2);
}

static void call_point(struct cn_maker *m, LLVMValueRef *args, unsigned at, const struct value *values, unsigned count,
                       LLVMValueRef *description, unsigned convention)
{
  for (unsigned i = 0; i < count; i++)
    args[at++] = values[i].value;
  for (unsigned i = 0; i < CN_RECORD_WORDS; i++)
    args[at++] = description[i];
  LLVMSetInstructionCallConv(build_point(m, convention == NO_CONVENTION, args, at),
                             convention == NO_CONVENTION ? LLVMCCallConv : convention);
}

/* A stackmap has no convention, and no arguments. */
static unsigned choose_convention(struct cn_maker *m)
{
  static const unsigned conventions[] = {LLVMCCallConv, ANY_REGISTER, LLVMPreserveMostCallConv, LLVMFastCallConv};
  unsigned convention = conventions[cn_below(m, sizeof conventions / sizeof *conventions)];

  return cn_chance(m, 50) ? NO_CONVENTION : convention;
}

void cn_point_step(struct cn_maker *m)
{
  unsigned convention = choose_convention(m), count = cn_below(m, CN_RECORD_VALUES + 1);
  bool stackmap = convention == NO_CONVENTION, ends_shadow = cn_chance(m, 70);
  unsigned bytes = choose_length(m);
  unsigned arguments = cn_below(m, (count < ARGUMENTS ? count : ARGUMENTS) + 1);
  struct value values[CN_RECORD_VALUES];
  LLVMValueRef description[CN_RECORD_WORDS], args[FIXED + CN_RECORD_VALUES + CN_RECORD_WORDS];

  if (m->point_count == CN_RECORD_POINTS)
    return;
  if (stackmap)
    arguments = 0;
  for (unsigned i = 0; i < count; i++)
    values[i] = choose_value(m);
  describe(m, values, count, arguments, description);
  /* The recorder cannot resume a point whose region is too short for a call, or has instructions. */
  bool recorded = bytes >= m->machine->call_bytes && (!stackmap || ends_shadow);
  unsigned number = m->point_count++ + (recorded ? 0 : CN_RECORD_POINTS);
  args[0] = cn_int(m, (int64_t)(m->seed << CN_RECORD_SEED_SHIFT | number));
  args[1] = LLVMConstInt(m->i32, bytes, false);
  args[2] = LLVMConstNull(m->ptr);
  args[3] = LLVMConstInt(m->i32, arguments, false);
  if (!m->plain) {
    call_point(m, args, stackmap ? 2 : FIXED, values, count, description, convention);
    if (stackmap && ends_shadow)
      end_shadow(m);
  } else if (recorded)
    call_recorder(m, args[0], values, count, description);
}
