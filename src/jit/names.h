/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a session: a hash table from strings to their definitions. A zero-initialised table is empty.
 */
#ifndef CN_JIT_NAMES_H
#define CN_JIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_jit_entry;
struct cn_jit_module;
struct cn_jit_symbol;

/* A definition. An address of a module's symbol is 0 until the module is linked. A managed function's address is that
 * of its entry. */
struct cn_jit_name {
  struct cn_jit_name *next;    /* in the bucket */
  uint64_t hash;               /* of the text */
  struct cn_jit_module *owner; /* null: defined by the session's user */
  uintptr_t address;
  struct cn_jit_symbol *symbol; /* of the owner's exports, whose `definition` is this; null: the user's definition */
  struct cn_jit_entry *entry;   /* of a managed function; or null */
  uint64_t changed;             /* the table's `changes` when the program last defined or replaced it */
  uint64_t ticket;              /* of the last compilation in the background that replaced it */
  char text[];
};

struct cn_jit_names {
  struct cn_jit_name **buckets;
  size_t bucket_count, count; /* bucket_count is 0 or a power of two */
  uint64_t changes;           /* definitions and replacements by the program */
};

/* The definition of `text`, or null. */
struct cn_jit_name *cn_jit_names_find(const struct cn_jit_names *names, const char *text);

/* Add the user's definition of `text`, which is absent. */
struct cn_jit_name *cn_jit_names_add(struct cn_jit_names *names, const char *text);

/* Add the definition of a symbol that a module exports, unless the name has a definition. */
void cn_jit_names_add_export(struct cn_jit_names *names, struct cn_jit_symbol *symbol, struct cn_jit_module *owner);

/* Make a definition that of another module's symbol. */
void cn_jit_name_give(struct cn_jit_name *name, struct cn_jit_symbol *symbol, struct cn_jit_module *owner);

/* Remove a definition. */
void cn_jit_names_remove(struct cn_jit_names *names, struct cn_jit_name *name);

void cn_jit_names_free(struct cn_jit_names *names);

/* The first fault of a table, or null, in linear time. */
const char *cn_jit_names_wrong(const struct cn_jit_names *names);

#endif
