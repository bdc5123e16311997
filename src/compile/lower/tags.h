/* SPDX-License-Identifier: Apache-2.0
 *
 * Immediates in words. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_TAGS_H
#define CN_COMPILE_LOWER_TAGS_H

#include "compile/core/pass.h"

/* Check the module's kind of words and its declarations of cairn.tag.from, cairn.tag.is and cairn.tag.value, and give
 * these functions the attributes that the optimiser may rely on. */
void cn_tags_prepare_functions(struct cn_ctx *ctx);

#endif
