/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of pass `rules`, and the rules that pass `prepare` checks. Private to src/compile.
 *
 * Read this before you add a rule (docs/hacking.md, "Add a source rule", has the steps):
 * 1. A rule refuses code that would hide a reference from the collector and that the front end's IR shows.
 *    src/compile/verify checks the output of the optimiser, and src/compile/rewrite/refuse.c refuses code beyond the
 *    limits of rewriting.
 * 2. A rule only reports, by cn_error(), and leaves the module unchanged. The message names the fault and the remedy.
 * 3. rules.c calls rules that read the front end's code; `prepare` calls rules that need promoted locals.
 * 4. A rule for C alone runs only if options->manage_all is on: other front ends mark their functions themselves, and
 *    later passes prove their conversions.
 */
#ifndef CN_COMPILE_SOURCE_RULES_H
#define CN_COMPILE_SOURCE_RULES_H

#include "base/ptrmap.h"
#include "compile/core/pass.h"

/* rules_access.c: report a load or store whose type contradicts the type at its address. */
void cn_rules_check_access(struct cn_ctx *ctx, LLVMValueRef instruction);
/* rules_access.c: report stores of references to memory that the collector skips. `prepare` calls this rule after the
 * promotion of locals. */
void cn_rules_check_stores(struct cn_ctx *ctx, LLVMValueRef function);
/* derived_stores.c: report stores of references into the middle of an object, by `function` and by the functions of the
 * unit that it calls. `prepare` calls it after the promotion of all locals. C only. The caller owns the results so far,
 * zeroed at first, and frees them by cn_rules_finish_derived_stores(), which also deletes the names of members. */
struct cn_derived_stores {
  struct cn_ptrmap results;    /* function -> the derived pointer that it returns, or 0 */
  struct cn_ptrmap parameters; /* parameter -> the store of its value, or 0 */
};
void cn_rules_check_derived_stores(struct cn_ctx *ctx, LLVMValueRef function, struct cn_derived_stores *known);
void cn_rules_finish_derived_stores(struct cn_ctx *ctx, struct cn_derived_stores *known);
/* layout_stores.c: report references that are stored at offsets with data in the object's layout, and in IR of other
 * front ends references into the middle of an object. `prepare` calls it. */
void cn_rules_check_layout_stores(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_ptrmap *types);
/* List the types of the objects that the module allocates, for cn_rules_check_layout_stores(). */
void cn_rules_gather_layout_types(struct cn_ctx *ctx, struct cn_ptrmap *types);
/* layout_compare.c: report comparisons of an object's header with a layout static. `prepare` calls it. */
void cn_rules_check_layout_compares(struct cn_ctx *ctx, LLVMValueRef function);
/* uninit.c: report allocations of uncleared objects with references. `prepare` calls it. */
void cn_rules_check_uninit(struct cn_ctx *ctx, LLVMValueRef function);
/* weak_rules.c: report variables whose debug information shows weak references. */
void cn_rules_check_weak_variables(struct cn_ctx *ctx);
/* rules_unions.c: report unions whose debug information shows a reference and other data at one offset. */
void cn_rules_check_unions(struct cn_ctx *ctx);
/* Call `visit` once for each struct, union, array and enumeration in the debug information. */
typedef void cn_rules_type_visitor(struct cn_ctx *ctx, LLVMMetadataRef type, void *env);
void cn_rules_visit_types(struct cn_ctx *ctx, cn_rules_type_visitor *visit, void *env);
/* The member at byte `offset` in the debug information of a struct, or null. */
LLVMMetadataRef cn_rules_member_at(struct cn_ctx *ctx, LLVMMetadataRef type, uint64_t offset);
/* store_names.c: attach the member's name from debug information to each store, for the run-time check, and the names
 * of members of objects to functions. cn_store_names_format_member() gives "member 'next' of struct node" for an
 * element of a struct that `function` reaches in objects, or null; the caller frees. */
void cn_store_names_add(struct cn_ctx *ctx);
char *cn_store_names_format_member(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type, unsigned index);
void cn_store_names_delete_members(struct cn_ctx *ctx, LLVMValueRef function);
/* type_names.c: attach names of types and fields from debug information to layout statics. */
void cn_type_names_add(struct cn_ctx *ctx);
/* True if the debug information of a variable is an ordinary pointer to a type with references. */
bool cn_rules_points_to_refs(struct cn_ctx *ctx, LLVMMetadataRef variable);
/* True if the debug information of a global has a reference at an offset with data in the global's IR type. */
bool cn_rules_global_hides_refs(struct cn_ctx *ctx, LLVMValueRef global);
/* rules_access.c: report unmanaged memory that is assigned to a variable of a type that points to references. */
void cn_rules_check_containers(struct cn_ctx *ctx, LLVMValueRef function);

/* The name of the function that allocated `value`, if the memory is outside the managed heap; else null. */
const char *cn_rules_unmanaged_allocator_of(LLVMValueRef value);
/* rules_members.c: report unmanaged memory that is assigned to a global or a member of a type that points to
 * references. C only. */
void cn_rules_check_members(struct cn_ctx *ctx);

/* rules_alignment.c: report alignments of references above the alignment of objects. */
void cn_rules_check_alignment(struct cn_ctx *ctx, LLVMValueRef function);

/* rules_native.c: report uses of references in an unmanaged function. */
void cn_rules_check_native(struct cn_ctx *ctx, LLVMValueRef function);
/* rules_native.c: report a reference that is passed to a function of the C library. C only. */
void cn_rules_check_library_call(struct cn_ctx *ctx, LLVMValueRef call);

/* struct_arguments.c: pass structs with references by address instead of by value on the stack. Runs before the rules,
 * because it changes the module. C only. */
void cn_struct_arguments_pass_by_address(struct cn_ctx *ctx);

/* struct_words.c: on targets where clang passes small structs as integers, give references in them their type. */
void cn_struct_words_give_types(struct cn_ctx *ctx);

/* atomics.c: give reference type to the atomic operations on references that clang emits on i64. Runs before the rules,
 * because it changes the function. */
void cn_atomics_retype(struct cn_ctx *ctx, LLVMValueRef function);

/* ---- record_layouts.c ---- */

/* Finds the references among the members of structs and unions in the layouts that clang prints
 * (-fdump-record-layouts-canonical). The printed layouts show address spaces, which debug information omits. Debug
 * information also omits the tag of a reference whose `managed` comes from a typedef or from typeof. */

struct cn_record_layouts;

/* Read the records with references from clang's text. Lines of other kinds are skipped. */
struct cn_record_layouts *cn_record_layouts_read(const char *text);
/* Null is allowed. */
void cn_record_layouts_free(struct cn_record_layouts *layouts);

/* True if the printed layouts show `member` of the struct or union `type` as a reference or an array of references.
 * `type` and `member` are debug information. Records that look alike count as one record. */
bool cn_record_layouts_is_reference(struct cn_ctx *ctx, LLVMMetadataRef type, LLVMMetadataRef member);

#endif
