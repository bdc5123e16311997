/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the code of the last store to an address. Code compiled with -fcairn-note-stores notes each store of a
 * reference, for CAIRN_VERIFY=stores.
 */
#ifndef CN_RUNTIME_HEAP_NOTED_STORES_H
#define CN_RUNTIME_HEAP_NOTED_STORES_H

#include <stddef.h>
#include <stdint.h>

/* The maximum number of notes of all threads; a new note replaces the oldest note. */
enum { CN_MAX_NOTED_STORES = 1 << 20 };

/* Phase INIT; once, if CAIRN_VERIFY=stores. */
void cn_noted_stores_allocate_ring(void);

/* Phase STOP. Drop all notes, because objects move or an image is removed. */
void cn_noted_stores_forget_all(void);

/* Phase STOP. Call `visit` for each kept note since the last collection: once for the address of a single reference,
 * and for each word of a copy. `from` is the source of a copied word, or 0. Only with CAIRN_VERIFY=stores. */
typedef void cn_noted_stores_visitor(void *env, uintptr_t address, uintptr_t from);
void cn_noted_stores_visit(cn_noted_stores_visitor *visit, void *env);

/* Phase STOP. Write the code position of the last store to the address, as "; stored at pc 0x12 (main+0x34), file.c:5",
 * or the reason why the position is unknown. The text is empty without CAIRN_VERIFY=stores. Returns `text`. */
enum { CN_NOTED_STORE_TEXT_BYTES = 512 };
const char *cn_noted_stores_describe_last(uintptr_t address, char text[CN_NOTED_STORE_TEXT_BYTES]);

#endif
