/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed functions, and functions that are free of references and so can be native code, in modules that clang makes
 * of C. An analysis: needs, provides, breaks nothing.
 */
#ifndef CN_COMPILE_ANALYSIS_MANAGED_FUNCTIONS_H
#define CN_COMPILE_ANALYSIS_MANAGED_FUNCTIONS_H

#include "compile/core/pass.h"

/* True if the unit is free of references, and of features that only managed code has: regions free of polls, spans,
 * words of the language. Debug information is ignored. */
bool cn_managed_is_native_unit(LLVMModuleRef module);

/* True if all values of the function, and the memory that it names, are free of references by their types. */
bool cn_managed_is_free_of_refs(LLVMValueRef function);

/* Mark functions that can be native code with attribute "cairn-unmanaged"
 * (native_functions.c). Once marked they stay so. */
void cn_managed_mark_natives(struct cn_ctx *ctx);

/* True if C annotated the function with annotate("...") of that word. */
bool cn_managed_is_annotated(LLVMModuleRef module, LLVMValueRef function, const char *word);
/* True if the program asks for the function to be compiled as managed code. */
bool cn_managed_is_requested(LLVMModuleRef module, LLVMValueRef function);
/* True if `function` will be managed: a definition with a gc strategy of ours, or (options->manage_all) any definition,
 * except naked ones, `cairn.*`, those annotated cairn_unmanaged, and those that call setjmp() and handle no
 * reference. */
bool cn_managed_is_to_be_managed(struct cn_ctx *ctx, LLVMValueRef function);

/* True if any type that the module names holds a reference. Most files of a C project name no such type. */
bool cn_managed_module_has_references(struct cn_ctx *ctx);

#endif
