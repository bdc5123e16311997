/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the use graph of an object: the pointers to it, and their uses. Part of pass `escape`.
 *
 * Needs: struct cn_cfg. Provides: struct cn_use_graph. Breaks: nothing.
 *
 * The members of the graph are the pointers formed from the allocation's result alone. A phi or select is a member if
 * its inputs are members or undefined, and the call dominates it. So the call dominates all members, and all members
 * are dead when the call runs again. The members thus point to one object at a time, even in a loop. A pointer outside
 * the graph has another address, unless it is formed from a member that escapes.
 *
 * A use escapes if other code could get the object from it. A use also escapes if it would have another effect on a
 * local, such as an access that hides a reference or exceeds the object's bounds.
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/escape/escape.h"

enum { WORD_BYTES = sizeof(uint64_t) };

struct graph_walk {
  struct cn_ctx *ctx;
  const struct cn_cfg *cfg;
  struct cn_use_graph *web;
  struct cn_ptrmap outside; /* excluded phis and selects */
};

bool cn_use_graph_has(const struct cn_use_graph *web, LLVMValueRef value)
{
  return cn_ptrmap_find(&web->index, value) != NULL;
}

const struct cn_use_graph_use *cn_use_graph_first_escape(const struct cn_use_graph *web)
{
  for (size_t i = 0; i < web->uses.count; i++)
    if (web->uses.at[i].escapes)
      return &web->uses.at[i];
  return NULL;
}

static bool is_phi_or_select(LLVMValueRef value)
{
  return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

static void add_pointer(struct graph_walk *walk, LLVMValueRef value, uint64_t offset, bool known)
{
  bool added;
  uint64_t *place = cn_ptrmap_add(&walk->web->index, value, &added);

  if (!added)
    return;
  cn_push(&walk->web->pointers, (struct cn_use_graph_pointer){value, offset, known});
  *place = walk->web->pointers.count;
}

/* ---- members ---- */

/* True if each input of the phi or select has the form of a member, or is undefined. This early check saves rounds of
 * exclude_foreign_joins(), which excludes one link of a chain per round. */
static bool may_be_member(const struct graph_walk *walk, LLVMValueRef join)
{
  bool phi = LLVMIsAPHINode(join);
  unsigned first = phi ? 0 : 1, end = phi ? LLVMCountIncoming(join) : 3;

  for (unsigned i = first; i < end; i++) {
    LLVMValueRef in = phi ? LLVMGetIncomingValue(join, i) : LLVMGetOperand(join, i);
    if (in != walk->web->object->root && !LLVMIsAGetElementPtrInst(in) && !is_phi_or_select(in) && !LLVMIsUndef(in))
      return false;
  }
  return true;
}

static void add_pointers_formed_by_uses(struct graph_walk *walk, struct cn_use_graph_pointer pointer)
{
  CN_EACH_USE(use, pointer.value) {
    LLVMValueRef user = LLVMGetUser(use);
    uint64_t offset = pointer.offset;
    if (LLVMIsAGetElementPtrInst(user) && cn_is_ref(LLVMTypeOf(user))) {
      bool known = cn_types_gep_offset(walk->ctx, user, &offset) && pointer.known;
      add_pointer(walk, user, offset, known);
    } else if (is_phi_or_select(user) && !cn_ptrmap_find(&walk->outside, user) && may_be_member(walk, user)) {
      add_pointer(walk, user, 0, false);
    }
  }
}

static bool is_dominated_by_allocation(const struct graph_walk *walk, LLVMValueRef join)
{
  LLVMBasicBlockRef home = LLVMGetInstructionParent(walk->web->object->root);
  LLVMBasicBlockRef block = LLVMGetInstructionParent(join);
  uint32_t at = cn_cfg_index_of(walk->cfg, block);

  if (at == CN_NO_BLOCK || (block == home && LLVMIsAPHINode(join)))
    return false;
  return cn_cfg_dominates(walk->cfg, cn_cfg_index_of(walk->cfg, home), at);
}

/* True if the inputs of the phi or select are members or undefined, and the call dominates it. */
static bool is_member(const struct graph_walk *walk, LLVMValueRef join)
{
  bool phi = LLVMIsAPHINode(join);
  unsigned first = phi ? 0 : 1, end = phi ? LLVMCountIncoming(join) : 3;

  for (unsigned i = first; i < end; i++) {
    LLVMValueRef in = phi ? LLVMGetIncomingValue(join, i) : LLVMGetOperand(join, i);
    if (!LLVMIsUndef(in) && !cn_use_graph_has(walk->web, in))
      return false;
  }
  return is_dominated_by_allocation(walk, join);
}

/* True if all phis and selects of the graph are members. Excludes the others. */
static bool exclude_foreign_joins(struct graph_walk *walk)
{
  bool all = true;

  for (size_t i = 1; i < walk->web->pointers.count; i++) {
    LLVMValueRef value = walk->web->pointers.at[i].value;
    if (!is_phi_or_select(value))
      continue;
    if (is_member(walk, value)) {
      walk->web->joined = true;
      continue;
    }
    cn_ptrmap_add(&walk->outside, value, NULL);
    all = false;
  }
  return all;
}

/* ---- accesses ---- */

static bool covers_ref(struct graph_walk *walk, uint64_t offset, uint64_t bytes)
{
  for (uint64_t at = offset - offset % WORD_BYTES; at < offset + bytes; at += WORD_BYTES)
    if (cn_types_has_ref_at(walk->ctx, walk->web->object->type, at))
      return true;
  return false;
}

/* True if code accesses a reference at a constant offset at which the object's type has no reference. */
static bool type_lacks_ref_at_pointer(struct graph_walk *walk, const struct cn_use_graph_pointer *pointer,
                                      LLVMTypeRef type)
{
  return cn_is_ref(type) && pointer->known && !cn_types_has_ref_at(walk->ctx, walk->web->object->type, pointer->offset);
}

/* The reason why an access of `bytes` bytes escapes, or null. A `plain` access could hide a reference. */
static const char *why_bytes_escape(struct graph_walk *walk, const struct cn_use_graph_pointer *pointer, uint64_t bytes,
                                    bool plain)
{
  const struct cn_object_node *object = walk->web->object;

  if (!pointer->known) {
    walk->web->floating = true;
    return NULL;
  }
  if (bytes > object->size || pointer->offset > object->size - bytes)
    return "memory outside of it is accessed";
  if (plain && object->refs && covers_ref(walk, pointer->offset, bytes))
    return "a reference in it is accessed as something else";
  return NULL;
}

static const char *why_access_escapes(struct graph_walk *walk, const struct cn_use_graph_pointer *pointer,
                                      LLVMValueRef access, LLVMTypeRef type, LLVMValueRef value)
{
  if (LLVMGetVolatile(access) || LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic)
    return "it is accessed as volatile or atomic";
  if (cn_holds_scalable_vector(type))
    return "it is accessed by a scalable vector";
  if (cn_holds_ref(type) && (!walk->web->object->refs || type_lacks_ref_at_pointer(walk, pointer, type)))
    return "a reference is accessed where its type has no reference";
  bool clears = value && LLVMIsConstant(value) && LLVMIsNull(value);
  return why_bytes_escape(walk, pointer, LLVMStoreSizeOfType(walk->ctx->layout, type), !cn_holds_ref(type) && !clears);
}

/* The reason why a memset or one side of a copy escapes, or null. */
static const char *why_block_access_escapes(struct graph_walk *walk, const struct cn_use_graph_pointer *pointer,
                                            LLVMValueRef call, bool clears)
{
  LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(call, 2));

  if (!LLVMIsNull(LLVMGetOperand(call, 3)))
    return "it is accessed as volatile or atomic";
  if (walk->web->object->refs && !clears)
    return "it has references, and is copied by bytes";
  if (length)
    return why_bytes_escape(walk, pointer, LLVMConstIntGetZExtValue(length), false);
  walk->web->floating = true;
  return NULL;
}

/* ---- uses ---- */

/* True if the value is an operand of the call's bundle "deopt", and no other operand. */
static bool is_named_by_bundle_only(LLVMValueRef call, LLVMValueRef value)
{
  uint32_t first, end;

  if (!cn_calls_find_bundle(call, "deopt", &first, &end) || first == end)
    return false;
  for (uint32_t i = 0; i < (uint32_t)LLVMGetNumOperands(call); i++)
    if ((i < first || i >= end) && LLVMGetOperand(call, i) == value)
      return false;
  return true;
}

static const char *why_call_escapes(struct graph_walk *walk, const struct cn_use_graph_pointer *pointer,
                                    LLVMValueRef call)
{
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;
  size_t length;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

  if (cn_calls_intrinsic(call, "llvm.memset"))
    return why_block_access_escapes(walk, pointer, call, LLVMIsNull(LLVMGetOperand(call, 1)));
  if (cn_calls_intrinsic(call, "llvm.memcpy") || cn_calls_intrinsic(call, "llvm.memmove"))
    return why_block_access_escapes(walk, pointer, call, false);
  if (cn_calls_intrinsic(call, "llvm.assume") || cn_calls_is_immediate_test(name))
    return NULL;
  if (is_named_by_bundle_only(call, pointer->value))
    return cn_records_why_unfit(walk->ctx, walk->web->object, pointer->value, call);
  if (strcmp(name, CN_PTRDIFF) == 0)
    return cn_use_graph_has(walk->web, LLVMGetOperand(call, 0)) && cn_use_graph_has(walk->web, LLVMGetOperand(call, 1))
               ? NULL
               : "its distance from another is taken";
  return "it is passed on";
}

/* The reason why a comparison escapes, or null. A root that is a phi may be null and equal another null value. With a
 * phi as root, only comparisons of two members, or with the constant null, are private. */
static const char *why_compare_escapes(const struct graph_walk *walk, LLVMValueRef compare)
{
  LLVMValueRef a = LLVMGetOperand(compare, 0), b = LLVMGetOperand(compare, 1);
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
  bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;

  if (cn_use_graph_has(walk->web, a) && cn_use_graph_has(walk->web, b))
    return NULL;
  if (equality && !LLVMIsAPHINode(walk->web->object->root))
    return NULL;
  return equality && a == walk->web->object->root && LLVMIsNull(b) ? NULL : "its address is compared with another";
}

static const char *why_user_escapes(struct graph_walk *walk, const struct cn_use_graph_pointer *pointer,
                                    LLVMValueRef user)
{
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad:
    return why_access_escapes(walk, pointer, user, LLVMTypeOf(user), NULL);
  case LLVMStore: {
    LLVMValueRef value = LLVMGetOperand(user, 0);
    return value == pointer->value ? "it is stored" : why_access_escapes(walk, pointer, user, LLVMTypeOf(value), value);
  }
  case LLVMICmp:
    return why_compare_escapes(walk, user);
  case LLVMCall:
  case LLVMInvoke:
    return why_call_escapes(walk, pointer, user);
  case LLVMRet:
    return "it is returned";
  case LLVMPtrToInt:
    return "its address is taken as an integer";
  case LLVMGetElementPtr:
    return "a vector of addresses is made of it";
  case LLVMPHI:
  case LLVMSelect:
    return "it is one of several that a reference may lead to";
  default:
    return "it is used otherwise than by loads and stores";
  }
}

/* Add a use with the reason of its escape. A phi needs the pointer at the end of each incoming block. */
static void add_judged_use(struct graph_walk *walk, const struct cn_use_graph_pointer *pointer, LLVMValueRef user)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
  struct cn_use_graph_use use = {user, pointer->value, block, why_user_escapes(walk, pointer, user), false, false};

  if (cn_cfg_index_of(walk->cfg, block) == CN_NO_BLOCK)
    use.escapes = "it is used in dead code";
  use.recorded = !use.escapes && cn_is_call(user) && is_named_by_bundle_only(user, pointer->value);
  if (!LLVMIsAPHINode(user)) {
    cn_push(&walk->web->uses, use);
    return;
  }
  use.joins = pointer->value == walk->web->object->root && cn_cfg_index_of(walk->cfg, block) != CN_NO_BLOCK;
  for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
    if (LLVMGetIncomingValue(user, i) == pointer->value) {
      use.block = LLVMGetIncomingBlock(user, i);
      cn_push(&walk->web->uses, use);
    }
}

static void add_judged_uses(struct graph_walk *walk)
{
  for (size_t i = 0; i < walk->web->pointers.count; i++)
    CN_EACH_USE(use, walk->web->pointers.at[i].value)
      if (!cn_use_graph_has(walk->web, LLVMGetUser(use)))
        add_judged_use(walk, &walk->web->pointers.at[i], LLVMGetUser(use));
}

/* ---- the use graph ---- */

void cn_use_graph_free(struct cn_use_graph *web)
{
  cn_free(&web->pointers);
  cn_free(&web->uses);
  cn_ptrmap_free(&web->index);
}

void cn_use_graph_build(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                        struct cn_use_graph *web)
{
  struct graph_walk walk = {.ctx = ctx, .cfg = cfg, .web = web};

  CN_CHECK(!object->stays && object->type);
  memset(web, 0, sizeof *web);
  do {
    cn_use_graph_free(web);
    *web = (struct cn_use_graph){.object = object};
    add_pointer(&walk, object->root, object->tag, true);
    for (size_t i = 0; i < web->pointers.count; i++)
      add_pointers_formed_by_uses(&walk, web->pointers.at[i]);
  } while (!exclude_foreign_joins(&walk));
  add_judged_uses(&walk);
  cn_ptrmap_free(&walk.outside);
  CN_CHECK(web->pointers.at[0].value == object->root);
}
