/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions are managed, and which handle no reference and so can be native code, in modules
 * that clang makes of C. An analysis: needs, provides, breaks nothing.
 */
#ifndef CN_COMPILE_ANALYSIS_MANAGED_FUNCTIONS_H
#define CN_COMPILE_ANALYSIS_MANAGED_FUNCTIONS_H

#include "compile/core/pass.h"

/* Is the unit free of references, and of what only managed code can do: regions without polls,
 * spans, words of the language's own? Debug information is not looked at. */
bool cn_managed_is_native_unit(LLVMModuleRef module);

/* Has no value in the function a type with references, and no memory that it names? */
bool cn_managed_is_native(LLVMValueRef function);

/* Mark functions that can be native code with attribute "cairn-unmanaged"
 * (native_functions.c). Once marked they stay so. */
void cn_managed_mark_natives(struct cn_ctx *ctx);

/* Did C annotate the function so, annotate("...")? */
bool cn_managed_is_annotated(LLVMModuleRef module, LLVMValueRef function, const char *word);
/* Does the program ask for it to be compiled as managed code? */
bool cn_managed_is_asked_for(LLVMModuleRef module, LLVMValueRef function);
/* Will `function` be managed: a definition with a gc strategy of ours, or (options->manage_all)
 * any definition that is not naked, not `cairn.*`, not annotated cairn_unmanaged, and does not
 * call setjmp() without handling references. */
bool cn_managed_wanted(struct cn_ctx *ctx, LLVMValueRef function);

/* Does any type that the module names hold a reference? Most files of a C project have none. */
bool cn_managed_mentions_references(struct cn_ctx *ctx);

#endif
