/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of IR that several passes emit. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_EMIT_H
#define CN_COMPILE_CORE_EMIT_H

#include <llvm-c/DebugInfo.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/pass.h"

struct cn_operands {
  CN_VECTOR(LLVMValueRef) values;
};

/* The address of a field of the thread's struct cairn_mutator, at `offset` (a CAIRN_ABI_MUTATOR_*). */
LLVMValueRef cn_emit_mutator_field_address(struct cn_ctx *ctx, LLVMBuilderRef builder, uint64_t offset);
/* True if `address` is the address of the mutator's field at `offset`, which is not 0. */
bool cn_is_mutator_field_address(LLVMValueRef address, uint64_t offset);

/* Order all earlier stores before all later stores, as other threads see them. Emits nothing if the target's processors
 * keep this order. */
void cn_emit_store_fence(struct cn_ctx *ctx, LLVMBuilderRef builder);

/* The constant address that lies `offset` bytes after the constant `address`. */
LLVMValueRef cn_constant_address_at_offset(struct cn_ctx *ctx, LLVMValueRef address, int64_t offset);
/* The constant address `offset` bytes after `address`, inside the object of `address`. */
LLVMValueRef cn_constant_address_in_bounds(struct cn_ctx *ctx, LLVMValueRef address, uint64_t offset);

/* The function `name`, declared with this type and calling convention on first use. The function is external and
 * nounwind. Reports an error and returns null if the module uses the name for anything else. */
LLVMValueRef cn_emit_declare_function(struct cn_ctx *ctx, const char *name, LLVMTypeRef type, unsigned convention);

void cn_emit_mark_leaf(struct cn_ctx *ctx, LLVMValueRef function);
/* Mark a function whose calls become statepoints although all objects stay in place during a call (CN_ATTR_STILL). */
void cn_emit_mark_still(struct cn_ctx *ctx, LLVMValueRef function);

/* Append `count` elements to the special global array `name` (llvm.used, llvm.global_ctors, ...). A new array replaces
 * the old one. */
void cn_emit_append_to_list(struct cn_ctx *ctx, const char *name, LLVMTypeRef element, const LLVMValueRef *more,
                            size_t count);
/* Remove the elements that satisfy `is_one` from the array, and delete the array if it is empty. */
void cn_emit_remove_from_list(struct cn_ctx *ctx, const char *name, bool (*is_one)(LLVMValueRef element));

/* Give a conditional branch the weights of its successors. */
void cn_emit_branch_weights(struct cn_ctx *ctx, LLVMValueRef branch, uint32_t first, uint32_t second);
/* Mark the second successor of a branch as far more likely. */
#define CN_MOSTLY (1u << 20)
void cn_emit_mark_branch_unlikely(struct cn_ctx *ctx, LLVMValueRef branch);

/* The enum attribute `name`, without a value. */
LLVMAttributeRef cn_enum_attribute_of_name(struct cn_ctx *ctx, const char *name);

/* Copy the attributes of call `from` at `from_index` to call `to` at `to_index`, if `keep` accepts them or is null. */
void cn_emit_copy_attributes(LLVMValueRef from, LLVMAttributeIndex from_index, LLVMValueRef to,
                             LLVMAttributeIndex to_index, bool (*keep)(LLVMAttributeRef));

/* Copy the metadata of `from`, except its debug location, to `to`. */
void cn_emit_copy_metadata(struct cn_ctx *ctx, LLVMValueRef from, LLVMValueRef to);

/* The number of target attributes, which must agree in caller and callee. */
enum { CN_TARGET_ATTRIBUTE_COUNT = 3 };
extern const char *const cn_target_attribute_names[CN_TARGET_ATTRIBUTE_COUNT];
void cn_emit_copy_target_attributes(LLVMValueRef from, LLVMValueRef to);

/* Replace instruction `old` by `fresh`, which takes over its uses and its name, and erase it. */
void cn_emit_replace_instruction(LLVMValueRef old, LLVMValueRef fresh);

/* The guard that ties linking of code with safepoints to frame maps (base/guard.h; link_guard.c). */
bool cn_module_has_statepoints(struct cn_ctx *ctx);
/* Add the guard once per module. Returns the symbol for the start of the frame maps, or null after an error if the
 * module uses the name for anything else. */
LLVMValueRef cn_add_link_guard(struct cn_ctx *ctx);

/* True if the block is a landing pad or funclet pad. */
bool cn_is_exception_pad(LLVMBasicBlockRef block);
/* The insertion point right after the definition of `value`, as the next instruction. The point is after phis, pads and
 * the allocas of the entry block; for an invoke, it is in the normal destination. */
LLVMValueRef cn_insertion_point_after(LLVMValueRef value);

LLVMValueRef cn_first_after_phis(LLVMBasicBlockRef block);

/* Build a phi like `old` at the builder's position; the caller adds the incoming values. */
LLVMValueRef cn_build_phi_like(LLVMBuilderRef builder, LLVMValueRef old, const char *name);

/* ---- copies of code (clone.c) ---- */

/* A copy of some blocks. */
struct cn_clone {
  struct cn_ctx *ctx;
  const LLVMBasicBlockRef *blocks;
  uint32_t count;
  struct cn_ptrmap in;     /* the blocks */
  struct cn_ptrmap copies; /* value, or block as a value -> its copy */
  LLVMBuilderRef builder;
  LLVMDIBuilderRef records;
  LLVMValueRef function; /* the function, if all of it is copied */
  LLVMMetadataRef scope; /* the subprogram of its copy, or null */
};

/* Make empty copies of `blocks` before block `before`. */
void cn_clone_begin(struct cn_clone *clone, struct cn_ctx *ctx, const LLVMBasicBlockRef *blocks, uint32_t count,
                    LLVMBasicBlockRef before);
/* Let the copies of other instructions use `copy` instead of a copy of instruction `value`. */
void cn_clone_set_copy(struct cn_clone *clone, LLVMValueRef value, LLVMValueRef copy);
/* Fill the copies: operands become their copies, and the phis after the blocks get inputs from the copies. */
void cn_clone_fill(struct cn_clone *clone);
void cn_clone_end(struct cn_clone *clone);

/* Replaces each phi at the start of block `header` of the original by a new phi, which `build` makes from the old one
 * and its copy. All new phis are built first, because a phi's next value may be another phi. */
void cn_clone_replace_phis(const struct cn_clone *clone, LLVMBasicBlockRef header,
                           LLVMValueRef (*build)(const struct cn_clone *clone, LLVMValueRef phi));

/* The value that replaces `value` in the copy, or `value` itself if no copied block defines it. */
LLVMValueRef cn_clone_of(const struct cn_clone *clone, LLVMValueRef value);
LLVMBasicBlockRef cn_clone_of_block(const struct cn_clone *clone, LLVMBasicBlockRef block);
static inline bool cn_clone_has(const struct cn_clone *clone, LLVMBasicBlockRef block)
{
  return cn_ptrmap_find(&clone->in, block) != NULL;
}

/* True if the function has at most `most` instructions, and all of them can be copied. */
bool cn_can_clone_function(LLVMValueRef function, uint32_t most);
/* Add an internal copy of the function. Calls and other uses stay with the function. */
LLVMValueRef cn_clone_function(struct cn_ctx *ctx, LLVMValueRef function, const char *name);

/* ---- new signatures (retype.c) ---- */

/* Copy the convention, attributes, metadata, section, gc strategy and personality of a function. The types may differ.
 */
void cn_emit_copy_function_properties(LLVMValueRef from, LLVMValueRef to);

/* Copy all metadata of a function or global variable. */
void cn_emit_copy_global_metadata(LLVMValueRef from, LLVMValueRef to);

/* True if the function can get another type. False if the program takes addresses of the function's blocks, because the
 * addresses would change. */
bool cn_can_retype_function(LLVMValueRef function);

/* Give `function` the type `type`, whose first parameters have the old types or wider types. Returns the new function
 * and deletes the old one. Calls with the old type stay, so the calling convention must allow them. */
LLVMValueRef cn_retype(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type);

/* The same in two steps, for other changes of parameters and result. The new function has the body, which uses the
 * parameters of the old one: parameter i becomes parameter places[i]. Between the steps, the caller replaces the uses.
 */
LLVMValueRef cn_retype_begin(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type, const unsigned *places);
void cn_retype_end(LLVMValueRef function, LLVMValueRef retyped);

#endif
