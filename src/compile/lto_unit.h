/* SPDX-License-Identifier: Apache-2.0
 *
 * Units that are compiled in two steps. Between the steps, a linker joins their modules. Only Cairn may generate code
 * for the joined module. Private to src/compile.
 */
#ifndef CN_COMPILE_LTO_UNIT_H
#define CN_COMPILE_LTO_UNIT_H

#include "compile/core/pass.h"

/* The symbol that a unit refers to. The symbol stays undefined, so that linkers report it by name. */
#define CN_LTO_GUARD "cairn_lto_object_that_only_cairn_cc_can_link"

/* Mark a unit that passed `rules` and the first step of `prepare`. */
void cn_lto_mark_unit(struct cn_ctx *ctx);

/* Remove the marks from the module of joined units. Reports an error and returns false if a part comes from another
 * compiler. */
bool cn_lto_unmark_program(struct cn_ctx *ctx);

#endif
