/* SPDX-License-Identifier: Apache-2.0
 *
 * A module's data layout, and whether its references are integral: `ni:1`, or LLVM 22's notation `pu1:64:64`
 * (unstable), `pe1:64:64` (with external state) and `pue1:64:64`, make them non-integral.
 */
#ifndef CN_COMPILE_ANALYSIS_DATA_LAYOUT_H
#define CN_COMPILE_ANALYSIS_DATA_LAYOUT_H

#include "compile/core/pass.h"

/* True if the layout says that some references are non-integral. */
bool cn_layout_is_non_integral(const struct cairn_compile_options *options, const char *layout);

/* The layout with integral references. A specification of managed pointers is left out if it says only the same as that
 * of every target of 64 bits. Caller frees. */
char *cn_layout_make_integral(const struct cairn_compile_options *options, const char *layout);

/* The layout with non-integral references. Caller frees. */
char *cn_layout_make_non_integral(const struct cairn_compile_options *options, const char *layout);

/* True if a specification of pointers has a flag unknown to LLVM 22. */
bool cn_layout_has_unknown_flags(const char *layout);

/* True if the layout gives references other sizes than 64 bits, or indices narrower than that. */
bool cn_layout_has_narrow_references(const struct cairn_compile_options *options, const char *layout);

#endif
