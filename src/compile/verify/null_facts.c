/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds stale references that are null on all paths over a safepoint, since null stays valid. Needs: struct cn_epochs.
 * Provides: cn_null_facts_excuse_use(). Breaks: nothing.
 *
 * After a branch that shows a reference to be null, the optimiser replaces the reference by null and null by the
 * reference, even over safepoints. After early insertion, for example, a phi of `p` and of null (from the branch where
 * `p == null`) becomes `p`. Such a use of `p` is correct, because the reference is null on each path with a safepoint.
 * The verifier therefore reports a use only if a path with a safepoint reaches the use without an edge that shows the
 * reference to be null. A use of a value that is null on every path is also correct.
 */
#include <stdlib.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/verify/verify.h"

/* True if no index is computed from an address. An index computed from an address may itself be stale. */
static bool has_address_free_indices(const struct cn_value_states *values, LLVMValueRef gep)
{
  for (int i = 1; i < LLVMGetNumOperands(gep); i++)
    if (cn_values_state_of(values, LLVMGetOperand(gep, (unsigned)i)).epoch != CN_EPOCH_NONE)
      return false;
  return true;
}

/* The first operand of a chain of GEPs and casts. If this operand is null, uses of the chain are correct. */
static LLVMValueRef gep_root_of(const struct cn_value_states *values, LLVMValueRef value)
{
  while ((LLVMIsAGetElementPtrInst(value) && has_address_free_indices(values, value)) || LLVMIsABitCastInst(value) ||
         LLVMIsAFreezeInst(value))
    value = LLVMGetOperand(value, 0);
  return value;
}

static bool condition_implies_null(LLVMValueRef condition, LLVMValueRef value, bool outcome, int depth)
{
  if (LLVMIsAICmpInst(condition)) {
    LLVMValueRef a = LLVMGetOperand(condition, 0), b = LLVMGetOperand(condition, 1);
    LLVMIntPredicate wanted = outcome ? LLVMIntEQ : LLVMIntNE;
    return LLVMGetICmpPredicate(condition) == wanted &&
           ((a == value && LLVMIsNull(b)) || (b == value && LLVMIsNull(a)));
  }
  if (depth == 0 || !LLVMIsAInstruction(condition))
    return false;
  /* Both operands of a true conjunction are true; both operands of a false disjunction are false. */
  LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
  if (opcode == (outcome ? LLVMAnd : LLVMOr))
    return condition_implies_null(LLVMGetOperand(condition, 0), value, outcome, depth - 1) ||
           condition_implies_null(LLVMGetOperand(condition, 1), value, outcome, depth - 1);
  if (opcode == LLVMSelect) {
    LLVMValueRef other = LLVMGetOperand(condition, outcome ? 2 : 1);
    bool conjunction = LLVMIsAConstantInt(other) && (LLVMConstIntGetZExtValue(other) != 0) != outcome;
    return conjunction &&
           (condition_implies_null(LLVMGetOperand(condition, 0), value, outcome, depth - 1) ||
            condition_implies_null(LLVMGetOperand(condition, outcome ? 1 : 2), value, outcome, depth - 1));
  }
  return false;
}

static bool is_null_on_edge(const struct cn_cfg_block *block, uint32_t s, LLVMValueRef value)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);

  if (!cn_is_branch(end) || !LLVMIsConditional(end) || block->succs[0] == block->succs[1])
    return false;
  return condition_implies_null(LLVMGetCondition(end), value, s == 0, 4);
}

struct null_path_search {
  const struct cn_cfg *cfg;
  LLVMValueRef value, at; /* `at` is the use, or null if the use is at the end of `block` */
  uint32_t block;
  uint8_t *seen; /* for each block, bit 0: entered by a path without a safepoint; bit 1: entered after a safepoint */
  CN_VECTOR(uint32_t) work;
};

/* Scan a block from `i` on. True if the path reaches the use after a safepoint. */
static bool scan_block_for_stale_use(struct null_path_search *search, uint32_t b, LLVMValueRef i, bool crossed)
{
  const struct cn_cfg_block *block = &search->cfg->blocks[b];

  CN_ASSERT(!i || LLVMGetInstructionParent(i) == block->block);
  for (; i; i = LLVMGetNextInstruction(i)) {
    if (i == search->at && crossed)
      return true;
    if (i == search->value)
      return false; /* defined anew */
    crossed |= cn_classify_call(i).kind == CN_CALL_STATEPOINT;
  }
  if (!search->at && b == search->block && crossed)
    return true;
  for (uint32_t s = 0; s < block->succ_count; s++) {
    uint32_t to = block->succs[s];
    uint8_t bit = crossed ? 2 : 1;
    if ((search->seen[to] & bit) || is_null_on_edge(block, s, search->value))
      continue;
    search->seen[to] |= bit;
    cn_push(&search->work, to << 1 | crossed);
  }
  return false;
}

/* True if `root` is valid at its definition. A relocate of an older statepoint than the last one is stale. */
static bool is_fresh_at_definition(const struct cn_value_states *values, LLVMValueRef root)
{
  uint32_t epoch = cn_values_state_of(values, root).epoch;

  if (LLVMIsAArgument(root))
    return epoch == CN_EPOCH_ENTRY;
  return LLVMIsAInstruction(root) && epoch == cn_epoch_at(values->epochs, root);
}

/* ---- values that are null on every path ---- */

static LLVMValueRef relocated_operand_of(LLVMValueRef relocate)
{
  LLVMValueRef statepoint = LLVMGetOperand(relocate, 0);
  LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(relocate, 2));
  uint32_t first, end;

  if (!index || !LLVMIsAInstruction(statepoint) || !cn_is_call(statepoint))
    return NULL;
  cn_calls_find_bundle(statepoint, "gc-live", &first, &end);
  uint64_t i = LLVMConstIntGetZExtValue(index);
  return i < end - first ? LLVMGetOperand(statepoint, first + (uint32_t)i) : NULL;
}

struct merged_inputs {
  struct cn_ptrmap seen;
  CN_VECTOR(LLVMValueRef) work;
};

/* Add `input` to the inputs to check. False if the input may be an object. */
static bool add_null_input(struct merged_inputs *inputs, LLVMValueRef input)
{
  bool fresh;

  if (!input || (LLVMIsConstant(input) && !LLVMIsNull(input) && !LLVMIsUndef(input)))
    return false;
  cn_ptrmap_add(&inputs->seen, input, &fresh);
  if (fresh && !LLVMIsConstant(input))
    cn_push(&inputs->work, input);
  return true;
}

/* Add the inputs of `value` to the inputs to check. False if the value may be an object. */
static bool add_inputs_of(struct merged_inputs *inputs, LLVMValueRef value)
{
  bool null = true;

  if (LLVMIsAPHINode(value)) {
    for (unsigned i = 0; i < LLVMCountIncoming(value) && null; i++)
      null = add_null_input(inputs, LLVMGetIncomingValue(value, i));
    return null;
  }
  if (LLVMIsASelectInst(value))
    return add_null_input(inputs, LLVMGetOperand(value, 1)) && add_null_input(inputs, LLVMGetOperand(value, 2));
  if (LLVMIsAFreezeInst(value) || LLVMIsABitCastInst(value))
    return add_null_input(inputs, LLVMGetOperand(value, 0));
  return cn_is_relocate(value) && add_null_input(inputs, relocated_operand_of(value));
}

/* True for a cycle of phis and relocates whose inputs are all null. LLVM's rewriter makes such cycles for values that
 * it treats as references. */
static bool is_always_null(LLVMValueRef value)
{
  struct merged_inputs inputs = {0};
  bool null = add_null_input(&inputs, value);

  while (null && inputs.work.count)
    null = add_inputs_of(&inputs, inputs.work.at[--inputs.work.count]);
  cn_ptrmap_free(&inputs.seen);
  cn_free(&inputs.work);
  return null;
}

bool cn_null_facts_excuse_use(const struct cn_value_states *values, LLVMValueRef value, LLVMValueRef at, uint32_t block)
{
  const struct cn_cfg *cfg = values->epochs->cfg;
  LLVMValueRef root = gep_root_of(values, value), start;
  struct null_path_search search = {.cfg = cfg, .value = root, .at = at, .block = block};
  uint32_t b = 0;

  CN_ASSERT(block < cfg->count && (!at || cn_cfg_index_of(cfg, LLVMGetInstructionParent(at)) == block));
  if (cn_is_ref(LLVMTypeOf(root)) && is_always_null(root))
    return true;
  if (!cn_is_ref(LLVMTypeOf(root)) || !is_fresh_at_definition(values, root))
    return false;
  if (LLVMIsAArgument(root)) {
    start = LLVMGetFirstInstruction(cfg->blocks[0].block);
  } else {
    start = LLVMGetNextInstruction(root);
    b = cn_cfg_index_of(cfg, LLVMGetInstructionParent(root));
  }
  CN_CHECK(b != CN_NO_BLOCK);
  search.seen = cn_alloc(cfg->count);
  bool stale = scan_block_for_stale_use(&search, b, start, false);
  while (!stale && search.work.count) {
    uint32_t next = search.work.at[--search.work.count];
    stale =
        scan_block_for_stale_use(&search, next >> 1, LLVMGetFirstInstruction(cfg->blocks[next >> 1].block), next & 1);
  }
  cn_free(&search.work);
  free(search.seen);
  return !stale;
}
