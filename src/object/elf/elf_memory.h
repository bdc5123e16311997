/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepare an object for loaders that are no linkers. Private to src/object.
 */
#ifndef CN_OBJECT_ELF_ELF_MEMORY_H
#define CN_OBJECT_ELF_ELF_MEMORY_H

#include <stddef.h>

/* The object with __start_SECTION and __stop_SECTION bound to its own sections, and `cairn_mutator`
 * to the thread pointer plus `mutator`. 0: *out is the caller's to free. Negative on error. */
int cn_elf_bind(const void *bytes, size_t size, ptrdiff_t mutator, void **out, size_t *out_size,
                char **error);

#endif
