/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracks addresses that are stored as integers or unmanaged pointers in allocas. Needs: the other parts of struct
 * cn_value_states. Provides: struct cn_stale_state of loads from allocas. Breaks: nothing.
 *
 * An alloca that is only loaded and stored is tracked like a variable: its states join where paths meet, like the
 * inputs of a phi. Values in other memory are ignored.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/verify/verify.h"

/* Maximum number of tracked allocas; only a contrived program has more. */
#define MAX_FOLLOWED_LOCALS 64

static const struct cn_stale_state never_stale = {CN_EPOCH_NONE, 0};

/* True if the alloca is only loaded and stored, as one scalar that is not a reference. */
static bool is_scalar_variable(LLVMValueRef alloca)
{
  LLVMTypeRef type = LLVMGetAllocatedType(alloca);

  if (cn_scalar_count(type) != 1 || cn_scalars_count_as_one(type) || cn_holds_ref(type))
    return false;
  CN_EACH_USE(use, alloca) {
    LLVMValueRef user = LLVMGetUser(use);
    bool marks = LLVMIsACallInst(user) &&
                 (cn_calls_intrinsic(user, "llvm.lifetime.start") || cn_calls_intrinsic(user, "llvm.lifetime.end"));
    if (!marks && (!LLVMIsALoadInst(user) || cn_scalar_count(LLVMTypeOf(user)) != 1) &&
        (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) == alloca))
      return false;
  }
  return true;
}

static void add_address_local(struct cn_value_states *values, LLVMValueRef store)
{
  LLVMValueRef alloca = LLVMGetOperand(store, 1);
  bool fresh;

  if (!LLVMIsAAllocaInst(alloca) || values->locals.count == MAX_FOLLOWED_LOCALS ||
      cn_holds_ref(LLVMTypeOf(LLVMGetOperand(store, 0))) ||
      cn_values_state_of(values, LLVMGetOperand(store, 0)).epoch == CN_EPOCH_NONE ||
      cn_ptrmap_find(&values->locals.index, alloca) || !is_scalar_variable(alloca))
    return;
  *cn_ptrmap_add(&values->locals.index, alloca, &fresh) = values->locals.count++;
}

bool cn_stale_locals_find(struct cn_value_states *values)
{
  const struct cn_cfg *cfg = values->epochs->cfg;
  struct cn_stale_locals *locals = &values->locals;

  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if (LLVMIsAStoreInst(i))
        add_address_local(values, i);
  CN_CHECK(locals->count <= MAX_FOLLOWED_LOCALS && locals->count == locals->index.count);
  CN_CHECK(!locals->now && !locals->out);
  if (!locals->count)
    return false;
  locals->now = cn_alloc(locals->count * sizeof *locals->now);
  locals->out = cn_alloc((size_t)cfg->count * locals->count * sizeof *locals->out);
  return true;
}

void cn_stale_locals_enter_block(struct cn_value_states *values, uint32_t b)
{
  const struct cn_cfg_block *block = &values->epochs->cfg->blocks[b];
  struct cn_stale_locals *locals = &values->locals;

  CN_ASSERT(!locals->count || locals->out);
  if (b == 0)
    locals->changed = false;
  for (uint32_t l = 0; l < locals->count; l++) {
    struct cn_edge_join join = {0};
    for (uint32_t p = 0; p < block->pred_count; p++)
      cn_join_add_edge(values, &join, block->preds[p], b, locals->out[(size_t)block->preds[p] * locals->count + l]);
    locals->now[l] = cn_join_result_of(values, &join, b);
  }
}

void cn_stale_locals_leave_block(struct cn_value_states *values, uint32_t b)
{
  struct cn_stale_locals *locals = &values->locals;

  for (uint32_t l = 0; l < locals->count; l++) {
    struct cn_stale_state *out = &locals->out[(size_t)b * locals->count + l];
    /* A weight that grows in a loop is no constant number of addresses. */
    if (out->epoch != CN_EPOCH_NONE && out->weight != locals->now[l].weight)
      locals->now[l] = cn_stale_drop_weight(locals->now[l]);
    if (out->epoch == CN_EPOCH_MIXED && locals->now[l].epoch != CN_EPOCH_NONE)
      locals->now[l].epoch = CN_EPOCH_MIXED;
    locals->changed |= out->epoch != locals->now[l].epoch || out->weight != locals->now[l].weight;
    *out = locals->now[l];
  }
}

static const uint64_t *local_number_at(const struct cn_value_states *values, LLVMValueRef address)
{
  const uint64_t *local = LLVMIsAAllocaInst(address) ? cn_ptrmap_find(&values->locals.index, address) : NULL;

  CN_ASSERT(!local || *local < values->locals.count);
  return local;
}

bool cn_stale_locals_is_followed(const struct cn_value_states *values, LLVMValueRef address)
{
  return local_number_at(values, address) != NULL;
}

void cn_stale_locals_apply_store(struct cn_value_states *values, LLVMValueRef store)
{
  const uint64_t *local = local_number_at(values, LLVMGetOperand(store, 1));

  if (local)
    values->locals.now[*local] = cn_values_state_of(values, LLVMGetOperand(store, 0));
}

struct cn_stale_state cn_stale_locals_of_load(const struct cn_value_states *values, LLVMValueRef load, uint32_t scalar,
                                              uint32_t epoch)
{
  const uint64_t *local = local_number_at(values, LLVMGetOperand(load, 0));

  if (cn_scalar_is_ref(LLVMTypeOf(load), scalar))
    return cn_is_immovable(load) ? never_stale : (struct cn_stale_state){epoch, 1};
  return local ? values->locals.now[*local] : never_stale;
}

bool cn_stale_locals_are_stable(const struct cn_value_states *values)
{
  return !values->locals.changed;
}

void cn_stale_locals_free(struct cn_value_states *values)
{
  cn_ptrmap_free(&values->locals.index);
  free(values->locals.now);
  free(values->locals.out);
}
