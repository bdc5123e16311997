/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits phi webs of objects, for example of a variable that gets a new object in each iteration of a loop. Part of
 * pass `escape`.
 *
 * Needs: struct cn_cfg. Provides: a separate object in place of each phi of a phi web, with the contents of the phi's
 * input. Breaks: nothing; struct cn_cfg stays valid.
 *
 *        p = phi [a, x], [b, y], [null, z]
 *
 *   x:   a0 = load a.0 ...             likewise in y; 0 in z
 *        p0 = phi [a0, x], [b0, y], [0, z] ...
 *        is_null = phi [false, x], [false, y], [true, z]
 *        p = call cairn_alloc;  p.0 = p0 ...
 *
 * The copy is correct only if the phi ends the uses of `a` and `b`, because later accesses through `a` or `b` would
 * miss the stores to p.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/bitset.h"
#include "base/check.h"
#include "compile/core/emit.h"
#include "compile/core/scalars.h"
#include "compile/escape/escape.h"

enum {
  MAX_WEB_MEMBERS = 16,      /* members of a phi web */
  MAX_VISITED_BLOCKS = 4096, /* blocks that is_used_after_phi() visits */
};

/* ---- finding ---- */

struct web_search {
  struct cn_ctx *ctx;
  const struct cn_cfg *cfg;
  struct cn_phi_web *family;
};

static void add_member(struct web_search *s, const struct cn_object_node *like, LLVMValueRef root)
{
  struct cn_object_node object = *like;
  bool fresh;
  uint64_t *place = cn_ptrmap_add(&s->family->index, root, &fresh);

  if (!fresh)
    return;
  object.root = root;
  cn_push(&s->family->members, object);
  *place = s->family->members.count;
}

static bool reject_web(struct web_search *s, LLVMValueRef user, const char *why)
{
  s->family->wrong = (struct cn_use_graph_use){.user = user, .escapes = why};
  return false;
}

/* Add an input of a phi to the phi web, unless the input is undefined or null. False if the input is neither a phi nor
 * a new object of the same type. */
static bool add_phi_input(struct web_search *s, const struct cn_object_node *like, LLVMValueRef in)
{
  struct cn_object_node object;

  if (LLVMIsUndef(in) || (LLVMIsConstant(in) && LLVMIsNull(in)))
    return true;
  if (LLVMIsAPHINode(in)) {
    add_member(s, like, in);
    return true;
  }
  if (!LLVMIsACallInst(in) || !cn_object_read_allocation(s->ctx, in, &object) || object.stays ||
      object.type != like->type)
    return false;
  add_member(s, like, in);
  return true;
}

static bool may_load_at_block_end(LLVMBasicBlockRef block)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

  return cn_is_branch(end) || LLVMIsASwitchInst(end);
}

static bool add_phi_inputs(struct web_search *s, const struct cn_object_node *like, LLVMValueRef phi)
{
  if (cn_is_exception_pad(LLVMGetInstructionParent(phi)))
    return reject_web(s, phi, "an exception leads there");
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (!may_load_at_block_end(LLVMGetIncomingBlock(phi, i)) || !add_phi_input(s, like, LLVMGetIncomingValue(phi, i)))
      return reject_web(s, phi, "another of them is no new object of this type");
  return true;
}

/* True if the object may be used after it has entered a phi of `block`, before its root runs again. The result is also
 * true if the search is too long. */
static bool is_used_after_phi(const struct web_search *s, const struct cn_use_graph *web, LLVMBasicBlockRef block)
{
  LLVMBasicBlockRef home = LLVMGetInstructionParent(web->object->root);
  uint64_t *used = cn_alloc(2 * CN_BITSET_WORDS(s->cfg->count) * sizeof *used);
  uint64_t *seen = used + CN_BITSET_WORDS(s->cfg->count);
  CN_VECTOR(uint32_t) open = {0};
  bool live = false;
  unsigned visited = 0;

  for (size_t i = 0; i < web->uses.count; i++) {
    uint32_t at = cn_cfg_index_of(s->cfg, web->uses.at[i].block);
    if (at != CN_NO_BLOCK)
      cn_bitset_add(used, at);
  }
  cn_bitset_add(seen, cn_cfg_index_of(s->cfg, home));
  if (block != home)
    cn_push(&open, cn_cfg_index_of(s->cfg, block));
  while (open.count && !live) {
    const struct cn_cfg_block *b = &s->cfg->blocks[open.at[--open.count]];
    live = cn_bitset_contains(used, (size_t)(b - s->cfg->blocks)) || ++visited > MAX_VISITED_BLOCKS;
    for (uint32_t i = 0; i < b->succ_count; i++)
      if (!cn_bitset_contains(seen, b->succs[i])) {
        cn_bitset_add(seen, b->succs[i]);
        cn_push(&open, b->succs[i]);
      }
  }
  cn_free(&open);
  free(used);
  return live;
}

static bool enters_two_phis_of_block(const struct cn_use_graph *web, const struct cn_use_graph_use *use)
{
  for (size_t i = 0; i < web->uses.count; i++) {
    const struct cn_use_graph_use *other = &web->uses.at[i];
    if (other->joins && other->user != use->user && other->block == use->block &&
        LLVMGetInstructionParent(other->user) == LLVMGetInstructionParent(use->user))
      return true;
  }
  return false;
}

static bool check_use_of_member(struct web_search *s, const struct cn_use_graph *web,
                                const struct cn_use_graph_use *use)
{
  if (!use->escapes)
    return true;
  if (!use->joins) {
    s->family->wrong = *use;
    return false;
  }
  if (enters_two_phis_of_block(web, use) || is_used_after_phi(s, web, LLVMGetInstructionParent(use->user)))
    return reject_web(s, use->user, "it is used by another name afterwards");
  return true;
}

/* Add the phis that a member enters to the phi web. False if a use of the member forbids the web. */
static bool add_phis_of_member(struct web_search *s, const struct cn_object_node *member)
{
  struct cn_use_graph web;

  cn_use_graph_build(s->ctx, s->cfg, member, &web);
  bool ok =
      (!web.floating && !web.joined) || reject_web(s, member->root, "one is accessed at places that are not constant");
  for (size_t i = 0; i < web.uses.count && ok; i++) {
    ok = check_use_of_member(s, &web, &web.uses.at[i]);
    if (web.uses.at[i].joins)
      add_member(s, member, web.uses.at[i].user);
  }
  cn_use_graph_free(&web);
  return ok;
}

static bool has_few_fields(struct cn_ctx *ctx, const struct cn_object_node *object)
{
  struct cn_scalars scalars = {0};

  cn_scalars_of(ctx, object->type, &scalars);
  bool small = scalars.list.count <= CN_SCALARS_MOST;
  cn_free(&scalars.list);
  return small;
}

bool cn_phi_web_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                     struct cn_phi_web *family)
{
  struct web_search s = {.ctx = ctx, .cfg = cfg, .family = family};

  *family = (struct cn_phi_web){0};
  bool ok = has_few_fields(ctx, object) || reject_web(&s, object->root, "it has many fields");
  add_member(&s, object, object->root);
  for (size_t i = 0; i < family->members.count && ok; i++) {
    struct cn_object_node member = family->members.at[i];
    ok = i < MAX_WEB_MEMBERS || reject_web(&s, member.root, "there are many of them");
    ok = ok && (!LLVMIsAPHINode(member.root) || add_phi_inputs(&s, &member, member.root)) &&
         add_phis_of_member(&s, &member);
  }
  return ok;
}

void cn_phi_web_free(struct cn_phi_web *family)
{
  cn_free(&family->members);
  cn_ptrmap_free(&family->index);
}

/* ---- splitting ---- */

struct web_split {
  struct cn_ctx *ctx;
  const struct cn_phi_web *family;
  LLVMBuilderRef builder;
  struct cn_scalars scalars;
  struct cn_ptrmap nulls;   /* phi -> a phi of one bit that is true for null */
  struct cn_ptrmap objects; /* phi -> the object that replaces it */
};

static LLVMValueRef build_field_address(struct web_split *p, LLVMValueRef object, uint64_t offset)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(p->ctx->llvm);
  LLVMValueRef index = LLVMConstInt(i64, offset - p->family->members.at[0].tag, true);

  return LLVMBuildGEP2(p->builder, LLVMInt8TypeInContext(p->ctx->llvm), object, &index, 1, "");
}

static bool is_member(const struct web_split *p, LLVMValueRef value)
{
  return cn_ptrmap_find(&p->family->index, value) != NULL;
}

static LLVMTypeRef bit_type(const struct web_split *p)
{
  return LLVMInt1TypeInContext(p->ctx->llvm);
}

/* The bit that is true if the input is null: a phi of `nulls`, or a constant. */
static LLVMValueRef null_bit_of(const struct web_split *p, LLVMValueRef in)
{
  uint64_t *known = cn_ptrmap_find(&p->nulls, in);

  return known ? (LLVMValueRef)(uintptr_t)*known : LLVMConstInt(bit_type(p), !is_member(p, in), false);
}

/* The scalar of the incoming object, or zero for a null or undefined input. */
static LLVMValueRef load_incoming_scalar(struct web_split *p, LLVMValueRef phi, unsigned incoming,
                                         const struct cn_scalar *scalar)
{
  LLVMValueRef in = LLVMGetIncomingValue(phi, incoming);

  if (!is_member(p, in))
    return LLVMConstNull(scalar->type);
  LLVMPositionBuilderBefore(p->builder, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, incoming)));
  LLVMValueRef load = LLVMBuildLoad2(p->builder, scalar->type, build_field_address(p, in, scalar->offset), "");
  LLVMSetAlignment(load, 1);
  return load;
}

static void add_null_bit_phi(struct web_split *p, LLVMValueRef phi)
{
  LLVMPositionBuilderBefore(p->builder, phi);
  *cn_ptrmap_add(&p->nulls, phi, NULL) = (uintptr_t)LLVMBuildPhi(p->builder, bit_type(p), "");
}

static void connect_null_bit_phi(struct web_split *p, LLVMValueRef phi)
{
  LLVMValueRef nulls = null_bit_of(p, phi);

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef in = null_bit_of(p, LLVMGetIncomingValue(phi, i));
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
    LLVMAddIncoming(nulls, &in, &block, 1);
  }
}

static bool is_null_check_of(LLVMValueRef user, LLVMValueRef phi)
{
  return LLVMIsAICmpInst(user) && LLVMGetOperand(user, 0) == phi && LLVMIsConstant(LLVMGetOperand(user, 1)) &&
         LLVMIsNull(LLVMGetOperand(user, 1));
}

static void replace_null_checks(struct web_split *p, LLVMValueRef phi)
{
  for (LLVMUseRef use = LLVMGetFirstUse(phi), next; use; use = next) {
    LLVMValueRef user = LLVMGetUser(use), nulls = null_bit_of(p, phi);
    next = LLVMGetNextUse(use);
    if (!is_null_check_of(user, phi))
      continue;
    LLVMPositionBuilderBefore(p->builder, user);
    LLVMReplaceAllUsesWith(user, LLVMGetICmpPredicate(user) == LLVMIntEQ ? nulls : LLVMBuildNot(p->builder, nulls, ""));
    LLVMInstructionEraseFromParent(user);
  }
}

/* The input that `made` already has from `block`, for example through another edge of a switch, or null. */
static LLVMValueRef existing_input_from_block(LLVMValueRef made, LLVMBasicBlockRef block)
{
  for (unsigned i = 0; i < LLVMCountIncoming(made); i++)
    if (LLVMGetIncomingBlock(made, i) == block)
      return LLVMGetIncomingValue(made, i);
  return NULL;
}

static LLVMValueRef build_scalar_phi(struct web_split *p, LLVMValueRef phi, const struct cn_scalar *scalar)
{
  LLVMPositionBuilderBefore(p->builder, phi);
  LLVMValueRef made = LLVMBuildPhi(p->builder, scalar->type, "");

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef before = existing_input_from_block(made, block);
    LLVMValueRef in = before ? before : load_incoming_scalar(p, phi, i, scalar);
    LLVMAddIncoming(made, &in, &block, 1);
  }
  return made;
}

static LLVMValueRef build_object_of_phi(struct web_split *p, LLVMValueRef phi)
{
  LLVMValueRef made[CN_SCALARS_MOST], like = p->family->members.at[0].root;
  const struct cn_scalar *scalars = p->scalars.list.at;

  CN_CHECK(p->scalars.list.count <= CN_SCALARS_MOST && LLVMIsACallInst(like));
  for (size_t i = 0; i < p->scalars.list.count; i++)
    made[i] = build_scalar_phi(p, phi, &scalars[i]);
  LLVMPositionBuilderBeforeInstrAndDbgRecords(p->builder, cn_first_after_phis(LLVMGetInstructionParent(phi)));
  LLVMSetCurrentDebugLocation2(p->builder, LLVMInstructionGetDebugLoc(like));
  LLVMValueRef object = LLVMInstructionClone(like);
  LLVMInsertIntoBuilder(p->builder, object);
  LLVMAddCallSiteAttribute(object, CN_FUNCTION_INDEX,
                           LLVMCreateStringAttribute(p->ctx->llvm, CN_ATTR_JOINED, sizeof CN_ATTR_JOINED - 1, "", 0));
  for (size_t i = 0; i < p->scalars.list.count; i++) {
    LLVMValueRef at = build_field_address(p, object, scalars[i].offset);
    LLVMSetAlignment(LLVMBuildStore(p->builder, made[i], at), 1);
  }
  return object;
}

typedef void split_step(struct web_split *p, LLVMValueRef phi);

static void apply_to_phis(struct web_split *p, split_step *take)
{
  for (size_t i = 0; i < p->family->members.count; i++)
    if (LLVMIsAPHINode(p->family->members.at[i].root))
      take(p, p->family->members.at[i].root);
}

static void note_object_of_phi(struct web_split *p, LLVMValueRef phi)
{
  *cn_ptrmap_add(&p->objects, phi, NULL) = (uintptr_t)build_object_of_phi(p, phi);
}

static void replace_phi(struct web_split *p, LLVMValueRef phi)
{
  LLVMReplaceAllUsesWith(phi, (LLVMValueRef)(uintptr_t)*cn_ptrmap_find(&p->objects, phi));
  LLVMInstructionEraseFromParent(phi);
}

void cn_phi_web_split(struct cn_ctx *ctx, const struct cn_phi_web *family)
{
  static split_step *const steps[] = {add_null_bit_phi, connect_null_bit_phi, replace_null_checks, note_object_of_phi,
                                      replace_phi};
  struct web_split p = {.ctx = ctx, .family = family, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  cn_scalars_of(ctx, family->members.at[0].type, &p.scalars);
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    apply_to_phis(&p, steps[i]);
  cn_free(&p.scalars.list);
  cn_ptrmap_free(&p.nulls);
  cn_ptrmap_free(&p.objects);
  LLVMDisposeBuilder(p.builder);
}
