/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the interpreter within compiled code: the registers' values at each place, their joins, and the frame
 * records (docs/deopt.md).
 *
 * Blocks are emitted in reverse postorder, so that only back edges come after their target. A loop header takes over
 * the representations of its earlier edges. If a back edge brings another one, the register becomes a word there in the
 * next attempt of the whole emission: representations only widen, so that few attempts are needed.
 */
#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include "unit.h"

void tj_set_reg(struct tj_instance *in, unsigned reg, struct tj_var var)
{
  in->regs[reg] = var;
}

/* ---- frame records ---- */

struct operands {
  LLVMValueRef at[64 * 256];
  unsigned count;
};

static LLVMValueRef record_value(struct tj_unit *u, struct tj_var var)
{
  return var.rep == TJ_NONE ? LLVMGetUndef(u->i64) : var.v;
}

static void add_handler_live(const struct tj_body *body, uint32_t at, struct tj_set *live)
{
  const struct tiny_try *handler = tj_handler_at(body, at);

  if (handler)
    for (unsigned i = 0; i < 4; i++)
      live->word[i] |= body->live[handler->handler].word[i];
}

/* The registers that the interpreter reads when it goes on: before the instruction at `at` or, if its call is pending,
 * after it. The call writes register a. */
static struct tj_set live_at(const struct tj_body *body, uint32_t at, bool pending)
{
  struct tj_set live = body->live[at], reads, writes;

  if (!pending)
    return live;
  live = body->live[at + tj_words_at(body, at)];
  tj_operands(body, at, &reads, &writes);
  for (unsigned i = 0; i < 4; i++)
    live.word[i] &= ~writes.word[i];
  add_handler_live(body, at, &live);
  return live;
}

static void add_record(struct tj_unit *u, struct tj_instance *in, uint32_t at, bool pending, struct operands *to)
{
  struct tj_set live = live_at(in->body, at, pending);
  unsigned locals = in->body->function->registers, first = to->count;
  uint64_t flags = pending ? CAIRN_ABI_DEOPT_RESULT_REFERENCE : CAIRN_ABI_DEOPT_RESULT_NONE;

  while (locals > 0 && !tj_set_has(&live, locals - 1))
    locals--;
  to->count += CAIRN_ABI_DEOPT_FRAME_HEAD;
  for (unsigned i = 0; i < locals; i++)
    to->at[to->count++] = tj_set_has(&live, i) ? record_value(u, in->regs[i]) : LLVMGetUndef(u->i64);
  to->at[to->count++] = record_value(u, in->self);
  if (pending && in->constructed)
    to->at[to->count++] = in->constructed;
  uint64_t head[] = {(uint64_t)CAIRN_ABI_DEOPT_FRAME << CAIRN_ABI_DEOPT_MAGIC_SHIFT | (to->count - first),
                     TJ_LANGUAGE | flags << CAIRN_ABI_DEOPT_FLAGS_SHIFT,
                     (uintptr_t)in->body->function,
                     at,
                     locals | (uint64_t)(to->count - first - CAIRN_ABI_DEOPT_FRAME_HEAD - locals)
                                  << CAIRN_ABI_DEOPT_STACK_SHIFT,
                     0};
  for (unsigned i = 0; i < CAIRN_ABI_DEOPT_FRAME_HEAD; i++)
    to->at[first + i] = tj_i64(u, (int64_t)head[i]);
}

static void add_records(struct tj_unit *u, struct tj_instance *in, uint32_t at, bool pending, struct operands *to)
{
  if (in->parent)
    add_records(u, in->parent, in->parent_at, true, to);
  add_record(u, in, at, pending, to);
}

LLVMOperandBundleRef tj_records(struct tj_unit *u, struct tj_instance *in, bool pending)
{
  struct operands *operands = malloc(sizeof *operands);

  operands->count = 0;
  add_records(u, in, in->at, pending, operands);
  LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, operands->at, operands->count);
  free(operands);
  return bundle;
}

/* ---- guards ---- */

void tj_leave(struct tj_unit *u, struct tj_instance *in, enum tj_reason reason)
{
  LLVMTypeRef type = LLVMFunctionType(u->ref, NULL, 0, true);
  const char *name = "llvm.experimental.deoptimize.p1";
  LLVMValueRef function = LLVMGetNamedFunction(u->module, name);
  LLVMValueRef number = tj_i64(u, (int64_t)tj_reason_make(reason, in->body->function->number, in->at));
  LLVMOperandBundleRef bundle = tj_records(u, in, false);

  if (!function)
    function = LLVMAddFunction(u->module, name, type);
  LLVMBuildRet(u->b, LLVMBuildCallWithOperandBundles(u->b, type, function, &number, 1, &bundle, 1, ""));
  LLVMDisposeOperandBundle(bundle);
}

/* Makes a guard fail once in a while. */
static LLVMValueRef torture(struct tj_unit *u, LLVMValueRef condition)
{
  LLVMValueRef address = tj_thread_local_address(u, u->host->torture_offset);
  LLVMValueRef count = LLVMBuildLoad2(u->b, u->i32, address, "");

  LLVMSetVolatile(count, true);
  count = LLVMBuildSub(u->b, count, tj_i32(u, 1), "");
  LLVMSetVolatile(LLVMBuildStore(u->b, count, address), true);
  return LLVMBuildAnd(u->b, condition, LLVMBuildICmp(u->b, LLVMIntNE, count, tj_i32(u, 0), ""), "");
}

void tj_guard(struct tj_unit *u, struct tj_instance *in, LLVMValueRef condition, enum tj_reason reason)
{
  LLVMBasicBlockRef more = tj_block(u, "more"), leave = in->leaves[reason] ? in->leaves[reason] : tj_block(u, "leave");

  if (u->host->options.torture)
    condition = torture(u, condition);
  tj_branch_likely(u, condition, more, leave);
  if (!in->leaves[reason]) {
    in->leaves[reason] = leave;
    tj_at(u, leave);
    tj_leave(u, in, reason);
  }
  tj_at(u, more);
}

bool tj_speculates(struct tj_unit *u, struct tj_instance *in, enum tj_reason reason)
{
  const struct tj_function *data = in->body->function->jit;

  (void)u;
  return !data || !data->failed || !(data->failed[in->at] >> (reason % 8) & 1);
}

/* ---- edges ---- */

static struct tj_var *copy_regs(struct tj_instance *in)
{
  size_t size = (in->body->function->registers + 1u) * sizeof *in->regs;

  return memcpy(malloc(size), in->regs, size);
}

static bool is_forced(struct tj_unit *u, uint64_t path, uint32_t block, unsigned reg)
{
  for (unsigned i = 0; i < u->forced_count; i++)
    if (u->forced[i].path == path && u->forced[i].block == block && u->forced[i].reg == reg)
      return true;
  return u->forced_count == TJ_MAX_FORCED;
}

static void force(struct tj_unit *u, uint64_t path, uint32_t block, unsigned reg)
{
  u->again = true;
  if (!is_forced(u, path, block, reg))
    u->forced[u->forced_count++] = (struct tj_forced){path, block, (uint8_t)reg};
}

static LLVMTypeRef type_of_rep(struct tj_unit *u, enum tj_rep rep)
{
  LLVMTypeRef types[] = {
      [TJ_NONE] = u->ref, [TJ_WORD] = u->ref, [TJ_INT] = u->i64, [TJ_FLOAT] = u->f64, [TJ_BOOL] = u->i1};

  return types[rep];
}

static void add_back_edge(struct tj_unit *u, struct tj_instance *in, uint32_t block)
{
  struct tj_header *header = in->headers[block];
  unsigned registers = in->body->function->registers;
  LLVMValueRef *values = calloc(registers + 1u, sizeof *values);

  for (unsigned r = 0; r < registers; r++) {
    if (!header->phis[r])
      continue;
    struct tj_var var = in->regs[r];
    if (header->reps[r] == TJ_WORD) {
      values[r] = tj_box(u, var);
    } else if (header->reps[r] == var.rep) {
      values[r] = var.v;
    } else {
      force(u, in->path, block, r);
      values[r] = LLVMGetUndef(type_of_rep(u, header->reps[r]));
    }
  }
  LLVMBasicBlockRef from = tj_here(u);
  for (unsigned r = 0; r < registers; r++)
    if (header->phis[r])
      LLVMAddIncoming(header->phis[r], &values[r], &from, 1);
  LLVMBuildBr(u->b, in->blocks[block]);
  free(values);
}

static void add_edge(struct tj_unit *u, struct tj_instance *in, uint32_t block)
{
  if (in->headers[block]) {
    add_back_edge(u, in, block);
    return;
  }
  struct tj_edge *edge = malloc(sizeof *edge);
  *edge = (struct tj_edge){tj_here(u), copy_regs(in), in->edges[block]};
  in->edges[block] = edge;
}

void tj_go(struct tj_unit *u, struct tj_instance *in, uint32_t to)
{
  add_edge(u, in, in->body->block_at[to] - 1);
}

/* ---- joins ---- */

static enum tj_rep join_reps(const struct tj_edge *edges, unsigned reg)
{
  enum tj_rep rep = edges->regs[reg].rep;

  for (const struct tj_edge *e = edges; e; e = e->next)
    if (e->regs[reg].rep != rep)
      return TJ_WORD;
  return rep == TJ_NONE ? TJ_WORD : rep;
}

/* The register's value, if it is the same on all edges; else of no representation. */
static struct tj_var same_value(const struct tj_edge *edges, unsigned reg)
{
  struct tj_var var = edges->regs[reg];

  for (const struct tj_edge *e = edges->next; e; e = e->next) {
    const struct tj_var *other = &e->regs[reg];
    if (other->rep != var.rep || other->v != var.v)
      return (struct tj_var){.rep = TJ_NONE};
    var.is_constant &= other->is_constant;
    var.kind = other->kind == var.kind ? var.kind : 0;
    var.symbol = other->symbol == var.symbol ? var.symbol : 0;
    var.function = other->function == var.function ? var.function : NULL;
  }
  return var;
}

static struct tj_header *make_phis(struct tj_unit *u, struct tj_instance *in, uint32_t block, bool is_header)
{
  const struct tj_set *live = &in->body->live[in->body->blocks[block].start];
  unsigned registers = in->body->function->registers;
  struct tj_header *header = malloc(sizeof *header);

  header->phis = calloc(registers + 1u, sizeof *header->phis);
  header->reps = calloc(registers + 1u, sizeof *header->reps);
  for (unsigned r = 0; r < registers; r++) {
    in->regs[r] = (struct tj_var){.rep = TJ_NONE};
    if (!tj_set_has(live, r))
      continue;
    if (!is_header || !tj_set_has(&in->body->blocks[block].written, r))
      in->regs[r] = same_value(in->edges[block], r);
    if (in->regs[r].rep != TJ_NONE)
      continue;
    header->reps[r] = is_header && is_forced(u, in->path, block, r) ? TJ_WORD : join_reps(in->edges[block], r);
    header->phis[r] = LLVMBuildPhi(u->b, type_of_rep(u, header->reps[r]), "");
    in->regs[r] = (struct tj_var){.rep = header->reps[r], .v = header->phis[r]};
  }
  return header;
}

static void end_edge(struct tj_unit *u, struct tj_instance *in, struct tj_header *header, struct tj_edge *edge,
                     LLVMBasicBlockRef to)
{
  unsigned registers = in->body->function->registers;

  tj_at(u, edge->from);
  for (unsigned r = 0; r < registers; r++)
    if (header->phis[r] && header->reps[r] == TJ_WORD)
      edge->regs[r] = tj_word(tj_box(u, edge->regs[r]));
  LLVMBasicBlockRef from = tj_here(u);
  LLVMBuildBr(u->b, to);
  for (unsigned r = 0; r < registers; r++)
    if (header->phis[r])
      LLVMAddIncoming(header->phis[r], &edge->regs[r].v, &from, 1);
}

void tj_free_header(struct tj_header *header)
{
  if (!header)
    return;
  free(header->phis);
  free(header->reps);
  free(header);
}

void tj_free_edges(struct tj_edge *edges)
{
  for (struct tj_edge *next; edges; edges = next) {
    next = edges->next;
    free(edges->regs);
    free(edges);
  }
}

bool tj_begin_block(struct tj_unit *u, struct tj_instance *in, uint32_t block)
{
  struct tj_edge *edges = in->edges[block];
  bool is_header = in->body->blocks[block].header;

  if (!edges)
    return false;
  in->at = in->body->blocks[block].start;
  if (!is_header && !edges->next) {
    memcpy(in->regs, edges->regs, in->body->function->registers * sizeof *in->regs);
    tj_at(u, edges->from);
  } else {
    in->blocks[block] = tj_block(u, "block");
    tj_at(u, in->blocks[block]);
    struct tj_header *header = make_phis(u, in, block, is_header);
    for (struct tj_edge *e = edges; e; e = e->next)
      end_edge(u, in, header, e, in->blocks[block]);
    tj_at(u, in->blocks[block]);
    if (is_header)
      in->headers[block] = header;
    else
      tj_free_header(header);
  }
  in->edges[block] = NULL;
  tj_free_edges(edges);
  return true;
}
