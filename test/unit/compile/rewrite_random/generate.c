/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: variables in allocas, which mem2reg turns into phis, those of landing pads too.
 */
#include "unit/compile/rewrite_random/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "compile/core/pass.h"

enum { VARIABLES = 5, PAIRS = 2, LANES = 2, MAX_BLOCKS = 9, PADS = 2 };

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % n;
}

struct maker {
  LLVMModuleRef module;
  LLVMContextRef llvm;
  LLVMBuilderRef builder;
  LLVMTypeRef ref, i64, i1, pair, vector;
  LLVMValueRef variable[VARIABLES], pairs[PAIRS], vectors[LANES];
  LLVMValueRef local; /* two references whose address is taken */
  LLVMValueRef function;
  LLVMBasicBlockRef pads[PADS]; /* of invokes; null: there are none */
};

static LLVMValueRef declare(struct maker *m, const char *name, LLVMTypeRef result, unsigned count, LLVMTypeRef argument,
                            bool leaf)
{
  LLVMTypeRef types[2] = {argument, argument};
  LLVMValueRef f = LLVMAddFunction(m->module, name, LLVMFunctionType(result, types, count, false));

  if (leaf)
    LLVMAddAttributeAtIndex(f, CN_FUNCTION_INDEX, LLVMCreateStringAttribute(m->llvm, "gc-leaf-function", 16, "", 0));
  return f;
}

static LLVMValueRef call(struct maker *m, const char *name, LLVMValueRef *args, unsigned count)
{
  LLVMValueRef f = LLVMGetNamedFunction(m->module, name);

  if (m->pads[0] && strcmp(name, "flag") != 0 && random_below(2)) {
    LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(m->llvm, m->function, "");
    LLVMValueRef invoke =
        LLVMBuildInvoke2(m->builder, LLVMGlobalGetValueType(f), f, args, count, next, m->pads[random_below(PADS)], "");
    LLVMPositionBuilderAtEnd(m->builder, next);
    return invoke;
  }
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
  LLVMValueRef index = constant ? LLVMConstInt(m->i64, random_below(3) * 8, false) : call(m, "flag", NULL, 0);

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
    value = LLVMBuildInsertElement(m->builder, value, get(m), LLVMConstInt(m->i64, random_below(2), false), "");
    LLVMBuildStore(m->builder, value, m->vectors[random_below(LANES)]);
    break;
  case 4:
    value = LLVMBuildLoad2(m->builder, m->vector, v, "");
    arg = random_below(2) ? LLVMConstInt(m->i64, random_below(2), false)
                          : LLVMBuildAnd(m->builder, call(m, "flag", NULL, 0), LLVMConstInt(m->i64, 1, false), "");
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

/* Each variable becomes what the next one was: their phis in a loop are each other's inputs. */
static void rotate(struct maker *m)
{
  unsigned count = 2 + random_below(VARIABLES - 1);
  LLVMValueRef first = LLVMBuildLoad2(m->builder, m->ref, m->variable[0], "");

  for (unsigned i = 1; i < count; i++)
    LLVMBuildStore(m->builder, LLVMBuildLoad2(m->builder, m->ref, m->variable[i], ""), m->variable[i - 1]);
  LLVMBuildStore(m->builder, first, m->variable[count - 1]);
}

static void make_step(struct maker *m, bool aggregates)
{
  LLVMValueRef args[2];

  if (m->local && random_below(5) == 0) {
    make_local_step(m);
    return;
  }
  switch (random_below(aggregates ? 14 : 11)) {
  case 0:
  case 1:
    call(m, "safepoint", NULL, 0);
    break;
  case 2:
    args[0] = get(m), args[1] = get(m);
    set(m, call(m, "make", args, 2));
    break;
  case 3:
  case 4:
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
    if (random_below(3) == 0) {
      rotate(m);
      break;
    }
    args[0] = get(m);
    set(m, random_below(3) ? args[0] : LLVMBuildFreeze(m->builder, args[0], ""));
    break;
  case 9:
    args[0] = get(m);
    args[0] = LLVMBuildICmp(m->builder, LLVMIntEQ, args[0], random_below(3) ? get(m) : LLVMConstNull(m->ref), "");
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

static void make_pads(struct maker *m)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(m->llvm);
  LLVMTypeRef personality = LLVMFunctionType(i32, NULL, 0, true);

  LLVMSetPersonalityFn(m->function, LLVMAddFunction(m->module, "__gxx_personality_v0", personality));
  for (unsigned p = 0; p < PADS; p++)
    m->pads[p] = LLVMAppendBasicBlockInContext(m->llvm, m->function, "pad");
}

static void make_landing(struct maker *m, bool token)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(m->llvm);
  LLVMTypeRef parts[] = {LLVMPointerTypeInContext(m->llvm, 0), i32};
  LLVMTypeRef type = token ? LLVMTokenTypeInContext(m->llvm) : LLVMStructTypeInContext(m->llvm, parts, 2, false);

  LLVMSetCleanup(LLVMBuildLandingPad(m->builder, type, NULL, 0, ""), true);
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

void cn_generate_run(LLVMModuleRef module, const char *passes)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);

  if (error)
    fail_msg("%s", LLVMGetErrorMessage(error));
  LLVMDisposePassBuilderOptions(options);
}

bool cn_generate_pinned(uint64_t seed)
{
  return seed % 5 == 4;
}

LLVMModuleRef cn_generate_module(LLVMContextRef llvm, uint64_t seed)
{
  struct maker m = {.llvm = llvm, .module = LLVMModuleCreateWithNameInContext("random", llvm)};
  LLVMBasicBlockRef blocks[MAX_BLOCKS];
  LLVMTypeRef void_type = LLVMVoidTypeInContext(llvm);
  bool aggregates = seed % 2;

  random_state = seed * 0x9E3779B97F4A7C15u + 1;
  LLVMSetDataLayout(m.module, "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-"
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
  if (cn_generate_pinned(seed))
    LLVMAddAttributeAtIndex(m.function, 3, LLVMCreateStringAttribute(llvm, "cairn-immovable", 15, "", 0));
  unsigned count = 2 + random_below(MAX_BLOCKS - 2);
  for (unsigned b = 0; b < count; b++)
    blocks[b] = LLVMAppendBasicBlockInContext(llvm, m.function, "");
  for (unsigned b = 0; b < count; b++) {
    LLVMPositionBuilderAtEnd(m.builder, blocks[b]);
    if (b == 0)
      make_entry(&m, seed / 2 % 2);
    if (b == 0 && seed / 4 % 3 == 1) /* the entry's allocas stay in one block */
      make_pads(&m);
    for (unsigned i = random_below(6); i > 0; i--)
      make_step(&m, aggregates);
    make_end(&m, blocks, count);
  }
  for (unsigned p = 0; p < PADS && m.pads[0]; p++) {
    LLVMPositionBuilderAtEnd(m.builder, m.pads[p]);
    make_landing(&m, seed % 4 == 0);
    for (unsigned i = random_below(4); i > 0; i--)
      make_step(&m, aggregates);
    make_end(&m, blocks, count);
  }
  LLVMDisposeBuilder(m.builder);
  static const char *const passes[] = {"function(mem2reg)", "function(mem2reg,early-cse,simplifycfg)", "default<O2>"};
  cn_generate_run(m.module, passes[seed % 3]);
  return m.module;
}
