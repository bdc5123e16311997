/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass insert-barriers: "late insertion of safepoints (and barriers)" (late-insertion-slides-2014,
 * "How to resolve this?"). A load barrier is "executed immediately after the machine load", a store
 * barrier "runs immediately before the machine store instruction, but after the computation of the
 * value stored" (statepoints-original). The kind is options->barriers:
 *
 *   call void @cairn.barrier.store(object, slot, value)    before a store of one reference
 *   call void @cairn.barrier.range(to, bytes)              before a write of several
 *   call ptr addrspace(1) @cairn.barrier.load(slot, value) after a load of one: what is used
 *
 * These calls are leaves, and lower-barriers replaces them when
 * the rest is proved. `object` is null unless the kind asks for it and its start is known.
 *
 * Needs: polls placed, allocation in line: so no safepoint comes between an access and its barrier,
 * and new objects are known. Not yet rewritten functions. Provides: each access of references in
 * managed memory has the barrier of the kind, or needs none (elide.c), which a remark says. What no
 * barrier covers is refused (missing-barrier). Breaks: nothing.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/names.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

struct insertion {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  enum cairn_barriers kind;
  struct cn_windows windows;
  struct cn_barred barred;
  struct cn_pendings pendings;
  bool stores, loads; /* what has barriers */
};

/* The function `name` of this type, a leaf; null after an error. */
static LLVMValueRef barrier(struct insertion *n, const char *name, LLVMTypeRef type)
{
  LLVMValueRef function = cn_emit_declare(n->ctx, name, type, LLVMCCallConv);

  if (function && !cn_string_attribute(function, CN_ATTR_LEAF))
    cn_emit_mark_leaf(n->ctx, function);
  return function;
}

static LLVMValueRef call(struct insertion *n, const char *name, LLVMTypeRef result,
                         LLVMValueRef *arguments, unsigned count)
{
  LLVMTypeRef types[3];

  CN_CHECK(count <= 3);
  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
  LLVMValueRef function = barrier(n, name, type);
  return function ? LLVMBuildCall2(n->builder, type, function, arguments, count, "") : NULL;
}

/* Stand before `place`, with the source line of `at`. */
static void stand(struct insertion *n, LLVMValueRef place, LLVMValueRef at)
{
  CN_CHECK(place);
  LLVMPositionBuilderBefore(n->builder, place);
  LLVMSetCurrentDebugLocation2(n->builder, LLVMInstructionGetDebugLoc(at));
}

static void emit_store(struct insertion *n, const struct cn_access *access)
{
  LLVMValueRef root = cn_address_root_of(access->slot);
  LLVMValueRef object = LLVMConstNull(cn_ref_type(n->ctx));

  if ((n->kind == CAIRN_BARRIERS_OBJECTS || n->kind == CAIRN_BARRIERS_CUSTOM) &&
      cn_address_is_start(root))
    object = root;
  LLVMValueRef arguments[] = {object, access->slot, access->value};
  call(n, CN_BARRIER_STORE, LLVMVoidTypeInContext(n->ctx->llvm), arguments, 3);
}

static bool defines(const struct insertion *n, const char *name)
{
  LLVMValueRef function = LLVMGetNamedFunction(n->ctx->module, name);

  return function && !LLVMIsDeclaration(function);
}

static void emit_range(struct insertion *n, LLVMValueRef at, const struct cn_access *access)
{
  if (n->kind == CAIRN_BARRIERS_CUSTOM && !defines(n, CN_BARRIER_RANGE)) {
    cn_error(n->ctx, at, "missing-barrier", "the module has no @%s for it", CN_BARRIER_RANGE);
    return;
  }
  LLVMTypeRef i64 = LLVMInt64TypeInContext(n->ctx->llvm);
  LLVMValueRef bytes = LLVMBuildZExtOrBitCast(n->builder, access->bytes, i64, "");
  LLVMValueRef arguments[] = {access->slot, bytes};

  call(n, CN_BARRIER_RANGE, LLVMVoidTypeInContext(n->ctx->llvm), arguments, 2);
}

static void refuse(struct insertion *n, LLVMValueRef at, const struct cn_access *access)
{
  cn_error(n->ctx, at, "missing-barrier", "no barrier of kind %s covers %s",
           cn_barriers_name(n->kind), access->why);
}

static void elided(struct insertion *n, LLVMValueRef at, const char *why)
{
  cn_remark(n->ctx, at, "barrier-elided", "no barrier: %s", why);
}

/* The bytes that are written, if that is a constant. */
static uint64_t bytes_of(const struct cn_access *access)
{
  if (access->kind == CN_ACCESS_ONE)
    return sizeof(uint64_t);
  return LLVMIsAConstantInt(access->bytes) ? LLVMConstIntGetZExtValue(access->bytes) : 0;
}

/* Note the write, if it needs a barrier. */
static void find_write(struct insertion *n, LLVMValueRef at)
{
  const struct cn_access access = cn_access_written(n->ctx, at);

  if (access.kind == CN_ACCESS_UNKNOWN) {
    refuse(n, at, &access);
  } else if (access.kind != CN_ACCESS_NONE) {
    const char *why = cn_barrier_unneeded_write(&n->barred, at, &access);
    if (why) {
      elided(n, at, why);
      return;
    }
    struct cn_pending write = {.at = at,
                               .bytes = bytes_of(&access),
                               .window = cn_windows_at(&n->windows, at),
                               .entry = n->barred.entries.count - 1,
                               .one = access.kind == CN_ACCESS_ONE};
    write.root = cn_address_root(n->ctx, access.slot, &write.offset, &write.known);
    cn_push(&n->pendings.writes, write);
  }
}

static LLVMValueRef number(const struct insertion *n, uint64_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(n->ctx->llvm), value, false);
}

/* The barrier of a run: of all places of the object that its writes go to. */
static void emit_run(struct insertion *n, const struct cn_pending *write)
{
  LLVMValueRef low = number(n, write->run_low);
  LLVMTypeRef byte = LLVMInt8TypeInContext(n->ctx->llvm);
  const struct cn_access access = {
      .kind = CN_ACCESS_BULK,
      .slot =
          write->run_low ? LLVMBuildGEP2(n->builder, byte, write->root, &low, 1, "") : write->root,
      .bytes = number(n, write->run_bytes)};

  emit_range(n, write->at, &access);
}

/* Note that another barrier covers the write. */
static void cover(struct insertion *n, struct cn_pending *write, const char *why)
{
  write->covered = true;
  elided(n, write->at, why);
}

/* Give the writes that loops make on each pass one barrier before the loop. */
static void sweep_loops(struct insertion *n)
{
  struct cn_sweeps sweeps;

  cn_sweeps_build(&sweeps, n->ctx, &n->windows);
  for (size_t i = 0; i < n->pendings.writes.count; i++) {
    struct cn_pending *write = &n->pendings.writes.at[i];
    if (cn_sweeps_take(&sweeps, write, cn_access_written(n->ctx, write->at).slot))
      cover(n, write, "the cards of all passes are marked before the loop");
  }
  for (size_t i = 0; i < sweeps.at.count; i++) {
    const struct cn_sweep *sweep = &sweeps.at.at[i];
    stand(n, cn_sweep_place(&sweeps, sweep), sweep->at);
    const struct cn_access access = cn_sweep_access(&sweeps, n->builder, sweep);
    emit_range(n, sweep->at, &access);
  }
  cn_sweeps_free(&sweeps);
}

/* Find the runs, and what needs no barrier because of them. */
static void find_runs(struct insertion *n)
{
  static const char why[] = "the mark of an earlier store into the object does for it";

  cn_barrier_runs_find(&n->pendings);
  for (size_t i = 0; i < n->pendings.writes.count; i++) {
    const struct cn_pending *write = &n->pendings.writes.at[i];
    if (write->run_bytes)
      cn_barred_widen(&n->barred, write->entry, write->run_low, number(n, write->run_bytes));
  }
  for (size_t i = 0; i < n->pendings.writes.count; i++) {
    struct cn_pending *write = &n->pendings.writes.at[i];
    if (!write->covered && (write->joined || cn_barred_is_covered(&n->barred, write->entry)))
      cover(n, write, why);
  }
}

static void write_barriers(struct insertion *n)
{
  if (n->kind == CAIRN_BARRIERS_CARDS) {
    sweep_loops(n);
    find_runs(n);
  }
  for (size_t i = 0; i < n->pendings.writes.count; i++) {
    const struct cn_pending *write = &n->pendings.writes.at[i];
    const struct cn_access access = cn_access_written(n->ctx, write->at);
    if (write->covered)
      continue;
    stand(n, write->at, write->at);
    if (write->run_bytes)
      emit_run(n, write);
    else if (write->one)
      emit_store(n, &access);
    else
      emit_range(n, write->at, &access);
  }
  cn_free(&n->pendings.writes);
}

/* Use what the barrier returns in the place of what was loaded. */
static void emit_load(struct insertion *n, LLVMValueRef load, const struct cn_access *access)
{
  LLVMValueRef arguments[] = {access->slot, load};

  CN_CHECK(LLVMIsALoadInst(load));
  stand(n, LLVMGetNextInstruction(load), load);
  LLVMValueRef healed = call(n, CN_BARRIER_LOAD, LLVMTypeOf(load), arguments, 2);
  if (!healed)
    return;
  LLVMReplaceAllUsesWith(load, healed);
  LLVMSetOperand(healed, 1, load);
  cn_name_after(healed, load, ".healed");
}

static void read_barrier(struct insertion *n, LLVMValueRef at)
{
  const struct cn_access access = cn_access_read(n->ctx, at);

  if (access.kind == CN_ACCESS_UNKNOWN) {
    refuse(n, at, &access);
  } else if (access.kind != CN_ACCESS_NONE) {
    const char *why = cn_barrier_unneeded_read(&n->barred, at, &access);
    if (why) {
      elided(n, at, why);
    } else if (access.kind == CN_ACCESS_ONE) {
      emit_load(n, at, &access);
    } else {
      stand(n, at, at);
      emit_range(n, at, &access);
    }
  }
}

/* The accesses, in an order in which what dominates comes first. */
static void collect(struct insertion *n, const struct cn_cfg *cfg, value_vector *at)
{
  for (uint32_t b = 0; b < cfg->count; b++)
    CN_EACH_INSTRUCTION(i, cfg->blocks[b].block)
      if ((n->stores && cn_access_written(n->ctx, i).kind != CN_ACCESS_NONE) ||
          (n->loads && cn_access_read(n->ctx, i).kind != CN_ACCESS_NONE))
        cn_push(at, i);
}

static void run_on_function(struct insertion *n, LLVMValueRef function)
{
  struct cn_cfg cfg;
  value_vector at = {0};

  cn_cfg_build(&cfg, function);
  collect(n, &cfg, &at);
  if (at.count) {
    cn_windows_build(&n->windows, &cfg);
    n->barred = (struct cn_barred){.ctx = n->ctx, .kind = n->kind, .windows = &n->windows};
    for (size_t i = 0; i < at.count; i++) {
      if (n->loads)
        read_barrier(n, at.at[i]);
      if (n->stores)
        find_write(n, at.at[i]);
    }
    write_barriers(n);
    cn_barred_free(&n->barred);
    cn_windows_free(&n->windows);
  }
  cn_free(&at);
  cn_cfg_free(&cfg);
}

/* What the kind has barriers for. A module's own are those that it defines. */
static void find_parts(struct insertion *n)
{
  bool custom = n->kind == CAIRN_BARRIERS_CUSTOM;

  n->loads = custom ? defines(n, CN_BARRIER_LOAD) : n->kind == CAIRN_BARRIERS_LOADS;
  n->stores = custom ? defines(n, CN_BARRIER_STORE) : n->kind != CAIRN_BARRIERS_LOADS;
  if (custom && !n->loads && !n->stores)
    cn_error(n->ctx, NULL, "barrier-template", "the module defines neither @%s nor @%s",
             CN_BARRIER_STORE, CN_BARRIER_LOAD);
}

bool cn_insert_barriers(struct cn_ctx *ctx)
{
  struct insertion n = {.ctx = ctx, .kind = ctx->options->barriers};

  if (n.kind == CAIRN_BARRIERS_NONE)
    return true;
  find_parts(&n);
  n.builder = LLVMCreateBuilderInContext(ctx->llvm);
  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f && !ctx->errors;
       f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      run_on_function(&n, f);
  LLVMDisposeBuilder(n.builder);
  return ctx->errors == 0;
}
