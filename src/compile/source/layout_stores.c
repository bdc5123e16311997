/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks stores of references in objects whose layout the unit shows: source rule layout-store, and rule derived-store
 * for IR of other front ends than clang.
 *
 * Part of pass `prepare`. Needs: promoted locals, before the optimiser changes the types that front ends write.
 * Provides: an error if the layout provably lacks a reference at the address, or if the stored value provably points
 * into the middle of an object. CAIRN_VERIFY=stores finds all other wrong stores at run time. Breaks: nothing.
 */
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/core/words.h"
#include "compile/allocation/layout_constants.h"
#include "compile/source/rules.h"

/* The most offsets that the check tries for a variable index. With more offsets the check assumes a reference. */
enum { MAX_TRIED_OFFSETS = 4096 };

/* An address: `offset` bytes from `root`, plus any multiple of `stride`. With a `stride` of 0 the address is exact. */
struct strided_address {
  LLVMValueRef root;
  uint64_t offset, stride;
};

static bool is_bitcast_or_freeze(LLVMValueRef value)
{
  return LLVMIsABitCastInst(value) || LLVMIsAFreezeInst(value);
}

static struct strided_address strided_address_of(struct cn_ctx *ctx, LLVMValueRef pointer)
{
  struct strided_address address = {.root = pointer};

  for (; LLVMIsAGetElementPtrInst(address.root) || is_bitcast_or_freeze(address.root);
       address.root = LLVMGetOperand(address.root, 0))
    if (LLVMIsAGetElementPtrInst(address.root))
      cn_types_gep_offset_and_stride(ctx, address.root, &address.offset, &address.stride);
  LLVMValueRef global = cn_types_global_of(address.root);
  address.root = global ? global : address.root;
  return address;
}

/* ---- layouts ---- */

static LLVMTypeRef flexible_array_element_of(LLVMTypeRef type, const struct cn_allocator *allocator)
{
  unsigned members = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;
  LLVMTypeRef last = members ? LLVMStructGetTypeAtIndex(type, members - 1) : NULL;

  return allocator->form == CN_LAYOUT_FORM_FLEXIBLE && last && LLVMGetTypeKind(last) == LLVMArrayTypeKind
             ? LLVMGetElementType(last)
             : NULL;
}

/* True if `type`, or a sequence of it if it `repeats`, may have a reference at one of the offsets, and if an offset is
 * unaligned or before the object. */
static bool type_may_hold_ref_at(struct cn_ctx *ctx, LLVMTypeRef type, bool repeats, uint64_t offset, uint64_t stride)
{
  uint64_t size = LLVMABISizeOfType(ctx->layout, type), step = stride;

  if ((repeats && size == 0) || (int64_t)offset < 0 || offset % CAIRN_ABI_OBJECT_ALIGN != 0)
    return true;
  if (repeats)
    step = cn_types_common_divisor(stride, size);
  if (step)
    offset %= step;
  for (unsigned i = 0; i < MAX_TRIED_OFFSETS && offset < size; i++, offset += step) {
    if (cn_types_has_ref_at(ctx, type, offset))
      return true;
    if (step == 0)
      return false;
  }
  return offset < size;
}

static bool layout_may_hold_ref_at(struct cn_ctx *ctx, const struct cn_allocator *allocator, LLVMTypeRef type,
                                   const struct strided_address *address)
{
  uint64_t offset = address->offset + cn_words(ctx).reference, stride = address->stride;

  if (allocator->form != CN_LAYOUT_FORM_FLEXIBLE)
    return type_may_hold_ref_at(ctx, type, allocator->form == CN_LAYOUT_FORM_ARRAY, offset, stride);
  LLVMTypeRef element = flexible_array_element_of(type, allocator);
  if (!element || type_may_hold_ref_at(ctx, type, false, offset, stride))
    return true;
  uint64_t start = LLVMOffsetOfElement(ctx->layout, type, LLVMCountStructElementTypes(type) - 1);
  bool before = stride == 0 && offset < start;
  uint64_t in_array = stride ? (offset % stride + stride - start % stride) % stride : offset - start;
  return !before && type_may_hold_ref_at(ctx, element, true, in_array, stride);
}

/* ---- where the address comes from ---- */

struct address_search {
  struct cn_ctx *ctx;
  struct cn_ptrmap seen; /* phi -> index of its address in `work` */
  CN_VECTOR(struct strided_address) work;
  bool unknown; /* a phi joins addresses with different distances */
};

static void add_address(struct address_search *walk, LLVMValueRef value, const struct strided_address *from)
{
  struct strided_address address = strided_address_of(walk->ctx, value);
  bool added = true;

  address.offset += from->offset;
  address.stride = cn_types_common_divisor(address.stride, from->stride);
  if (LLVMIsAPHINode(address.root)) {
    uint64_t *number = cn_ptrmap_add(&walk->seen, address.root, &added);
    const struct strided_address *before = added ? NULL : &walk->work.at[*number];
    if (added)
      *number = walk->work.count;
    else
      walk->unknown |= before->offset != address.offset || before->stride != address.stride;
  }
  if (added)
    cn_push(&walk->work, address);
}

static bool add_merged_addresses(struct address_search *walk, const struct strided_address *from)
{
  LLVMValueRef root = from->root;

  if (LLVMIsAPHINode(root))
    for (unsigned i = 0; i < LLVMCountIncoming(root); i++)
      add_address(walk, LLVMGetIncomingValue(root, i), from);
  else if (LLVMIsASelectInst(root))
    for (unsigned i = 1; i < 3; i++)
      add_address(walk, LLVMGetOperand(root, i), from);
  else
    return false;
  return true;
}

static LLVMValueRef layout_static_of(LLVMValueRef root)
{
  const struct cn_allocator *allocator = cn_layouts_called_allocator(root);
  LLVMValueRef layout = allocator && LLVMGetNumArgOperands(root) ? LLVMGetOperand(root, 0) : NULL;

  return layout && LLVMIsAGlobalVariable(layout) && !LLVMIsDeclaration(layout) &&
                 !cn_layouts_is_layout_constant(layout) && LLVMTypeIsSized(LLVMGlobalGetValueType(layout))
             ? layout
             : NULL;
}

/* True if all objects that `pointer` may point into have layouts without a reference at the address. Sets *allocation
 * to the allocation of one such object. */
static bool layouts_lack_ref_at(struct cn_ctx *ctx, LLVMValueRef pointer, LLVMValueRef *allocation)
{
  struct address_search walk = {.ctx = ctx};
  bool lacks = true;

  *allocation = NULL;
  add_address(&walk, pointer, &(struct strided_address){0});
  for (size_t i = 0; i < walk.work.count && lacks; i++) {
    struct strided_address address = walk.work.at[i];
    lacks = i < MAX_TRIED_OFFSETS && !walk.unknown;
    if (!lacks || LLVMIsNull(address.root) || add_merged_addresses(&walk, &address))
      continue;
    LLVMValueRef layout = layout_static_of(address.root);
    lacks = layout && !layout_may_hold_ref_at(ctx, cn_layouts_called_allocator(address.root),
                                              LLVMGlobalGetValueType(layout), &address);
    *allocation = address.root;
  }
  cn_free(&walk.work);
  cn_ptrmap_free(&walk.seen);
  return lacks && !walk.unknown && *allocation;
}

/* ---- types of getelementptr ---- */

/* The type of the struct member that a GEP in managed memory reaches by constant indices, if this type is an ordinary
 * pointer, or if the struct has a layout and the type is free of references; else null. */
static LLVMTypeRef nonref_member_type_of(LLVMValueRef pointer, const struct cn_ptrmap *types)
{
  if (!LLVMIsAGetElementPtrInst(pointer) || !cn_is_ref(LLVMTypeOf(pointer)) || LLVMGetNumOperands(pointer) < 3 ||
      LLVMGetTypeKind(LLVMGetGEPSourceElementType(pointer)) != LLVMStructTypeKind)
    return NULL;
  LLVMTypeRef type = cn_types_memory_type_of(pointer);
  while (type && LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type))
    type = LLVMStructGetTypeAtIndex(type, 0);
  LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
  bool scalar = kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind || kind == LLVMDoubleTypeKind ||
                kind == LLVMFloatTypeKind;
  if (!scalar || cn_is_ref(type))
    return NULL;
  return kind == LLVMPointerTypeKind || cn_ptrmap_find(types, LLVMGetGEPSourceElementType(pointer)) ? type : NULL;
}

/* ---- stores ---- */

/* True if the value is a constant distance after a base pointer: the result of an allocation, or a reference read from
 * managed memory or a global. */
static bool is_derived_pointer(struct cn_ctx *ctx, LLVMValueRef value)
{
  struct strided_address address = strided_address_of(ctx, value);
  LLVMValueRef root = address.root;

  if (address.stride != 0 || address.offset == 0)
    return false;
  if (cn_layouts_called_allocator(root))
    return true;
  LLVMValueRef from = LLVMIsALoadInst(root) ? LLVMGetOperand(root, 0) : NULL;
  return from && (cn_is_ref(LLVMTypeOf(from)) || LLVMIsAGlobalVariable(strided_address_of(ctx, from).root));
}

static void report_layout_store(struct cn_ctx *ctx, LLVMValueRef at, LLVMTypeRef type,
                                const struct strided_address *address)
{
  char *text = LLVMPrintTypeToString(type);
  char *where = address->stride ? cn_strdup("by an index") : cn_format("at offset %lld", (long long)address->offset);

  cn_error(ctx, at, "layout-store",
           "a reference is stored %s in an object of type %s, whose layout has no reference there, "
           "so the collector does not look there; give the member of the layout the type of a "
           "reference",
           where, text);
  LLVMDisposeMessage(text);
  free(where);
}

static void check_reference_store(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef pointer, LLVMValueRef value,
                                  const struct cn_ptrmap *types)
{
  LLVMValueRef allocation;
  struct strided_address address = strided_address_of(ctx, pointer);

  if (cn_is_ref(LLVMTypeOf(pointer)) && layouts_lack_ref_at(ctx, pointer, &allocation)) {
    report_layout_store(ctx, at, LLVMGlobalGetValueType(layout_static_of(allocation)), &address);
    return;
  }
  if (ctx->options->manage_all) /* rules_access.c checks C */
    return;
  LLVMTypeRef other = nonref_member_type_of(pointer, types);
  if (other) {
    char *text = LLVMPrintTypeToString(other), *of = LLVMPrintTypeToString(LLVMGetGEPSourceElementType(pointer));
    cn_error(ctx, at, "layout-store",
             "a reference is stored in a member of type %s of %s, where the collector does not "
             "look; give the member the type of a reference",
             text, of);
    LLVMDisposeMessage(text);
    LLVMDisposeMessage(of);
  }
  bool kept = cn_is_ref(LLVMTypeOf(pointer)) || LLVMIsAGlobalVariable(address.root);
  if (kept && is_derived_pointer(ctx, value))
    cn_error(ctx, at, "derived-store",
             "a reference into the middle of an object is stored in an object or a global, where "
             "only references to the start of an object may lie; store the object and an index");
}

void cn_rules_gather_layout_types(struct cn_ctx *ctx, struct cn_ptrmap *types)
{
  bool added;

  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b) {
        LLVMValueRef layout = LLVMIsACallInst(i) ? layout_static_of(i) : NULL;
        if (layout)
          cn_ptrmap_add(types, LLVMGlobalGetValueType(layout), &added);
      }
}

void cn_rules_check_layout_stores(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_ptrmap *types)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      bool store = LLVMIsAStoreInst(i) != NULL, exchange = LLVMIsAAtomicCmpXchgInst(i) != NULL;
      if (!store && !exchange && !LLVMIsAAtomicRMWInst(i))
        continue;
      LLVMValueRef value = LLVMGetOperand(i, store ? 0 : exchange ? 2 : 1);
      if (cn_is_ref(LLVMTypeOf(value)) && !LLVMIsNull(value))
        check_reference_store(ctx, i, LLVMGetOperand(i, store ? 1 : 0), value, types);
    }
}
