/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the root and the constant offset of an address, and compares the forms of addresses. Tells whether an address
 * is the start of its object, and whether the object is fresh, which means allocated since the last safepoint.
 *
 * Needs: safepoints placed. Provides: the cn_address_* functions of barriers.h. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/barriers/barriers.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"

static bool is_gep(LLVMValueRef value)
{
  return LLVMIsAGetElementPtrInst(value) ||
         (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

LLVMValueRef cn_address_base_and_offset(struct cn_ctx *ctx, LLVMValueRef address, uint64_t *offset)
{
  *offset = 0;
  while (is_gep(address) || LLVMIsABitCastInst(address)) {
    uint64_t more = 0;
    if (is_gep(address) && !cn_types_gep_offset(ctx, address, &more))
      break;
    *offset += more;
    address = LLVMGetOperand(address, 0);
  }
  return address;
}

bool cn_address_has_same_form(LLVMValueRef a, LLVMValueRef b)
{
  for (; a != b; a = LLVMGetOperand(a, 0), b = LLVMGetOperand(b, 0)) {
    if (!is_gep(a) || !is_gep(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b) ||
        LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
      return false;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(a); i++)
      if (LLVMGetOperand(a, i) != LLVMGetOperand(b, i))
        return false;
  }
  return true;
}

LLVMValueRef cn_address_root_of(LLVMValueRef address)
{
  while (is_gep(address) || LLVMIsABitCastInst(address))
    address = LLVMGetOperand(address, 0);
  return address;
}

bool cn_address_is_local_root(LLVMValueRef root)
{
  return LLVMIsAAllocaInst(root) || cn_is_local_cast(root);
}

static bool is_phi_or_select(LLVMValueRef value)
{
  return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

/* Set [*first, *end) to the operands from which a phi or select chooses. */
static void find_choice_operands(LLVMValueRef value, unsigned *first, unsigned *end)
{
  CN_ASSERT(is_phi_or_select(value));
  *first = LLVMIsAPHINode(value) ? 0 : 1;
  *end = LLVMIsAPHINode(value) ? LLVMCountIncoming(value) : 3;
}

static bool is_object_start_parameter(LLVMValueRef argument)
{
  LLVMValueRef function = LLVMGetParamParent(argument);

  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (LLVMGetParam(function, i) == argument)
      return LLVMGetStringAttributeAtIndex(function, i + 1, CN_ATTR_OBJECT, sizeof CN_ATTR_OBJECT - 1) != NULL;
  return false;
}

static LLVMAttributeRef fresh_attribute_of(LLVMValueRef call)
{
  LLVMAttributeRef attribute =
      LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, CN_ATTR_FRESH, sizeof CN_ATTR_FRESH - 1);
  LLVMValueRef callee = cn_direct_callee(call);

  return attribute || !callee ? attribute : cn_string_attribute(callee, CN_ATTR_FRESH);
}

/* True for a call that returns a new object. cairn_resize_slow() does not count, because it may return the old array.
 */
static bool is_allocation(LLVMValueRef value)
{
  size_t length;

  if (!LLVMIsACallInst(value))
    return false;
  if (fresh_attribute_of(value))
    return true;
  LLVMValueRef callee = cn_direct_callee(value);
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
  return cn_is_slow_allocation(name) && strcmp(name, CN_RESIZE_SLOW) != 0;
}

static bool is_small_allocation(LLVMValueRef allocation)
{
  LLVMAttributeRef fresh = fresh_attribute_of(allocation);
  unsigned length = 0;
  const char *value = fresh ? LLVMGetStringAttributeValue(fresh, &length) : "";

  return length == sizeof CN_FRESH_SMALL - 1 && memcmp(value, CN_FRESH_SMALL, length) == 0;
}

static bool is_object_start_result(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  return callee && LLVMGetStringAttributeAtIndex(callee, LLVMAttributeReturnIndex, CN_ATTR_OBJECT,
                                                 sizeof CN_ATTR_OBJECT - 1) != NULL;
}

/* `seen` has the phis and selects of the search so far, so that each is checked once. */
static bool is_object_start(LLVMValueRef reference, struct cn_ptrmap *seen)
{
  bool added = false;
  unsigned first, end;

  if (LLVMIsALoadInst(reference))
    return cn_is_ref(LLVMTypeOf(LLVMGetOperand(reference, 0)));
  if (LLVMIsNull(reference))
    return true;
  if (LLVMIsAArgument(reference))
    return is_object_start_parameter(reference);
  if (cn_is_call(reference))
    return is_allocation(reference) || is_object_start_result(reference);
  if (!is_phi_or_select(reference))
    return false;
  cn_ptrmap_add(seen, reference, &added);
  if (!added)
    return true;
  find_choice_operands(reference, &first, &end);
  for (; first < end; first++)
    if (!is_object_start(LLVMGetOperand(reference, first), seen))
      return false;
  return true;
}

bool cn_address_is_object_start(LLVMValueRef reference)
{
  struct cn_ptrmap seen = {0};
  bool start = !LLVMIsConstant(reference) && is_object_start(reference, &seen);

  cn_ptrmap_free(&seen);
  return start;
}

struct freshness_query {
  const struct cn_safepoint_free_intervals *windows;
  struct cn_ptrmap seen; /* phis and selects of the search so far */
  bool small;            /* large objects do not count */
};

/* True if `reference` is fresh in safepoint-free interval `window`, at a place that its definition dominates. */
static bool is_fresh_object(struct freshness_query *fresh, LLVMValueRef reference, uint32_t window)
{
  const struct cn_safepoint_free_intervals *windows = fresh->windows;
  bool added = false;

  if (LLVMIsACallInst(reference) && is_allocation(reference))
    return cn_safepoint_free_after(windows, reference) == window && (!fresh->small || is_small_allocation(reference));
  if (!is_phi_or_select(reference) || cn_safepoint_free_before(windows, reference) != window)
    return false;
  cn_ptrmap_add(&fresh->seen, reference, &added);
  if (!added)
    return true;
  if (LLVMIsASelectInst(reference))
    return is_fresh_object(fresh, LLVMGetOperand(reference, 1), window) &&
           is_fresh_object(fresh, LLVMGetOperand(reference, 2), window);
  for (unsigned i = 0; i < LLVMCountIncoming(reference); i++) {
    uint32_t from = cn_cfg_index_of(windows->cfg, LLVMGetIncomingBlock(reference, i));
    if (from == CN_NO_BLOCK)
      continue;
    if (!is_fresh_object(fresh, LLVMGetIncomingValue(reference, i), windows->out[from]))
      return false;
  }
  return true;
}

bool cn_address_is_fresh_object(const struct cn_safepoint_free_intervals *windows, LLVMValueRef reference,
                                LLVMValueRef at, bool small)
{
  struct freshness_query fresh = {.windows = windows, .small = small};
  bool holds = is_fresh_object(&fresh, reference, cn_safepoint_free_before(windows, at));

  cn_ptrmap_free(&fresh.seen);
  return holds;
}
