/* SPDX-License-Identifier: Apache-2.0
 *
 * Replace the stack maps of a relocatable object by frame maps.
 */
#ifndef CN_OBJECT_REWRITE_H
#define CN_OBJECT_REWRITE_H

#include <stddef.h>

/* `bytes` is a relocatable ELF object for x86-64. Section .llvm_stackmaps goes; for each code
 * section with safepoints there is a section `cairn_frames` that lives and dies with it. 0 on
 * success: *out is the new object, to free, or null if there is nothing to replace. Negative on
 * error: *error is a message to free, naming the function concerned. */
int cn_object_rewrite(const void *bytes, size_t size, void **out, size_t *out_size, char **error);

#endif
