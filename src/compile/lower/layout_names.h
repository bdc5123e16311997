/* SPDX-License-Identifier: Apache-2.0
 *
 * What a module says of an object's type beside its references: metadata of the layout static. Made
 * by front ends, for C by source/type_names.c; read by layouts.c.
 *
 *   !cairn.type !{!"NAME", ...}
 *
 * Each further operand is a field, !{!"NAME", i64 OFFSET, ...}. After that come i64 COUNT and i64
 * STRIDE for each array that it is in (framemap/layout_names.h).
 */
#ifndef CN_COMPILE_LOWER_LAYOUT_NAMES_H
#define CN_COMPILE_LOWER_LAYOUT_NAMES_H

#include "compile/core/pass.h"

/* The names of the type that `global` stands for, by its metadata, else by the name of its LLVM
 * type, as layouts have them; to free. Null after an error at `at`. */
char *cn_layout_names_make(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef at);

/* Has it such metadata? */
bool cn_layout_names_given(struct cn_ctx *ctx, LLVMValueRef global);

/* Such a string as a constant; and a new global that holds one. */
LLVMValueRef cn_layout_names_string(struct cn_ctx *ctx, const char *names);
LLVMValueRef cn_layout_names_add(struct cn_ctx *ctx, LLVMValueRef string);

#endif
