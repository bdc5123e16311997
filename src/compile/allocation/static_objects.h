/* SPDX-License-Identifier: Apache-2.0
 *
 * Static objects: variables of C in the managed address space, whose addresses are references. Private to src/compile.
 */
#ifndef CN_COMPILE_ALLOCATION_STATIC_OBJECTS_H
#define CN_COMPILE_ALLOCATION_STATIC_OBJECTS_H

#include "compile/allocation/layout_constants.h"

/* The reason why a managed variable cannot be a static object, or null. */
const char *cn_static_objects_flaw(LLVMValueRef global);

/* Mark a managed variable as a static object by the metadata CN_STATIC_METADATA. The declaration of another unit's
 * variable becomes hidden. Part of pass `rules`. */
void cn_static_objects_mark(struct cn_ctx *ctx, LLVMValueRef global);

/* Give each marked variable a count and a header. Reports errors. The addresses of the variables stay references; the
 * variables themselves are deleted. */
void cn_static_objects_make(struct cn_ctx *ctx, struct cn_layout_table *table);

#endif
