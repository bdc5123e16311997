/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions of integer predicates, a gap in LLVM's C API.
 */
#ifndef CN_COMPILE_ANALYSIS_PREDICATES_H
#define CN_COMPILE_ANALYSIS_PREDICATES_H

#include <llvm-c/Core.h>

/* The predicate q with (b q a) equal to (a p b). */
LLVMIntPredicate cn_predicate_swapped(LLVMIntPredicate p);
/* The predicate q with (a q b) equal to not (a p b). */
LLVMIntPredicate cn_predicate_inverse(LLVMIntPredicate p);

#endif
