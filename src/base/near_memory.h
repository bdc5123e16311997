/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory near given code, for Linux: machine code and its data must lie within the reach of a branch. Any thread, in
 * any phase; no state.
 */
#ifndef CN_BASE_NEAR_MEMORY_H
#define CN_BASE_NEAR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Make an empty file in memory that may be mapped executable. -1: the system refuses; errno has the reason. */
int cn_code_file_make(void);

/* Map zeroed memory for code within `reach` bytes of the address `near`: `*code` is its executable mapping, and the
 * result the writable one. No page is ever writable and executable. Null: the system refuses executable memory, or has
 * no room near the address (errno is EEXIST). */
void *cn_map_code_near(uintptr_t near, uintptr_t reach, size_t bytes, uintptr_t *code);

/* Map zeroed, writable memory of this process within `reach` bytes of the address. Null: as above. */
void *cn_map_data_near(uintptr_t near, uintptr_t reach, size_t bytes);

#endif
