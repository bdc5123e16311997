/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of deopt values in bundles "deopt" (abi.def, DEOPT_FRAME). Private to src/compile.
 */
#ifndef CN_COMPILE_EFFECTS_DEOPT_RECORDS_H
#define CN_COMPILE_EFFECTS_DEOPT_RECORDS_H

#include "compile/core/pass.h"

/* True if the operand is a constant integer of 64 bits; sets *word. */
bool cn_deopt_read_word(LLVMValueRef operand, uint64_t *word);

/* True if the operands begin with the header of a record. */
bool cn_deopt_is_record(const LLVMValueRef *operands, size_t count);

#endif
