/* SPDX-License-Identifier: Apache-2.0
 *
 * Predicates of integer comparisons, which LLVM's C API names but does not turn round.
 */
#ifndef CN_COMPILE_ANALYSIS_PREDICATES_H
#define CN_COMPILE_ANALYSIS_PREDICATES_H

#include <llvm-c/Core.h>

/* The predicate that holds of b and a if `p` holds of a and b; */
LLVMIntPredicate cn_predicate_swapped(LLVMIntPredicate p);
/* the one that holds of a and b if `p` does not. */
LLVMIntPredicate cn_predicate_inverse(LLVMIntPredicate p);

#endif
