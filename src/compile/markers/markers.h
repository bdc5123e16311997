/* SPDX-License-Identifier: Apache-2.0
 *
 * Marker calls of all kinds. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_MARKERS_H
#define CN_COMPILE_MARKERS_MARKERS_H

#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

/* Add attributes for the optimiser to the declaration of marker `name`, if there is one. */
void cn_markers_add_attributes(struct cn_ctx *ctx, const char *name);
/* Turn calls of CN_ANY_REGISTER_POINT into patchpoints. */
void cn_markers_lower_points(struct cn_ctx *ctx);
void cn_markers_erase(LLVMValueRef function);
/* Delete the markers of spans and of roots by tag. Reports an error and returns false if a marker is used wrongly. */
bool cn_drop_span_and_root_markers(struct cn_ctx *ctx);

/* ---- library_calls.c: calls of C library functions on references ---- */

/* Describe the declarations of library functions that are called on references. Reports errors of rule "library-call"
 * for other names with the prefix. */
void cn_library_calls_prepare(struct cn_ctx *ctx);
/* Make the library calls of `function` on references calls of leaves, and cut those on long texts into pieces. May add
 * helper functions to the module. */
void cn_library_calls_expand(struct cn_ctx *ctx, LLVMValueRef function);
/* Give the library functions their names again. */
void cn_library_calls_rename(struct cn_ctx *ctx);

/* ---- nopoll.c: safepoint-free regions ---- */

/* True if the module has a function with the attribute "cairn-nopoll", or a marker of regions. */
bool cn_nopoll_is_used_in_module(struct cn_ctx *ctx);

/* True if `function` has the attribute "cairn-nopoll", so that it must be free of safepoints. */
bool cn_nopoll_has_attribute(LLVMValueRef function);

/* Report regions that stay open, and calls in regions that may reach a safepoint. False after errors. */
bool cn_nopoll_check(struct cn_ctx *ctx);

bool cn_nopoll_is_in_region(struct cn_ctx *ctx, LLVMValueRef at);

/* The number of open regions at the start of each block, by block index, or null if the function has no regions. The
 * caller frees the result. */
uint32_t *cn_nopoll_compute_depths(struct cn_ctx *ctx, const struct cn_cfg *cfg);

/* The number of open regions before `at`, if `depth` regions are open at the start of its block. */
uint32_t cn_nopoll_depth_before(LLVMValueRef at, uint32_t depth);

/* The first instruction from `at` on in its block that is outside of all regions, or null. `depth` regions are open at
 * `at`. */
LLVMValueRef cn_nopoll_find_outside(LLVMValueRef at, uint32_t depth);

/* Open a region at the entry of `function`, and close it before each return, so that the code stays a region after
 * inlining. */
void cn_nopoll_wrap(struct cn_ctx *ctx, LLVMValueRef function);

/* Add attributes for the optimiser to the declarations of the markers. */
void cn_nopoll_add_marker_attributes(struct cn_ctx *ctx);

/* Delete the markers of regions. Reports an error and returns false if a marker is used wrongly. */
bool cn_nopoll_drop_markers(struct cn_ctx *ctx);

/* ---- user_root_markers.c: roots by tag: words in locals that hold the language's own references ---- */

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
