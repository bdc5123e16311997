/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots by tag: words in locals that hold the language's own references. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_USER_ROOT_MARKERS_H
#define CN_COMPILE_MARKERS_USER_ROOT_MARKERS_H

#include "base/vector.h"
#include "compile/core/pass.h"

/* A word at `offset` in a local. */
struct cn_user_root {
  LLVMValueRef alloca;
  uint64_t offset;
  LLVMValueRef tag, parameter; /* constants of 64 bits */
};
struct cn_user_roots {
  CN_VECTOR(struct cn_user_root) at;
};

/* List the distinct words of `function` in the order of their markers. The caller frees the vector. */
void cn_user_roots_find(struct cn_ctx *ctx, LLVMValueRef function, struct cn_user_roots *out);
/* cn_user_roots_check_marker() reports wrong declarations and uses of the marker, cn_user_roots_check_function() wrong
 * words of `function`. */
void cn_user_roots_check_marker(struct cn_ctx *ctx);
void cn_user_roots_check_function(struct cn_ctx *ctx, LLVMValueRef function);
/* Build a marker for a word of a statepoint if the function has no marker for the word. */
void cn_user_roots_build_marker(struct cn_ctx *ctx, const struct cn_user_root *root);
/* Make each access to a root by tag in the module read or write memory (user_words.c). */
void cn_user_words_make_volatile(struct cn_ctx *ctx);

#endif
