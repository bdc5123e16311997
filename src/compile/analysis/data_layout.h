/* SPDX-License-Identifier: Apache-2.0
 *
 * A module's data layout, and whether its references are integral: `ni:1`, or LLVM 22's notation
 * `pu1:64:64` (unstable), `pe1:64:64` (with external state) and `pue1:64:64`, say that they are
 * not.
 */
#ifndef CN_COMPILE_ANALYSIS_DATA_LAYOUT_H
#define CN_COMPILE_ANALYSIS_DATA_LAYOUT_H

#include "compile/core/pass.h"

/* Does the layout say that some references are not integral? */
bool cn_layout_is_non_integral(const struct cairn_compile_options *options, const char *layout);

/* The layout with integral references. A specification of theirs that says only what every target
 * of 64 bits has is left out. Caller frees. */
char *cn_layout_integral(const struct cairn_compile_options *options, const char *layout);

/* The layout with non-integral references. Caller frees. */
char *cn_layout_non_integral(const struct cairn_compile_options *options, const char *layout);

/* Does a specification of pointers have a flag that LLVM 22 does not have? */
bool cn_layout_has_unknown_flags(const char *layout);

/* Does the layout give references other sizes than 64 bits, or indices narrower than that? */
bool cn_layout_is_narrow(const struct cairn_compile_options *options, const char *layout);

#endif
