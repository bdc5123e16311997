/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds groups of objects that name one another, also in a cycle, and that only frame records can reach otherwise. Part
 * of pass `escape`.
 *
 * Needs: struct cn_cfg. Provides: struct cn_record_group. Breaks: nothing.
 *
 * A link is a store of a member into a field of a member. The field has no other store and no load, and the link
 * dominates each call whose frame records name a member. So the field has the link's value at each such call: a path to
 * the call that misses the link since the last allocation of its value would also exist without the link. Other members
 * than the first object come in only by links.
 */
#include <string.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/escape/escape.h"

enum { MAX_MEMBERS = 16, REFERENCE_BYTES = 8 };

struct link_search {
  struct cn_ctx *ctx;
  const struct cn_cfg *cfg;
  struct cn_record_group *group;
};

/* Find or add a member. False if the object is no candidate, or the group is too large. */
static bool add_member(struct link_search *s, const struct cn_object_node *object, uint32_t *number)
{
  struct cn_record_group *g = s->group;

  for (*number = 0; *number < g->members.count; ++*number)
    if (g->members.at[*number].object.root == object->root)
      return true;
  if (g->members.count == MAX_MEMBERS || object->stays || !object->numbered ||
      (g->members.count && object->language != g->members.at[0].object.language))
    return false;
  cn_push(&g->members, (struct cn_record_member){.object = *object});
  return true;
}

/* The object and offset that a store writes to; false if the address is no constant place in a new object. */
static bool read_target(struct link_search *s, LLVMValueRef address, struct cn_object_node *object, uint64_t *offset)
{
  *offset = 0;
  while (LLVMIsAGetElementPtrInst(address)) {
    if (!cn_types_gep_offset(s->ctx, address, offset))
      return false;
    address = LLVMGetOperand(address, 0);
  }
  if (!LLVMIsACallInst(address) || !cn_object_read_allocation(s->ctx, address, object) || object->stays)
    return false;
  if (cn_cfg_index_of(s->cfg, LLVMGetInstructionParent(address)) == CN_NO_BLOCK)
    return false;
  *offset += object->tag;
  return cn_types_has_ref_at(s->ctx, object->type, *offset);
}

static bool add_link(struct link_search *s, uint32_t target, LLVMValueRef store)
{
  struct cn_record_link link = {.target = target, .store = store};
  struct cn_object_node object;

  for (size_t i = 0; i < s->group->links.count; i++) /* an object may be stored into itself */
    if (s->group->links.at[i].store == store)
      return true;
  if (LLVMGetVolatile(store) || LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic ||
      !read_target(s, LLVMGetOperand(store, 1), &object, &link.offset) || !add_member(s, &object, &link.owner))
    return false;
  cn_push(&s->group->links, link);
  return true;
}

/* Add a link for each escape of the member. False if it escapes in another way. */
static bool add_links_of(struct link_search *s, uint32_t member)
{
  const struct cn_object_node object = s->group->members.at[member].object; /* the list of members may grow */
  struct cn_use_graph web;

  cn_use_graph_build(s->ctx, s->cfg, &object, &web);
  bool fit = !web.floating && !web.joined;
  for (size_t i = 0; fit && i < web.uses.count; i++) {
    const struct cn_use_graph_use *use = &web.uses.at[i];
    if (use->escapes)
      fit =
          LLVMIsAStoreInst(use->user) && LLVMGetOperand(use->user, 0) == object.root && add_link(s, member, use->user);
  }
  web.object = NULL; /* set by cn_record_group_find() */
  s->group->members.at[member].web = web;
  return fit;
}

/* ---- conditions ---- */

static uint64_t offset_of_pointer(const struct cn_use_graph *web, LLVMValueRef pointer)
{
  const uint64_t *index = cn_ptrmap_find(&web->index, pointer);

  CN_CHECK(index != NULL);
  return web->pointers.at[*index - 1].offset;
}

/* True if the use may read or write the field at `offset`. */
static bool may_access_field(struct cn_ctx *ctx, const struct cn_use_graph *web, const struct cn_use_graph_use *use,
                             uint64_t offset)
{
  if (use->recorded || LLVMIsAICmpInst(use->user))
    return false;
  if (!LLVMIsALoadInst(use->user) && !LLVMIsAStoreInst(use->user))
    return true;
  LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(use->user) ? use->user : LLVMGetOperand(use->user, 0));
  uint64_t at = offset_of_pointer(web, use->pointer), end = at + LLVMStoreSizeOfType(ctx->layout, type);
  return at < offset + REFERENCE_BYTES && offset < end;
}

/* True if only the link accesses its field. */
static bool is_only_access(struct link_search *s, const struct cn_record_link *link)
{
  const struct cn_use_graph *web = &s->group->members.at[link->owner].web;

  for (size_t i = 0; i < web->uses.count; i++)
    if (web->uses.at[i].user != link->store && may_access_field(s->ctx, web, &web->uses.at[i], link->offset))
      return false;
  return true;
}

static bool dominates(const struct cn_cfg *cfg, LLVMValueRef first, LLVMValueRef second)
{
  LLVMBasicBlockRef a = LLVMGetInstructionParent(first), b = LLVMGetInstructionParent(second);

  if (a != b)
    return cn_cfg_dominates(cfg, cn_cfg_index_of(cfg, a), cn_cfg_index_of(cfg, b));
  for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
    if (i == second)
      return true;
  return false;
}

/* True if the link dominates each call whose records name a member. */
static bool precedes_all_records(struct link_search *s, const struct cn_record_link *link)
{
  for (size_t m = 0; m < s->group->members.count; m++) {
    const struct cn_use_graph *web = &s->group->members.at[m].web;
    for (size_t i = 0; i < web->uses.count; i++)
      if (web->uses.at[i].recorded && !dominates(s->cfg, link->store, web->uses.at[i].user))
        return false;
  }
  return true;
}

bool cn_record_group_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                          struct cn_record_group *group)
{
  struct link_search s = {.ctx = ctx, .cfg = cfg, .group = group};
  uint32_t number;

  *group = (struct cn_record_group){0};
  bool fit = add_member(&s, object, &number);
  for (uint32_t i = 0; fit && i < group->members.count; i++) /* grows */
    fit = add_links_of(&s, i);
  for (size_t i = 0; i < group->members.count; i++)
    group->members.at[i].web.object = &group->members.at[i].object;
  for (size_t i = 0; fit && i < group->links.count; i++)
    fit = is_only_access(&s, &group->links.at[i]) && precedes_all_records(&s, &group->links.at[i]);
  return fit;
}

void cn_record_group_free(struct cn_record_group *group)
{
  for (size_t i = 0; i < group->members.count; i++)
    cn_use_graph_free(&group->members.at[i].web);
  cn_free(&group->members);
  cn_free(&group->links);
}
