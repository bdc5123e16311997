/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions of integer predicates, a gap in LLVM's C API.
 */
#ifndef CN_COMPILE_ANALYSIS_PREDICATES_H
#define CN_COMPILE_ANALYSIS_PREDICATES_H

#include <llvm-c/Core.h>

/* The predicate that holds of b and a if `p` holds of a and b. */
LLVMIntPredicate cn_predicate_swapped(LLVMIntPredicate p);
/* The predicate that holds of a and b if `p` fails. */
LLVMIntPredicate cn_predicate_inverse(LLVMIntPredicate p);

#endif
