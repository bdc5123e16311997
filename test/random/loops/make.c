/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator: statements on variables in allocas, which mem2reg turns into phis.
 */
#include "random/loops/make.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "random/modules/maker.h"

enum kind { WORD, INT, BYTE, REAL, LANES, REALS, CELL, KINDS };
enum { VARIABLES = 3, DEPTH = 3, MAX_BLOCKS = 6, EXITS = 8 };

struct maker {
  uint64_t random;
  LLVMContextRef llvm;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMTypeRef types[KINDS], i1, i32, i64;
  LLVMValueRef function, fuel, variables[KINDS][VARIABLES];
  LLVMBasicBlockRef end;
  struct {
    LLVMBasicBlockRef on, out; /* of each loop around: its next trip, and where it ends */
  } loops[DEPTH];
  LLVMValueRef counters[KINDS]; /* of the last loop that counted so */
  unsigned depth, statements;
  bool plain; /* loops have counted loops in them, and no other control flow */
};

static unsigned below(struct maker *m, unsigned n)
{
  m->random ^= m->random << 13;
  m->random ^= m->random >> 7;
  m->random ^= m->random << 17;
  return (unsigned)((m->random * 0x2545F4914F6CDD1Du) >> 33) % n;
}

static bool chance(struct maker *m, unsigned percent)
{
  return below(m, 100) < percent;
}

static LLVMBasicBlockRef block(struct maker *m, const char *name)
{
  return LLVMAppendBasicBlockInContext(m->llvm, m->function, name);
}

static LLVMValueRef word(struct maker *m, int64_t value)
{
  return LLVMConstInt(m->i64, (uint64_t)value, true);
}

/* ---- variables ---- */

/* One more, zero at first; all stand in the entry, or mem2reg would leave them. */
static LLVMValueRef local(struct maker *m, LLVMTypeRef type, const char *name)
{
  LLVMBuilderRef b = LLVMCreateBuilderInContext(m->llvm);

  LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(m->function)));
  LLVMValueRef made = LLVMBuildAlloca(b, type, name);
  LLVMBuildStore(b, LLVMConstNull(type), made);
  LLVMDisposeBuilder(b);
  return made;
}

static LLVMValueRef get(struct maker *m, enum kind kind)
{
  return LLVMBuildLoad2(m->b, m->types[kind], m->variables[kind][below(m, VARIABLES)], "");
}

static void set(struct maker *m, enum kind kind, LLVMValueRef value)
{
  LLVMBuildStore(m->b, value, m->variables[kind][below(m, VARIABLES)]);
}

static enum kind any_kind(struct maker *m)
{
  static const enum kind kinds[] = {WORD, WORD, WORD, INT, BYTE, REAL, LANES, REALS, CELL, CELL};

  return kinds[below(m, sizeof kinds / sizeof *kinds)];
}

static LLVMValueRef param(struct maker *m, unsigned p)
{
  return LLVMGetParam(m->function, p);
}

/* The address of a cell of one of the objects. */
static LLVMValueRef cell_at(struct maker *m, LLVMValueRef index)
{
  LLVMValueRef at = LLVMBuildAnd(m->b, index, word(m, CN_CELLS - 1), "");

  return LLVMBuildGEP2(m->b, m->i64, param(m, below(m, 2)), &at, 1, "");
}

/* prev = cur; a, b = b, a; a, b, c = b, c, a. */
static void move(struct maker *m)
{
  enum kind kind = any_kind(m);
  unsigned first = below(m, VARIABLES), count = 1 + below(m, VARIABLES);
  LLVMValueRef values[VARIABLES + 1];

  for (unsigned v = 0; v <= count; v++)
    values[v] = LLVMBuildLoad2(m->b, m->types[kind], m->variables[kind][(first + v) % VARIABLES], "");
  for (unsigned v = 0; v < count; v++)
    LLVMBuildStore(m->b, values[v + 1], m->variables[kind][(first + v) % VARIABLES]);
  if (chance(m, 60)) /* the last of them gets the first one's, or stays */
    LLVMBuildStore(m->b, values[0], m->variables[kind][(first + count) % VARIABLES]);
}

static LLVMValueRef integer(struct maker *m, enum kind kind)
{
  LLVMTypeRef type = m->types[kind];
  LLVMValueRef a = get(m, kind);
  LLVMValueRef c = LLVMConstInt(type, 1 + below(m, 6), false);

  switch (below(m, 8)) {
  case 0:
    return LLVMBuildAdd(m->b, a, get(m, kind), "");
  case 1:
    return LLVMBuildSub(m->b, a, get(m, kind), "");
  case 2:
    return LLVMBuildXor(m->b, a, get(m, kind), "");
  case 3:
    return LLVMBuildMul(m->b, a, chance(m, 50) ? c : get(m, kind), "");
  case 4:
    return LLVMBuildLShr(m->b, a, c, "");
  case 5:
    return LLVMBuildIntCast2(m->b, get(m, chance(m, 50) ? INT : WORD), type, false, "");
  case 6:
    return LLVMBuildSelect(m->b, LLVMBuildICmp(m->b, LLVMIntSLT, a, get(m, kind), ""), get(m, kind), c, "");
  default:
    return LLVMBuildAdd(m->b, a, c, "");
  }
}

/* Of numbers that stay small: no NaN, the sign of which could differ. */
static LLVMValueRef real(struct maker *m)
{
  LLVMValueRef a = LLVMBuildAnd(m->b, get(m, INT), LLVMConstInt(m->i32, 255, false), "");

  a = LLVMBuildUIToFP(m->b, a, m->types[REAL], "");
  return chance(m, 40) ? a : LLVMBuildFSub(m->b, a, get(m, REAL), "");
}

static LLVMValueRef vector(struct maker *m, enum kind kind)
{
  LLVMValueRef a = get(m, kind), lane = LLVMConstInt(m->i32, below(m, kind == LANES ? 4 : 2), false);
  LLVMValueRef mask[4];

  if (chance(m, 40))
    return LLVMBuildInsertElement(m->b, a, get(m, kind == LANES ? INT : REAL), lane, "");
  for (unsigned i = 0; i < 4; i++)
    mask[i] = LLVMConstInt(m->i32, below(m, kind == LANES ? 8 : 4), false);
  if (chance(m, 40))
    return LLVMBuildShuffleVector(m->b, a, get(m, kind), LLVMConstVector(mask, kind == LANES ? 4 : 2), "");
  if (kind == LANES)
    return LLVMBuildAdd(m->b, a, get(m, kind), "");
  LLVMValueRef half = LLVMConstReal(m->types[REAL], 0.5);
  half = LLVMConstVector((LLVMValueRef[]){half, half}, 2);
  return LLVMBuildFSub(m->b, LLVMBuildFMul(m->b, a, half, ""), LLVMBuildFMul(m->b, get(m, kind), half, ""), "");
}

static void compute(struct maker *m)
{
  enum kind kind = any_kind(m);
  LLVMValueRef lane = LLVMConstInt(m->i32, below(m, 2), false);

  switch (kind) {
  case REAL:
    set(m, REAL, chance(m, 70) ? real(m) : LLVMBuildExtractElement(m->b, get(m, REALS), lane, ""));
    break;
  case LANES:
  case REALS:
    set(m, kind, vector(m, kind));
    break;
  case CELL:
    set(m, CELL, cell_at(m, get(m, WORD)));
    break;
  default:
    set(m, kind,
        kind == INT && chance(m, 15) ? LLVMBuildExtractElement(m->b, get(m, LANES), lane, "") : integer(m, kind));
  }
}

static void access(struct maker *m)
{
  LLVMValueRef at = chance(m, 50) ? get(m, CELL) : cell_at(m, get(m, WORD));

  if (chance(m, 70))
    set(m, WORD, LLVMBuildAdd(m->b, LLVMBuildLoad2(m->b, m->i64, at, ""), get(m, WORD), ""));
  else
    LLVMBuildStore(m->b, get(m, WORD), at);
}

/* An i1 of what is in memory, or of variables. */
static LLVMValueRef flag(struct maker *m, unsigned of)
{
  LLVMValueRef from = chance(m, 50) ? LLVMBuildLoad2(m->b, m->i64, cell_at(m, get(m, WORD)), "") : get(m, WORD);

  if (chance(m, 15))
    return LLVMBuildICmp(m->b, LLVMIntEQ, get(m, CELL), get(m, CELL), "");
  if (chance(m, 15))
    return LLVMBuildFCmp(m->b, LLVMRealOLT, get(m, REAL), get(m, REAL), "");
  from = LLVMBuildAnd(m->b, from, word(m, of - 1), "");
  return LLVMBuildICmp(m->b, LLVMIntEQ, from, word(m, below(m, of)), "");
}

/* ---- control ---- */

static void statements(struct maker *m, unsigned count);

/* Go to `to` if there is fuel, else to the end. */
static void burn_to(struct maker *m, LLVMBasicBlockRef to)
{
  LLVMValueRef left = LLVMBuildLoad2(m->b, m->i64, m->fuel, "");

  left = LLVMBuildSub(m->b, left, word(m, 1), "");
  LLVMBuildStore(m->b, left, m->fuel);
  LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntEQ, left, word(m, 0), ""), m->end, to);
}

/* Leave some loop, or go on with its next trip, or return. */
static LLVMBasicBlockRef somewhere(struct maker *m)
{
  unsigned at = below(m, m->depth + 1);

  if (at == m->depth)
    return m->end;
  return chance(m, 75) ? m->loops[at].out : m->loops[at].on;
}

static void branch(struct maker *m)
{
  LLVMBasicBlockRef yes = block(m, "yes"), on = block(m, "on");
  bool leaves = m->depth && chance(m, 60);
  LLVMBasicBlockRef no = !leaves && chance(m, 40) ? block(m, "no") : on;

  LLVMBuildCondBr(m->b, flag(m, leaves ? 16 : 2), yes, no);
  LLVMPositionBuilderAtEnd(m->b, yes);
  statements(m, 1 + below(m, 2));
  LLVMBuildBr(m->b, leaves ? somewhere(m) : on);
  if (no != on) {
    LLVMPositionBuilderAtEnd(m->b, no);
    statements(m, 1 + below(m, 2));
    LLVMBuildBr(m->b, on);
  }
  LLVMPositionBuilderAtEnd(m->b, on);
}

/* Edges that meet again at once, or leave by several ways. */
static void choice(struct maker *m)
{
  LLVMBasicBlockRef on = block(m, "on"), a = block(m, "case");
  LLVMValueRef of = LLVMBuildAnd(m->b, get(m, WORD), word(m, 15), "");
  LLVMValueRef s = LLVMBuildSwitch(m->b, of, on, 4);

  for (unsigned c = 0; c < 4; c++)
    LLVMAddCase(s, word(m, c), chance(m, 50) ? a : m->depth && chance(m, 30) ? somewhere(m) : on);
  LLVMPositionBuilderAtEnd(m->b, a);
  statements(m, 1);
  LLVMBuildBr(m->b, on);
  LLVMPositionBuilderAtEnd(m->b, on);
}

static void body(struct maker *m, LLVMBasicBlockRef on, LLVMBasicBlockRef out)
{
  m->loops[m->depth].on = on;
  m->loops[m->depth++].out = out;
  statements(m, 1 + below(m, 4));
  m->depth--;
}

/* Until a flag, or without fuel: nobody can count it. Sometimes with several latches. */
static void search(struct maker *m)
{
  LLVMBasicBlockRef head = block(m, "search"), out = block(m, "found");
  LLVMBasicBlockRef on = chance(m, 60) ? block(m, "again") : head;

  LLVMBuildBr(m->b, head);
  LLVMPositionBuilderAtEnd(m->b, head);
  if (on == head) { /* what goes on at the head must have burnt something */
    LLVMBasicBlockRef burnt = block(m, "burnt");
    burn_to(m, burnt);
    LLVMPositionBuilderAtEnd(m->b, burnt);
  }
  body(m, on, out);
  LLVMBuildCondBr(m->b, flag(m, 32), out, on);
  if (on != head) {
    LLVMPositionBuilderAtEnd(m->b, on);
    burn_to(m, head);
  }
  LLVMPositionBuilderAtEnd(m->b, out);
}

static void count(struct maker *m);

static void nest(struct maker *m, LLVMBasicBlockRef on, LLVMBasicBlockRef out)
{
  m->loops[m->depth].on = on;
  m->loops[m->depth++].out = out;
  count(m);
  m->depth--;
}

static LLVMValueRef bounded_by(struct maker *m, LLVMValueRef value, unsigned most)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  value = LLVMBuildAnd(m->b, value, LLVMConstInt(type, most, false), "");
  return LLVMBuildOr(m->b, value, LLVMConstInt(type, 1, false), "bound");
}

/* A counter of its own, of any width, up or down, that is tested at the latch or at the head, by
 * equality or order, against a bound that is known or not; it may wrap. */
static void count(struct maker *m)
{
  static const LLVMIntPredicate stays[] = {LLVMIntNE, LLVMIntULT, LLVMIntSLT};
  LLVMBasicBlockRef head = block(m, "count"), on = block(m, "next"), out = block(m, "counted");
  enum kind kind = chance(m, 50) ? WORD : chance(m, 70) ? INT : BYTE;
  LLVMTypeRef type = m->types[kind];
  LLVMValueRef i = m->variables[kind][below(m, VARIABLES)];
  LLVMValueRef own = local(m, type, "i"), next, from;
  unsigned step = chance(m, 60) ? 1 : 1 + below(m, 4), most = m->depth ? 15 : kind == BYTE ? 63 : 127;
  LLVMValueRef bound = LLVMBuildAnd(m->b, param(m, 2), word(m, most), "");
  LLVMIntPredicate stay = step == 1 ? stays[below(m, 3)] : stays[1 + below(m, 2)];
  bool down = chance(m, 25), first = chance(m, 30);

  if (m->depth == 1 && kind != BYTE && chance(m, 35)) /* few trips, as far as anyone knows */
    bound = param(m, 2);
  bound = LLVMBuildTrunc(m->b, LLVMBuildOr(m->b, bound, word(m, 1), ""), type, "bound");
  if (m->depth && m->counters[kind] && chance(m, 10)) /* as far as another one is */
    bound = bounded_by(m, LLVMBuildLoad2(m->b, type, m->counters[kind], ""), most);
  if (chance(m, 15))
    bound = LLVMConstInt(type, 2 + below(m, most - 1), false);
  from = down ? bound : LLVMConstNull(type);
  if (kind == BYTE && stay == LLVMIntNE && chance(m, 40))
    from = LLVMBuildTrunc(m->b, param(m, 3), type, "from");
  if (!down && m->counters[kind] && stay != LLVMIntNE && chance(m, 40)) /* where another one is */
    from = LLVMBuildLoad2(m->b, type, m->counters[kind], "");
  LLVMBuildStore(m->b, from, own);
  m->counters[kind] = own;
  if (down)
    stay = stay == LLVMIntNE ? LLVMIntNE : LLVMIntSGT, bound = LLVMConstNull(type);
  LLVMBuildBr(m->b, head);
  LLVMPositionBuilderAtEnd(m->b, head);
  LLVMValueRef at = LLVMBuildLoad2(m->b, type, own, "");
  if (first) {
    LLVMBasicBlockRef trip = block(m, "trip");
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, stay, at, bound, ""), trip, out);
    LLVMPositionBuilderAtEnd(m->b, trip);
  }
  if (chance(m, 50))
    LLVMBuildStore(m->b, at, i);
  if (chance(m, m->plain && m->depth == 0 ? 90 : 35) && m->depth < DEPTH - 1)
    nest(m, on, out);
  body(m, on, out);
  LLVMBuildBr(m->b, on);
  LLVMPositionBuilderAtEnd(m->b, on);
  next = LLVMConstInt(type, down ? 0 - (uint64_t)step : step, true);
  next = kind != BYTE && chance(m, 50) ? LLVMBuildNSWAdd(m->b, at, next, "") : LLVMBuildAdd(m->b, at, next, "");
  LLVMBuildStore(m->b, next, own);
  if (first)
    LLVMBuildBr(m->b, head);
  else
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, stay, next, bound, ""), head, out);
  LLVMPositionBuilderAtEnd(m->b, out);
}

/* A reference walks over an object's cells to another one. */
static void walk(struct maker *m)
{
  LLVMBasicBlockRef head = block(m, "walk"), on = block(m, "step"), out = block(m, "walked");
  LLVMValueRef object = param(m, below(m, 2)), one = word(m, 1);
  LLVMValueRef length = LLVMBuildAnd(m->b, get(m, WORD), word(m, CN_CELLS - 1), "");
  LLVMValueRef own = local(m, m->types[CELL], "at");
  LLVMValueRef stop = LLVMBuildGEP2(m->b, m->i64, object, &length, 1, "stop");

  LLVMBuildStore(m->b, object, own);
  LLVMBuildBr(m->b, head);
  LLVMPositionBuilderAtEnd(m->b, head);
  LLVMValueRef at = LLVMBuildLoad2(m->b, m->types[CELL], own, "");
  LLVMBasicBlockRef trip = block(m, "trip");
  LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntNE, at, stop, ""), trip, out);
  LLVMPositionBuilderAtEnd(m->b, trip);
  if (chance(m, 70))
    set(m, CELL, at);
  set(m, WORD, LLVMBuildLoad2(m->b, m->i64, at, ""));
  body(m, on, out);
  LLVMBuildBr(m->b, on);
  LLVMPositionBuilderAtEnd(m->b, on);
  LLVMBuildStore(m->b, LLVMBuildGEP2(m->b, m->i64, at, &one, 1, ""), own);
  LLVMBuildBr(m->b, head);
  LLVMPositionBuilderAtEnd(m->b, out);
}

/* Blocks of which each may go on with any: most cycles are no loops. */
static void tangle(struct maker *m)
{
  LLVMBasicBlockRef blocks[MAX_BLOCKS], out = block(m, "untangled");
  unsigned n = 2 + below(m, MAX_BLOCKS - 2);

  for (unsigned i = 0; i < n; i++)
    blocks[i] = block(m, "tangle");
  LLVMBuildCondBr(m->b, flag(m, 2), blocks[0], blocks[below(m, n)]);
  for (unsigned i = 0; i < n; i++) {
    LLVMBasicBlockRef burnt = block(m, "burnt");
    LLVMPositionBuilderAtEnd(m->b, blocks[i]);
    burn_to(m, burnt);
    LLVMPositionBuilderAtEnd(m->b, burnt);
    m->loops[m->depth].on = blocks[below(m, n)];
    m->loops[m->depth++].out = out;
    statements(m, 1 + below(m, 3));
    m->depth--;
    LLVMValueRef s = LLVMBuildSwitch(m->b, LLVMBuildAnd(m->b, get(m, WORD), word(m, 7), ""), blocks[below(m, n)], 3);
    LLVMAddCase(s, word(m, 0), blocks[below(m, n)]);
    LLVMAddCase(s, word(m, 1), blocks[below(m, n)]);
    LLVMAddCase(s, word(m, 2), out);
  }
  LLVMPositionBuilderAtEnd(m->b, out);
}

static void loop(struct maker *m)
{
  static void (*const forms[])(struct maker *) = {count, count, count, search, search, walk, tangle};

  (m->plain ? count : forms[below(m, sizeof forms / sizeof *forms)])(m);
}

static void statement(struct maker *m)
{
  static void (*const plain[])(struct maker *) = {move, move, move, compute, compute, access};

  if (m->statements == 0)
    return;
  m->statements--;
  if (m->plain)
    plain[below(m, sizeof plain / sizeof *plain)](m);
  else if (m->depth < DEPTH && m->depth && chance(m, 15))
    loop(m);
  else if (m->depth && chance(m, 20))
    (chance(m, 75) ? branch : choice)(m);
  else
    plain[below(m, sizeof plain / sizeof *plain)](m);
}

static void statements(struct maker *m, unsigned n)
{
  while (n-- > 0)
    statement(m);
}

/* ---- functions ---- */

static LLVMValueRef start(struct maker *m, enum kind kind, unsigned v)
{
  LLVMValueRef n = LLVMBuildAdd(m->b, param(m, v ? 3 : 2), word(m, v), "");

  switch (kind) {
  case WORD:
    return n;
  case INT:
  case BYTE:
    return LLVMBuildTrunc(m->b, n, m->types[kind], "");
  case REAL:
    return LLVMConstReal(m->types[REAL], 1.5 * v);
  case CELL:
    return cell_at(m, n);
  case LANES:
    return LLVMBuildInsertElement(m->b, LLVMConstNull(m->types[kind]), param(m, 4), LLVMConstInt(m->i32, v, false), "");
  default:
    return LLVMConstNull(m->types[kind]);
  }
}

static LLVMValueRef as_word(struct maker *m, enum kind kind, LLVMValueRef value)
{
  switch (kind) {
  case INT:
  case BYTE:
    return LLVMBuildZExt(m->b, value, m->i64, "");
  case REAL:
    return LLVMBuildBitCast(m->b, value, m->i64, "");
  case CELL:
    return LLVMBuildLoad2(m->b, m->i64, value, "");
  case LANES:
  case REALS: {
    LLVMTypeRef words = LLVMVectorType(m->i64, 2);
    value = LLVMBuildBitCast(m->b, value, words, "");
    LLVMValueRef low = LLVMBuildExtractElement(m->b, value, LLVMConstInt(m->i32, 0, false), "");
    return LLVMBuildAdd(m->b, LLVMBuildMul(m->b, low, word(m, 3), ""),
                        LLVMBuildExtractElement(m->b, value, LLVMConstInt(m->i32, 1, false), ""), "");
  }
  default:
    return value;
  }
}

static void make_end(struct maker *m)
{
  LLVMValueRef sum = word(m, 0);

  LLVMPositionBuilderAtEnd(m->b, m->end);
  for (unsigned k = 0; k < KINDS; k++)
    for (unsigned v = 0; v < VARIABLES; v++) {
      LLVMValueRef value = LLVMBuildLoad2(m->b, m->types[k], m->variables[k][v], "");
      sum = LLVMBuildAdd(m->b, LLVMBuildMul(m->b, sum, word(m, 31), ""), as_word(m, (enum kind)k, value), "");
    }
  LLVMBuildRet(m->b, sum);
}

static void make_function(struct maker *m, uint64_t number)
{
  LLVMTypeRef params[] = {m->types[CELL], m->types[CELL], m->i64, m->i64, m->i32};
  char name[32];

  snprintf(name, sizeof name, "f%llu", (unsigned long long)number);
  m->random = (number + 1) * 0x9E3779B97F4A7C15u;
  m->function = LLVMAddFunction(m->module, name, LLVMFunctionType(m->i64, params, 5, false));
  LLVMSetGC(m->function, "statepoint-example");
  LLVMPositionBuilderAtEnd(m->b, block(m, "entry"));
  m->end = block(m, "end");
  for (unsigned k = 0; k < KINDS; k++)
    for (unsigned v = 0; v < VARIABLES; v++)
      m->variables[k][v] = LLVMBuildAlloca(m->b, m->types[k], "");
  m->fuel = LLVMBuildAlloca(m->b, m->i64, "fuel");
  LLVMBuildStore(m->b, word(m, 300), m->fuel);
  for (unsigned k = 0; k < KINDS; k++)
    for (unsigned v = 0; v < VARIABLES; v++)
      LLVMBuildStore(m->b, start(m, (enum kind)k, v), m->variables[k][v]);
  memset(m->counters, 0, sizeof m->counters);
  m->statements = 8 + below(m, 24);
  m->plain = number / 8 % 4 == 0;
  loop(m);
  for (unsigned more = below(m, 2); more; more--)
    loop(m);
  LLVMBuildBr(m->b, m->end);
  make_end(m);
}

/* What front ends and optimisers make of it. */
static void optimise(struct maker *m, uint64_t number)
{
  static const char *const passes[] = {
      "sroa,simplifycfg",
      "sroa,simplifycfg,loop-simplify,lcssa,loop(loop-rotate),simplifycfg",
      "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-simplify,lcssa",
      "sroa,simplifycfg,loop-mssa(loop-rotate,licm),instcombine<no-verify-fixpoint>,adce,simplifycfg",
      "sroa,instcombine<no-verify-fixpoint>,jump-threading,simplifycfg,gvn,adce",
      "mem2reg",
  };
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPassesOnFunction(m->function, passes[number % (sizeof passes / sizeof *passes)], NULL, options);

  CN_CHECK(!error);
  LLVMDisposePassBuilderOptions(options);
}

LLVMModuleRef cn_loops_make(LLVMContextRef llvm, uint64_t first, uint64_t count)
{
  struct maker m = {.llvm = llvm, .module = LLVMModuleCreateWithNameInContext("loops", llvm)};

  m.b = LLVMCreateBuilderInContext(llvm);
  m.i1 = LLVMInt1TypeInContext(llvm);
  m.i32 = LLVMInt32TypeInContext(llvm);
  m.i64 = LLVMInt64TypeInContext(llvm);
  m.types[WORD] = m.i64;
  m.types[INT] = m.i32;
  m.types[BYTE] = LLVMInt8TypeInContext(llvm);
  m.types[REAL] = LLVMDoubleTypeInContext(llvm);
  m.types[LANES] = LLVMVectorType(m.i32, 4);
  m.types[REALS] = LLVMVectorType(m.types[REAL], 2);
  m.types[CELL] = LLVMPointerTypeInContext(llvm, 1);
  LLVMSetTarget(m.module, cn_random_machine()->triple);
  LLVMSetDataLayout(m.module, cn_random_machine()->layout);
  for (uint64_t n = first; n < first + count; n++) {
    make_function(&m, n);
    optimise(&m, n);
  }
  LLVMDisposeBuilder(m.b);
  return m.module;
}
