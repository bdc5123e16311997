/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes removed objects in frame records (abi.def, DEOPT_FRAME): an OBJECTS record at the end of each bundle
 * "deopt" that names such an object has the object's fields, as they are at the call. Part of pass `escape`.
 *
 * Needs: a group of objects whose uses are accesses, links, and frame records. Provides: bundles that name the objects
 * by number; loads of the fields before the calls. Breaks: use graphs of the objects; struct cn_cfg stays valid.
 */
#include <llvm-c/DebugInfo.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/effects/deopt_records.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/scalars.h"
#include "compile/escape/escape.h"

static bool is_recordable_scalar(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: {
    unsigned bits = LLVMGetIntTypeWidth(type);
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
  }
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMPointerTypeKind:
    return true;
  default:
    return false;
  }
}

/* True if the fields of the type are few, and the runtime can store each. */
static bool has_recordable_fields(struct cn_ctx *ctx, LLVMTypeRef type)
{
  struct cn_scalars scalars = {0};

  cn_scalars_of(ctx, type, &scalars);
  bool fit = scalars.list.count <= CN_SCALARS_MOST;
  for (size_t i = 0; i < scalars.list.count; i++)
    fit &= is_recordable_scalar(scalars.list.at[i].type);
  cn_free(&scalars.list);
  return fit;
}

const char *cn_records_why_unfit(struct cn_ctx *ctx, const struct cn_object_node *object, LLVMValueRef pointer,
                                 LLVMValueRef call)
{
  struct cn_deopt_records records;
  uint32_t first, end;
  cn_calls_find_bundle(call, "deopt", &first, &end);
  bool found = cn_deopt_find_records(call, first, end, &records);

  cn_free(&records.list);
  if (!found || (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail))
    return "it is in deoptimisation state without frame records";
  if (pointer != object->root || !LLVMIsACallInst(object->root))
    return "a frame record names it by a phi, or a place in it";
  if (!object->numbered)
    return "a frame record names it, and its layout has no number, or another size";
  return has_recordable_fields(ctx, object->type) ? NULL : "a frame record names it, and it has too many fields";
}

/* ---- the description at one call ---- */

struct bundle_description {
  struct cn_ctx *ctx;
  const struct cn_record_group *group;
  LLVMValueRef call;
  LLVMBuilderRef builder;    /* before the call */
  uint32_t *numbers;         /* per member: 1 + its number in the new record, or 0 */
  CN_VECTOR(uint32_t) order; /* members by number */
  struct cn_operands operands;
};

static uint32_t member_of_root(const struct cn_record_group *group, LLVMValueRef root)
{
  for (uint32_t i = 0; i < group->members.count; i++)
    if (group->members.at[i].object.root == root)
      return i;
  return UINT32_MAX;
}

/* The number of a member in the new record; adds the member. */
static uint32_t number_of(struct bundle_description *d, uint32_t member)
{
  if (!d->numbers[member]) {
    cn_push(&d->order, member);
    d->numbers[member] = (uint32_t)d->order.count;
  }
  return d->numbers[member] - 1;
}

static void push_word(struct bundle_description *d, uint64_t word)
{
  cn_push(&d->operands.values, LLVMConstInt(LLVMInt64TypeInContext(d->ctx->llvm), word, false));
}

static LLVMValueRef object_constant(struct bundle_description *d, uint64_t number)
{
  return LLVMConstInt(LLVMIntTypeInContext(d->ctx->llvm, CAIRN_ABI_DEOPT_OBJECT_BITS), number, false);
}

/* Copy the old operands. Members become numbers, which count from the first OBJECTS record at or after their own. */
static void push_old_operands(struct bundle_description *d, const struct cn_deopt_records *records)
{
  for (size_t i = 0; i < records->list.count; i++) {
    uint64_t before = 0;
    for (size_t k = i; k < records->list.count; k++)
      before += records->list.at[k].shared;
    for (uint32_t at = records->list.at[i].start; at < records->list.at[i].end; at++) {
      LLVMValueRef value = LLVMGetOperand(d->call, at);
      uint32_t member = member_of_root(d->group, value);
      cn_push(&d->operands.values,
              member == UINT32_MAX ? value
                                   : object_constant(d, CAIRN_ABI_DEOPT_OBJECT_SHARED + before + number_of(d, member)));
    }
  }
}

static LLVMValueRef load_field(struct bundle_description *d, const struct cn_object_node *object,
                               const struct cn_scalar *field)
{
  uint64_t align = CAIRN_ABI_OBJECT_ALIGN;
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(d->ctx->llvm), field->offset - object->tag, true);
  LLVMValueRef place = LLVMBuildGEP2(d->builder, LLVMInt8TypeInContext(d->ctx->llvm), object->root, &index, 1, "");
  LLVMValueRef load = LLVMBuildLoad2(d->builder, field->type, place, "");

  while (field->offset % align)
    align /= 2;
  LLVMSetAlignment(load, (unsigned)align);
  return load;
}

static const struct cn_record_link *find_link(const struct cn_record_group *group, uint32_t owner, uint64_t offset)
{
  for (size_t i = 0; i < group->links.count; i++)
    if (group->links.at[i].owner == owner && group->links.at[i].offset == offset)
      return &group->links.at[i];
  return NULL;
}

static void push_object(struct bundle_description *d, uint32_t member)
{
  const struct cn_object_node *object = &d->group->members.at[member].object;
  struct cn_scalars fields = {0};

  cn_scalars_of(d->ctx, object->type, &fields);
  push_word(d, object->layout | (uint64_t)fields.list.count << CAIRN_ABI_DEOPT_FIELDS_SHIFT);
  push_word(d, object->elements);
  for (size_t i = 0; i < fields.list.count; i++) {
    const struct cn_record_link *link = find_link(d->group, member, fields.list.at[i].offset);
    CN_ASSERT(i == 0 || fields.list.at[i - 1].offset < fields.list.at[i].offset);
    push_word(d, fields.list.at[i].offset);
    cn_push(&d->operands.values,
            link ? object_constant(d, number_of(d, link->target)) : load_field(d, object, &fields.list.at[i]));
  }
  cn_free(&fields.list);
}

/* Append a record of the members that the bundle names, and of those that they name. */
static void push_objects_record(struct bundle_description *d)
{
  size_t head = d->operands.values.count;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(d->ctx->llvm);

  push_word(d, 0);
  push_word(d, d->group->members.at[d->order.at[0]].object.language);
  push_word(d, 0);
  for (size_t i = 0; i < d->order.count; i++) /* grows */
    push_object(d, d->order.at[i]);
  uint64_t length = d->operands.values.count - head;
  d->operands.values.at[head] =
      LLVMConstInt(i64, (uint64_t)CAIRN_ABI_DEOPT_OBJECTS << CAIRN_ABI_DEOPT_MAGIC_SHIFT | length, false);
  d->operands.values.at[head + 2] = LLVMConstInt(i64, d->order.count, false);
}

/* ---- calls ---- */

static bool is_deopt_bundle(LLVMOperandBundleRef bundle)
{
  size_t length;
  const char *tag = LLVMGetOperandBundleTag(bundle, &length);

  return length == 5 && memcmp(tag, "deopt", 5) == 0;
}

/* Build the call again, with the new operands in its bundle "deopt". */
static LLVMValueRef build_with_operands(struct bundle_description *d)
{
  LLVMValueRef old = d->call, callee = LLVMGetCalledValue(old);
  LLVMTypeRef type = LLVMGetCalledFunctionType(old);
  unsigned count = LLVMGetNumOperandBundles(old), arguments = LLVMGetNumArgOperands(old);
  LLVMOperandBundleRef *bundles = cn_alloc(count * sizeof *bundles);
  LLVMValueRef *values = cn_alloc((arguments + 1) * sizeof *values);

  for (unsigned i = 0; i < arguments; i++)
    values[i] = LLVMGetArgOperand(old, i);
  for (unsigned i = 0; i < count; i++) {
    bundles[i] = LLVMGetOperandBundleAtIndex(old, i);
    if (!is_deopt_bundle(bundles[i]))
      continue;
    LLVMDisposeOperandBundle(bundles[i]);
    bundles[i] = LLVMCreateOperandBundle("deopt", 5, d->operands.values.at, (unsigned)d->operands.values.count);
  }
  LLVMValueRef made =
      LLVMIsAInvokeInst(old)
          ? LLVMBuildInvokeWithOperandBundles(d->builder, type, callee, values, arguments, LLVMGetNormalDest(old),
                                              LLVMGetUnwindDest(old), bundles, count, "")
          : LLVMBuildCallWithOperandBundles(d->builder, type, callee, values, arguments, bundles, count, "");
  for (unsigned i = 0; i < count; i++)
    LLVMDisposeOperandBundle(bundles[i]);
  free(bundles);
  free(values);
  return made;
}

static void replace_call(struct bundle_description *d)
{
  LLVMValueRef old = d->call, made = build_with_operands(d);

  LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(old));
  if (LLVMIsACallInst(old))
    LLVMSetTailCallKind(made, LLVMGetTailCallKind(old));
  if (LLVMCanValueUseFastMathFlags(old))
    LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(old));
  cn_emit_copy_attributes(old, CN_FUNCTION_INDEX, made, CN_FUNCTION_INDEX, NULL);
  for (LLVMAttributeIndex i = LLVMAttributeReturnIndex; i <= LLVMGetNumArgOperands(old); i++)
    cn_emit_copy_attributes(old, i, made, i, NULL);
  cn_emit_copy_metadata(d->ctx, old, made);
  cn_emit_replace_instruction(old, made);
}

static void describe_at_call(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_record_group *group,
                             LLVMValueRef call)
{
  struct bundle_description d = {.ctx = ctx,
                                 .group = group,
                                 .call = call,
                                 .builder = builder,
                                 .numbers = cn_alloc(group->members.count * sizeof *d.numbers)};
  struct cn_deopt_records records;
  uint32_t first, end;

  CN_CHECK(cn_calls_find_bundle(call, "deopt", &first, &end) && cn_deopt_find_records(call, first, end, &records));
  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  push_old_operands(&d, &records);
  CN_CHECK(d.order.count != 0);
  push_objects_record(&d);
  replace_call(&d);
  cn_free(&records.list);
  cn_free(&d.operands.values);
  cn_free(&d.order);
  free(d.numbers);
}

bool cn_records_describe(struct cn_ctx *ctx, const struct cn_record_group *group)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  struct cn_ptrmap seen = {0};
  CN_VECTOR(LLVMValueRef) calls = {0};
  bool allocators = false;

  for (size_t m = 0; m < group->members.count; m++) {
    const struct cn_use_graph *web = &group->members.at[m].web;
    for (size_t u = 0; u < web->uses.count; u++) {
      bool fresh = false;
      if (web->uses.at[u].recorded)
        cn_ptrmap_add(&seen, web->uses.at[u].user, &fresh);
      if (fresh)
        cn_push(&calls, web->uses.at[u].user);
    }
  }
  for (size_t i = 0; i < group->links.count; i++)
    LLVMInstructionEraseFromParent(group->links.at[i].store);
  for (size_t i = 0; i < calls.count; i++) {
    allocators |= cn_layouts_called_allocator(calls.at[i]) != NULL;
    describe_at_call(ctx, builder, group, calls.at[i]);
  }
  cn_ptrmap_free(&seen);
  cn_free(&calls);
  LLVMDisposeBuilder(builder);
  return allocators;
}
