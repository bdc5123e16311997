/* SPDX-License-Identifier: Apache-2.0
 *
 * The opcodes, kinds of types and constants of LLVM 22, of which every pass knows what they do to a
 * reference. Another one may hide or move a reference, and is refused.
 */
#ifndef CN_COMPILE_EFFECTS_IR_KINDS_H
#define CN_COMPILE_EFFECTS_IR_KINDS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

bool cn_kinds_know_opcode(LLVMOpcode opcode);

bool cn_kinds_know_type_kind(LLVMTypeKind kind);
/* Of the type and all that it is made of. What is in `met` is not looked at again, so that parts
 * that types share are looked at once. */
bool cn_kinds_know_type(struct cn_ptrmap *met, LLVMTypeRef type);

/* The kind of a constant whose type is of kind `type`. */
bool cn_kinds_know_value_kind(LLVMValueKind kind, LLVMTypeKind type);
/* Of a constant expression. */
bool cn_kinds_know_expression(LLVMOpcode opcode);
/* Of the constant and all that it is made of, likewise. */
bool cn_kinds_know_constant(struct cn_ptrmap *met, LLVMValueRef constant);

#endif
