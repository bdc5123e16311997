/* SPDX-License-Identifier: Apache-2.0
 *
 * Entries: the addresses of a session's managed functions, which stay when a function gets another version. An entry
 * is a thunk and its owner. Private to src/jit. All calls are under the session's lock.
 */
#ifndef CN_JIT_ENTRIES_H
#define CN_JIT_ENTRIES_H

#include <stdbool.h>
#include <cairn/patch.h>
#include "base/vector.h"
#include "jit/entry/thunk.h"

struct cn_jit_module;
struct cn_jit_site;

struct cn_jit_entry {
  struct cn_jit_thunk *writable;
  uintptr_t thunk;             /* where threads see it */
  char *name;                  /* of the function */
  struct cn_jit_module *owner; /* of the current version; null before the first, and when the function is gone */
  uintptr_t body;              /* of the version that is being linked, or of the current one */
  struct cn_jit_site *sites;   /* branches to the body of the current version */
  size_t users;                /* present modules whose code refers to the entry */
  struct cn_jit_entry *next;   /* among the entries that are gone */
};

/* The entries of a session. A zero-initialised struct is empty. */
struct cn_jit_entries {
  CN_VECTOR(char *) slabs; /* the writable mappings */
  CN_VECTOR(uintptr_t) slab_code;
  size_t used; /* places of the last slab */
  struct cn_jit_entry *oldest_gone, *newest_gone;
  size_t gone_count;
};

/* The addresses of an entry: the function's, and that of its body. */
static inline uintptr_t cn_jit_entry_address(const struct cn_jit_entry *entry)
{
  return entry->thunk + offsetof(struct cn_jit_thunk, entry);
}
static inline uintptr_t cn_jit_entry_body(const struct cn_jit_entry *entry)
{
  return entry->thunk + offsetof(struct cn_jit_thunk, body);
}

/* The entry with this body. */
struct cn_jit_entry *cn_jit_entry_of_body(uintptr_t body);

/* Make an entry without a version. Null: the system refuses memory for code; `*error` is the message. */
struct cn_jit_entry *cn_jit_entry_new(struct cn_jit_entries *entries, const char *name, char **error);

/* Let a new entry jump to `entry->body`. */
void cn_jit_entry_bind(struct cn_jit_entry *entry);

/* The store that lets the entry jump to `body` (cairn_code_store()). */
struct cairn_code_store cn_jit_entry_switch(const struct cn_jit_entry *entry, uintptr_t body);

/* The function's code is dead: a call of the entry ends the program with a message. The entry is used again after many
 * others have gone. */
void cn_jit_entry_end(struct cn_jit_entries *entries, struct cn_jit_entry *entry);

/* Unmap all entries, whose code is gone. */
void cn_jit_entries_free(struct cn_jit_entries *entries);

#endif
