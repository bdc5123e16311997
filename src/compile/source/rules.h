/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of pass `rules`, and the rules that pass `prepare` checks. Private to src/compile.
 *
 * Read this before you add a rule (docs/hacking.md, "Add a source rule", has the steps):
 * 1. A breach would hide a reference from the collector, and the front end's IR shows it. The optimiser's output is
 *    checked by src/compile/verify; limits of rewriting are refused by src/compile/rewrite/refuse.c.
 * 2. A rule only reports, by cn_error(): the module stays as it is. The message names the fault and the remedy.
 * 3. rules.c calls a rule that reads the front end's code; `prepare` calls one that needs promoted locals.
 * 4. A rule that holds for C alone asks options->manage_all: other front ends mark their functions themselves, and
 *    later passes prove their conversions.
 */
#ifndef CN_COMPILE_SOURCE_RULES_H
#define CN_COMPILE_SOURCE_RULES_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

/* rules_access.c: report a load or store whose type contradicts the type that its address names. */
void cn_rules_check_access(struct cn_ctx *ctx, LLVMValueRef instruction);
/* rules_access.c: report stores of references to places that the collector skips, and stores of references into the
 * middle of an object. Needs promoted locals: `prepare` calls it. */
void cn_rules_check_stores(struct cn_ctx *ctx, LLVMValueRef function);
/* layout_stores.c: report references stored at places that an object's layout has as data, and in IR references into
 * the middle of an object. `prepare` calls it. */
void cn_rules_check_layout_stores(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_ptrmap *types);
/* Collect for cn_rules_check_layout_stores() the types of the objects that the module allocates. */
void cn_rules_gather_layout_types(struct cn_ctx *ctx, struct cn_ptrmap *types);
/* layout_compare.c: report comparisons of an object's header with the static of its type. `prepare` calls it. */
void cn_rules_check_layout_compares(struct cn_ctx *ctx, LLVMValueRef function);
/* uninit.c: report allocations that leave objects with references uncleared. `prepare` calls it. */
void cn_rules_check_uninit(struct cn_ctx *ctx, LLVMValueRef function);
/* weak_rules.c: report variables with weak references, by debug information. */
void cn_rules_check_weak_variables(struct cn_ctx *ctx);
/* rules_unions.c: report unions that overlay a reference with something else, by debug information.
 */
void cn_rules_check_unions(struct cn_ctx *ctx);
/* Call `visit` for each struct, union, array and enumeration of the debug information, once. */
typedef void cn_rules_type_visitor(struct cn_ctx *ctx, LLVMMetadataRef type, void *env);
void cn_rules_visit_types(struct cn_ctx *ctx, cn_rules_type_visitor *visit, void *env);
/* The member of a struct's debug information that begins `offset` bytes in, or null. */
LLVMMetadataRef cn_rules_member_at(struct cn_ctx *ctx, LLVMMetadataRef type, uint64_t offset);
/* store_names.c: name the place of each store for the run-time check, by debug information. */
void cn_store_names_add(struct cn_ctx *ctx);
/* type_names.c: name the types and fields of layout statics, by debug information. */
void cn_type_names_add(struct cn_ctx *ctx);
/* True if a variable, by its debug information, is an ordinary pointer to a type that holds references. */
bool cn_rules_points_to_refs(struct cn_ctx *ctx, LLVMMetadataRef variable);
/* True if a global's debug information has a reference where its type in the IR has data. */
bool cn_rules_global_hides_refs(struct cn_ctx *ctx, LLVMValueRef global);
/* rules_access.c: report unmanaged memory that is given to a variable that points to references. */
void cn_rules_check_containers(struct cn_ctx *ctx, LLVMValueRef function);

/* The name of the function that allocated `value`, if it allocates memory outside the managed heap; else null. */
const char *cn_rules_unmanaged_allocator_of(LLVMValueRef value);
/* rules_members.c: report unmanaged memory that is given to a global or a member that points to references. C only. */
void cn_rules_check_members(struct cn_ctx *ctx);

/* rules_alignment.c: report claims that exceed the alignment of objects. */
void cn_rules_check_alignment(struct cn_ctx *ctx, LLVMValueRef function);

/* rules_native.c: report references in an unmanaged function. */
void cn_rules_check_native(struct cn_ctx *ctx, LLVMValueRef function);
/* rules_native.c: report a reference given to a function of the C library. C only. */
void cn_rules_check_library_call(struct cn_ctx *ctx, LLVMValueRef call);

/* atomics.c: give reference type to the atomic operations on references that clang emits on i64. Changes the function,
 * so it runs ahead of the rules. */
void cn_atomics_retype(struct cn_ctx *ctx, LLVMValueRef function);

#endif
