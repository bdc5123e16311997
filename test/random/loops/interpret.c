/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter. Addresses are those of the process. At a statepoint each object moves to another
 * place; what lay there before is overwritten, so that a stale reference reads nonsense.
 */
#include "random/loops/interpret.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "random/loops/code.h"

enum { OBJECTS = 2, PLACES = 5, STALE = 0xEF };

struct machine {
  const struct cn_loops_code *code;
  struct cn_value *values, *live;
  char *frame;
  struct cn_loops_met *met;
  unsigned place[OBJECTS]; /* where each object is */
  int64_t places[OBJECTS][PLACES][CN_CELLS + 1];
  uint64_t mutator[64];
};

static int64_t extended(uint64_t value, unsigned bits)
{
  return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static double as_double(uint64_t bits)
{
  double value;

  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t as_bits(double value)
{
  uint64_t bits;

  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* ---- statepoints ---- */

/* Where what is at `address` is after a move from the places `from` to the next. */
static uint64_t moved(const struct machine *m, const unsigned *from, uint64_t address)
{
  for (unsigned o = 0; o < OBJECTS; o++) {
    uint64_t start = (uint64_t)(uintptr_t)m->places[o][from[o]];
    if (address - start <= CN_CELLS * sizeof(int64_t))
      return address - start + (uint64_t)(uintptr_t)m->places[o][m->place[o]];
  }
  return address;
}

static void run_statepoint(struct machine *m, const struct cn_op *op)
{
  const uint64_t *numbers = m->code->numbers.at + op->first;
  unsigned from[OBJECTS];

  m->met->moves++;
  memcpy(from, m->place, sizeof from);
  for (unsigned o = 0; o < OBJECTS; o++) {
    m->place[o] = (m->place[o] + 1) % PLACES;
    memcpy(m->places[o][m->place[o]], m->places[o][from[o]], sizeof m->places[o][0]);
    memset(m->places[o][from[o]], STALE, sizeof m->places[o][0]);
  }
  for (uint32_t k = 0; k < op->count; k++)
    m->live[op->other + k].lane[0] = moved(m, from, m->values[numbers[k]].lane[0]);
  for (uint32_t k = op->count; k < op->length; k += 2) {
    uint64_t *cell = (uint64_t *)(uintptr_t)(m->values[numbers[k]].lane[0] + numbers[k + 1]);
    *cell = moved(m, from, *cell);
  }
}

/* ---- operations ---- */

static bool compare(unsigned predicate, uint64_t a, uint64_t b, unsigned bits)
{
  int64_t sa = extended(a, bits), sb = extended(b, bits);

  switch (predicate) {
  case LLVMIntEQ:
    return a == b;
  case LLVMIntNE:
    return a != b;
  case LLVMIntUGT:
    return a > b;
  case LLVMIntUGE:
    return a >= b;
  case LLVMIntULT:
    return a < b;
  case LLVMIntULE:
    return a <= b;
  case LLVMIntSGT:
    return sa > sb;
  case LLVMIntSGE:
    return sa >= sb;
  case LLVMIntSLT:
    return sa < sb;
  default:
    return sa <= sb;
  }
}

/* The bits of a predicate: equal, greater, less, unordered. */
static bool compare_reals(unsigned predicate, double a, double b)
{
  unsigned is = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;

  return (predicate & is) != 0;
}

static uint64_t binary(const struct cn_op *op, uint64_t a, uint64_t b)
{
  unsigned bits = op->bits;

  switch (op->code) {
  case LLVMAdd:
    return a + b;
  case LLVMSub:
    return a - b;
  case LLVMMul:
    return a * b;
  case LLVMAnd:
    return a & b;
  case LLVMOr:
    return a | b;
  case LLVMXor:
    return a ^ b;
  case LLVMShl:
    return b < bits ? a << b : 0;
  case LLVMLShr:
    return b < bits ? a >> b : 0;
  case LLVMAShr:
    return b < bits ? (uint64_t)(extended(a, bits) >> b) : 0;
  case LLVMUDiv:
    return b ? a / b : 0;
  case LLVMURem:
    return b ? a % b : 0;
  case LLVMFAdd:
    return as_bits(as_double(a) + as_double(b));
  case LLVMFSub:
    return as_bits(as_double(a) - as_double(b));
  case LLVMFMul:
    return as_bits(as_double(a) * as_double(b));
  case LLVMICmp:
    return compare(op->other, a, b, bits);
  default:
    return compare_reals(op->other, as_double(a), as_double(b));
  }
}

static uint64_t unary(const struct cn_op *op, uint64_t a)
{
  switch (op->code) {
  case LLVMSExt:
    return (uint64_t)extended(a, op->other);
  case LLVMUIToFP:
    return as_bits((double)a);
  case LLVMSIToFP:
    return as_bits((double)extended(a, op->other));
  case LLVMFNeg:
    return a ^ UINT64_C(1) << 63;
  default:
    return a; /* zext, trunc, freeze */
  }
}

static uint64_t call(const struct cn_op *op, uint64_t a, uint64_t b, uint64_t c)
{
  unsigned bits = op->bits;
  bool less = extended(a, bits) < extended(b, bits);

  switch (op->call) {
  case CN_DOES_UMIN:
    return a < b ? a : b;
  case CN_DOES_UMAX:
    return a < b ? b : a;
  case CN_DOES_SMIN:
    return less ? a : b;
  case CN_DOES_SMAX:
    return less ? b : a;
  case CN_DOES_ABS:
    return extended(a, bits) < 0 ? 0 - a : a;
  case CN_DOES_FABS:
    return a & ~(UINT64_C(1) << 63);
  case CN_DOES_FSHL:
    c %= bits;
    return c ? a << c | b >> (bits - c) : a;
  default:
    return a;
  }
}

static unsigned bytes_of(const struct cn_op *op)
{
  return (op->bits + 7) / 8;
}

static void run_load(struct machine *m, const struct cn_op *op)
{
  const char *from = (const char *)(uintptr_t)m->values[op->from[0]].lane[0];
  struct cn_value value = {0};

  for (unsigned l = 0; l < op->lanes; l++)
    memcpy(&value.lane[l], from + l * bytes_of(op), bytes_of(op));
  m->values[op->to] = value;
}

static void run_store(struct machine *m, const struct cn_op *op)
{
  char *to = (char *)(uintptr_t)m->values[op->from[1]].lane[0];

  for (unsigned l = 0; l < op->lanes; l++)
    memcpy(to + l * bytes_of(op), &m->values[op->from[0]].lane[l], bytes_of(op));
}

/* Between lanes of one width and lanes of another. */
static void run_bitcast(struct machine *m, const struct cn_op *op)
{
  unsigned char bytes[CN_LANES * 8] = {0};
  struct cn_value value = {0};

  for (unsigned l = 0; l < op->count; l++)
    memcpy(bytes + l * op->other / 8, &m->values[op->from[0]].lane[l], op->other / 8);
  for (unsigned l = 0; l < op->lanes; l++)
    memcpy(&value.lane[l], bytes + l * op->bits / 8, op->bits / 8);
  m->values[op->to] = value;
}

static void run_vector(struct machine *m, const struct cn_op *op)
{
  struct cn_value a = m->values[op->from[0]], b = m->values[op->from[1]], out = {0};

  switch (op->code) {
  case LLVMExtractElement:
    out.lane[0] = a.lane[b.lane[0] % CN_LANES];
    break;
  case LLVMInsertElement:
    out = a;
    out.lane[m->values[op->from[2]].lane[0] % CN_LANES] = b.lane[0];
    break;
  default:
    for (uint32_t k = 0; k < op->length; k++) {
      int64_t from = (int64_t)m->code->numbers.at[op->first + k];
      if (from >= 0)
        out.lane[k] = from < op->other ? a.lane[from] : b.lane[from - op->other];
    }
  }
  m->values[op->to] = out;
}

static void run_call(struct machine *m, const struct cn_op *op)
{
  if (op->call == CN_DOES_MOVE) {
    run_statepoint(m, op);
    return;
  }
  if (op->call == CN_DOES_RELOCATE) {
    m->values[op->to] = m->live[op->from[0]];
    return;
  }
  if (op->call == CN_DOES_FILL) {
    memset((void *)(uintptr_t)m->values[op->from[0]].lane[0], (int)m->values[op->from[1]].lane[0],
           m->values[op->from[2]].lane[0]);
    return;
  }
  m->met->polls += op->call == CN_DOES_POLL;
  struct cn_value out = {0};
  for (unsigned l = 0; l < op->lanes; l++)
    out.lane[l] =
        cn_cut(call(op, m->values[op->from[0]].lane[l], m->values[op->from[1]].lane[l], m->values[op->from[2]].lane[l]),
               op->bits);
  m->values[op->to] = out;
}

static void run_lanes(struct machine *m, const struct cn_op *op)
{
  struct cn_value a = m->values[op->from[0]], b = m->values[op->from[1]], out = {0};
  bool two = op->count == 2;

  for (unsigned l = 0; l < op->lanes; l++)
    out.lane[l] = cn_cut(two ? binary(op, a.lane[l], b.lane[l]) : unary(op, a.lane[l]), op->bits);
  m->values[op->to] = out;
}

static void run_select(struct machine *m, const struct cn_op *op)
{
  struct cn_value which = m->values[op->from[0]], out = {0};

  for (unsigned l = 0; l < op->lanes; l++) /* one condition for all lanes, or one for each */
    out.lane[l] = m->values[op->from[which.lane[op->count > 1 ? l : 0] & 1 ? 1 : 2]].lane[l];
  m->values[op->to] = out;
}

static void run(struct machine *m, const struct cn_op *op)
{
  struct cn_value *to = &m->values[op->to];

  switch (op->code) {
  case LLVMCall:
    run_call(m, op);
    break;
  case LLVMLoad:
    run_load(m, op);
    break;
  case LLVMStore:
    run_store(m, op);
    break;
  case LLVMBitCast:
    run_bitcast(m, op);
    break;
  case LLVMSelect:
    run_select(m, op);
    break;
  case LLVMAlloca:
    *to = (struct cn_value){{(uint64_t)(uintptr_t)(m->frame + op->other)}};
    break;
  case LLVMGetElementPtr:
    to->lane[0] = m->values[op->from[0]].lane[0];
    for (unsigned k = 0; k + 1 < op->count; k++)
      to->lane[0] += m->values[op->from[k + 1]].lane[0] * op->scale[k];
    break;
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
    run_vector(m, op);
    break;
  default:
    run_lanes(m, op);
  }
}

/* ---- control ---- */

/* Where `op` leads. */
static uint32_t next_block(const struct machine *m, const struct cn_op *op)
{
  const uint64_t *to = m->code->numbers.at + op->first;
  uint64_t value = m->values[op->from[0]].lane[0];

  if (op->code == LLVMBr)
    return (uint32_t)to[op->count == 1 || value & 1 ? 0 : 1];
  for (uint32_t c = 2; c < op->length; c += 2)
    if (m->values[to[c + 1]].lane[0] == value)
      return (uint32_t)to[c];
  return (uint32_t)to[0];
}

/* All phis of a block read before any is written. */
static void run_phis(struct machine *m, const struct cn_code_block *block, uint32_t from)
{
  struct cn_value in[256];

  CN_CHECK(block->phis <= 256);
  for (uint32_t p = 0; p < block->phis; p++) {
    const struct cn_phi *phi = &m->code->phis.at[block->phi + p];
    const uint64_t *pair = m->code->numbers.at + phi->first;
    uint32_t k = 0;
    while (k < phi->length && pair[2 * k] != from)
      k++;
    CN_CHECK(k < phi->length);
    in[p] = m->values[pair[2 * k + 1]];
  }
  for (uint32_t p = 0; p < block->phis; p++)
    m->values[m->code->phis.at[block->phi + p].to] = in[p];
}

static enum cn_loops_how run_blocks(struct machine *m, uint64_t steps, int64_t *result)
{
  const struct cn_op *op = &m->code->ops.at[m->code->at.at[0].op];
  uint32_t from = 0;

  while (steps-- > 0) {
    switch (op->code) {
    case LLVMBr:
    case LLVMSwitch: {
      uint32_t to = next_block(m, op);
      run_phis(m, &m->code->at.at[to], from);
      op = &m->code->ops.at[m->code->at.at[to].op];
      from = to;
      break;
    }
    case LLVMRet:
      *result = (int64_t)m->values[op->from[0]].lane[0];
      return CN_LOOPS_RAN;
    case LLVMUnreachable:
      return CN_LOOPS_UNKNOWN;
    default:
      run(m, op++);
    }
  }
  return CN_LOOPS_LONG;
}

static void begin(struct machine *m, const struct cn_loop_always_runs_block *run)
{
  size_t size = m->code->values.count * sizeof *m->values;

  m->values = cn_alloc(size);
  memcpy(m->values, m->code->values.at, size);
  m->live = cn_alloc((m->code->live + 1) * sizeof *m->live);
  m->frame = cn_alloc(m->code->frame + 16);
  memset(m->mutator, 1, sizeof m->mutator); /* polls are asked for */
  for (size_t i = 0; i < m->code->mutators.count; i++)
    m->values[m->code->mutators.at[i]].lane[0] = (uint64_t)(uintptr_t)m->mutator;
  memcpy(m->places[0][0], run->a, sizeof run->a);
  memcpy(m->places[1][0], run->b, sizeof run->b);
  for (unsigned o = 0; o < OBJECTS; o++)
    m->values[o].lane[0] = (uint64_t)(uintptr_t)m->places[o][0];
  m->values[2].lane[0] = (uint64_t)run->n;
  m->values[3].lane[0] = (uint64_t)run->k;
  m->values[4].lane[0] = (uint32_t)run->m;
}

enum cn_loops_how cn_loops_interpret(const struct cn_loops_code *code, uint64_t steps,
                                     struct cn_loop_always_runs_block *run, struct cn_loops_met *met)
{
  struct machine m = {.code = code, .met = met};

  if (code->unknown)
    return CN_LOOPS_UNKNOWN;
  begin(&m, run);
  enum cn_loops_how how = run_blocks(&m, steps, &run->result);
  memcpy(run->a, m.places[0][m.place[0]], sizeof run->a);
  memcpy(run->b, m.places[1][m.place[1]], sizeof run->b);
  free(m.values);
  free(m.live);
  free(m.frame);
  return how;
}

void cn_loops_input(struct cn_loop_always_runs_block *run, unsigned input)
{
  static const int64_t trips[CN_LOOPS_INPUTS] = {0, 7, 40, 125};

  *run = (struct cn_loop_always_runs_block){.n = trips[input], .k = 3 - (int64_t)input, .m = (int32_t)input * 77};
  for (unsigned i = 0; i < CN_CELLS; i++) {
    run->a[i] = (int64_t)((i + 1 + input) * 0x9E3779B97F4A7C15u >> 40);
    run->b[i] = (int64_t)((i + 100 + input) * 0x9E3779B97F4A7C15u >> 20);
  }
}

bool cn_loops_same(const struct cn_loop_always_runs_block *one, const struct cn_loop_always_runs_block *other)
{
  return one->result == other->result && memcmp(one->a, other->a, sizeof one->a) == 0 &&
         memcmp(one->b, other->b, sizeof one->b) == 0;
}
