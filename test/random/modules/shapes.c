/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: functions, their blocks, and how these end. Any block may branch to any other,
 * so loops need not be reducible; a block that may go backwards burns fuel first.
 */
#include "random/modules/maker.h"

#include <string.h>

/* A loop of few trips over the array, as a front end would write it. */
static void loop(struct cn_maker *m)
{
  LLVMBasicBlockRef before = LLVMGetInsertBlock(m->builder), body = cn_cfg_block(m), after = cn_cfg_block(m), latch;
  LLVMValueRef index[2] = {cn_int(m, 0), NULL}, phi, at, old;
  bool long_loop = !m->run || cn_chance(m, 2);

  LLVMBuildBr(m->builder, body);
  LLVMPositionBuilderAtEnd(m->builder, body);
  phi = LLVMBuildPhi(m->builder, m->i64, "");
  at = LLVMBuildAnd(m->builder, phi, cn_int(m, CN_LENGTH - 1), "");
  at = cn_gep(m, m->i64, cn_get(m, CN_LONGS), at);
  old = LLVMBuildLoad2(m->builder, m->i64, at, "");
  if (!long_loop && m->depth < 2 && cn_chance(m, 60))
    cn_steps(m, 1 + cn_below(m, 2));
  cn_set(m, CN_NUMBER, LLVMBuildAdd(m->builder, old, cn_get(m, CN_NUMBER), ""));
  index[1] = LLVMBuildNSWAdd(m->builder, phi, cn_int(m, 1), "");
  at = cn_int(m, long_loop ? 5000 : 2 + cn_below(m, 5));
  LLVMValueRef more = LLVMBuildICmp(m->builder, cn_chance(m, 50) ? LLVMIntSLT : LLVMIntNE, index[1], at, "");
  latch = LLVMGetInsertBlock(m->builder);
  LLVMBuildCondBr(m->builder, more, body, after);
  LLVMAddIncoming(phi, index, (LLVMBasicBlockRef[]){before, latch}, 2);
  LLVMPositionBuilderAtEnd(m->builder, after);
}

static void step(struct cn_maker *m)
{
  static cn_step *const steps[] = {cn_object_step, cn_object_step, cn_value_step, cn_call_step, cn_form_step};

  m->depth++;
  if (m->depth < 3 && cn_chance(m, 6))
    loop(m);
  else
    steps[cn_below(m, 5)](m);
  m->depth--;
}

void cn_steps(struct cn_maker *m, unsigned count)
{
  while (count-- > 0)
    step(m);
}

void cn_burn(struct cn_maker *m)
{
  LLVMBasicBlockRef on = cn_cfg_block(m);
  LLVMValueRef fuel = LLVMBuildLoad2(m->builder, m->i64, m->fuel, "");

  LLVMBuildStore(m->builder, LLVMBuildSub(m->builder, fuel, cn_int(m, 1), ""), m->fuel);
  fuel = LLVMBuildICmp(m->builder, LLVMIntSGT, fuel, cn_int(m, 0), "");
  LLVMBuildCondBr(m->builder, fuel, on, m->end);
  LLVMPositionBuilderAtEnd(m->builder, on);
}

static bool same_signature(const struct cn_random_function *a, const struct cn_random_function *b)
{
  return a->count == b->count && a->result == b->result &&
         memcmp(a->params, b->params, a->count * sizeof *a->params) == 0 &&
         LLVMGetFunctionCallConv(a->value) == LLVMGetFunctionCallConv(b->value);
}

static bool has_place(const struct cn_random_function *f)
{
  for (unsigned p = 0; p < f->count; p++)
    if (f->params[p] == CN_PLACE)
      return true;
  return false;
}

/* Return what a function of the same signature returns. */
static void tail_call(struct cn_maker *m)
{
  struct cn_random_function *f = m->current, *other = &m->functions[cn_below(m, m->function_count)];
  LLVMValueRef args[CN_PARAMETERS], call;

  if (!same_signature(f, other))
    other = f;
  for (unsigned p = 0; p < f->count; p++)
    args[p] = cn_get(m, f->params[p]);
  call = LLVMBuildCall2(m->builder, LLVMGlobalGetValueType(other->value), other->value, args, f->count, "");
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(other->value));
  LLVMSetTailCallKind(call, cn_has(m, CN_FORM_MUSTTAIL) ? LLVMTailCallKindMustTail : LLVMTailCallKindTail);
  if (f->result == CN_VOID)
    LLVMBuildRetVoid(m->builder);
  else
    LLVMBuildRet(m->builder, call);
}

static void computed_branch(struct cn_maker *m, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
  LLVMValueRef to =
      LLVMBuildSelect(m->builder, cn_flag(m), LLVMBlockAddress(m->function, a), LLVMBlockAddress(m->function, b), "");

  to = LLVMBuildIndirectBr(m->builder, to, 2);
  LLVMAddDestination(to, a);
  LLVMAddDestination(to, b);
}

static void end_block(struct cn_maker *m, unsigned at)
{
  unsigned count = m->block_count;
  bool last = at + 1 == count, forward = !last && cn_chance(m, 60);
  unsigned first = forward ? at + 1 : 0;
  LLVMBasicBlockRef to[3];

  if (!forward)
    cn_burn(m);
  for (int i = 0; i < 3; i++) {
    unsigned n = first + cn_below(m, count - first + 1);
    to[i] = n < count ? m->blocks[n] : m->end;
  }
  if ((cn_has(m, CN_FORM_MUSTTAIL) || cn_has(m, CN_FORM_TAIL)) && !has_place(m->current) && cn_chance(m, 30)) {
    tail_call(m);
    return;
  }
  switch (cn_below(m, 5)) {
  case 0:
    LLVMBuildBr(m->builder, to[0]);
    break;
  case 1: {
    LLVMValueRef s = LLVMBuildSwitch(m->builder, cn_next_below(m, 8), to[0], 2);
    LLVMAddCase(s, cn_int(m, 1), to[1]);
    LLVMAddCase(s, cn_int(m, 2), to[2]);
    break;
  }
  case 2:
    if (cn_has(m, CN_FORM_COMPUTED_BRANCH)) {
      computed_branch(m, to[0], to[1]);
      break;
    }
    /* fall through */
  default:
    LLVMBuildCondBr(m->builder, cn_flag(m), to[0], to[1]);
  }
}

void cn_make_variables(struct cn_maker *m, cn_step *before)
{
  unsigned p = 0;

  for (int k = 0; k < CN_SECTION_KINDS; k++)
    for (int v = 0; v < CN_VARIABLES && cn_kind_used(m, (enum cn_kind)k); v++)
      m->variables[k][v] = LLVMBuildAlloca(m->builder, m->kinds[k], "");
  if (before)
    before(m);
  for (int k = 0; k < CN_SECTION_KINDS; k++)
    for (int v = 0; v < CN_VARIABLES && cn_kind_used(m, (enum cn_kind)k); v++) {
      LLVMValueRef start;
      if (k == CN_PLACE) {
        start = LLVMBuildAlloca(m->builder, m->ref, "");
        LLVMBuildStore(m->builder, cn_from_roots(m, CN_NODE), start);
      } else
        start = cn_from_roots(m, (enum cn_kind)k);
      LLVMBuildStore(m->builder, start, m->variables[k][v]);
    }
  for (; m->current && p < m->current->count; p++)
    cn_set(m, m->current->params[p], LLVMGetParam(m->function, p));
}

static void make_end(struct cn_maker *m)
{
  LLVMPositionBuilderAtEnd(m->builder, m->end);
  if (m->current->result == CN_VOID)
    LLVMBuildRetVoid(m->builder);
  else
    LLVMBuildRet(m->builder, cn_get(m, m->current->result));
}

/* Blocks that nothing leads to, one of which uses itself. */
static void make_unreachable(struct cn_maker *m)
{
  LLVMBasicBlockRef block = cn_cfg_block(m);

  LLVMPositionBuilderAtEnd(m->builder, block);
  cn_steps(m, 3);
  if (cn_chance(m, 50)) {
    LLVMBuildUnreachable(m->builder);
    return;
  }
  LLVMBuildBr(m->builder, m->end);
}

void cn_make_function(struct cn_maker *m, struct cn_random_function *f)
{
  m->current = f;
  m->function = f->value;
  m->pad_count = 0;
  LLVMPositionBuilderAtEnd(m->builder, cn_cfg_block(m));
  m->end = cn_cfg_block(m);
  cn_make_variables(m, NULL);
  cn_make_pads(m);
  cn_burn(m);
  m->block_count = 1 + cn_below(m, CN_BLOCKS - 1);
  m->blocks[0] = LLVMGetInsertBlock(m->builder);
  for (unsigned b = 1; b < m->block_count; b++)
    m->blocks[b] = cn_cfg_block(m);
  for (unsigned b = 0; b < m->block_count; b++) {
    LLVMPositionBuilderAtEnd(m->builder, m->blocks[b]);
    cn_steps(m, 1 + cn_below(m, 6));
    end_block(m, b);
  }
  if (cn_has(m, CN_FORM_UNREACHABLE))
    make_unreachable(m);
  cn_fill_pads(m);
  make_end(m);
}

static void choose_signature(struct cn_maker *m, struct cn_random_function *f)
{
  enum cn_kind result;

  if (m->function_count > 2 && cn_chance(m, 40)) {
    struct cn_random_function *like = &m->functions[1 + cn_below(m, m->function_count - 2)];
    memcpy(f->params, like->params, sizeof f->params);
    f->count = like->count;
    f->result = like->result;
    return;
  }
  f->count = cn_below(m, CN_PARAMETERS);
  for (unsigned p = 0; p < f->count; p++)
    f->params[p] = cn_any_kind(m);
  do /* a place would outlive its function; two of two do not fit into registers */
    result = cn_chance(m, 20) ? CN_VOID : cn_any_kind(m);
  while (result == CN_PLACE);
  f->result = result;
}

/* Plain kinds are passed in registers. */
static bool has_plain_parameters(const struct cn_random_function *f)
{
  for (unsigned p = 0; p < f->count; p++)
    if (f->params[p] >= CN_PLAIN_KINDS)
      return false;
  return true;
}

static unsigned choose_convention(struct cn_maker *m, const struct cn_random_function *f)
{
  if (!cn_has(m, CN_FORM_CONVENTIONS))
    return LLVMCCallConv;
  unsigned convention = m->machine->conventions[cn_below(m, m->run ? 5 : 8)];
  bool is_tail = convention == CN_TAIL || convention == CN_SWIFT_TAIL;
  return is_tail && m->machine->is_plain_tail && !has_plain_parameters(f) ? LLVMFastCallConv : convention;
}

void cn_declare_function(struct cn_maker *m, struct cn_random_function *f, const char *name)
{
  LLVMTypeRef types[CN_PARAMETERS];
  bool first = f == m->functions; /* the one that native code calls back: void (i64) */

  f->count = 1;
  f->params[0] = CN_NUMBER;
  f->result = CN_VOID;
  if (!first)
    choose_signature(m, f);
  for (unsigned p = 0; p < f->count; p++)
    types[p] = m->kinds[f->params[p]];
  f->value = LLVMAddFunction(m->module, name, LLVMFunctionType(m->kinds[f->result], types, f->count, false));
  LLVMSetLinkage(f->value, LLVMInternalLinkage);
  LLVMSetFunctionCallConv(f->value, first ? LLVMCCallConv : choose_convention(m, f));
  LLVMSetGC(f->value, cn_has(m, CN_FORM_STRATEGY) ? "coreclr" : "statepoint-example");
  if (cn_chance(m, 50))
    LLVMAddAttributeAtIndex(f->value, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            cn_enum_attribute(m, "noinline", 0));
  if (cn_has(m, CN_FORM_ATTRIBUTES))
    for (unsigned p = 0; p < f->count; p++)
      if (cn_kind_is_ref(f->params[p]) && cn_chance(m, 50))
        LLVMAddAttributeAtIndex(f->value, p + 1, cn_enum_attribute(m, cn_chance(m, 50) ? "noalias" : "nofree", 0));
}
