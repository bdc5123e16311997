/* SPDX-License-Identifier: Apache-2.0
 *
 * Deleting blocks that nothing reaches.
 */
#ifndef CN_COMPILE_UNREACHABLE_H
#define CN_COMPILE_UNREACHABLE_H

#include "compile/cfg.h"

/* Delete the blocks that `cfg` does not have; it stays valid. */
void cn_delete_unreachable(struct cn_ctx *ctx, const struct cn_cfg *cfg);

#endif
