/* SPDX-License-Identifier: Apache-2.0
 *
 * The type of memory, as far as IR says it: an address names a type if it is an alloca, a global or an sret argument,
 * or is formed by typed GEPs. With opaque pointers only these name one.
 */
#ifndef CN_COMPILE_CORE_MEMORY_TYPES_H
#define CN_COMPILE_CORE_MEMORY_TYPES_H

#include "compile/core/pass.h"

/* The type that lies at `pointer`, or null. */
LLVMTypeRef cn_types_memory_type_of(LLVMValueRef pointer);

/* The type of exactly `size` bytes at the start of `type`: itself, or a first member's; or null. */
LLVMTypeRef cn_types_narrow_to_size(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t size);

/* True if `type` has a reference at `offset`. */
bool cn_types_has_ref_at(struct cn_ctx *ctx, LLVMTypeRef type, uint64_t offset);

/* The global that `pointer` is the address of, of a thread-local the calling thread's; or null. */
LLVMValueRef cn_types_global_of(LLVMValueRef pointer);

/* The pointer at the start of the GEPs that form the address: a thread-local itself rather than the intrinsic that has
 * its address. */
LLVMValueRef cn_types_root_of(LLVMValueRef pointer);

/* True if a packed struct in `type` puts a reference at an unaligned word. */
bool cn_types_has_misaligned_ref(struct cn_ctx *ctx, LLVMTypeRef type);

/* Add the offset of `gep` (an instruction or constant) to *offset. False if it is variable. */
bool cn_types_gep_offset(struct cn_ctx *ctx, LLVMValueRef gep, uint64_t *offset);

/* Add the offset of any `gep`: a variable part adds a multiple of *stride, which becomes as large as that allows. On
 * the way in, 0 means an exact offset so far. */
void cn_types_gep_offset_and_stride(struct cn_ctx *ctx, LLVMValueRef gep, uint64_t *offset, uint64_t *stride);

/* The greatest common divisor; of 0 and a number, the number. */
uint64_t cn_types_common_divisor(uint64_t a, uint64_t b);

#endif
