/* SPDX-License-Identifier: Apache-2.0
 *
 * Marker calls of all kinds. Private to src/compile.
 */
#ifndef CN_COMPILE_MARKERS_MARKERS_H
#define CN_COMPILE_MARKERS_MARKERS_H

#include "compile/core/pass.h"

/* Tell the optimiser the facts that it may use about the declaration of a marker, by its name. */
void cn_markers_add_attributes(struct cn_ctx *ctx, const char *name);
/* Delete a marker's calls and its declaration. */
void cn_markers_erase(LLVMValueRef function);
/* Delete the markers of spans and of the language's own words. False, after an error, if one is used wrongly. */
bool cn_drop_span_and_root_markers(struct cn_ctx *ctx);

#endif
