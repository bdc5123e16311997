/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass insert-barriers: "late insertion of safepoints (and barriers)" (late-insertion-slides-2014, "How to resolve
 * this?"). A load barrier is "executed immediately after the machine load", a store barrier "runs immediately before
 * the machine store instruction, but after the computation of the value stored" (statepoints-original). The pass
 * inserts calls (barrier_calls.c) for the kind options->barriers:
 *
 *   call void @cairn.barrier.store(object, slot, value)     before a store of one reference
 *   call void @cairn.barrier.range(to, bytes)               before a write of several
 *   call ptr addrspace(1) @cairn.barrier.load(slot, value)  after a load of one; its result is used in place of `value`
 *
 * The calls are leaves. With cards, writes that are close together in one object share one range (coalesce.c). After
 * the verifier's proof, pass lower-barriers replaces the calls. `object` is the start of the object for kind custom, if
 * the pass can prove the start; else it is null.
 *
 * Needs: functions before rewriting, with polls placed and allocation in line. So each access follows its barrier
 * without a safepoint, and new objects can be recognised. Provides: a barrier for each access to references in managed
 * memory, or a remark that exempts the access (elide.c); an attribute with the kind on each function, for pass
 * `globals`. An access that barriers cannot cover is refused (missing-barrier). Breaks: nothing.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

struct barrier_insertion {
  struct cn_ctx *ctx;
  struct cn_barrier_builder calls;
  struct cn_safepoint_free_intervals windows;
  struct cn_barrier_history barred;
  struct cn_pending_writes pendings;
  bool stores, loads; /* the accesses that have barriers */
};

static void position_builder(struct barrier_insertion *n, LLVMValueRef place, LLVMValueRef at)
{
  CN_CHECK(place);
  LLVMPositionBuilderBefore(n->calls.builder, place);
  LLVMSetCurrentDebugLocation2(n->calls.builder, LLVMInstructionGetDebugLoc(at));
}

static void refuse_access(struct barrier_insertion *n, LLVMValueRef at, const struct cn_access *access)
{
  cn_error(n->ctx, at, "missing-barrier", "no barrier of kind %s covers %s", cn_name_of_barrier_kind(n->calls.kind),
           access->why);
}

static void remark_elided_barrier(struct barrier_insertion *n, LLVMValueRef at, const char *why)
{
  cn_remark(n->ctx, at, "barrier-elided", "no barrier: %s", why);
}

/* The number of written bytes if the number is a constant, else 0. */
static uint64_t constant_bytes_of(const struct cn_access *access)
{
  if (access->kind == CN_ACCESS_ONE_REFERENCE)
    return sizeof(uint64_t);
  return access->bytes && LLVMIsAConstantInt(access->bytes) ? LLVMConstIntGetZExtValue(access->bytes) : 0;
}

static void note_pending_write(struct barrier_insertion *n, LLVMValueRef at)
{
  const struct cn_access access = cn_access_written_by(n->ctx, at);

  if (access.kind == CN_ACCESS_UNKNOWN) {
    refuse_access(n, at, &access);
  } else if (access.kind != CN_ACCESS_NONE) {
    const char *why = cn_why_write_needs_no_barrier(&n->barred, at, &access);
    if (why) {
      remark_elided_barrier(n, at, why);
      return;
    }
    struct cn_pending_write write = {.at = at,
                                     .bytes = constant_bytes_of(&access),
                                     .window = cn_safepoint_free_before(&n->windows, at),
                                     .entry = CN_NOT_BARRED,
                                     .one = access.kind == CN_ACCESS_ONE_REFERENCE};
    if (n->calls.kind == CAIRN_BARRIERS_CARDS && !access.mask) {
      write.base = cn_address_base_and_offset(n->ctx, access.slot, &write.offset);
      write.entry = n->barred.entries.count - 1;
      write.alike = n->barred.entries.at[write.entry].base;
    }
    cn_push(&n->pendings.writes, write);
  }
}

static LLVMValueRef i64_constant(const struct barrier_insertion *n, uint64_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(n->ctx->llvm), value, false);
}

/* Emits the barrier of a group, a range that contains all writes of the group. */
static void emit_group_barrier(struct barrier_insertion *n, const struct cn_pending_write *write)
{
  LLVMValueRef low = i64_constant(n, write->run_low);
  LLVMTypeRef byte = LLVMInt8TypeInContext(n->ctx->llvm);
  const struct cn_access access = {
      .kind = CN_ACCESS_RANGE,
      .slot = write->run_low ? LLVMBuildGEP2(n->calls.builder, byte, write->base, &low, 1, "") : write->base,
      .bytes = i64_constant(n, write->run_bytes)};

  cn_barrier_emit_range_call(&n->calls, write->at, &access);
}

static void note_covered_write(struct barrier_insertion *n, struct cn_pending_write *write, const char *why)
{
  write->covered = true;
  remark_elided_barrier(n, write->at, why);
}

static void coalesce_pending_writes(struct barrier_insertion *n)
{
  static const char why[] = "the mark of an earlier store into the object does for it";

  cn_barrier_coalesce_writes(&n->pendings);
  for (size_t i = 0; i < n->pendings.writes.count; i++) {
    const struct cn_pending_write *write = &n->pendings.writes.at[i];
    if (write->run_bytes)
      cn_barrier_history_widen(&n->barred, write->entry, write->run_low, i64_constant(n, write->run_bytes));
  }
  for (size_t i = 0; i < n->pendings.writes.count; i++) {
    struct cn_pending_write *write = &n->pendings.writes.at[i];
    if (write->joined || cn_barrier_history_covers(&n->barred, write->entry))
      note_covered_write(n, write, why);
  }
}

static void emit_write_barriers(struct barrier_insertion *n)
{
  if (n->calls.kind == CAIRN_BARRIERS_CARDS)
    coalesce_pending_writes(n);
  for (size_t i = 0; i < n->pendings.writes.count; i++) {
    const struct cn_pending_write *write = &n->pendings.writes.at[i];
    const struct cn_access access = cn_access_written_by(n->ctx, write->at);
    if (write->covered)
      continue;
    position_builder(n, write->at, write->at);
    if (write->run_bytes)
      emit_group_barrier(n, write);
    else if (write->one)
      cn_barrier_emit_store_call(&n->calls, &access);
    else
      cn_barrier_emit_range_call(&n->calls, write->at, &access);
  }
  cn_free(&n->pendings.writes);
}

static void emit_read_barrier(struct barrier_insertion *n, LLVMValueRef at)
{
  const struct cn_access access = cn_access_read_by(n->ctx, at);

  if (access.kind == CN_ACCESS_UNKNOWN) {
    refuse_access(n, at, &access);
  } else if (access.kind != CN_ACCESS_NONE) {
    const char *why = cn_why_read_needs_no_barrier(&n->barred, at, &access);
    if (why) {
      remark_elided_barrier(n, at, why);
    } else if (access.kind == CN_ACCESS_ONE_REFERENCE) {
      position_builder(n, LLVMGetNextInstruction(at), at);
      cn_barrier_emit_load_call(&n->calls, at, &access);
    } else {
      position_builder(n, at, at);
      cn_barrier_emit_range_call(&n->calls, at, &access);
    }
  }
}

/* Gathers the accesses in an order that puts dominating accesses first. */
static void gather_accesses(struct barrier_insertion *n, const struct cn_cfg *cfg, value_vector *at)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if ((n->stores && cn_access_written_by(n->ctx, i).kind != CN_ACCESS_NONE) ||
          (n->loads && cn_access_read_by(n->ctx, i).kind != CN_ACCESS_NONE))
        cn_push(at, i);
}

static void insert_in_function(struct barrier_insertion *n, LLVMValueRef function)
{
  struct cn_cfg cfg;
  value_vector at = {0};

  cn_cfg_build(&cfg, function);
  gather_accesses(n, &cfg, &at);
  if (at.count) {
    cn_safepoint_free_find_intervals(&n->windows, &cfg);
    n->barred = (struct cn_barrier_history){.ctx = n->ctx, .kind = n->calls.kind, .windows = &n->windows};
    for (size_t i = 0; i < at.count; i++) {
      if (n->loads)
        emit_read_barrier(n, at.at[i]);
      if (n->stores)
        note_pending_write(n, at.at[i]);
    }
    emit_write_barriers(n);
    cn_barrier_history_free(&n->barred);
    cn_safepoint_free_dispose(&n->windows);
  }
  cn_free(&at);
  cn_cfg_free(&cfg);
}

/* Marks the function instead of the module, because a link may merge the module with a module that lacks barriers. */
static void mark_barrier_kind(const struct barrier_insertion *n, LLVMValueRef function)
{
  const char *kind = cn_mark_of_barrier_kind(n->calls.kind);

  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(n->ctx->llvm, CN_ATTR_BARRIERS, sizeof CN_ATTR_BARRIERS - 1, kind,
                                                    (unsigned)strlen(kind)));
}

/* Decides whether stores and loads have barriers. For kind custom, the module's barrier functions decide. */
static void choose_accesses_with_barriers(struct barrier_insertion *n)
{
  bool custom = n->calls.kind == CAIRN_BARRIERS_CUSTOM;

  n->loads = custom ? cn_barrier_is_defined(n->ctx, CN_BARRIER_LOAD) : n->calls.kind == CAIRN_BARRIERS_LOADS;
  n->stores = custom ? cn_barrier_is_defined(n->ctx, CN_BARRIER_STORE) : n->calls.kind != CAIRN_BARRIERS_LOADS;
  if (custom && !n->loads && !n->stores)
    cn_error(n->ctx, NULL, "barrier-template", "the module defines neither @%s nor @%s", CN_BARRIER_STORE,
             CN_BARRIER_LOAD);
}

bool cn_insert_barriers(struct cn_ctx *ctx)
{
  struct barrier_insertion n = {.ctx = ctx, .calls = {.ctx = ctx, .kind = ctx->options->barriers}};

  if (n.calls.kind == CAIRN_BARRIERS_NONE)
    return true;
  choose_accesses_with_barriers(&n);
  n.calls.builder = LLVMCreateBuilderInContext(ctx->llvm);
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f && !ctx->errors; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f)) {
      insert_in_function(&n, f);
      mark_barrier_kind(&n, f);
    }
  LLVMDisposeBuilder(n.calls.builder);
  return ctx->errors == 0;
}
