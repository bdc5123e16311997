/* SPDX-License-Identifier: Apache-2.0
 *
 * What the runtime asks of the operating system. One .c per port. Nothing here calls malloc: a
 * collection may have been started from anywhere. Sizes and addresses of memory are multiples of
 * cn_os_page().
 */
#ifndef CN_RUNTIME_OS_H
#define CN_RUNTIME_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t cn_os_page(void);
size_t cn_os_memory(void);        /* of the machine, or what the process may use of it */
size_t cn_os_address_space(void); /* what the process may map; SIZE_MAX if that is not limited */
uint64_t cn_os_nanoseconds(void); /* monotonic; async-signal-safe */

/* Addresses without memory: any access faults. 0 if there is no such range. */
uintptr_t cn_os_reserve(size_t bytes);
/* Give reserved addresses memory, zeroed; what is there already stays. */
bool cn_os_commit(uintptr_t at, size_t bytes);
/* Advice: large pages are welcome in this range, which is in use for long. */
void cn_os_prefer_large_pages(uintptr_t at, size_t bytes);
/* Take the memory away again; the addresses stay reserved, and fault. */
void cn_os_release(uintptr_t at, size_t bytes);

/* Move memory to other reserved addresses; the old ones stay reserved, and fault. False: the system
 * cannot do that for this range, and nothing has changed. */
bool cn_os_move(uintptr_t from, size_t bytes, uintptr_t to);

/* Memory for tables, zeroed; `old` may be null. Null: none left. */
void *cn_os_resize(void *old, size_t old_bytes, size_t bytes);

void cn_os_free(void *memory, size_t bytes);

bool cn_os_is_main_thread(void);
uintptr_t cn_os_main_stack_end(void); /* no frame of the main thread lies at or above it */

/* To the standard error stream, unbuffered; async-signal-safe. */
void cn_os_message(const char *text, size_t bytes);

/* The nearest symbol at or below `pc`, from the file that it was loaded from, into buffer as
 * "name+0x12". False: unknown. Reads files, allocates nothing. */
bool cn_os_symbol(uintptr_t pc, char *buffer, size_t size);

#endif
