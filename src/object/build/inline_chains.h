/* SPDX-License-Identifier: Apache-2.0
 *
 * Where safepoints come from in the source, inlined functions included. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_INLINE_CHAINS_H
#define CN_OBJECT_BUILD_INLINE_CHAINS_H

#include "object/build/frames_build.h"
#include "object/elf/elf_file.h"

/* Fill in the sources of all safepoints about which the object's debug information says something.
 * Null: there is none. What is returned holds the strings; the object must stay as long. */
struct cn_inline_chains *cn_inline_chains_find(struct cn_elf *elf, struct cn_frames *frames);
void cn_inline_chains_close(struct cn_inline_chains *sources);

#endif
