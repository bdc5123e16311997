/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session does with IR beside its compilation. Private to src/jit. Any thread that owns the IR's context.
 */
#ifndef CN_JIT_IR_H
#define CN_JIT_IR_H

#include <stdbool.h>
#include <llvm-c/Core.h>

static inline const char *cn_jit_name_of(LLVMValueRef global)
{
  size_t length;

  return LLVMGetValueName2(global, &length);
}

/* The symbol of a function or variable with this name. A first byte 1 is LLVM's sign that the rest is the symbol. */
static inline const char *cn_jit_symbol_of(const char *name)
{
  return name + (*name == 1);
}

/* True if the module uses the address of a managed function that it exports (own_addresses.c). */
bool cn_jit_uses_own_addresses(LLVMModuleRef ir);

/* The prefix of the name of such a function's entry. */
#define CN_JIT_ENTRY_PREFIX "cairn.jit.entry."

/* Replace these uses by uses of CN_JIT_ENTRY_PREFIX functions. */
void cn_jit_replace_own_addresses(LLVMModuleRef ir);

/* The type of a function, with its calling convention and the attributes of its parameters that change the places of
 * arguments, as text from malloc() (signature.c). Functions with the same text may replace each other. */
char *cn_jit_signature_of(LLVMValueRef function);

#endif
