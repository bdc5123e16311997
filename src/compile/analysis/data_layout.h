/* SPDX-License-Identifier: Apache-2.0
 *
 * A module's data layout says whether references are integral. References are non-integral with `ni:1`, or with LLVM
 * 22's forms `pu1:64:64` (unstable), `pe1:64:64` (with external state) and `pue1:64:64`.
 */
#ifndef CN_COMPILE_ANALYSIS_DATA_LAYOUT_H
#define CN_COMPILE_ANALYSIS_DATA_LAYOUT_H

#include "compile/core/pass.h"

/* True if the layout says that some references are non-integral. */
bool cn_layout_is_non_integral(const struct cairn_compile_options *options, const char *layout);

/* The layout with integral references. The result omits a specification of managed pointers that only repeats the
 * default of 64-bit targets. Caller frees. */
char *cn_layout_make_integral(const struct cairn_compile_options *options, const char *layout);

/* The layout with non-integral references. Caller frees. */
char *cn_layout_make_non_integral(const struct cairn_compile_options *options, const char *layout);

/* True if a specification of pointers has a flag unknown to LLVM 22. */
bool cn_layout_has_unknown_flags(const char *layout);

/* True if references have another size than 64 bits, or indices of fewer than 64 bits. */
bool cn_layout_has_narrow_references(const struct cairn_compile_options *options, const char *layout);

#endif
