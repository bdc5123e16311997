/* SPDX-License-Identifier: Apache-2.0
 *
 * Random functions, rewritten, then run beside the original by a small interpreter in which
 * every statepoint moves every object: a reference knows the time at which it was right. What
 * would go wrong: a reference used after a move (it is too old), a relocate whose base is not
 * the start of the derived pointer's object, or a use that reads another value than the original
 * did (the traces differ). LLVM's verifiers judge the IR besides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/pass.h"

enum { VARIABLES = 5, PAIRS = 2, LANES = 2, MAX_BLOCKS = 9 };
enum { LOCAL = 1 }; /* what stands for an object in the address of the local */
enum { FUEL = 150, OBJECTS = 4096, TRACE = 4096 };

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % n;
}

/* ---- generator: variables in allocas, which mem2reg turns into phis ---- */

struct maker {
  LLVMModuleRef module;
  LLVMContextRef llvm;
  LLVMBuilderRef builder;
  LLVMTypeRef ref, i64, i1, pair, vector;
  LLVMValueRef variable[VARIABLES], pairs[PAIRS], vectors[LANES];
  LLVMValueRef local; /* two references whose address is taken */
  LLVMValueRef function;
};

static LLVMValueRef declare(struct maker *m, const char *name, LLVMTypeRef result, unsigned count,
                            LLVMTypeRef argument, bool leaf)
{
  LLVMTypeRef types[2] = {argument, argument};
  LLVMValueRef f = LLVMAddFunction(m->module, name, LLVMFunctionType(result, types, count, false));

  if (leaf)
    LLVMAddAttributeAtIndex(f, CN_FUNCTION_INDEX,
                            LLVMCreateStringAttribute(m->llvm, "gc-leaf-function", 16, "", 0));
  return f;
}

static LLVMValueRef call(struct maker *m, const char *name, LLVMValueRef *args, unsigned count)
{
  LLVMValueRef f = LLVMGetNamedFunction(m->module, name);

  return LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(f), f, args, count, "");
}

static LLVMValueRef get(struct maker *m)
{
  return LLVMBuildLoad2(m->builder, m->ref, m->variable[random_below(VARIABLES)], "");
}

static void set(struct maker *m, LLVMValueRef value)
{
  LLVMBuildStore(m->builder, value, m->variable[random_below(VARIABLES)]);
}

static LLVMValueRef flag(struct maker *m)
{
  return LLVMBuildTrunc(m->builder, call(m, "flag", NULL, 0), m->i1, "");
}

static LLVMValueRef gep(struct maker *m, LLVMValueRef from, bool constant)
{
  LLVMValueRef index =
      constant ? LLVMConstInt(m->i64, random_below(3) * 8, false) : call(m, "flag", NULL, 0);

  return LLVMBuildGEP2(m->builder, LLVMInt8TypeInContext(m->llvm), from, &index, 1, "");
}

static void note(struct maker *m, LLVMValueRef number)
{
  call(m, "note", &number, 1);
}

static void make_aggregate_step(struct maker *m)
{
  LLVMValueRef p = m->pairs[random_below(PAIRS)], v = m->vectors[random_below(LANES)], value, arg;

  switch (random_below(6)) {
  case 0:
    arg = get(m);
    LLVMBuildStore(m->builder, call(m, "make_pair", &arg, 1), p);
    break;
  case 1:
    value = LLVMBuildLoad2(m->builder, m->pair, p, "");
    LLVMBuildStore(m->builder, LLVMBuildInsertValue(m->builder, value, get(m), 0, ""), p);
    break;
  case 2:
    set(m, LLVMBuildExtractValue(m->builder, LLVMBuildLoad2(m->builder, m->pair, p, ""), 0, ""));
    break;
  case 3:
    value = LLVMBuildLoad2(m->builder, m->vector, v, "");
    value = LLVMBuildInsertElement(m->builder, value, get(m),
                                   LLVMConstInt(m->i64, random_below(2), false), "");
    LLVMBuildStore(m->builder, value, m->vectors[random_below(LANES)]);
    break;
  case 4:
    value = LLVMBuildLoad2(m->builder, m->vector, v, "");
    arg = random_below(2) ? LLVMConstInt(m->i64, random_below(2), false)
                          : LLVMBuildAnd(m->builder, call(m, "flag", NULL, 0),
                                         LLVMConstInt(m->i64, 1, false), "");
    set(m, LLVMBuildExtractElement(m->builder, value, arg, ""));
    break;
  default:
    note(m, LLVMBuildExtractValue(m->builder, LLVMBuildLoad2(m->builder, m->pair, p, ""), 1, ""));
  }
}

static LLVMValueRef second_cell(struct maker *m)
{
  LLVMValueRef index = LLVMConstInt(m->i64, 8, false);

  return LLVMBuildGEP2(m->builder, LLVMInt8TypeInContext(m->llvm), m->local, &index, 1, "");
}

static void make_local_step(struct maker *m)
{
  LLVMValueRef cell = random_below(2) ? m->local : second_cell(m);

  switch (random_below(3)) {
  case 0:
    call(m, "escape", &m->local, 1);
    break;
  case 1:
    LLVMBuildStore(m->builder, get(m), cell);
    break;
  default:
    set(m, LLVMBuildLoad2(m->builder, m->ref, cell, ""));
  }
}

static void make_step(struct maker *m, bool aggregates)
{
  LLVMValueRef args[2];

  if (m->local && random_below(5) == 0) {
    make_local_step(m);
    return;
  }
  switch (random_below(aggregates ? 14 : 11)) {
  case 0: case 1:
    call(m, "safepoint", NULL, 0);
    break;
  case 2:
    args[0] = get(m), args[1] = get(m);
    set(m, call(m, "make", args, 2));
    break;
  case 3: case 4:
    set(m, gep(m, get(m), random_below(3) > 0));
    break;
  case 5:
    args[0] = flag(m), args[1] = get(m);
    set(m, LLVMBuildSelect(m->builder, args[0], args[1], get(m), ""));
    break;
  case 6:
    set(m, LLVMBuildLoad2(m->builder, m->ref, get(m), ""));
    break;
  case 7:
    args[0] = get(m);
    LLVMBuildStore(m->builder, args[0], get(m));
    break;
  case 8:
    args[0] = get(m);
    set(m, random_below(3) ? args[0] : LLVMBuildFreeze(m->builder, args[0], ""));
    break;
  case 9:
    args[0] = get(m);
    args[0] = LLVMBuildICmp(m->builder, LLVMIntEQ, args[0],
                            random_below(3) ? get(m) : LLVMConstNull(m->ref), "");
    note(m, LLVMBuildZExt(m->builder, args[0], m->i64, ""));
    break;
  case 10:
    args[0] = get(m);
    call(m, "use", args, 1);
    break;
  default:
    make_aggregate_step(m);
  }
}

static void make_end(struct maker *m, LLVMBasicBlockRef *blocks, unsigned count)
{
  LLVMBasicBlockRef to = blocks[1 + random_below(count - 1)];
  LLVMBasicBlockRef other = blocks[1 + random_below(count - 1)];
  LLVMValueRef end;

  switch (random_below(4)) {
  case 0:
    LLVMBuildBr(m->builder, to);
    break;
  case 1:
    end = LLVMBuildSwitch(m->builder, call(m, "flag", NULL, 0), to, 2);
    LLVMAddCase(end, LLVMConstInt(m->i64, 1, false), other);
    LLVMAddCase(end, LLVMConstInt(m->i64, 2, false), other);
    break;
  default:
    LLVMBuildCondBr(m->builder, flag(m), to, other);
  }
}

static void make_entry(struct maker *m, bool local)
{
  LLVMValueRef zero = LLVMConstNull(m->pair);

  if (local) {
    m->local = LLVMBuildAlloca(m->builder, LLVMArrayType2(m->ref, 2), "local");
    call(m, "safepoint", NULL, 0); /* before anything is stored: it must have been zeroed */
    LLVMBuildStore(m->builder, LLVMGetParam(m->function, 0), m->local);
    LLVMBuildStore(m->builder, LLVMGetParam(m->function, 1), second_cell(m));
  }

  for (unsigned i = 0; i < VARIABLES; i++) {
    m->variable[i] = LLVMBuildAlloca(m->builder, m->ref, "");
    LLVMBuildStore(m->builder, LLVMGetParam(m->function, i % 3), m->variable[i]);
  }
  for (unsigned i = 0; i < PAIRS; i++) {
    m->pairs[i] = LLVMBuildAlloca(m->builder, m->pair, "");
    LLVMBuildStore(m->builder, LLVMBuildInsertValue(m->builder, zero, get(m), 0, ""), m->pairs[i]);
  }
  for (unsigned i = 0; i < LANES; i++) {
    m->vectors[i] = LLVMBuildAlloca(m->builder, m->vector, "");
    LLVMBuildStore(m->builder, LLVMConstNull(m->vector), m->vectors[i]);
  }
}

static void run_llvm(LLVMModuleRef module, const char *passes)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);

  if (error)
    fail_msg("%s", LLVMGetErrorMessage(error));
  LLVMDisposePassBuilderOptions(options);
}

static LLVMModuleRef make_module(LLVMContextRef llvm, uint64_t seed)
{
  struct maker m = {.llvm = llvm, .module = LLVMModuleCreateWithNameInContext("random", llvm)};
  LLVMBasicBlockRef blocks[MAX_BLOCKS];
  LLVMTypeRef void_type = LLVMVoidTypeInContext(llvm);
  bool aggregates = seed % 2;

  random_state = seed * 0x9E3779B97F4A7C15u + 1;
  LLVMSetDataLayout(m.module,
                    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-"
                    "n8:16:32:64-S128");
  m.builder = LLVMCreateBuilderInContext(llvm);
  m.ref = LLVMPointerTypeInContext(llvm, 1);
  m.i64 = LLVMInt64TypeInContext(llvm);
  m.i1 = LLVMInt1TypeInContext(llvm);
  m.pair = LLVMStructTypeInContext(llvm, (LLVMTypeRef[]){m.ref, m.i64}, 2, false);
  m.vector = LLVMVectorType(m.ref, 2);
  declare(&m, "safepoint", void_type, 0, NULL, false);
  declare(&m, "make", m.ref, 2, m.ref, false);
  declare(&m, "make_pair", m.pair, 1, m.ref, false);
  declare(&m, "flag", m.i64, 0, NULL, true);
  declare(&m, "note", void_type, 1, m.i64, true);
  declare(&m, "use", void_type, 1, m.ref, true);
  declare(&m, "escape", void_type, 1, LLVMPointerTypeInContext(llvm, 0), true);
  LLVMTypeRef parameters[3] = {m.ref, m.ref, m.ref};
  m.function = LLVMAddFunction(m.module, "f", LLVMFunctionType(void_type, parameters, 3, false));
  LLVMSetGC(m.function, "statepoint-example");
  unsigned count = 2 + random_below(MAX_BLOCKS - 2);
  for (unsigned b = 0; b < count; b++)
    blocks[b] = LLVMAppendBasicBlockInContext(llvm, m.function, "");
  for (unsigned b = 0; b < count; b++) {
    LLVMPositionBuilderAtEnd(m.builder, blocks[b]);
    if (b == 0)
      make_entry(&m, seed / 2 % 2);
    for (unsigned i = random_below(6); i > 0; i--)
      make_step(&m, aggregates);
    make_end(&m, blocks, count);
  }
  LLVMDisposeBuilder(m.builder);
  static const char *const passes[] = {"function(mem2reg)",
                                       "function(mem2reg,early-cse,simplifycfg)",
                                       "default<O2>"};
  run_llvm(m.module, passes[seed % 3]);
  return m.module;
}

/* ---- interpreter ---- */

struct scalar {
  bool is_ref;
  uint32_t object; /* of a reference; 0: null */
  uint64_t number; /* of an integer; the offset of a reference */
  uint64_t time;   /* when the reference was right */
};
struct value {
  struct scalar part[2]; /* two for pairs and vectors */
};

struct machine {
  struct cn_ptrmap slots; /* LLVMValueRef -> index of `values` */
  CN_VECTOR(struct value) values;
  uint64_t time, flags;
  uint32_t objects;
  struct scalar heap[OBJECTS];
  struct scalar local[2];
  uint64_t trace[TRACE];
  unsigned trace_count;
  const char *wrong;
  bool unknown; /* an instruction that the interpreter does not have: the run ends */
};

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

static void check_fresh(struct machine *m, struct scalar s, const char *what)
{
  if (s.is_ref && s.object && s.time != m->time)
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
    if (m->objects + 1 < OBJECTS)
      m->objects++;
    m->heap[m->objects] = (struct scalar){.is_ref = true};
    out.part[0] = reference(m, m->objects, 0);
    out.part[1].number = m->objects;
  }
  return out;
}

/* The collector updates the cells of the local that the deopt bundle describes (abi.def), no
 * others. */
static void update_local(struct machine *m, LLVMOperandBundleRef deopt)
{
  unsigned at = 2, end = LLVMGetNumOperandBundleArgs(deopt);

  for (; at + 4 < end; at++) { /* one area: alloca, count, stride, number of offsets, offsets */
    uint64_t n[3];
    for (unsigned i = 0; i < 3; i++)
      n[i] = read_scalar(m, LLVMGetOperandBundleArgAtIndex(deopt, at + 1 + i)).number;
    at += 3;
    for (uint64_t k = 0; k < n[2]; k++) {
      uint64_t offset = read_scalar(m, LLVMGetOperandBundleArgAtIndex(deopt, ++at)).number;
      for (uint64_t element = 0; element < n[0]; element++) {
        struct scalar *cell = &m->local[(offset + element * n[1]) / 8 % 2];
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
      check_fresh(m, read_scalar(m, LLVMGetOperandBundleArgAtIndex(bundle, i)),
                  "stale gc-live entry");
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
  if (base.object != derived.object)
    m->wrong = "base and derived in different objects";
  if (base.object && base.number != 0)
    m->wrong = "base is not the start of its object";
  /* A derived value is read at the statepoint; a loop may have come round to the same time only
   * if nothing moved. */
  if (derived.object)
    derived.time++;
  if (derived.object && derived.time != m->time)
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
    memset(m->local, 0, sizeof m->local);
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

  check_fresh(m, a, "stale comparison");
  check_fresh(m, b, "stale comparison");
  switch (LLVMGetICmpPredicate(i)) {
  case LLVMIntEQ: result = x == y; break;
  case LLVMIntNE: result = x != y; break;
  case LLVMIntUGT: case LLVMIntSGT: result = x > y; break;
  case LLVMIntUGE: case LLVMIntSGE: result = x >= y; break;
  case LLVMIntULT: case LLVMIntSLT: result = x < y; break;
  default: result = x <= y; break;
  }
  write_scalar(m, i, (struct scalar){.number = result});
}

static void run_arithmetic(struct machine *m, LLVMValueRef i)
{
  uint64_t a = read_scalar(m, LLVMGetOperand(i, 0)).number;
  uint64_t b = read_scalar(m, LLVMGetOperand(i, 1)).number;
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(i));

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAnd: a &= b; break;
  case LLVMOr: a |= b; break;
  case LLVMXor: a ^= b; break;
  case LLVMAdd: a += b; break;
  case LLVMSub: a -= b; break;
  case LLVMMul: a *= b; break;
  case LLVMShl: a <<= b & 63; break;
  default: a >>= b & 63; break;
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

static void run_instruction(struct machine *m, LLVMValueRef i)
{
  struct scalar a, b;

  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMAlloca:
    write_scalar(m, i, (struct scalar){.object = LOCAL});
    break;
  case LLVMCall:
    run_call(m, i);
    break;
  case LLVMGetElementPtr:
    a = read_scalar(m, LLVMGetOperand(i, 0));
    b = read_scalar(m, LLVMGetOperand(i, 1));
    if (a.object)
      a.number += b.number;
    write_scalar(m, i, a);
    break;
  case LLVMSelect:
    a = read_scalar(m, LLVMGetOperand(i, 0));
    write_value(m, i, read_value(m, LLVMGetOperand(i, a.number & 1 ? 1 : 2)));
    break;
  case LLVMLoad:
    a = read_scalar(m, LLVMGetOperand(i, 0));
    if (is_local(i, 0)) {
      m->unknown |= !cn_is_ref(LLVMTypeOf(i));
      b = m->local[a.number / 8 % 2];
      b.number = 0; /* as in the heap */
      write_scalar(m, i, b);
      break;
    }
    check_fresh(m, a, "stale load");
    b = m->heap[a.object];
    write_scalar(m, i, a.object ? reference(m, b.object, 0) : reference(m, 0, 0));
    break;
  case LLVMStore:
    a = read_scalar(m, LLVMGetOperand(i, 0));
    b = read_scalar(m, LLVMGetOperand(i, 1));
    check_fresh(m, a, "stale stored value");
    if (is_local(i, 1)) {
      m->unknown |= !a.is_ref || !cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0)));
      m->local[b.number / 8 % 2] = a;
      break;
    }
    check_fresh(m, b, "stale store");
    /* derived pointers do not escape: the offset is dropped when it is loaded */
    m->heap[b.object] = a;
    break;
  case LLVMICmp:
    run_compare(m, i);
    break;
  case LLVMTrunc:
    run_truncate(m, i);
    break;
  case LLVMFreeze: case LLVMZExt:
    write_value(m, i, read_value(m, LLVMGetOperand(i, 0)));
    break;
  case LLVMAnd: case LLVMOr: case LLVMXor: case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl:
  case LLVMLShr:
    run_arithmetic(m, i);
    break;
  case LLVMInsertValue: case LLVMExtractValue: case LLVMInsertElement: case LLVMExtractElement:
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

static struct machine *run(LLVMModuleRef module)
{
  struct machine *m = cn_alloc(sizeof *m);
  LLVMValueRef f = LLVMGetNamedFunction(module, "f");
  LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(f), from = NULL;

  m->objects = 3;
  for (unsigned i = 0; i < 2; i++) /* what an undefined local holds */
    m->local[i] = (struct scalar){.is_ref = true, .object = OBJECTS - 1, .time = UINT64_MAX / 2};
  for (unsigned p = 0; p < 3; p++)
    write_scalar(m, LLVMGetParam(f, p), reference(m, p + 1, 0));
  for (unsigned steps = 0; steps < 4 * FUEL && m->flags < FUEL && !m->wrong &&
       !m->unknown; steps++) {
    LLVMValueRef i = run_phis(m, block, from);
    for (; i != LLVMGetBasicBlockTerminator(block) && !m->wrong && !m->unknown; i =
         LLVMGetNextInstruction(i))
      run_instruction(m, i);
    from = block;
    block = next_block(m, LLVMGetBasicBlockTerminator(block));
  }
  return m;
}

static void free_machine(struct machine *m)
{
  cn_ptrmap_free(&m->slots);
  cn_free(&m->values);
  free(m);
}

static void show(void *env, const struct cairn_diagnostic *d)
{
  (void)env;
  fprintf(stderr, "%s: %s [%s]\n", d->function ? d->function : "", d->message, d->rule);
}

/* How often something moved while a function ran: a test in which nothing does would prove
 * nothing. */
static uint64_t moves, unknown;

static void keep(LLVMModuleRef original, LLVMModuleRef rewritten)
{
  LLVMPrintModuleToFile(original, "rewrite_random.before.ll", NULL);
  LLVMPrintModuleToFile(rewritten, "rewrite_random.after.ll", NULL);
}

static bool same_trace(const struct machine *a, const struct machine *b)
{
  return a->trace_count == b->trace_count &&
         memcmp(a->trace, b->trace, a->trace_count * sizeof *a->trace) == 0;
}

static void try_seed(uint64_t seed)
{
  LLVMContextRef llvm = LLVMContextCreate();
  LLVMModuleRef module = make_module(llvm, seed);
  LLVMModuleRef original = LLVMCloneModule(module);
  struct cairn_compile_options options = {.diagnose = show};

  bool ok = cairn_compile_pass(module, NULL, "rewrite-statepoints", &options);
  if (!ok)
    fail_msg("seed %llu is refused or broken", (unsigned long long)seed);
  run_llvm(module, "function(verify<safepoint-ir>)");
  const char *wrong = NULL;
  if (!cairn_compile_pass(module, NULL, "verify-safepoints", &options))
    wrong = "our verifier refuses it";
  struct machine *before = run(original), *after = run(module);
  unknown += before->unknown;
  if (after->wrong)
    wrong = after->wrong;
  else if (!before->unknown && !same_trace(before, after))
    wrong = "another trace";
  if (wrong) {
    keep(original, module);
    fail_msg("seed %llu: %s (modules in rewrite_random.*.ll)", (unsigned long long)seed, wrong);
  }
  moves += after->time;
  free_machine(before);
  free_machine(after);
  LLVMDisposeModule(original);
  LLVMDisposeModule(module);
  LLVMContextDispose(llvm);
}

static void test_random(void **state)
{
  (void)state;
  const char *first = getenv("CAIRN_TEST_SEED"), *count = getenv("CAIRN_TEST_COUNT");
  uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
  uint64_t end = seed + (count ? strtoull(count, NULL, 10) : 400);

  for (; seed < end; seed++)
    try_seed(seed);
  assert_true(moves > 0);
  assert_true(unknown * 20 <= end);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
