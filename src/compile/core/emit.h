/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of IR that several passes emit. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_EMIT_H
#define CN_COMPILE_CORE_EMIT_H

#include "base/vector.h"
#include "compile/core/pass.h"

struct cn_operands {
  CN_VECTOR(LLVMValueRef) values;
};

/* The address of the field of the thread's struct cairn_mutator that lies `offset` bytes in (a CAIRN_ABI_MUTATOR_*). */
LLVMValueRef cn_emit_mutator_field_address(struct cn_ctx *ctx, LLVMBuilderRef builder, uint64_t offset);
/* True if `address` is such an address, with `offset` other than 0. */
bool cn_is_mutator_field_address(LLVMValueRef address, uint64_t offset);

/* The constant address that lies `offset` bytes after the constant `address`. */
LLVMValueRef cn_constant_address_at_offset(struct cn_ctx *ctx, LLVMValueRef address, int64_t offset);
/* Likewise, within the object of `address`. */
LLVMValueRef cn_constant_address_in_bounds(struct cn_ctx *ctx, LLVMValueRef address, uint64_t offset);

/* The function `name`, declared with this type and calling convention on first use. It is external and nounwind. Null,
 * after an error, if the module uses the name otherwise. */
LLVMValueRef cn_emit_declare_function(struct cn_ctx *ctx, const char *name, LLVMTypeRef type, unsigned convention);

/* Mark a declaration as a leaf, whose calls never reach a safepoint. */
void cn_emit_mark_leaf(struct cn_ctx *ctx, LLVMValueRef function);
/* Mark a function whose calls are recorded although all objects stay in place meanwhile (CN_ATTR_STILL). */
void cn_emit_mark_still(struct cn_ctx *ctx, LLVMValueRef function);

/* Append `count` elements to the special global array `name` (llvm.used, llvm.global_ctors, ...). The old array is
 * replaced. */
void cn_emit_append_to_list(struct cn_ctx *ctx, const char *name, LLVMTypeRef element, const LLVMValueRef *more,
                            size_t count);
/* Remove the elements that satisfy `is_one`. An empty array is deleted. */
void cn_emit_remove_from_list(struct cn_ctx *ctx, const char *name, bool (*is_one)(LLVMValueRef element));

/* Tell the code generator how often the conditional branch goes to either successor. */
void cn_emit_branch_weights(struct cn_ctx *ctx, LLVMValueRef branch, uint32_t first, uint32_t second);
/* Tell the code generator that the branch nearly always goes to the second successor. */
#define CN_MOSTLY (1u << 20)
void cn_emit_mark_branch_unlikely(struct cn_ctx *ctx, LLVMValueRef branch);

/* An enum attribute by name, of the kind that carries only its name. */
LLVMAttributeRef cn_enum_attribute_of_name(struct cn_ctx *ctx, const char *name);

/* Copy the attributes of call `from` at `from_index` to call `to` at `to_index`: those that `keep` accepts, or all if
 * it is null. */
void cn_emit_copy_attributes(LLVMValueRef from, LLVMAttributeIndex from_index, LLVMValueRef to,
                             LLVMAttributeIndex to_index, bool (*keep)(LLVMAttributeRef));

/* The target's attributes, which must agree in caller and callee. */
enum { CN_TARGET_ATTRIBUTE_COUNT = 3 };
extern const char *const cn_target_attribute_names[CN_TARGET_ATTRIBUTE_COUNT];
/* Copy these from function `from` to function `to`. */
void cn_emit_copy_target_attributes(LLVMValueRef from, LLVMValueRef to);

/* Replace instruction `old` by `fresh`, which takes over its uses and its name, and erase it. */
void cn_emit_replace_instruction(LLVMValueRef old, LLVMValueRef fresh);

/* The guard that ties linking of code with safepoints to frame maps (base/guard.h; link_guard.c). */
/* True if a function calls gc.statepoint. */
bool cn_module_has_statepoints(struct cn_ctx *ctx);
/* Guard the module, once: the symbol that stands for the start of its frame maps. Null after an error: the module has
 * another use for the name. */
LLVMValueRef cn_add_link_guard(struct cn_ctx *ctx);

/* True if the block is a landing pad or funclet pad. */
bool cn_is_exception_pad(LLVMBasicBlockRef block);
/* The place to insert code right after the definition of `value`, as the next instruction: after phis, pads and the
 * allocas of the entry; for an invoke, in its normal destination. */
LLVMValueRef cn_insertion_point_after(LLVMValueRef value);

/* The first instruction of the block after its phis. */
LLVMValueRef cn_first_after_phis(LLVMBasicBlockRef block);

/* ---- functions with other signatures (retype.c) ---- */

/* True if the function can get another type. False if addresses of its blocks are taken: they would change. */
bool cn_can_retype_function(LLVMValueRef function);

/* Give `function` the type `type`, whose first parameters are its own or wider ones. Returns the new function; the old
 * one is deleted. Calls of the old type stay, and must be right by convention. */
LLVMValueRef cn_retype(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type);

#endif
