/* SPDX-License-Identifier: Apache-2.0
 *
 * Marker calls of all kinds. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_MARKERS_H
#define CN_COMPILE_MARKERS_MARKERS_H

#include "compile/core/pass.h"

/* Add attributes for the optimiser to the declaration of marker `name`, if there is one. */
void cn_markers_add_attributes(struct cn_ctx *ctx, const char *name);
/* Turn calls of CN_ANY_REGISTER_POINT into patchpoints. */
void cn_markers_lower_points(struct cn_ctx *ctx);
void cn_markers_erase(LLVMValueRef function);
/* Delete the markers of spans and of roots by tag. Reports an error and returns false if a marker is used wrongly. */
bool cn_drop_span_and_root_markers(struct cn_ctx *ctx);

#endif
