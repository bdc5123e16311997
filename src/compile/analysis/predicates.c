/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes predicates of integer comparisons: the predicate for swapped operands, and the inverse. Needs: nothing.
 * Provides: cn_predicate_swapped(), cn_predicate_inverse(). Breaks: nothing.
 */
#include "compile/analysis/predicates.h"

#include "base/check.h"

LLVMIntPredicate cn_predicate_swapped(LLVMIntPredicate p)
{
  CN_ASSERT(p >= LLVMIntEQ && p <= LLVMIntSLE);
  switch (p) {
  case LLVMIntUGT:
    return LLVMIntULT;
  case LLVMIntUGE:
    return LLVMIntULE;
  case LLVMIntULT:
    return LLVMIntUGT;
  case LLVMIntULE:
    return LLVMIntUGE;
  case LLVMIntSGT:
    return LLVMIntSLT;
  case LLVMIntSGE:
    return LLVMIntSLE;
  case LLVMIntSLT:
    return LLVMIntSGT;
  case LLVMIntSLE:
    return LLVMIntSGE;
  default: /* equality */
    return p;
  }
}

LLVMIntPredicate cn_predicate_inverse(LLVMIntPredicate p)
{
  CN_ASSERT(p >= LLVMIntEQ && p <= LLVMIntSLE);
  switch (p) {
  case LLVMIntEQ:
    return LLVMIntNE;
  case LLVMIntNE:
    return LLVMIntEQ;
  case LLVMIntUGT:
    return LLVMIntULE;
  case LLVMIntUGE:
    return LLVMIntULT;
  case LLVMIntULT:
    return LLVMIntUGE;
  case LLVMIntULE:
    return LLVMIntUGT;
  case LLVMIntSGT:
    return LLVMIntSLE;
  case LLVMIntSGE:
    return LLVMIntSLT;
  case LLVMIntSLT:
    return LLVMIntSGE;
  default:
    return LLVMIntSGT;
  }
}
