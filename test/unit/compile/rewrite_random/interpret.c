/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter of rewrite_random.c: the instructions that generate.c and the optimiser make of
 * it, statepoints, and a heap of cells with one reference each.
 */
#include "unit/compile/rewrite_random/interpret.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/core/pass.h"

enum { LOCAL = 1 };               /* what stands for an object in the address of the local */
enum { UNDEFINED = OBJECTS - 1 }; /* the object of an undefined local's reference */
enum { FUEL = 150 };
/* Between the addresses of objects, as integers. */
#define SPACING UINT64_C(1000000)

static struct value read_value(struct machine *m, LLVMValueRef v)
{
  struct value out = {0};
  LLVMTypeRef type = LLVMTypeOf(v);

  if (LLVMIsAConstantInt(v)) {
    out.part[0].number = LLVMConstIntGetZExtValue(v);
  } else if (LLVMIsConstant(v)) {
    out.part[0].is_ref = cn_holds_ref(type);
    out.part[1].is_ref = cn_is_ref_vector(type);
  } else {
    const uint64_t *slot = cn_ptrmap_find(&m->slots, v);
    CN_CHECK(slot);
    out = m->values.at[*slot];
  }
  return out;
}

static void write_value(struct machine *m, LLVMValueRef v, struct value value)
{
  bool fresh;
  uint64_t *slot = cn_ptrmap_add(&m->slots, v, &fresh);

  if (fresh) {
    *slot = m->values.count;
    cn_push(&m->values, value);
  }
  m->values.at[*slot] = value;
}

static struct scalar read_scalar(struct machine *m, LLVMValueRef v)
{
  return read_value(m, v).part[0];
}

static void write_scalar(struct machine *m, LLVMValueRef v, struct scalar s)
{
  write_value(m, v, (struct value){{s}});
}

/* What a local holds that nothing was stored in. It may be copied: the optimiser loads before a
 * loop what is stored after it. Using it, or showing it to the collector, is wrong. */
static const struct scalar undefined = {.is_ref = true, .object = UNDEFINED, .time = UINT64_MAX / 2};

static void check_fresh(struct machine *m, struct scalar s, const char *what)
{
  if (s.is_ref && s.object && s.object != m->fixed && s.time != m->time)
    m->wrong = what;
}

static void trace(struct machine *m, uint64_t n)
{
  if (m->trace_count < TRACE)
    m->trace[m->trace_count++] = n;
}

static struct scalar reference(const struct machine *m, uint32_t object, uint64_t offset)
{
  return (struct scalar){.is_ref = true, .object = object, .number = offset, .time = m->time};
}

/* What a call does, whether plain or wrapped. */
static struct value run_callee(struct machine *m, const char *name, const struct value *args)
{
  struct value out = {0};

  if (strcmp(name, "flag") == 0) {
    m->flags++;
    out.part[0].number = (m->flags * 2654435761u >> 7) % 4;
  } else if (strcmp(name, "note") == 0) {
    trace(m, args[0].part[0].number);
  } else if (strcmp(name, "use") == 0) {
    check_fresh(m, args[0].part[0], "stale argument");
    trace(m, args[0].part[0].object * 100000u + args[0].part[0].number);
  } else if (strncmp(name, "make", 4) == 0) {
    if (m->objects + 1 < UNDEFINED)
      m->objects++;
    m->heap[m->objects] = (struct scalar){.is_ref = true};
    out.part[0] = reference(m, m->objects, 0);
    out.part[1].number = m->objects;
  }
  return out;
}

/* The collector updates the cells of the locals that the deopt bundle describes (abi.def), no
 * others. */
static void update_local(struct machine *m, LLVMOperandBundleRef deopt)
{
  unsigned at = 2, end = LLVMGetNumOperandBundleArgs(deopt);

  for (; at + 4 < end; at++) { /* one area: alloca, count, stride, number of offsets, offsets */
    uint64_t n[3], alloca = read_scalar(m, LLVMGetOperandBundleArgAtIndex(deopt, at)).number;
    for (unsigned i = 0; i < 3; i++)
      n[i] = read_scalar(m, LLVMGetOperandBundleArgAtIndex(deopt, at + 1 + i)).number;
    at += 3;
    for (uint64_t k = 0; k < n[2]; k++) {
      uint64_t offset = read_scalar(m, LLVMGetOperandBundleArgAtIndex(deopt, ++at)).number;
      for (uint64_t element = 0; element < n[0]; element++) {
        struct scalar *cell = &m->local[(alloca + offset + element * n[1]) / 8 % CELLS];
        check_fresh(m, *cell, "stale or undefined reference in a described local");
        cell->time++;
      }
    }
  }
}

static void run_statepoint(struct machine *m, LLVMValueRef call)
{
  size_t length;
  const char *name = LLVMGetValueName2(LLVMGetArgOperand(call, 2), &length);
  uint64_t count = LLVMConstIntGetZExtValue(LLVMGetArgOperand(call, 3));
  struct value args[2] = {0};

  for (unsigned i = 0; i < count; i++) {
    args[i] = read_value(m, LLVMGetArgOperand(call, 5 + i));
    check_fresh(m, args[i].part[0], "stale argument of a statepoint");
  }
  for (unsigned b = 0; b < LLVMGetNumOperandBundles(call); b++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, b);
    if (strcmp(LLVMGetOperandBundleTag(bundle, &length), "deopt") == 0)
      update_local(m, bundle);
    for (unsigned i = 0; i < LLVMGetNumOperandBundleArgs(bundle); i++)
      check_fresh(m, read_scalar(m, LLVMGetOperandBundleArgAtIndex(bundle, i)), "stale gc-live entry");
    LLVMDisposeOperandBundle(bundle);
  }
  m->time++;
  write_value(m, call, run_callee(m, name, args));
}

static void run_relocate(struct machine *m, LLVMValueRef i)
{
  LLVMValueRef statepoint = LLVMGetArgOperand(i, 0);
  unsigned last = LLVMGetNumOperandBundles(statepoint) - 1;
  LLVMOperandBundleRef live = LLVMGetOperandBundleAtIndex(statepoint, last);
  unsigned b = (unsigned)LLVMConstIntGetZExtValue(LLVMGetArgOperand(i, 1));
  unsigned d = (unsigned)LLVMConstIntGetZExtValue(LLVMGetArgOperand(i, 2));
  struct scalar base = read_scalar(m, LLVMGetOperandBundleArgAtIndex(live, b));
  struct scalar derived = read_scalar(m, LLVMGetOperandBundleArgAtIndex(live, d));

  LLVMDisposeOperandBundle(live);
  if (base.object != derived.object && derived.object != m->fixed)
    m->wrong = "base and derived in different objects";
  if (base.object && base.number != 0)
    m->wrong = "base is not the start of its object";
  /* A derived value is read at the statepoint; a loop may have come round to the same time only
   * if nothing moved. */
  if (derived.object)
    derived.time++;
  if (derived.object && derived.object != m->fixed && derived.time != m->time)
    m->wrong = "relocate of a stale value";
  write_scalar(m, i, derived);
}

static void run_call(struct machine *m, LLVMValueRef i)
{
  struct value args[2] = {0};
  size_t length;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &length);

  if (strncmp(name, "llvm.experimental.gc.statepoint", 31) == 0) {
    run_statepoint(m, i);
  } else if (strncmp(name, "llvm.experimental.gc.result", 27) == 0) {
    write_value(m, i, read_value(m, LLVMGetArgOperand(i, 0)));
  } else if (strncmp(name, "llvm.experimental.gc.relocate", 29) == 0) {
    run_relocate(m, i);
  } else if (strncmp(name, "llvm.memset", 11) == 0) {
    uint64_t first = read_scalar(m, LLVMGetArgOperand(i, 0)).number / 8;
    uint64_t count = read_scalar(m, LLVMGetArgOperand(i, 2)).number / 8;
    CN_CHECK(first + count <= CELLS);
    memset(m->local + first, 0, count * sizeof *m->local);
  } else {
    for (unsigned a = 0; a < 2 && a < LLVMGetNumArgOperands(i); a++)
      args[a] = read_value(m, LLVMGetArgOperand(i, a));
    write_value(m, i, run_callee(m, name, args));
  }
}

static unsigned lane_of(struct machine *m, LLVMValueRef index)
{
  return (unsigned)(read_scalar(m, index).number & 1);
}

static void run_aggregate(struct machine *m, LLVMValueRef i)
{
  struct value v = read_value(m, LLVMGetOperand(i, 0));

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMExtractValue:
    write_scalar(m, i, v.part[LLVMGetIndices(i)[0]]);
    break;
  case LLVMInsertValue:
    v.part[LLVMGetIndices(i)[0]] = read_scalar(m, LLVMGetOperand(i, 1));
    write_value(m, i, v);
    break;
  case LLVMExtractElement:
    write_scalar(m, i, v.part[lane_of(m, LLVMGetOperand(i, 1))]);
    break;
  default:
    v.part[lane_of(m, LLVMGetOperand(i, 2))] = read_scalar(m, LLVMGetOperand(i, 1));
    write_value(m, i, v);
  }
}

/* References are ordered by object, then offset: as in no program, but the same before and
 * after. */
static uint64_t order_key(struct scalar s)
{
  return s.is_ref ? s.object * 100000u + s.number : s.number;
}

static void run_compare(struct machine *m, LLVMValueRef i)
{
  struct scalar a = read_scalar(m, LLVMGetOperand(i, 0)), b = read_scalar(m, LLVMGetOperand(i, 1));
  uint64_t x = order_key(a), y = order_key(b);
  bool result;

  LLVMIntPredicate predicate = LLVMGetICmpPredicate(i);
  bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
  bool fixed = m->fixed && (a.object == m->fixed || b.object == m->fixed);
  bool one_time = a.is_ref && b.is_ref && (a.time == b.time || fixed);
  /* Whether two are equal is the same at any one time; whether one is null, at all times. */
  if (!equality || (!one_time && a.object && b.object)) {
    check_fresh(m, a, "stale comparison");
    check_fresh(m, b, "stale comparison");
  }
  switch (predicate) {
  case LLVMIntEQ:
    result = x == y;
    break;
  case LLVMIntNE:
    result = x != y;
    break;
  case LLVMIntUGT:
  case LLVMIntSGT:
    result = x > y;
    break;
  case LLVMIntUGE:
  case LLVMIntSGE:
    result = x >= y;
    break;
  case LLVMIntULT:
  case LLVMIntSLT:
    result = x < y;
    break;
  default:
    result = x <= y;
    break;
  }
  write_scalar(m, i, (struct scalar){.number = result});
}

static void run_arithmetic(struct machine *m, LLVMValueRef i)
{
  uint64_t a = read_scalar(m, LLVMGetOperand(i, 0)).number;
  uint64_t b = read_scalar(m, LLVMGetOperand(i, 1)).number;
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(i));

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAnd:
    a &= b;
    break;
  case LLVMOr:
    a |= b;
    break;
  case LLVMXor:
    a ^= b;
    break;
  case LLVMAdd:
    a += b;
    break;
  case LLVMSub:
    a -= b;
    break;
  case LLVMMul:
    a *= b;
    break;
  case LLVMShl:
    a <<= b & 63;
    break;
  default:
    a >>= b & 63;
    break;
  }
  if (bits < 64)
    a &= (UINT64_C(1) << bits) - 1;
  write_scalar(m, i, (struct scalar){.number = a});
}

static void run_truncate(struct machine *m, LLVMValueRef i)
{
  struct scalar a = read_scalar(m, LLVMGetOperand(i, 0));
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(i));

  if (bits < 64)
    a.number &= (UINT64_C(1) << bits) - 1;
  write_scalar(m, i, a);
}

static void run_shuffle(struct machine *m, LLVMValueRef i)
{
  struct value a = read_value(m, LLVMGetOperand(i, 0)), b = read_value(m, LLVMGetOperand(i, 1));
  struct value out = {0};

  if (LLVMGetNumMaskElements(i) != 2 || LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(i, 0))) != 2) {
    m->unknown = true;
    return;
  }
  for (unsigned k = 0; k < 2; k++) {
    int from = LLVMGetMaskValue(i, k);
    if (from >= 0)
      out.part[k] = from < 2 ? a.part[from] : b.part[from - 2];
  }
  write_value(m, i, out);
}

/* Is the address at operand `operand` in the frame? */
static bool is_local(LLVMValueRef access, unsigned operand)
{
  return !cn_is_ref(LLVMTypeOf(LLVMGetOperand(access, operand)));
}

/* As an integer, a reference is its object and its offset: what is derived from null by its
 * distance from that is what it was. */
static void run_gep(struct machine *m, LLVMValueRef i)
{
  struct scalar from = read_scalar(m, LLVMGetOperand(i, 0));
  uint64_t by = read_scalar(m, LLVMGetOperand(i, 1)).number;

  if (LLVMGetNumIndices(i) == 2) /* of an array of references */
    from.number += 8 * read_scalar(m, LLVMGetOperand(i, 2)).number;
  else if (from.object)
    from.number += by;
  else if (from.is_ref && by < UINT64_C(1) << 40 && by > SPACING / 2)
    from = reference(m, (uint32_t)((by + SPACING / 2) / SPACING), by % SPACING);
  write_scalar(m, i, from);
}

static void run_address(struct machine *m, LLVMValueRef i)
{
  struct scalar from = read_scalar(m, LLVMGetOperand(i, 0));

  check_fresh(m, from, "stale address");
  write_scalar(m, i, (struct scalar){.number = from.object * SPACING + from.number});
}

static void run_alloca(struct machine *m, LLVMValueRef i)
{
  LLVMTypeRef type = LLVMGetAllocatedType(i);
  uint64_t cells = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : 2;

  CN_CHECK(m->cells + cells <= CELLS);
  write_scalar(m, i, (struct scalar){.object = LOCAL, .number = 8 * m->cells});
  m->cells += cells;
}

/* A local of integers, which the rewriter makes for distances. */
static bool is_integers(LLVMValueRef pointer)
{
  if (LLVMIsAGetElementPtrInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  if (!LLVMIsAAllocaInst(pointer))
    return false;
  LLVMTypeRef type = LLVMGetAllocatedType(pointer);
  return LLVMGetTypeKind(type) == LLVMArrayTypeKind && LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind;
}

static void run_load(struct machine *m, LLVMValueRef i)
{
  struct scalar from = read_scalar(m, LLVMGetOperand(i, 0));

  if (is_local(i, 0) && is_integers(LLVMGetOperand(i, 0))) {
    write_scalar(m, i, m->local[from.number / 8 % CELLS]);
    return;
  }
  if (is_local(i, 0)) {
    m->unknown |= !cn_is_ref(LLVMTypeOf(i));
    struct scalar loaded = m->local[from.number / 8 % CELLS];
    loaded.is_ref = true; /* what was zeroed is null */
    loaded.number = 0;    /* as in the heap */
    write_scalar(m, i, loaded);
    return;
  }
  check_fresh(m, from, "stale load");
  write_scalar(m, i, reference(m, from.object ? m->heap[from.object].object : 0, 0));
}

static void run_store(struct machine *m, LLVMValueRef i)
{
  struct scalar value = read_scalar(m, LLVMGetOperand(i, 0));
  struct scalar to = read_scalar(m, LLVMGetOperand(i, 1));

  if (!is_local(i, 1) || value.object != UNDEFINED)
    check_fresh(m, value, "stale stored value");
  if (is_local(i, 1)) {
    m->unknown |= !is_integers(LLVMGetOperand(i, 1)) && (!value.is_ref || !cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0))));
    m->local[to.number / 8 % CELLS] = value;
    return;
  }
  check_fresh(m, to, "stale store");
  /* derived pointers do not escape: the offset is dropped when it is loaded */
  m->heap[to.object] = value;
}

static void run_select(struct machine *m, LLVMValueRef i)
{
  bool first = read_scalar(m, LLVMGetOperand(i, 0)).number & 1;

  write_value(m, i, read_value(m, LLVMGetOperand(i, first ? 1 : 2)));
}

static void run_instruction(struct machine *m, LLVMValueRef i)
{
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAlloca:
    run_alloca(m, i);
    break;
  case LLVMPtrToInt:
    run_address(m, i);
    break;
  case LLVMCall:
    run_call(m, i);
    break;
  case LLVMGetElementPtr:
    run_gep(m, i);
    break;
  case LLVMSelect:
    run_select(m, i);
    break;
  case LLVMLoad:
    run_load(m, i);
    break;
  case LLVMStore:
    run_store(m, i);
    break;
  case LLVMICmp:
    run_compare(m, i);
    break;
  case LLVMTrunc:
    run_truncate(m, i);
    break;
  case LLVMLandingPad:
    break;
  case LLVMFreeze:
  case LLVMZExt:
    write_value(m, i, read_value(m, LLVMGetOperand(i, 0)));
    break;
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
    run_arithmetic(m, i);
    break;
  case LLVMInsertValue:
  case LLVMExtractValue:
  case LLVMInsertElement:
  case LLVMExtractElement:
    run_aggregate(m, i);
    break;
  case LLVMShuffleVector:
    run_shuffle(m, i);
    break;
  default:
    m->unknown = true;
  }
}

static LLVMBasicBlockRef next_block(struct machine *m, LLVMValueRef end)
{
  if (LLVMIsAInvokeInst(end)) { /* some of them throw when all is done */
    run_call(m, end);
    m->invokes++;
    bool throws = (m->invokes * 2654435761u >> 9) % 3 == 0;
    return throws ? LLVMGetUnwindDest(end) : LLVMGetNormalDest(end);
  }
  if (!LLVMGetNumSuccessors(end)) { /* undefined, mostly by docs/llvm-22.md, "landing pads" */
    m->unknown = true;
    return LLVMGetInstructionParent(end);
  }
  if (LLVMIsASwitchInst(end)) {
    uint64_t n = read_scalar(m, LLVMGetOperand(end, 0)).number;
    for (unsigned s = 1; s < LLVMGetNumSuccessors(end); s++)
      if (LLVMConstIntGetZExtValue(LLVMGetSwitchCaseValue(end, s)) == n)
        return LLVMGetSuccessor(end, s);
    return LLVMGetSuccessor(end, 0);
  }
  if (LLVMGetNumSuccessors(end) == 1)
    return LLVMGetSuccessor(end, 0);
  return LLVMGetSuccessor(end, read_scalar(m, LLVMGetCondition(end)).number & 1 ? 0 : 1);
}

/* All phis of a block read before any is written. */
static LLVMValueRef run_phis(struct machine *m, LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
  CN_VECTOR(struct value) in = {0};
  LLVMValueRef i;
  size_t n = 0;

  for (i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    for (unsigned e = 0; e < LLVMCountIncoming(i); e++)
      if (LLVMGetIncomingBlock(i, e) == from) {
        cn_push(&in, read_value(m, LLVMGetIncomingValue(i, e)));
        break;
      }
  for (i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
    write_value(m, i, in.at[n++]);
  cn_free(&in);
  return i;
}

struct machine *cn_interpret(LLVMModuleRef module)
{
  struct machine *m = cn_alloc(sizeof *m);
  LLVMValueRef f = LLVMGetNamedFunction(module, "f");
  LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(f), from = NULL;

  m->objects = 3;
  if (LLVMGetStringAttributeAtIndex(f, 3, "cairn-immovable", 15))
    m->fixed = 3;
  for (unsigned i = 0; i < CELLS; i++)
    m->local[i] = undefined;
  for (unsigned p = 0; p < 3; p++)
    write_scalar(m, LLVMGetParam(f, p), reference(m, p + 1, 0));
  unsigned steps = 0;
  for (; steps < 4 * FUEL && m->flags < FUEL && m->invokes < FUEL && !m->wrong && !m->unknown; steps++) {
    LLVMValueRef i = run_phis(m, block, from);
    for (; i != LLVMGetBasicBlockTerminator(block) && !m->wrong && !m->unknown; i = LLVMGetNextInstruction(i))
      run_instruction(m, i);
    if (m->wrong || m->unknown) /* the terminator's operands may have no value yet */
      break;
    from = block;
    block = next_block(m, LLVMGetBasicBlockTerminator(block));
  }
  m->stopped = steps == 4 * FUEL;
  return m;
}

void cn_interpret_free(struct machine *m)
{
  cn_ptrmap_free(&m->slots);
  cn_free(&m->values);
  free(m);
}
