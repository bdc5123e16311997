/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the code that stored to a place last. Code compiled with -fcairn-note-stores notes each of its stores of
 * references, for CAIRN_VERIFY=stores.
 */
#ifndef CN_RUNTIME_HEAP_NOTED_STORES_H
#define CN_RUNTIME_HEAP_NOTED_STORES_H

#include <stddef.h>
#include <stdint.h>

/* The number of stores that are kept, of all threads together: the newest ones. */
enum { CN_MAX_NOTED_STORES = 1 << 20 };

/* Phase INIT; once, if CAIRN_VERIFY=stores. */
void cn_noted_stores_allocate_ring(void);

/* Phase STOP. Drop the notes, which have become useless: objects move, or an image leaves. */
void cn_noted_stores_forget_all(void);

/* Phase STOP. Call `visit` with each place of a single reference that was stored since the last collection, and with
 * each word that was copied from one object to another, as far as they are kept. `from` is the place of the copied
 * word, or 0. Only with CAIRN_VERIFY=stores. */
typedef void cn_noted_stores_visitor(void *env, uintptr_t address, uintptr_t from);
void cn_noted_stores_visit(cn_noted_stores_visitor *visit, void *env);

/* Phase STOP. Write the place of the last store to the address, as "; stored at pc 0x12 (main+0x34), file.c:5", or the
 * reason why it is unknown; an empty text without CAIRN_VERIFY=stores. Returns `text`. */
enum { CN_NOTED_STORE_TEXT_BYTES = 512 };
const char *cn_noted_stores_describe_last(uintptr_t address, char text[CN_NOTED_STORE_TEXT_BYTES]);

#endif
