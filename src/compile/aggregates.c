/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/rewrite.h"
bool cn_split_aggregates(struct cn_ctx *ctx, const struct cn_refs *refs)
{ (void)ctx; (void)refs; return false; }
