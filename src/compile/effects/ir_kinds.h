/* SPDX-License-Identifier: Apache-2.0
 *
 * The opcodes, kinds of types and constants of LLVM 22, whose effects on references every pass handles. Cairn refuses
 * all others, because they could hide or move a reference.
 */
#ifndef CN_COMPILE_EFFECTS_IR_KINDS_H
#define CN_COMPILE_EFFECTS_IR_KINDS_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

bool cn_is_known_opcode(LLVMOpcode opcode);

bool cn_is_known_type_kind(LLVMTypeKind kind);
/* True if the type and all its parts have known kinds. `met` has the types visited before, so that shared parts are
 * visited once. */
bool cn_is_known_type(struct cn_ptrmap *met, LLVMTypeRef type);

/* True if `kind` is a known kind of constants of types of kind `type`. */
bool cn_is_known_value_kind(LLVMValueKind kind, LLVMTypeKind type);
bool cn_is_known_constant_expression(LLVMOpcode opcode);
/* True if the constant and all its parts have known kinds. `met` has the types and constants visited before. */
bool cn_is_known_constant(struct cn_ptrmap *met, LLVMValueRef constant);

#endif
