/* SPDX-License-Identifier: Apache-2.0
 *
 * Calling conventions, as far as a port must know them; convention_ARCH.c answers. Private to
 * src/compile.
 */
#ifndef CN_COMPILE_CORE_CONVENTION_H
#define CN_COMPILE_CORE_CONVENTION_H

#include "compile/core/pass.h"

/* What the stubs may know of a calling convention. */
enum cn_convention {
  CN_CONVENTION_PLAIN,   /* arguments, results and saved registers are those of C */
  CN_CONVENTION_BRIDGED, /* managed callees may have it, native ones need a bridge */
  CN_CONVENTION_NATIVE,  /* only native callees have it */
  CN_CONVENTION_UNKNOWN
};
enum cn_convention cn_convention_of(LLVMValueRef call);
/* Guarantees tail calls, whatever the signatures. */
bool cn_convention_is_tail(unsigned convention);

/* What the registers of the C convention are to a parameter. */
enum cn_register_class { CN_CLASS_INTEGER, CN_CLASS_VECTOR, CN_CLASSES, CN_CLASS_OTHER };
enum cn_register_class cn_convention_class(LLVMTypeRef type);
/* How many registers a class has. */
unsigned cn_convention_registers(enum cn_register_class which);

/* Does a result of this type come back on the x87 stack, in whole or in part? */
bool cn_convention_returns_x87(LLVMTypeRef type);

/* Can a statepoint return this type: surely in registers, none of them of the x87 stack? */
bool cn_convention_returns(LLVMTypeRef type);

/* Do the function's indirect calls go through thunks? */
bool cn_convention_has_thunks(LLVMValueRef function);

#endif
