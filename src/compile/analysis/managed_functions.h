/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells managed functions from functions without references, which can be native code, in modules that clang makes of
 * C.
 */
#ifndef CN_COMPILE_ANALYSIS_MANAGED_FUNCTIONS_H
#define CN_COMPILE_ANALYSIS_MANAGED_FUNCTIONS_H

#include "compile/core/pass.h"

/* True if the unit is free of references, and of features that only managed code has, such as poll-free regions, spans
 * and references of the language. Debug information is ignored. */
bool cn_managed_is_native_unit(LLVMModuleRef module);

/* True if the types of all values of the function, and of the memory that it names, are free of references. */
bool cn_managed_is_free_of_refs(LLVMValueRef function);

/* Mark functions that can be native code with attribute "cairn-unmanaged" (native_functions.c). The marks are
 * permanent. */
void cn_managed_mark_natives(struct cn_ctx *ctx);

/* True if the source annotates the function with annotate(`word`). */
bool cn_managed_is_annotated(LLVMModuleRef module, LLVMValueRef function, const char *word);
bool cn_managed_is_requested(LLVMModuleRef module, LLVMValueRef function);
/* True if `function` will be managed. A definition with one of Cairn's gc strategies is managed. With
 * options->manage_all, all definitions are managed, except naked functions, `cairn.*`, resolvers of ifuncs, functions
 * annotated cairn_unmanaged, and functions that call setjmp() and handle no reference. */
bool cn_managed_is_to_be_managed(struct cn_ctx *ctx, LLVMValueRef function);

/* True if any type that the module names holds a reference. Most files of a C project name no such type. */
bool cn_managed_module_has_references(struct cn_ctx *ctx);

#endif
