/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves for verify-barriers that objects are new or immovable, before and after rewriting. The proofs trust the
 * attribute "cairn-fresh" (docs/frontends.md). Needs: struct cn_epochs for fresh objects. Provides:
 * cn_barrier_is_fresh_object(), cn_barrier_is_immovable_value(). Breaks: nothing.
 */
#include <string.h>
#include "compile/core/emitted_names.h"
#include "compile/verify/barriers/barred.h"

static LLVMAttributeRef string_attribute_of(LLVMValueRef call, LLVMValueRef callee, const char *name)
{
  unsigned length = (unsigned)strlen(name);
  LLVMAttributeRef own = LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, name, length);

  return own || !callee ? own : LLVMGetStringAttributeAtIndex(callee, CN_FUNCTION_INDEX, name, length);
}

/* True for a call that allocates, or the statepoint of such a call. *small: its objects have at most INLINE_ALLOC_MAX
 * bytes. */
static bool is_allocation_call(LLVMValueRef call, bool *small)
{
  LLVMValueRef callee = cn_direct_callee(call);
  size_t size;
  unsigned length = 0;

  if (callee && cn_calls_intrinsic(call, "llvm.experimental.gc.statepoint"))
    callee = LLVMIsAFunction(LLVMGetArgOperand(call, 2));
  LLVMAttributeRef fresh = string_attribute_of(call, callee, CN_ATTR_FRESH);
  const char *said = fresh ? LLVMGetStringAttributeValue(fresh, &length) : "",
             *name = callee ? LLVMGetValueName2(callee, &size) : "";
  *small = length == strlen(CN_FRESH_SMALL) && memcmp(said, CN_FRESH_SMALL, length) == 0;
  return fresh || (strcmp(name, CN_RESIZE_SLOW) != 0 && cn_is_slow_allocation(name));
}

static LLVMValueRef allocation_call_of(LLVMValueRef value, bool *small)
{
  if (!LLVMIsACallInst(value) && !LLVMIsAInvokeInst(value))
    return NULL;
  if (cn_calls_intrinsic(value, "llvm.experimental.gc.result"))
    value = LLVMGetArgOperand(value, 0);
  bool is_call = LLVMIsACallInst(value) || LLVMIsAInvokeInst(value);
  return is_call && is_allocation_call(value, small) ? value : NULL;
}

struct object_search {
  const struct cn_epochs *epochs;
  struct cn_ptrmap seen; /* phis and selects */
  bool small;            /* leave out large objects */
};

static bool is_allocated_in_epoch(struct object_search *search, LLVMValueRef value, uint32_t epoch);

static bool is_phi_allocated_in_epoch(struct object_search *search, LLVMValueRef phi)
{
  const struct cn_cfg *cfg = search->epochs->cfg;

  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    uint32_t from = cn_cfg_index_of(cfg, LLVMGetIncomingBlock(phi, i));
    if (from != CN_NO_BLOCK && !is_allocated_in_epoch(search, LLVMGetIncomingValue(phi, i), search->epochs->out[from]))
      return false;
  }
  return true;
}

static bool is_allocated_in_epoch(struct object_search *search, LLVMValueRef value, uint32_t epoch)
{
  bool added, small;
  LLVMValueRef call = allocation_call_of(value, &small);

  if (call)
    return (small || !search->small) &&
           cn_epoch_after(search->epochs, call, cn_epoch_at(search->epochs, call)) == epoch;
  if ((!LLVMIsAPHINode(value) && !LLVMIsASelectInst(value)) || cn_epoch_at(search->epochs, value) != epoch)
    return false;
  cn_ptrmap_add(&search->seen, value, &added);
  if (!added)
    return true;
  if (LLVMIsAPHINode(value))
    return is_phi_allocated_in_epoch(search, value);
  return is_allocated_in_epoch(search, LLVMGetOperand(value, 1), epoch) &&
         is_allocated_in_epoch(search, LLVMGetOperand(value, 2), epoch);
}

bool cn_barrier_is_fresh_object(const struct cn_epochs *epochs, LLVMValueRef reference, uint32_t epoch, bool small)
{
  struct object_search search = {.epochs = epochs, .small = small};
  bool fresh = is_allocated_in_epoch(&search, reference, epoch);

  cn_ptrmap_free(&search.seen);
  return fresh;
}

/* True if `value` is null, a constant, an immediate or an immovable reference, or merges only such values. */
static bool is_immovable_value(struct object_search *search, LLVMValueRef value)
{
  LLVMValueRef callee = LLVMIsACallInst(value) ? cn_direct_callee(value) : NULL;
  bool added;
  size_t length;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
  if (strcmp(name, CN_TAG_FROM) == 0 || strcmp(name, CN_BOX_FROM) == 0)
    return true;
  if (!LLVMIsAPHINode(value) && !LLVMIsASelectInst(value))
    return LLVMIsConstant(value) || cn_is_immovable(value);
  cn_ptrmap_add(&search->seen, value, &added);
  if (!added)
    return true;
  if (LLVMIsASelectInst(value))
    return is_immovable_value(search, LLVMGetOperand(value, 1)) && is_immovable_value(search, LLVMGetOperand(value, 2));
  for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
    if (!is_immovable_value(search, LLVMGetIncomingValue(value, i)))
      return false;
  return true;
}

bool cn_barrier_is_immovable_value(LLVMValueRef value)
{
  struct object_search search = {0};
  bool nowhere = is_immovable_value(&search, value);

  cn_ptrmap_free(&search.seen);
  return nowhere;
}
