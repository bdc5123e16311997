/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's own layouts, which belong to no image: layouts made at run time, and layouts that several modules share
 * by name. A layout stays in the store, at its address, until the program ends.
 */
#ifndef CN_RUNTIME_TABLES_LAYOUT_STORE_H
#define CN_RUNTIME_TABLES_LAYOUT_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/collector.h>

/* The longest name of a layout, in bytes. */
enum { CN_LAYOUT_NAME_BYTES = 1024 };

/* A layout with its name in the program, and a text about its definition for messages. */
struct cn_stored_layout {
  const struct cn_stored_layout *next; /* with the same hash */
  const char *name, *origin;
  const struct cairn_layout *layout;
};

/* The layout of this name, or null. Any thread, in any phase. */
const struct cn_stored_layout *cn_layout_store_find(const char *name);

/* Add a copy of `layout` with copies of the strings. `names` are the names of the type and its fields
 * (framemap/layout_names.h). The store must lack the name. Null: memory is exhausted. One thread at a time, in any
 * phase. */
const struct cn_stored_layout *cn_layout_store_add(const char *name, const struct cairn_layout *layout,
                                                   const char *names, const char *origin);

/* True if a layout of the store may begin at `address`: the address lies in the used part of the store, and is aligned.
 * Async-signal-safe. */
bool cn_layout_store_has_address(uintptr_t address);

/* Call `visit` for each layout until it returns false. Returns false if it did. */
bool cn_layout_store_visit(bool (*visit)(void *env, const struct cn_stored_layout *stored), void *env);

#endif
