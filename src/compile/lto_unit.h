/* SPDX-License-Identifier: Apache-2.0
 *
 * Units that are compiled in two steps, between which a linker joins their modules. Only Cairn may
 * make code of such a module. Private to src/compile.
 */
#ifndef CN_COMPILE_LTO_UNIT_H
#define CN_COMPILE_LTO_UNIT_H

#include "compile/core/pass.h"

/* The symbol to which a unit refers. Nothing defines it, so linkers complain of it by name. */
#define CN_LTO_GUARD "cairn_lto_object_that_only_cairn_cc_can_link"

/* Mark a unit that passed `rules` and the first step of `prepare`. */
void cn_lto_mark(struct cn_ctx *ctx);

/* Take the marks off the module of joined units. False after an error: a part of it is no such unit. */
bool cn_lto_unmark(struct cn_ctx *ctx);

#endif
