/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons that relocation cannot change: of a reference with null, and of two references for
 * equality, if both are read at one time. Never compare an old with a new reference: `t != R(s)` is
 * true of the same object (late-insertion-slides-2014, "Safepoint Verification": `safepoint(p);
 * icmp ne p, null`).
 *
 * Such a comparison may read its operands as they were when the later of the two was defined,
 * whatever safepoint comes between: it stays where it is, so it costs nothing, and its operands
 * need not be listed there. It does so only if nothing else needs them after that, since both the
 * old and the new reference would take a register each otherwise.
 *
 * Needs: struct cn_refs, before liveness. Provides: uses that count as uses at an earlier position.
 * Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/rewrite/values/refs.h"

static bool is_equality(LLVMValueRef compare)
{
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);

  CN_ASSERT(LLVMIsACmpInst(compare));
  return predicate == LLVMIntEQ || predicate == LLVMIntNE;
}

/* No collector moves null; of other constants that is not known. */
static bool is_null(const struct cn_compare *compare, unsigned operand)
{
  return compare->uses[operand] == CN_NO_INDEX &&
         LLVMIsAConstantPointerNull(LLVMGetOperand(compare->compare, operand));
}

/* Put the uses at `compare`, or at the earliest place where it may read its operands. */
static void put(struct cn_refs *refs, struct cn_compare *compare, bool early)
{
  CN_CHECK(!early || compare->from_block < refs->cfg->count);
  CN_CHECK(!early || compare->from_pos <= compare->pos);
  compare->early = early;
  for (unsigned o = 0; o < 2; o++) {
    if (compare->uses[o] == CN_NO_INDEX)
      continue;
    struct cn_ref_use *use = &refs->uses.at[compare->uses[o]];
    use->early = early;
    use->block = early ? compare->from_block : compare->block;
    use->pos = early ? compare->from_pos : compare->pos;
  }
}

static bool is_candidate(const struct cn_refs *refs, const struct cn_compare *compare)
{
  bool any = false;

  if (!is_equality(compare->compare))
    return false;
  for (unsigned o = 0; o < 2; o++) {
    if (is_null(compare, o))
      continue;
    if (compare->uses[o] == CN_NO_INDEX)
      return false;
    const struct cn_ref_use *use = &refs->uses.at[compare->uses[o]];
    if (use->via != CN_NO_INDEX || !refs->values.at[use->value].scalar)
      return false;
    any = true;
  }
  return any;
}

/* Directly after the definition of the operand that is defined later. Both dominate the comparison,
 * so one dominates the other, and positions are in that order. */
static void find_start(const struct cn_refs *refs, struct cn_compare *compare)
{
  for (unsigned o = 0; o < 2; o++) {
    if (compare->uses[o] == CN_NO_INDEX)
      continue;
    const struct cn_ref_value *v = &refs->values.at[refs->uses.at[compare->uses[o]].value];
    if (compare->from_block == CN_NO_BLOCK || v->pos + 1 > compare->from_pos) {
      compare->from_block = v->block;
      compare->from_pos = v->pos + 1;
    }
  }
}

bool cn_compare_move(struct cn_refs *refs, const struct cn_compared *decided)
{
  bool any = false;

  if (!cn_refs_on(refs, CAIRN_RELOCATION_COMPARE))
    return false;
  CN_CHECK(!decided || decided->early.count == refs->compares.count);
  for (size_t c = 0; c < refs->compares.count; c++) {
    struct cn_compare *compare = &refs->compares.at[c];
    if (decided ? !decided->early.at[c] : !is_candidate(refs, compare))
      continue;
    compare->from_block = CN_NO_BLOCK;
    find_start(refs, compare);
    put(refs, compare, true);
    any = true;
  }
  return any;
}

static bool hands_on(LLVMValueRef value)
{
  if (!LLVMIsAInstruction(value))
    return false;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMGetElementPtr:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMBitCast:
    return true;
  case LLVMCall:
    return cn_classify_call(value).kind == CN_CALL_LEAF;
  default:
    return false;
  }
}

/* Mark the values from which a crossing value may be derived: their objects are listed anyway. */
static bool *find_origins(const struct cn_refs *refs)
{
  bool *origin = cn_alloc(refs->values.count * sizeof *origin);

  for (size_t v = 0; v < refs->values.count; v++) {
    const struct cn_ref_value *value = &refs->values.at[v];
    if (!value->cross_count || !hands_on(value->value))
      continue;
    for (int o = 0; o < LLVMGetNumOperands(value->value); o++) {
      uint32_t from = cn_refs_index(refs, LLVMGetOperand(value->value, (unsigned)o));
      if (from != CN_NO_INDEX)
        origin[from] = origin[refs->values.at[from].root] = true;
    }
  }
  return origin;
}

/* Is the operand needed, or its object listed, after the place where it is to be read? */
static bool is_needed(const struct cn_refs *refs, const struct cn_compare *compare,
                      unsigned operand, const bool *origin)
{
  uint32_t value = refs->uses.at[compare->uses[operand]].value;
  const struct cn_ref_value *v = &refs->values.at[value];

  if (origin[value])
    return true;
  if (!v->cross_count)
    return false;
  CN_CHECK((size_t)v->cross + v->cross_count <= refs->crossings.count);
  uint32_t last = refs->crossings.at[v->cross + v->cross_count - 1];
  return refs->points.at[last].pos > compare->from_pos;
}

bool cn_compare_settle(struct cn_refs *refs, struct cn_compared *decided)
{
  bool *origin = find_origins(refs), changed = false;

  CN_ASSERT_VALID(cn_refs_wrong(refs, CN_REFS_LATER));
  CN_CHECK(decided->early.count == 0);
  for (size_t c = 0; c < refs->compares.count; c++) {
    struct cn_compare *compare = &refs->compares.at[c];
    bool needed = false;
    for (unsigned o = 0; o < 2 && compare->early; o++)
      needed |= compare->uses[o] != CN_NO_INDEX && is_needed(refs, compare, o, origin);
    cn_push(&decided->early, compare->early && !needed);
    changed |= needed;
  }
  for (size_t c = 0; c < refs->compares.count && changed; c++)
    if (refs->compares.at[c].early && !decided->early.at[c])
      put(refs, &refs->compares.at[c], false);
  free(origin);
  return changed;
}
