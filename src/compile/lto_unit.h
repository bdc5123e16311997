/* SPDX-License-Identifier: Apache-2.0
 *
 * Units that are compiled in two steps. A linker joins their modules in between. Only Cairn may make code of such a
 * module. Private to src/compile.
 */
#ifndef CN_COMPILE_LTO_UNIT_H
#define CN_COMPILE_LTO_UNIT_H

#include "compile/core/pass.h"

/* The symbol that a unit refers to. It stays undefined, so linkers complain of it by name. */
#define CN_LTO_GUARD "cairn_lto_object_that_only_cairn_cc_can_link"

/* Mark a unit that passed `rules` and the first step of `prepare`. */
void cn_lto_mark_unit(struct cn_ctx *ctx);

/* Take the marks off the module of joined units. False after an error: a part of it is another compiler's. */
bool cn_lto_unmark_program(struct cn_ctx *ctx);

#endif
