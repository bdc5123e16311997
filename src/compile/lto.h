/* SPDX-License-Identifier: Apache-2.0
 *
 * Units that are compiled in two steps, between which a linker joins their modules. Of one of these
 * modules nobody but Cairn may make code.
 */
#ifndef CN_COMPILE_LTO_H
#define CN_COMPILE_LTO_H

#include "compile/core/pass.h"

/* What a unit refers to: nothing defines it, so linkers complain of it by name. */
#define CN_LTO_GUARD "cairn_lto_object_that_only_cairn_cc_can_link"

/* Mark a unit that rules and the first step of prepare have seen. */
void cn_lto_mark(struct cn_ctx *ctx);

/* Take the marks off what the units were joined to. False after an error: something in it is no
 * such unit's. */
bool cn_lto_unmark(struct cn_ctx *ctx);

#endif
