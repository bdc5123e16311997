/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass lower-tailcc: gives local functions with conventions that guarantee tail calls (tailcc, swifttailcc) the C
 * convention, together with all their calls. With tailcc and swifttailcc a callee pops 8 bytes even if all arguments
 * are in registers, and its callers need frame pointers (tail_frames.c).
 *
 * Tail calls stay tail calls: a musttail call of the C convention needs equal prototypes, and tail_calls.c makes calls
 * marked `tail` musttail. Functions that end in tail calls of each other form a group, and the pass lowers all
 * functions of a group or leaves all unchanged.
 *
 * Needs: output of the optimiser, which has devirtualised calls, before rewrite-statepoints. Provides: functions of the
 * C convention, except in groups that keep theirs; a remark gives the reason. Breaks: nothing.
 */
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/tail/tail.h"
#include "compile/transitions/callees.h"

static const char *const passing_attributes[] = CN_TAIL_PASSING;
enum { PASSING_ATTRIBUTE_COUNT = sizeof passing_attributes / sizeof *passing_attributes };

/* A function with such a convention. The members of a group form a tree with the group's leader as root. */
struct group_member {
  LLVMValueRef function;
  size_t parent;   /* index of the next member towards the leader; the leader has its own index */
  const char *why; /* the reason why the convention must stay; null if it can change */
};

struct convention_lowering {
  struct cn_ctx *ctx;
  CN_VECTOR(struct group_member) members;
  struct cn_ptrmap index; /* function -> 1 + its index in `members` */
};

/* ---- functions ---- */

static bool uses_registers_only(LLVMValueRef function)
{
  const struct cn_convention_port *port = cn_convention_port_of(LLVMGetGlobalParent(function));
  unsigned used[CN_REGISTER_CLASS_COUNT] = {0};

  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    enum cn_register_class class = cn_register_class_of(LLVMTypeOf(LLVMGetParam(function, i)));
    if (class == CN_REGISTER_CLASS_OTHER || used[class]++ == port->argument_registers[class])
      return false;
    for (unsigned a = 0; a < PASSING_ATTRIBUTE_COUNT; a++)
      if (LLVMGetEnumAttributeAtIndex(function, i + 1, cn_attribute_kind(passing_attributes[a])))
        return false;
  }
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  return !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) &&
         cn_is_returned_in_registers(LLVMGetGlobalParent(function), type) && !cn_is_returned_on_x87_stack(type);
}

static bool is_plain_managed_call(LLVMValueRef user, LLVMValueRef function)
{
  if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function ||
      LLVMGetCalledFunctionType(user) != LLVMGlobalGetValueType(function) ||
      LLVMGetInstructionCallConv(user) != LLVMGetFunctionCallConv(function) ||
      !cn_is_managed(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
    return false;
  for (unsigned i = 0; i + 1 < (unsigned)LLVMGetNumOperands(user); i++)
    if (LLVMGetOperand(user, i) == function)
      return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
    for (unsigned a = 0; a < PASSING_ATTRIBUTE_COUNT; a++)
      if (LLVMGetCallSiteEnumAttribute(user, i + 1, cn_attribute_kind(passing_attributes[a])))
        return false;
  return true;
}

/* The reason, other than tail calls, why the function must keep its convention; or null. */
static const char *reason_to_keep_convention(LLVMValueRef function)
{
  if (!cn_target_is_local(function))
    return "other units may call it";
  if (!uses_registers_only(function))
    return "not all of its arguments and its result have registers";
  CN_EACH_USE(use, function)
    if (!is_plain_managed_call(LLVMGetUser(use), function))
      return "not all of its uses are calls by managed code";
  return NULL;
}

static void gather_members(struct convention_lowering *l)
{
  CN_EACH_FUNCTION(f, l->ctx->module) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f) || !cn_convention_has_tail_calls(LLVMGetFunctionCallConv(f)))
      continue;
    size_t number = l->members.count;
    cn_push(&l->members, (struct group_member){f, number, reason_to_keep_convention(f)});
    *cn_ptrmap_add(&l->index, f, NULL) = number + 1;
  }
}

/* ---- groups ---- */

static struct group_member *group_leader_of(struct convention_lowering *l, struct group_member *m)
{
  while (&l->members.at[m->parent] != m)
    m = &l->members.at[m->parent = l->members.at[m->parent].parent];
  return m;
}

static void keep_group_convention(struct convention_lowering *l, struct group_member *m, const char *why)
{
  struct group_member *first = group_leader_of(l, m);

  if (!first->why)
    first->why = why;
}

static void unite_groups(struct convention_lowering *l, struct group_member *a, struct group_member *b)
{
  struct group_member *first = group_leader_of(l, a), *second = group_leader_of(l, b);

  if (second->why)
    keep_group_convention(l, first, second->why);
  second->parent = first->parent;
}

/* True if the convention of `call` is the convention of its function and guarantees the tail call. */
static bool is_guaranteed_tail_call(LLVMValueRef function, LLVMValueRef call)
{
  if (!LLVMIsACallInst(call) || LLVMGetInstructionCallConv(call) != LLVMGetFunctionCallConv(function))
    return false;
  return cn_calls_is_musttail(call) || (LLVMGetTailCallKind(call) == LLVMTailCallKindTail && cn_tail_return_of(call));
}

/* Unite the groups of caller and callee of a tail call: both functions must change their convention, or both must keep
 * it. */
static void unite_over_tail_call(struct convention_lowering *l, struct group_member *caller, LLVMValueRef call)
{
  static const char why[] = "of a tail call that the C convention does not have";
  LLVMValueRef callee = cn_direct_callee(call);
  uint64_t *place = callee ? cn_ptrmap_find(&l->index, callee) : NULL;

  if (!place) {
    keep_group_convention(l, caller, why);
    return;
  }
  struct group_member *other = &l->members.at[*place - 1];
  if (LLVMGlobalGetValueType(callee) == LLVMGlobalGetValueType(caller->function) &&
      (cn_calls_is_musttail(call) || cn_is_in_tail_position(call))) {
    unite_groups(l, caller, other);
    return;
  }
  keep_group_convention(l, caller, why);
  keep_group_convention(l, other, why);
}

static void form_groups(struct convention_lowering *l)
{
  for (size_t m = 0; m < l->members.count; m++)
    CN_EACH_BLOCK(b, l->members.at[m].function)
      CN_EACH_INSTRUCTION(i, b)
        if (is_guaranteed_tail_call(l->members.at[m].function, i))
          unite_over_tail_call(l, &l->members.at[m], i);
}

/* ---- the change ---- */

static void lower_convention(LLVMValueRef function)
{
  LLVMSetFunctionCallConv(function, LLVMCCallConv);
  CN_EACH_USE(use, function) {
    CN_CHECK(LLVMGetCalledValue(LLVMGetUser(use)) == function); /* is_plain_managed_call() */
    LLVMSetInstructionCallConv(LLVMGetUser(use), LLVMCCallConv);
  }
}

bool cn_lower_tailcc(struct cn_ctx *ctx)
{
  struct convention_lowering l = {.ctx = ctx};

  gather_members(&l);
  form_groups(&l);
  for (size_t m = 0; m < l.members.count; m++) {
    LLVMValueRef function = l.members.at[m].function;
    const char *why = group_leader_of(&l, &l.members.at[m])->why;
    if (!why)
      lower_convention(function);
    cn_remark(ctx, function, "tail-convention", "%s%s",
              why ? "keeps its convention, because " : "gets the C convention", why ? why : "");
  }
  cn_ptrmap_free(&l.index);
  cn_free(&l.members);
  return true;
}
