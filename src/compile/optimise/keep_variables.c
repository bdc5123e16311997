/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass keep-variables: keeps the variables of unoptimised functions in locals, where a debugger finds them everywhere.
 * Pass `prepare` promotes locals at all levels, because the other passes need values. A promoted variable has a place
 * only as long as the code needs its value, and a reference has another address after a safepoint. At -O0 this pass
 * stores each value of a variable to a local, and declares the local as the variable's place. Rewrite-statepoints
 * describes locals with references to the collector, which keeps their addresses current.
 *
 * Needs: promoted locals with debug records. Provides: a declared local for each variable whose records all give the
 * value itself; the stores, which have no line. Breaks: nothing. Variables with other records keep their records.
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/convention.h"
#include "compile/core/debug_records.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"

/* A variable of one inlined call, or a part of the variable. */
struct kept_variable {
  LLVMDbgRecordRef record; /* its first record */
  struct cn_debug_part part;
  LLVMTypeRef type; /* of its values; null before the first value */
  bool refused;
  size_t next; /* index + 1 of another part or inlined copy, or 0 */
  LLVMValueRef local;
};

struct kept_value {
  size_t variable;
  LLVMValueRef value, before; /* the value is the variable's from `before` on */
};

struct keeper {
  struct cn_ctx *ctx;
  struct cn_cfg cfg;
  struct cn_ptrmap order;     /* instruction -> its number within its function */
  struct cn_ptrmap variables; /* variable of the debug information -> index + 1 in `kept` */
  CN_VECTOR(struct kept_variable) kept;
  CN_VECTOR(struct kept_value) values;
};

/* ---- records ---- */

/* The index of the record's variable. All parts of a variable are refused if two parts overlap. */
static size_t find_or_add_variable(struct keeper *k, LLVMDbgRecordRef record, const struct cn_debug_part *part)
{
  uint64_t *first = cn_ptrmap_add(&k->variables, LLVMDbgVariableRecordGetVariable(record), NULL);
  LLVMMetadataRef site = cn_debug_record_site(record);
  bool refused = false;

  for (size_t i = *first; i; i = k->kept.at[i - 1].next) {
    struct kept_variable *known = &k->kept.at[i - 1];
    if (cn_debug_record_site(known->record) != site)
      continue;
    if (cn_debug_is_same_part(&known->part, part))
      return i - 1;
    if (cn_debug_parts_overlap(&known->part, part))
      refused = known->refused = true;
  }
  struct kept_variable fresh = {.record = record, .part = *part, .refused = refused, .next = *first};
  cn_push(&k->kept, fresh);
  *first = k->kept.count;
  return k->kept.count - 1;
}

/* True if `value` is defined on all paths to `before`. Records may name values elsewhere, too. */
static bool is_defined_before(const struct keeper *k, LLVMValueRef value, LLVMValueRef before)
{
  if (!LLVMIsAInstruction(value))
    return true;
  uint32_t to = cn_cfg_index_of(&k->cfg, LLVMGetInstructionParent(before));
  uint32_t from = cn_cfg_index_of(&k->cfg, LLVMGetInstructionParent(value));
  if (LLVMIsAInvokeInst(value)) {
    from = cn_cfg_index_of(&k->cfg, LLVMGetNormalDest(value));
    return from != CN_NO_BLOCK && k->cfg.blocks[from].pred_count == 1 && cn_cfg_dominates(&k->cfg, from, to);
  }
  if (from == CN_NO_BLOCK)
    return false;
  if (from == to)
    return *cn_ptrmap_find(&k->order, value) < *cn_ptrmap_find(&k->order, before);
  return cn_cfg_dominates(&k->cfg, from, to);
}

/* Locals with references are roots other than pairs. */
static bool may_be_stored(const struct keeper *k, LLVMValueRef value)
{
  LLVMTypeRef type = LLVMTypeOf(value);

  if (cn_holds_ref(type) && k->ctx->options->roots == CAIRN_ROOT_FORMS_PAIRS)
    return false;
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
  case LLVMPointerTypeKind:
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMVectorTypeKind:
    return true;
  default:
    return cn_is_returned_on_x87_stack(type);
  }
}

static bool is_after_musttail_call(LLVMValueRef i)
{
  LLVMValueRef previous = LLVMGetPreviousInstruction(i);

  return previous && LLVMIsACallInst(previous) && LLVMGetTailCallKind(previous) == LLVMTailCallKindMustTail;
}

static void note_record(struct keeper *k, LLVMDbgRecordRef record, LLVMValueRef before)
{
  struct cn_debug_part part = cn_debug_record_part(k->ctx, record);
  size_t index = find_or_add_variable(k, record, &part);
  struct kept_variable *variable = &k->kept.at[index];
  LLVMValueRef value = part.list ? NULL : LLVMDbgVariableRecordGetValue(record, 0);

  if (!part.list && (!value || LLVMIsUndef(value))) /* also poison: the variable has no value yet */
    return;
  if (!value || !part.plain || !may_be_stored(k, value) || !is_defined_before(k, value, before) ||
      (variable->type && variable->type != LLVMTypeOf(value)) || LLVMIsAPHINode(before) ||
      LLVMIsACatchSwitchInst(before)) {
    variable->refused = true;
    return;
  }
  variable->type = LLVMTypeOf(value);
  if (!is_after_musttail_call(before)) /* the function ends there */
    cn_push(&k->values, (struct kept_value){index, value, before});
}

static void note_records(struct keeper *k)
{
  uint64_t number = 0;

  for (uint32_t b = 0; b < k->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, k->cfg.blocks[b].block)
      *cn_ptrmap_add(&k->order, i, NULL) = number++;
  for (uint32_t b = 0; b < k->cfg.count; b++)
    CN_EACH_INSTRUCTION(i, k->cfg.blocks[b].block)
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r))
        if (cn_debug_record_sets_value(r))
          note_record(k, r, i);
}

/* ---- locals ---- */

static void declare_locals(struct keeper *k)
{
  LLVMValueRef first = LLVMGetFirstInstruction(k->cfg.blocks[0].block);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(k->ctx->llvm);
  LLVMDIBuilderRef records = LLVMCreateDIBuilder(k->ctx->module);

  LLVMPositionBuilderBeforeInstrAndDbgRecords(builder, first);
  LLVMSetCurrentDebugLocation2(builder, NULL);
  for (size_t v = 0; v < k->kept.count; v++) {
    struct kept_variable *variable = &k->kept.at[v];
    if (variable->refused || !variable->type)
      continue;
    variable->local = LLVMBuildAlloca(builder, variable->type, "variable");
    LLVMDIBuilderInsertDeclareRecordBefore(records, variable->local, LLVMDbgVariableRecordGetVariable(variable->record),
                                           LLVMDbgVariableRecordGetExpression(variable->record),
                                           LLVMDbgRecordGetDebugLoc(variable->record), first);
  }
  LLVMDisposeDIBuilder(records);
  LLVMDisposeBuilder(builder);
}

static void store_values(struct keeper *k)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(k->ctx->llvm);

  for (size_t i = 0; i < k->values.count; i++) {
    const struct kept_value *kept = &k->values.at[i];
    LLVMValueRef local = k->kept.at[kept->variable].local;
    if (!local)
      continue;
    CN_CHECK(LLVMGetAllocatedType(local) == LLVMTypeOf(kept->value));
    LLVMPositionBuilderBefore(builder, kept->before);
    LLVMSetCurrentDebugLocation2(builder, NULL); /* breakpoints at the function's first line stop after the stores */
    LLVMBuildStore(builder, kept->value, local);
  }
  LLVMDisposeBuilder(builder);
}

static void keep_variables_of(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct keeper k = {.ctx = ctx};

  cn_cfg_build(&k.cfg, function);
  note_records(&k);
  declare_locals(&k);
  store_values(&k);
  cn_free(&k.kept);
  cn_free(&k.values);
  cn_ptrmap_free(&k.variables);
  cn_ptrmap_free(&k.order);
  cn_cfg_free(&k.cfg);
}

bool cn_keep_variables(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (ctx->options->opt_level == 0 && ctx->options->size_level == 0 && !LLVMIsDeclaration(f) && cn_is_managed(f) &&
        LLVMGetSubprogram(f) && !cn_has_statepoints(f))
      keep_variables_of(ctx, f);
  return true;
}
