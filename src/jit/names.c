/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the definitions of a session by name, in a hash table with chains. The table grows to one definition per
 * bucket. The session's lock covers the table.
 */
#include "jit/names.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "jit/module.h"

enum { FIRST_BUCKETS = 64 };

static uint64_t hash_text(const char *text)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);

  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 32;
}

static struct cn_jit_name **bucket_of(const struct cn_jit_names *names, uint64_t hash)
{
  return &names->buckets[hash & (names->bucket_count - 1)];
}

static struct cn_jit_name *find(const struct cn_jit_names *names, const char *text, uint64_t hash)
{
  struct cn_jit_name *name = names->bucket_count ? *bucket_of(names, hash) : NULL;

  while (name && (name->hash != hash || strcmp(name->text, text) != 0))
    name = name->next;
  return name;
}

struct cn_jit_name *cn_jit_names_find(const struct cn_jit_names *names, const char *text)
{
  return find(names, text, hash_text(text));
}

static void grow_table(struct cn_jit_names *names)
{
  struct cn_jit_names old = *names;

  names->bucket_count = old.bucket_count ? 2 * old.bucket_count : FIRST_BUCKETS;
  names->buckets = cn_alloc(names->bucket_count * sizeof *names->buckets);
  for (size_t i = 0; i < old.bucket_count; i++)
    for (struct cn_jit_name *name = old.buckets[i], *next; name; name = next) {
      struct cn_jit_name **bucket = bucket_of(names, name->hash);
      next = name->next;
      name->next = *bucket;
      *bucket = name;
    }
  free(old.buckets);
}

static struct cn_jit_name *add(struct cn_jit_names *names, const char *text, uint64_t hash)
{
  size_t bytes = strlen(text) + 1;
  struct cn_jit_name *name = cn_alloc(sizeof *name + bytes);

  if (names->count == names->bucket_count)
    grow_table(names);
  struct cn_jit_name **bucket = bucket_of(names, hash);
  memcpy(name->text, text, bytes);
  name->hash = hash;
  name->changed = ++names->changes;
  name->next = *bucket;
  *bucket = name;
  names->count++;
  return name;
}

struct cn_jit_name *cn_jit_names_add(struct cn_jit_names *names, const char *text)
{
  CN_ASSERT(!cn_jit_names_find(names, text));
  return add(names, text, hash_text(text));
}

void cn_jit_names_add_export(struct cn_jit_names *names, struct cn_jit_symbol *symbol, struct cn_jit_module *owner)
{
  uint64_t hash = hash_text(symbol->name);

  if (!find(names, symbol->name, hash))
    cn_jit_name_give(add(names, symbol->name, hash), symbol, owner);
}

void cn_jit_name_give(struct cn_jit_name *name, struct cn_jit_symbol *symbol, struct cn_jit_module *owner)
{
  if (name->symbol)
    name->symbol->definition = NULL;
  name->symbol = symbol;
  name->owner = owner;
  symbol->definition = name;
}

void cn_jit_names_remove(struct cn_jit_names *names, struct cn_jit_name *name)
{
  struct cn_jit_name **at = bucket_of(names, name->hash);

  while (*at != name)
    at = &(*at)->next;
  *at = name->next;
  if (name->symbol)
    name->symbol->definition = NULL;
  free(name);
  names->count--;
}

void cn_jit_names_free(struct cn_jit_names *names)
{
  for (size_t i = 0; i < names->bucket_count; i++)
    for (struct cn_jit_name *name = names->buckets[i], *next; name; name = next) {
      next = name->next;
      free(name);
    }
  free(names->buckets);
  *names = (struct cn_jit_names){0};
}

const char *cn_jit_names_wrong(const struct cn_jit_names *names)
{
  size_t count = 0;

  for (size_t i = 0; i < names->bucket_count; i++)
    for (const struct cn_jit_name *name = names->buckets[i]; name; name = name->next, count++)
      if (name->hash != hash_text(name->text) || bucket_of(names, name->hash) != &names->buckets[i])
        return "names: a definition is in another bucket";
      else if (name->symbol && name->symbol->definition != name)
        return "names: a symbol has another definition";
  return count == names->count ? NULL : "names: the count is not that of the definitions";
}
