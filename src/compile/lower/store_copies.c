/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies functions that other units may call, and that store references through their parameters, for callers in the
 * module that pass described places. The copy is internal, so that its callers prove its stores. Part of pass
 * `check-stores`.
 *
 * Needs: the final calls of the module. Provides: internal copies NAME.proved that need fewer checks than their
 * functions; calls of these copies. Breaks: nothing; a caller frees its struct cn_described_places before.
 *
 * The choice is optimistic: all calls in the module first go to copies, and a call returns to the function if an
 * argument may point to an unknown place. Proofs never rest on the choice: pass `check-stores` proves the stores of a
 * copy as it proves those of any other internal function.
 */
#include "compile/lower/store_copies.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"

enum { MAX_COPIED_INSTRUCTIONS = 400, MAX_ROUNDS = 8, MAX_PARAMETERS = 64 };

struct store_copy {
  LLVMValueRef function, copy; /* the copy is null after its removal */
  uint64_t parameters;         /* a bit for each parameter that a checked pointer comes from */
  size_t checks;               /* in the function */
};

struct redirected_call {
  LLVMValueRef call;
  size_t to;    /* index of the copy */
  bool returns; /* the call will return to the function */
};

struct store_copies {
  struct cn_ctx *ctx;
  CN_VECTOR(struct store_copy) copies;
  CN_VECTOR(struct redirected_call) calls;
};

/* ---- candidates ---- */

/* True if another image may replace functions of the module. */
static bool may_interpose(LLVMModuleRef module)
{
  static const char flag[] = "SemanticInterposition";

  return LLVMGetModuleFlag(module, flag, sizeof flag - 1) != NULL;
}

static bool has_plain_call(LLVMValueRef function)
{
  CN_EACH_USE(use, function)
    if (cn_pointer_flow_is_plain_call(LLVMGetUser(use), function))
      return true;
  return false;
}

static bool may_have_copy(LLVMValueRef function)
{
  return LLVMGetLinkage(function) == LLVMExternalLinkage && !LLVMIsDeclaration(function) && cn_is_managed(function) &&
         !cn_string_attribute(function, CN_ATTR_LEAF) && !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)) &&
         LLVMCountParams(function) <= MAX_PARAMETERS && has_plain_call(function) &&
         cn_can_clone_function(function, MAX_COPIED_INSTRUCTIONS);
}

/* A bit for each parameter that a pointer of the list comes from. */
static uint64_t find_parameters(LLVMValueRef function, const cn_pointer_sources *pointers)
{
  uint64_t found = 0;

  CN_ASSERT(LLVMCountParams(function) <= MAX_PARAMETERS);
  for (size_t i = 0; i < pointers->count; i++) {
    cn_pointer_sources sources = cn_pointer_sources_find(pointers->at[i]);
    for (size_t s = 0; s < sources.count; s++)
      for (unsigned p = 0; p < LLVMCountParams(function); p++)
        if (sources.at[s] == LLVMGetParam(function, p))
          found |= (uint64_t)1 << p;
    cn_free(&sources);
  }
  return found;
}

static void find_candidates(struct store_copies *s)
{
  struct cn_described_places places = {.flow = {.ctx = s->ctx}};

  CN_EACH_FUNCTION(f, s->ctx->module) {
    if (!may_have_copy(f))
      continue;
    cn_pointer_sources pointers = cn_checked_pointers_find(&places, f);
    uint64_t parameters = find_parameters(f, &pointers);
    if (parameters)
      cn_push(&s->copies, ((struct store_copy){.function = f, .parameters = parameters, .checks = pointers.count}));
    cn_free(&pointers);
  }
  cn_described_places_free(&places);
}

static void add_copies(struct store_copies *s)
{
  for (size_t i = 0; i < s->copies.count; i++) {
    struct store_copy *copy = &s->copies.at[i];
    size_t length;
    char *name = cn_format("%s" CN_STORE_COPY_SUFFIX, LLVMGetValueName2(copy->function, &length));
    copy->copy = cn_clone_function(s->ctx, copy->function, name);
    free(name);
  }
}

/* ---- calls ---- */

static void set_callee(LLVMValueRef call, LLVMValueRef from, LLVMValueRef to)
{
  for (int i = 0; i < LLVMGetNumOperands(call); i++)
    if (LLVMGetOperand(call, (unsigned)i) == from)
      LLVMSetOperand(call, (unsigned)i, to);
}

static void redirect_all_calls(struct store_copies *s)
{
  for (size_t i = 0; i < s->copies.count; i++) {
    LLVMValueRef function = s->copies.at[i].function;
    size_t first = s->calls.count;
    CN_EACH_USE(use, function)
      if (cn_pointer_flow_is_plain_call(LLVMGetUser(use), function))
        cn_push(&s->calls, ((struct redirected_call){.call = LLVMGetUser(use), .to = i}));
    for (; first < s->calls.count; first++)
      set_callee(s->calls.at[first].call, function, s->copies.at[i].copy);
  }
}

static bool passes_unknown_place(const struct store_copies *s, struct cn_described_places *places,
                                 const struct redirected_call *call)
{
  uint64_t parameters = s->copies.at[call->to].parameters;

  for (unsigned p = 0; parameters; p++, parameters >>= 1)
    if ((parameters & 1) && cn_pointer_flow_find(&places->flow, LLVMGetOperand(call->call, p)).unknown)
      return true;
  return false;
}

/* Return the marked calls to their functions. True if there are any. */
static bool return_marked_calls(struct store_copies *s)
{
  size_t kept = 0;

  for (size_t i = 0; i < s->calls.count; i++) {
    struct redirected_call *call = &s->calls.at[i];
    if (call->returns)
      set_callee(call->call, s->copies.at[call->to].copy, s->copies.at[call->to].function);
    else
      s->calls.at[kept++] = *call;
  }
  bool any = kept != s->calls.count;
  s->calls.count = kept;
  return any;
}

static LLVMValueRef caller_of(LLVMValueRef call)
{
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
}

static bool is_in_copy(const struct store_copies *s, const struct redirected_call *call)
{
  for (size_t i = 0; i < s->copies.count; i++)
    if (s->copies.at[i].copy == caller_of(call->call))
      return true;
  return false;
}

/* Return the calls that pass unknown places: those in copies, or the others. True if there are any. */
static bool return_unproved_calls(struct store_copies *s, bool in_copies)
{
  struct cn_described_places places = {.flow = {.ctx = s->ctx}};

  for (size_t i = 0; i < s->calls.count; i++)
    s->calls.at[i].returns =
        is_in_copy(s, &s->calls.at[i]) == in_copies && passes_unknown_place(s, &places, &s->calls.at[i]);
  cn_described_places_free(&places);
  return return_marked_calls(s);
}

/* A copy often calls copies with its own parameters, which are known once the calls of other functions have returned.
 */
static void return_all_unproved_calls(struct store_copies *s)
{
  for (unsigned round = 0; round < MAX_ROUNDS; round++)
    if (!return_unproved_calls(s, false) && !return_unproved_calls(s, true))
      return;
}

/* ---- removal of copies ---- */

static bool has_other_caller(const struct store_copies *s, size_t copy)
{
  for (size_t i = 0; i < s->calls.count; i++)
    if (s->calls.at[i].to == copy && caller_of(s->calls.at[i].call) != s->copies.at[copy].copy)
      return true;
  return false;
}

/* Delete a copy whose own calls, and calls of it, have returned or go with it. */
static void remove_copy(struct store_copies *s, size_t index)
{
  LLVMValueRef copy = s->copies.at[index].copy;
  size_t kept = 0;

  for (size_t i = 0; i < s->calls.count; i++)
    s->calls.at[i].returns = s->calls.at[i].to == index;
  return_marked_calls(s);
  for (size_t i = 0; i < s->calls.count; i++)
    if (caller_of(s->calls.at[i].call) != copy)
      s->calls.at[kept++] = s->calls.at[i];
  s->calls.count = kept;
  CN_CHECK(!LLVMGetFirstUse(copy));
  LLVMDeleteFunction(copy);
  s->copies.at[index].copy = NULL;
}

/* Remove the copies that need as many checks as their functions, and those without callers. */
static void remove_useless_copies(struct store_copies *s)
{
  struct cn_described_places places = {.flow = {.ctx = s->ctx}};
  bool *useless = cn_alloc((s->copies.count + 1) * sizeof *useless), again = true;

  for (size_t i = 0; i < s->copies.count; i++) {
    cn_pointer_sources pointers = cn_checked_pointers_find(&places, s->copies.at[i].copy);
    useless[i] = pointers.count >= s->copies.at[i].checks;
    cn_free(&pointers);
  }
  cn_described_places_free(&places);
  while (again) {
    again = false;
    for (size_t i = 0; i < s->copies.count; i++)
      if (s->copies.at[i].copy && (useless[i] || !has_other_caller(s, i))) {
        remove_copy(s, i);
        again = true;
      }
  }
  free(useless);
}

void cn_store_copies_add(struct cn_ctx *ctx)
{
  struct store_copies s = {.ctx = ctx};

  if (may_interpose(ctx->module))
    return;
  find_candidates(&s);
  if (s.copies.count) {
    add_copies(&s);
    redirect_all_calls(&s);
    return_all_unproved_calls(&s);
    remove_useless_copies(&s);
  }
  cn_free(&s.calls);
  cn_free(&s.copies);
}
