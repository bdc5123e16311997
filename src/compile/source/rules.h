/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of pass `rules`.
 */
#ifndef CN_COMPILE_SOURCE_RULES_H
#define CN_COMPILE_SOURCE_RULES_H

#include "compile/core/pass.h"

/* rules_access.c: a load or store whose type contradicts the type that its address names. */
void cn_rules_access(struct cn_ctx *ctx, LLVMValueRef instruction);
/* rules_access.c: a reference stored where the collector does not look, or that points into an
 * object. Called by prepare, once locals are promoted. */
void cn_rules_stores(struct cn_ctx *ctx, LLVMValueRef function);
/* rules_unions.c: unions that overlay a reference with something else, by debug information. */
void cn_rules_unions(struct cn_ctx *ctx);
/* Call `visit` for each struct, union, array and enumeration of the debug information, once. */
typedef void cn_rules_type_visit(struct cn_ctx *ctx, LLVMMetadataRef type, void *env);
void cn_rules_each_type(struct cn_ctx *ctx, cn_rules_type_visit *visit, void *env);
/* The member of a struct's debug information that begins `offset` bytes in, or null. */
LLVMMetadataRef cn_rules_member_at(struct cn_ctx *ctx, LLVMMetadataRef type, uint64_t offset);
/* store_names.c: what the run-time check of a store calls the place, by debug information. */
void cn_store_names_add(struct cn_ctx *ctx);
/* Is a variable, by its debug information, an ordinary pointer to what holds references? */
bool cn_rules_points_to_refs(struct cn_ctx *ctx, LLVMMetadataRef variable);
/* Does a global's debug information have a reference where its type in the IR has none? */
bool cn_rules_hides_refs(struct cn_ctx *ctx, LLVMValueRef global);
/* rules_access.c: memory that the collector does not know, given to a variable that points to
 * references. */
void cn_rules_containers(struct cn_ctx *ctx, LLVMValueRef function);

/* Is `value` memory that the collector does not know: the name of what gave it, or null. */
const char *cn_rules_unmanaged(LLVMValueRef value);
/* rules_members.c: such memory given to a global or a member that leads to references. C only. */
void cn_rules_members(struct cn_ctx *ctx);

/* rules_alignment.c: claims that objects are aligned to more than they are. */
void cn_rules_alignment(struct cn_ctx *ctx, LLVMValueRef function);

/* rules_native.c: references in a function that is not managed. */
void cn_rules_native(struct cn_ctx *ctx, LLVMValueRef function);
/* rules_native.c: a reference given to a function of the C library. C only. */
void cn_rules_library(struct cn_ctx *ctx, LLVMValueRef call);

/* atomics.c: atomic operations that clang emits on i64 get reference type where they are on
 * references. Changes the function, before the rules look at it. */
void cn_atomics_retype(struct cn_ctx *ctx, LLVMValueRef function);

#endif
