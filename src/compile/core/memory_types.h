/* SPDX-License-Identifier: Apache-2.0
 *
 * The type of memory at an address. With opaque pointers, IR has the type only if the address is an alloca, a global or
 * an sret argument, or if typed GEPs form the address.
 */
#ifndef CN_COMPILE_CORE_MEMORY_TYPES_H
#define CN_COMPILE_CORE_MEMORY_TYPES_H

#include "compile/core/pass.h"

/* The type of the memory at `pointer`, or null. */
LLVMTypeRef cn_types_memory_type_of(LLVMValueRef pointer);

/* The type of `size` bytes at the start of `type`, which is `type` or the type of a first member; or null. */
LLVMTypeRef cn_types_narrow_to_size(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t size);

bool cn_types_has_ref_at(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t offset);

/* The global with the address `pointer`, or null. The address of a thread-local is the address in the calling thread.
 */
LLVMValueRef cn_types_global_of(LLVMValueRef pointer);

/* The root pointer of the GEPs that form the address. For a thread-local, the result is the global instead of the
 * intrinsic with its address. */
LLVMValueRef cn_types_root_of(LLVMValueRef pointer);

/* The global in a managed address space that `pointer` points into, by GEPs that may be constants; or null. Such a
 * global never moves. */
LLVMValueRef cn_types_managed_variable_of(LLVMValueRef pointer);

/* True if a packed struct in `type` puts a reference at an unaligned word. */
bool cn_types_has_misaligned_ref(struct cn_ctx *ctx, LLVMTypeRef type);

/* Add the offset of `gep` (an instruction or constant) to *offset. False if the offset is variable. */
bool cn_types_gep_offset(struct cn_ctx *ctx, LLVMValueRef gep, uint64_t *offset);

/* True if the constant `value` is the address of a function's body: the function's address plus the size of entries.
 * Front ends write this expression (docs/frontends.md, "A convention for closures"). */
bool cn_types_is_body_address(struct cn_ctx *ctx, LLVMValueRef value);

/* Add the constant part of the offset of `gep` to *offset. *stride becomes the greatest number that divides its old
 * value and all variable parts; 0 means that the offset is exact so far. */
void cn_types_gep_offset_and_stride(struct cn_ctx *ctx, LLVMValueRef gep, uint64_t *offset, uint64_t *stride);

/* The greatest common divisor of `a` and `b`. The greatest common divisor of 0 and a number is the number. */
uint64_t cn_types_common_divisor(uint64_t a, uint64_t b);

#endif
