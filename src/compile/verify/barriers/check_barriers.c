/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass verify-barriers: proves that each load or store of a reference in managed memory has the barrier of
 * options->barriers, or is exempt. The proof accepts IR of any producer, before or after rewriting, as long as barriers
 * are calls. This file and insert-barriers share only the barriers' names.
 *
 * Needs: nothing. Provides: diagnostics of one rule. Breaks: nothing. Rule:
 *   missing-barrier an access lacks a barrier of its address, or a safepoint may lie between the access and the barrier
 *
 * A barrier covers an access if the barrier runs on every path to the access, after the path's last safepoint.
 */
#include <string.h>
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/verify/barriers/barred.h"

/* A barrier of one slot (`bytes` is null) or of a range of slots. */
struct barrier_call {
  LLVMValueRef at, slot, bytes;
  uint32_t block, epoch;
  size_t previous; /* the previous barrier with the same root; counted from 1 */
};

struct barrier_check {
  struct cn_ctx *ctx;
  enum cairn_barriers kind;
  struct cn_cfg cfg;
  struct cn_epochs epochs;
  struct cn_ptrmap last; /* root of an address -> the last barrier with this root, counted from 1 */
  CN_VECTOR(struct barrier_call) barriers;
  uint32_t block, epoch; /* where the check is */
  bool stores, loads;    /* the accesses that have barriers */
};

enum { MAX_TRIED_BARRIERS = 1000, MAX_GEP_DEPTH = 8 };

/* ---- addresses ---- */

static bool is_gep(LLVMValueRef value)
{
  return LLVMIsAGetElementPtrInst(value) ||
         (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static LLVMValueRef address_root_of(LLVMValueRef address)
{
  while (is_gep(address) || LLVMIsABitCastInst(address))
    address = LLVMGetOperand(address, 0);
  return address;
}

/* The base value of an address that is a base plus a constant. */
static LLVMValueRef constant_base_of(struct cn_ctx *ctx, LLVMValueRef address, uint64_t *bytes)
{
  *bytes = 0;
  for (; is_gep(address) || LLVMIsABitCastInst(address); address = LLVMGetOperand(address, 0)) {
    uint64_t before = *bytes;
    if (is_gep(address) && !cn_types_gep_offset(ctx, address, bytes)) {
      *bytes = before;
      break;
    }
  }
  return address;
}

/* True if `a` and `b` are the same address: one value, or two equal computations with the same operands. */
static bool is_same_address(LLVMValueRef a, LLVMValueRef b, unsigned depth)
{
  if (a == b)
    return true;
  if (!depth || !is_gep(a) || !is_gep(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b) ||
      LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
    return false;
  for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(a); i++)
    if (LLVMGetOperand(a, i) != LLVMGetOperand(b, i))
      return false;
  return is_same_address(LLVMGetOperand(a, 0), LLVMGetOperand(b, 0), depth - 1);
}

static bool read_constant(LLVMValueRef bytes, uint64_t *value)
{
  if (!LLVMIsAConstantInt(bytes))
    return false;
  *value = LLVMConstIntGetZExtValue(bytes);
  return true;
}

/* The number before its zero extension. A copy's barrier takes the length in 64 bits, and the copy's length may itself
 * be an extended value. */
static LLVMValueRef strip_zext(LLVMValueRef bytes)
{
  while (bytes && LLVMIsAZExtInst(bytes))
    bytes = LLVMGetOperand(bytes, 0);
  return bytes;
}

/* True if the barrier covers all memory of the access. Requires that both addresses have the same root. */
static bool barrier_covers_access(struct barrier_check *c, const struct barrier_call *barrier,
                                  const struct cn_barrier_access *access)
{
  uint64_t from, to, size = sizeof(uint64_t), room = sizeof(uint64_t);

  if (is_same_address(barrier->slot, access->slot, MAX_GEP_DEPTH) &&
      (strip_zext(barrier->bytes) == strip_zext(access->bytes) || (!access->bytes && barrier->bytes)))
    return true;
  return (!access->bytes || read_constant(access->bytes, &size)) &&
         (!barrier->bytes || read_constant(barrier->bytes, &room)) &&
         is_same_address(constant_base_of(c->ctx, barrier->slot, &from), constant_base_of(c->ctx, access->slot, &to),
                         MAX_GEP_DEPTH) &&
         to - from <= room && size <= room - (to - from);
}

/* ---- accesses that go without ---- */

static bool is_exempt_from_barrier(struct barrier_check *c, const struct cn_barrier_access *access)
{
  LLVMValueRef root = address_root_of(access->slot), value = access->value;

  if (c->kind == CAIRN_BARRIERS_CARDS && (access->clears || (value && cn_barrier_is_immovable_value(value))))
    return true;
  return cn_is_address_in_local(access->slot) || cn_is_local_cast(root) ||
         cn_barrier_is_fresh_object(&c->epochs, root, c->epoch, c->kind == CAIRN_BARRIERS_CARDS);
}

/* True if the loaded value is only compared with null or passed to its barrier. */
static bool is_healed_load(LLVMValueRef load)
{
  CN_EACH_USE(use, load) {
    LLVMValueRef user = LLVMGetUser(use);
    size_t length;
    if (LLVMIsAICmpInst(user) && LLVMIsNull(LLVMGetOperand(user, 1)))
      continue;
    LLVMValueRef callee = LLVMIsACallInst(user) ? cn_direct_callee(user) : NULL;
    if (!callee || strcmp(LLVMGetValueName2(callee, &length), CN_BARRIER_LOAD) != 0 ||
        LLVMGetArgOperand(user, 1) != load ||
        !is_same_address(LLVMGetArgOperand(user, 0), LLVMGetOperand(load, 0), MAX_GEP_DEPTH))
      return false;
  }
  return true;
}

/* ---- the check ---- */

/* True if a barrier that covers the lane runs in this epoch on every path to the access. */
static bool lane_has_barrier(struct barrier_check *c, const struct cn_barrier_access *access, unsigned lane)
{
  unsigned tried = 0;

  if (cn_barrier_mask_skips_lane(access->mask, lane))
    return true;
  for (size_t b = c->barriers.count; b-- > 0 && tried < MAX_TRIED_BARRIERS; tried++) {
    const struct barrier_call *barrier = &c->barriers.at[b];
    if (barrier->epoch == c->epoch && cn_cfg_dominates(&c->cfg, barrier->block, c->block) &&
        cn_barrier_covers_lane(c->ctx, access, lane, barrier->slot, barrier->bytes))
      return true;
  }
  return false;
}

static bool all_lanes_have_barriers(struct barrier_check *c, const struct cn_barrier_access *access)
{
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(access->mask));

  for (unsigned lane = 0; lane < lanes; lane++)
    if (!lane_has_barrier(c, access, lane))
      return false;
  return true;
}

static bool access_has_barrier(struct barrier_check *c, const struct cn_barrier_access *access)
{
  if (access->mask)
    return all_lanes_have_barriers(c, access);

  const uint64_t *last = cn_ptrmap_find(&c->last, address_root_of(access->slot));
  unsigned tried = 0;

  for (size_t b = last ? *last : 0; b && tried < MAX_TRIED_BARRIERS; tried++) {
    const struct barrier_call *barrier = &c->barriers.at[b - 1];
    if (barrier->epoch == c->epoch && cn_cfg_dominates(&c->cfg, barrier->block, c->block) &&
        barrier_covers_access(c, barrier, access))
      return true;
    b = barrier->previous;
  }
  return false;
}

static void report_missing_barrier(struct barrier_check *c, const struct cn_barrier_access *access)
{
  char name[120];
  const struct cn_finding finding = {.value = access->slot};

  if (access->beyond)
    cn_error(c->ctx, access->at, "missing-barrier", "no barrier of kind %s covers %s", cn_name_of_barrier_kind(c->kind),
             access->beyond);
  else
    cn_report_finding(c->ctx, access->at, "missing-barrier", &finding,
                      "the access at %s has no barrier of kind %s on every path since the last "
                      "safepoint",
                      cn_value_name(access->slot, name, sizeof name), cn_name_of_barrier_kind(c->kind));
}

static void check_write_barrier(struct barrier_check *c, LLVMValueRef at)
{
  const struct cn_barrier_access access = cn_barrier_write_of(c->ctx, at);

  if (!access.slot || (!access.beyond && (is_exempt_from_barrier(c, &access) || access_has_barrier(c, &access))))
    return;
  report_missing_barrier(c, &access);
}

static void check_read_barrier(struct barrier_check *c, LLVMValueRef at)
{
  const struct cn_barrier_access access = cn_barrier_read_of(c->ctx, at);

  if (!access.slot)
    return;
  if (!access.beyond) {
    LLVMValueRef root = address_root_of(access.slot);
    if (cn_is_address_in_local(access.slot) || cn_is_local_cast(root) ||
        cn_barrier_is_fresh_object(&c->epochs, root, c->epoch, false) ||
        (access.bytes || access.mask ? access_has_barrier(c, &access) : cn_is_immovable(at) || is_healed_load(at)))
      return;
  }
  report_missing_barrier(c, &access);
}

/* Add the call if it is a write barrier, or a read barrier of several references. */
static void add_barrier_call(struct barrier_check *c, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
  struct barrier_call barrier = {.at = call, .block = c->block, .epoch = c->epoch};

  if (strcmp(name, CN_BARRIER_STORE) == 0 && LLVMGetNumArgOperands(call) == 3) {
    barrier.slot = LLVMGetArgOperand(call, 1);
  } else if (strcmp(name, CN_BARRIER_RANGE) == 0 && LLVMGetNumArgOperands(call) == 2) {
    barrier.slot = LLVMGetArgOperand(call, 0);
    barrier.bytes = LLVMGetArgOperand(call, 1);
  } else {
    return;
  }
  uint64_t *last = cn_ptrmap_add(&c->last, address_root_of(barrier.slot), NULL);
  barrier.previous = *last;
  cn_push(&c->barriers, barrier);
  *last = c->barriers.count;
}

static bool is_safepoint(LLVMValueRef instruction)
{
  enum cn_call_kind kind = cn_classify_call(instruction).kind;

  return (kind == CN_CALL_PARSE_POINT || kind == CN_CALL_STATEPOINT) && !cn_calls_keeps_objects_in_place(instruction);
}

static void check_block(struct barrier_check *c)
{
  CN_EACH_INSTRUCTION(i, c->cfg.blocks[c->block].block) {
    if (c->loads)
      check_read_barrier(c, i);
    if (c->stores)
      check_write_barrier(c, i);
    if (LLVMIsACallInst(i))
      add_barrier_call(c, i);
    c->epoch = cn_epoch_after(&c->epochs, i, c->epoch);
  }
}

static void check_function(struct barrier_check *c, LLVMValueRef function)
{
  cn_cfg_build(&c->cfg, function);
  cn_epochs_build(&c->epochs, &c->cfg, is_safepoint);
  for (c->block = 0; c->block < c->cfg.count; c->block++) {
    c->epoch = c->epochs.in[c->block];
    check_block(c);
  }
  cn_free(&c->barriers);
  cn_ptrmap_free(&c->last);
  c->last = (struct cn_ptrmap){0};
  cn_epochs_free(&c->epochs);
  cn_cfg_free(&c->cfg);
}

/* True if the module defines function `name`. In a module with barriers of kind custom, the definition of a barrier
 * function means that accesses need this barrier. */
static bool defines_function(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, name);

  return function && !LLVMIsDeclaration(function);
}

bool cn_verify_barriers(struct cn_ctx *ctx)
{
  struct barrier_check c = {.ctx = ctx, .kind = ctx->options->barriers};
  bool custom = c.kind == CAIRN_BARRIERS_CUSTOM;

  if (c.kind == CAIRN_BARRIERS_NONE)
    return true;
  c.loads = custom ? defines_function(ctx, CN_BARRIER_LOAD) : c.kind == CAIRN_BARRIERS_LOADS;
  c.stores = custom ? defines_function(ctx, CN_BARRIER_STORE) : c.kind != CAIRN_BARRIERS_LOADS;
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      check_function(&c, f);
  return ctx->errors == 0;
}
