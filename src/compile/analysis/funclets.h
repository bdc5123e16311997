/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in funclets. Private to src/compile.
 */
#ifndef CN_COMPILE_ANALYSIS_FUNCLETS_H
#define CN_COMPILE_ANALYSIS_FUNCLETS_H

#include "compile/core/pass.h"

LLVMValueRef cn_funclet_pad_of(LLVMBasicBlockRef block);

/* Build a call of `function`, with an empty argument list, in the funclet of `pad`. */
LLVMValueRef cn_funclet_build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef pad);

#endif
