/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds source places of safepoints, with inlined functions. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_INLINE_CHAINS_H
#define CN_OBJECT_BUILD_INLINE_CHAINS_H

#include "object/build/frames_build.h"
#include "object/elf/elf_file.h"

/* Fill in the sources of the safepoints that the object's debug information covers. Null: the object lacks it. The
 * result owns the strings of the sources and must be closed after their last use, before the object. */
struct cn_inline_chains *cn_inline_chains_find(struct cn_elf *elf, struct cn_frames *frames);
void cn_inline_chains_close(struct cn_inline_chains *sources);

#endif
