/* SPDX-License-Identifier: Apache-2.0
 *
 * The emission of a function: instances, block by block, and the compiled function's entry. An attempt that finds a
 * loop header with wrong representations is thrown away (state.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "tiny/core/object.h"

enum { MAX_ATTEMPTS = 40, MAX_WORDS = 6000 };

struct tj_instance *tj_instance_new(struct tj_body *body, struct tj_instance *parent)
{
  struct tj_instance *in = calloc(1, sizeof *in);

  in->body = body;
  in->parent = parent;
  in->depth = parent ? parent->depth + 1 : 0;
  in->regs = calloc(body->function->registers + 1u, sizeof *in->regs);
  in->blocks = calloc(body->block_count + 1, sizeof *in->blocks);
  in->edges = calloc(body->block_count + 1, sizeof *in->edges);
  in->headers = calloc(body->block_count + 1, sizeof *in->headers);
  return in;
}

void tj_instance_free(struct tj_instance *in)
{
  for (uint32_t i = 0; i < in->body->block_count; i++) {
    tj_free_edges(in->edges[i]);
    tj_free_header(in->headers[i]);
  }
  tj_free_edges(in->returns);
  free(in->regs);
  free(in->blocks);
  free(in->edges);
  free(in->headers);
  free(in);
}

/* An instruction that the compiler leaves to the interpreter, such as the definition of a class. */
static void emit_rest(struct tj_unit *u, struct tj_instance *in)
{
  tj_leave(u, in, TJ_COLD);
  in->dead = true;
}

static void emit_instruction(struct tj_unit *u, struct tj_instance *in)
{
  uint32_t word = in->body->code[in->at];
  struct tj_var *a = &in->regs[TINY_A(word)];

  memset(in->leaves, 0, sizeof in->leaves);
  switch (word & 255) {
  case TINY_OP_MOVE:
    *a = in->regs[TINY_B(word)];
    break;
  case TINY_OP_INTEGER:
    *a = tj_int(tj_i64(u, (int64_t)TINY_SIGNED_WIDE_OF(word) * 8));
    break;
  case TINY_OP_NIL:
    *a = tj_word(tj_nil(u));
    break;
  case TINY_OP_TRUE:
  case TINY_OP_FALSE:
    *a = tj_bool(LLVMConstInt(u->i1, (word & 255) == TINY_OP_TRUE, false));
    break;
  default:
    if (!tj_emit_arithmetic(u, in, word) && !tj_emit_compare(u, in, word) && !tj_emit_object(u, in, word) &&
        !tj_emit_call(u, in, word) && !u->failed)
      emit_rest(u, in);
  }
}

static void emit_block(struct tj_unit *u, struct tj_instance *in, uint32_t block)
{
  uint32_t at = in->body->blocks[block].start, end = in->body->blocks[block].end;

  while (at < end && !u->failed) {
    in->at = at;
    bool jumps = tj_jump_target(in->body, at) != UINT32_MAX;
    emit_instruction(u, in);
    if (in->dead || jumps)
      return;
    at += tj_words_at(in->body, at);
  }
  if (!u->failed)
    tj_go(u, in, end);
}

void tj_emit_instance(struct tj_unit *u, struct tj_instance *in)
{
  in->at = in->body->entry;
  tj_go(u, in, in->body->entry);
  for (uint32_t i = 0; i < in->body->order_count && !u->failed; i++) {
    in->dead = false;
    if (tj_begin_block(u, in, in->body->order[i]))
      emit_block(u, in, in->body->order[i]);
  }
}

/* ---- the entry ---- */

static LLVMValueRef make_function(struct tj_unit *u, const char *name, unsigned parameters)
{
  LLVMTypeRef types[TINY_MAX_COMPILED_PARAMETERS + 2];

  for (unsigned i = 0; i < parameters; i++)
    types[i] = u->ref;
  LLVMValueRef function = LLVMAddFunction(u->module, name, LLVMFunctionType(u->ref, types, parameters, false));
  LLVMSetGC(function, "statepoint-example");
  return function;
}

/* Guards that a register at the entry has the type that was seen there. */
static void guard_seen(struct tj_unit *u, struct tj_instance *in, unsigned reg)
{
  uint8_t seen = u->request->seen[reg];
  LLVMValueRef integer, number;

  if (seen == TJ_SEEN_INTEGER) {
    tj_reg_int(u, in, reg);
  } else if (seen == TJ_SEEN_FLOAT) {
    number = tj_reg_number(u, in, reg, &integer);
    if (integer)
      tj_guard(u, in, LLVMBuildNot(u->b, integer, ""), TJ_ENTRY);
    in->regs[reg] = tj_float(number);
  } else if (seen > TJ_SEEN_KIND) {
    tj_guard_kind(u, in, reg, seen - TJ_SEEN_KIND, TJ_ENTRY);
  }
}

static void emit_entry(struct tj_unit *u, struct tj_instance *in)
{
  const struct tj_set *live = &in->body->live[in->body->entry];
  unsigned registers = in->body->function->registers;

  in->self = tj_word(LLVMGetParam(u->function, 0));
  in->at = in->body->entry;
  if (u->request->loop) {
    for (unsigned i = 0; i < registers; i++)
      if (tj_set_has(live, i))
        in->regs[i] = tj_word(tj_load(u, u->ref, LLVMGetParam(u->function, 1), 8 * (int64_t)i, TJ_FIXED));
  } else {
    for (unsigned i = 0; i < in->body->function->parameters; i++)
      in->regs[i] = tj_word(LLVMGetParam(u->function, i + 1));
  }
  if (tj_speculates(u, in, TJ_ENTRY) && tj_speculates(u, in, TJ_TYPE))
    for (unsigned i = 0; i < registers; i++)
      if (tj_set_has(live, i) && in->regs[i].rep == TJ_WORD)
        guard_seen(u, in, i);
}

static bool has_calls(const struct tj_body *body)
{
  for (uint32_t at = 0; at < body->words; at += tj_words_at(body, at))
    if (body->rows[body->code[at] & 255].operand[0] == TINY_OPERAND_WINDOW)
      return true;
  return false;
}

/* A full stack is an exception, which the interpreter throws. */
static void guard_stack(struct tj_unit *u, struct tj_instance *in)
{
  LLVMValueRef limit = tj_load_thread_local(u, u->i64, u->host->stack_limit_offset);

  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntUGE, tj_stack_pointer(u), limit, ""), TJ_STACK);
}

static bool attempt(struct tj_unit *u, const char *name)
{
  struct tj_body *body = u->bodies;

  while (body->next)
    body = body->next;
  u->again = u->failed = false;
  u->inlined_words = 0;
  tj_ir_begin(u, name);
  u->function = make_function(u, name, u->request->loop ? 2 : 1u + body->function->parameters);
  tj_at(u, tj_block(u, "entry"));
  struct tj_instance *in = tj_instance_new(body, NULL);
  emit_entry(u, in);
  if (has_calls(body))
    guard_stack(u, in);
  tj_emit_instance(u, in);
  tj_instance_free(in);
  LLVMDisposeBuilder(u->b);
  return !u->again && !u->failed;
}

LLVMModuleRef tj_emit(const struct tj_host *host, const struct tj_request *request, LLVMContextRef llvm,
                      const char *name, uint8_t *assumed)
{
  struct tj_unit *u = calloc(1, sizeof *u);
  LLVMModuleRef result = NULL;

  u->host = host;
  u->request = request;
  u->llvm = llvm;
  u->assumed = assumed;
  u->bodies = tj_body_new(host, request->tables, request->function, request->entry);
  for (unsigned i = 0; i < MAX_ATTEMPTS && !result && request->function->words <= MAX_WORDS; i++) {
    bool done = attempt(u, name);
    if (done)
      result = u->module;
    else
      LLVMDisposeModule(u->module);
    if (u->failed)
      break;
  }
  for (struct tj_body *body = u->bodies, *next; body; body = next) {
    next = body->next;
    tj_body_free(body);
  }
  free(u);
  return result;
}
