/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares an object for loaders that do only part of a linker's work. Private to src/object.
 */
#ifndef CN_OBJECT_ELF_ELF_MEMORY_H
#define CN_OBJECT_ELF_ELF_MEMORY_H

#include <stddef.h>

/* Bind __start_SECTION and __stop_SECTION to the object's own sections, and `cairn_mutator` to the
 * thread pointer plus `mutator`. 0: the caller frees *out. Negative on error. */
int cn_elf_bind(const void *bytes, size_t size, ptrdiff_t mutator, void **out, size_t *out_size, char **error);

#endif
