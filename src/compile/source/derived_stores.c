/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses stores of derived pointers in objects and globals of C, where only references to the start of an object may
 * lie (rule derived-store). Locals, parameters and results may hold derived pointers.
 *
 * A pointer is derived if, on some path, it is the address of a member other than the first, or a constant distance
 * after an allocation or a loaded reference. The search follows phis, selects, and the results of the unit's functions.
 * A store also happens in the unit's functions that get the pointer as an argument, and in those that these functions
 * call. A pointer into a static object is no derived pointer, because the collector skips it. The collector finds all
 * other derived pointers.
 *
 * Part of pass `prepare`. Needs: promoted locals in all functions; names of members (store_names.c). Provides: the
 * rule. Breaks: the names, which it deletes.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/allocation/layout_constants.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"
#include "compile/source/rules.h"

struct derived_check {
  struct cn_ctx *ctx;
  struct cn_derived_stores *known;
};

/* ---- stores ---- */

/* The reference that the instruction stores in an object or a global, or null. */
static LLVMValueRef stored_reference(LLVMValueRef i)
{
  bool store = LLVMIsAStoreInst(i) != NULL, exchange = LLVMIsAAtomicCmpXchgInst(i) != NULL;

  if (!store && !exchange && !LLVMIsAAtomicRMWInst(i))
    return NULL;
  LLVMValueRef value = LLVMGetOperand(i, store ? 0 : exchange ? 2 : 1), address = LLVMGetOperand(i, store ? 1 : 0);
  bool kept = cn_is_ref(LLVMTypeOf(address)) || LLVMIsAGlobalVariable(cn_types_root_of(address));
  return kept && cn_is_ref(LLVMTypeOf(value)) ? value : NULL;
}

static LLVMValueRef address_of_store(LLVMValueRef store)
{
  return LLVMGetOperand(store, LLVMIsAStoreInst(store) ? 1 : 0);
}

/* The definition that the call names directly, if it is in the unit and takes the call's arguments; else null. */
static LLVMValueRef known_callee(LLVMValueRef call)
{
  LLVMValueRef callee = cn_is_call(call) ? cn_direct_callee(call) : NULL;

  return callee && !LLVMIsDeclaration(callee) && LLVMCountParams(callee) <= LLVMGetNumArgOperands(call) ? callee : NULL;
}

/* ---- derived pointers ---- */

/* True if `value` is surely the start of an object: an allocation, or a load from memory that holds only base
 * pointers. */
static bool is_known_base_pointer(LLVMValueRef value)
{
  if (LLVMIsACallInst(value))
    return cn_layouts_called_allocator(value) != NULL;
  if (!LLVMIsALoadInst(value))
    return false;
  LLVMValueRef from = LLVMGetOperand(value, 0);
  return cn_is_ref(LLVMTypeOf(from)) || LLVMIsAGlobalVariable(cn_types_root_of(from));
}

/* The distance of an address from the start of the GEPs that form it. */
struct distance {
  int64_t offset;      /* its constant part */
  bool exact;          /* it has no other part */
  LLVMValueRef member; /* the last GEP to a member other than the first, or null */
};

static void add_gep(struct cn_ctx *ctx, LLVMValueRef gep, struct distance *d)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);

  CN_ASSERT(LLVMIsAGetElementPtrInst(gep));
  for (int n = 1; n < LLVMGetNumOperands(gep); n++) {
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)n);
    int64_t value = LLVMIsAConstantInt(index) ? LLVMConstIntGetSExtValue(index) : 0;
    d->exact &= LLVMIsAConstantInt(index) != NULL;
    if (n > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      CN_CHECK(value >= 0 && (uint64_t)value < LLVMCountStructElementTypes(type));
      uint64_t at = LLVMOffsetOfElement(ctx->layout, type, (unsigned)value);
      d->member = at > 0 && !d->member ? gep : d->member;
      d->offset += (int64_t)at;
      type = LLVMStructGetTypeAtIndex(type, (unsigned)value);
      continue;
    }
    if (n > 1)
      type = LLVMGetElementType(type);
    d->offset += value * (int64_t)LLVMABISizeOfType(ctx->layout, type);
  }
}

struct derived_search {
  struct derived_check *check;
  struct cn_ptrmap seen;
  CN_VECTOR(LLVMValueRef) work;
};

static LLVMValueRef derived_result(struct derived_check *check, LLVMValueRef function);

/* Find out whether `value` is derived by itself: the GEP that shows it, or the derived pointer that a called function
 * returns. Otherwise the sources of a phi, select or freeze are added to the search, and the result is null. */
static LLVMValueRef derived_at(struct derived_search *s, LLVMValueRef value)
{
  struct distance d = {.exact = true};
  LLVMValueRef top = value;

  for (; LLVMIsAGetElementPtrInst(value); value = LLVMGetOperand(value, 0))
    add_gep(s->check->ctx, value, &d);
  if (cn_types_managed_variable_of(value))
    return NULL;
  bool back = d.exact && d.offset == 0; /* as by cairn_container_of() */
  if (!back && (d.member || (d.offset != 0 && is_known_base_pointer(value))))
    return d.member ? d.member : top;
  if (LLVMIsAPHINode(value) || LLVMIsAFreezeInst(value))
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
      cn_push(&s->work, LLVMGetOperand(value, (unsigned)i));
  else if (LLVMIsASelectInst(value))
    for (unsigned i = 1; i < 3; i++)
      cn_push(&s->work, LLVMGetOperand(value, i));
  LLVMValueRef callee = known_callee(value);
  return callee ? derived_result(s->check, callee) : NULL;
}

/* The GEP that makes `value` a derived pointer on some path, or null. */
static LLVMValueRef find_derived_pointer(struct derived_check *check, LLVMValueRef value)
{
  struct derived_search s = {.check = check};
  LLVMValueRef found = NULL;
  bool fresh;

  cn_push(&s.work, value);
  while (!found && s.work.count > 0) {
    LLVMValueRef next = s.work.at[--s.work.count];
    cn_ptrmap_add(&s.seen, next, &fresh);
    if (fresh)
      found = derived_at(&s, next);
  }
  cn_ptrmap_free(&s.seen);
  cn_free(&s.work);
  return found;
}

/* A function under examination counts as one that returns no derived pointer. */
static LLVMValueRef derived_result(struct derived_check *check, LLVMValueRef function)
{
  bool fresh;
  LLVMValueRef found = NULL;
  uint64_t known = *cn_ptrmap_add(&check->known->results, function, &fresh);

  if (!fresh || !cn_is_ref(LLVMGetReturnType(LLVMGlobalGetValueType(function))))
    return (LLVMValueRef)(uintptr_t)known;
  CN_EACH_BLOCK(b, function) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (!found && end && LLVMIsAReturnInst(end))
      found = find_derived_pointer(check, LLVMGetOperand(end, 0));
  }
  *cn_ptrmap_add(&check->known->results, function, &fresh) = (uintptr_t)found;
  return found;
}

/* ---- parameters that are stored ---- */

static LLVMValueRef store_of_parameter(struct derived_check *check, LLVMValueRef parameter);

/* The store of a parameter's value by `user`, in this function or in a called one; or null. */
static LLVMValueRef store_by_user(struct derived_check *check, LLVMValueRef user, LLVMValueRef value)
{
  LLVMValueRef callee = known_callee(user), found = NULL;

  if (stored_reference(user) == value)
    return user;
  for (unsigned i = 0; callee && !found && i < LLVMCountParams(callee); i++)
    if (LLVMGetArgOperand(user, i) == value)
      found = store_of_parameter(check, LLVMGetParam(callee, i));
  return found;
}

/* A parameter under examination counts as one that is not stored. */
static LLVMValueRef store_of_parameter(struct derived_check *check, LLVMValueRef parameter)
{
  CN_VECTOR(LLVMValueRef) work = {0};
  struct cn_ptrmap seen = {0};
  LLVMValueRef found = NULL;
  bool fresh;
  uint64_t known = *cn_ptrmap_add(&check->known->parameters, parameter, &fresh);

  if (!fresh)
    return (LLVMValueRef)(uintptr_t)known;
  cn_push(&work, parameter);
  while (!found && work.count > 0) {
    LLVMValueRef value = work.at[--work.count];
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && !found; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      bool passes = LLVMIsAPHINode(user) || LLVMIsASelectInst(user) || LLVMIsAFreezeInst(user);
      if (passes)
        cn_ptrmap_add(&seen, user, &fresh);
      if (passes && fresh)
        cn_push(&work, user);
      found = passes ? NULL : store_by_user(check, user, value);
    }
  }
  cn_free(&work);
  cn_ptrmap_free(&seen);
  *cn_ptrmap_add(&check->known->parameters, parameter, &fresh) = (uintptr_t)found;
  return found;
}

/* ---- messages ---- */

/* Format the name of the struct member that a GEP reaches, or null. */
static char *format_member(struct cn_ctx *ctx, LLVMValueRef gep)
{
  LLVMTypeRef type = LLVMIsAGetElementPtrInst(gep) ? LLVMGetGEPSourceElementType(gep) : NULL;

  if (!type || LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMGetNumOperands(gep) < 3 ||
      !LLVMIsAConstantInt(LLVMGetOperand(gep, 2)))
    return NULL;
  return cn_store_names_format_member(ctx, LLVMGetBasicBlockParent(LLVMGetInstructionParent(gep)), type,
                                      (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, 2)));
}

/* Format the place of a store, "member 'link' of struct node". */
static char *format_place(struct cn_ctx *ctx, LLVMValueRef store)
{
  LLVMValueRef address = address_of_store(store), root = cn_types_root_of(address);
  LLVMValueRef object = cn_types_managed_variable_of(address);
  char *member = cn_is_ref(LLVMTypeOf(address)) ? format_member(ctx, address) : NULL;
  size_t length;

  if (member)
    return member;
  if (object || LLVMIsAGlobalVariable(root))
    return cn_format("%s '%s'",
                     object                    ? "static object"
                     : LLVMIsThreadLocal(root) ? "thread-local"
                                               : "global",
                     LLVMGetValueName2(object ? object : root, &length));
  return cn_strdup("an object");
}

/* The texts of a message: the pointer, the place where it is stored, and the remedy. */
struct derived_text {
  char *pointer, *place;
  const char *remedy;
};

static struct derived_text describe(struct cn_ctx *ctx, LLVMValueRef derived, LLVMValueRef store)
{
  char *member = format_member(ctx, derived);
  struct derived_text text = {
      .pointer =
          member ? cn_format("the address of %s", member) : cn_strdup("a reference into the middle of an object"),
      .place = format_place(ctx, store),
      .remedy = member ? "store the object, and take the address at each use; or make the member the first one of its "
                         "struct"
                       : "store the object and an index",
  };

  free(member);
  return text;
}

static void report_store(struct cn_ctx *ctx, LLVMValueRef store, LLVMValueRef derived)
{
  struct derived_text text = describe(ctx, derived, store);

  cn_error(ctx, store, "derived-store",
           "%s is stored in %s, where only references to the start of an object may lie; %s", text.pointer, text.place,
           text.remedy);
  free(text.pointer);
  free(text.place);
}

static void report_argument(struct cn_ctx *ctx, LLVMValueRef call, unsigned number, LLVMValueRef derived,
                            LLVMValueRef store)
{
  struct derived_text text = describe(ctx, derived, store);
  unsigned line = LLVMGetDebugLocLine(store);
  char *at = line ? cn_format(" in line %u", line) : cn_strdup("");
  size_t length;

  cn_error(
      ctx, call, "derived-store",
      "argument %u leads into the middle of an object: it is %s, and '%s' stores it in %s%s, where only references "
      "to the start of an object may lie; %s",
      number, text.pointer, LLVMGetValueName2(LLVMGetBasicBlockParent(LLVMGetInstructionParent(store)), &length),
      text.place, at, text.remedy);
  free(at);
  free(text.pointer);
  free(text.place);
}

/* ---- the check ---- */

static void check_arguments(struct derived_check *check, LLVMValueRef call, LLVMValueRef callee)
{
  for (unsigned i = 0; i < LLVMCountParams(callee); i++) {
    LLVMValueRef value = LLVMGetArgOperand(call, i);
    LLVMValueRef derived = cn_is_ref(LLVMTypeOf(value)) ? find_derived_pointer(check, value) : NULL;
    LLVMValueRef store = derived ? store_of_parameter(check, LLVMGetParam(callee, i)) : NULL;
    if (store)
      report_argument(check->ctx, call, i + 1, derived, store);
  }
}

static void check_instruction(struct derived_check *check, LLVMValueRef i)
{
  LLVMValueRef callee = known_callee(i), value = stored_reference(i);
  LLVMValueRef derived = value ? find_derived_pointer(check, value) : NULL;

  if (derived)
    report_store(check->ctx, i, derived);
  if (callee)
    check_arguments(check, i, callee);
}

void cn_rules_check_derived_stores(struct cn_ctx *ctx, LLVMValueRef function, struct cn_derived_stores *known)
{
  struct derived_check check = {ctx, known};

  CN_ASSERT(cn_is_managed(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      check_instruction(&check, i);
}

void cn_rules_finish_derived_stores(struct cn_ctx *ctx, struct cn_derived_stores *known)
{
  CN_EACH_FUNCTION(f, ctx->module)
    cn_store_names_delete_members(ctx, f);
  cn_ptrmap_free(&known->results);
  cn_ptrmap_free(&known->parameters);
}
