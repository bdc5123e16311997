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

static struct cn_jit_name **bucket_of(const struct cn_jit_names *names, const char *text)
{
  return &names->buckets[hash_text(text) & (names->bucket_count - 1)];
}

struct cn_jit_name *cn_jit_names_find(const struct cn_jit_names *names, const char *text)
{
  struct cn_jit_name *name = names->bucket_count ? *bucket_of(names, text) : NULL;

  while (name && strcmp(name->text, text) != 0)
    name = name->next;
  return name;
}

static void grow_table(struct cn_jit_names *names)
{
  struct cn_jit_names old = *names;

  names->bucket_count = old.bucket_count ? 2 * old.bucket_count : FIRST_BUCKETS;
  names->buckets = cn_alloc(names->bucket_count * sizeof *names->buckets);
  for (size_t i = 0; i < old.bucket_count; i++)
    for (struct cn_jit_name *name = old.buckets[i], *next; name; name = next) {
      struct cn_jit_name **bucket = bucket_of(names, name->text);
      next = name->next;
      name->next = *bucket;
      *bucket = name;
    }
  free(old.buckets);
}

struct cn_jit_name *cn_jit_names_add(struct cn_jit_names *names, const char *text, struct cn_jit_module *owner)
{
  struct cn_jit_name *name = cn_alloc(sizeof *name + strlen(text) + 1);

  CN_ASSERT(!cn_jit_names_find(names, text));
  if (names->count == names->bucket_count)
    grow_table(names);
  struct cn_jit_name **bucket = bucket_of(names, text);
  strcpy(name->text, text);
  name->owner = owner;
  name->changed = ++names->changes;
  name->next = *bucket;
  *bucket = name;
  names->count++;
  return name;
}

void cn_jit_names_add_export(struct cn_jit_names *names, const struct cn_jit_symbol *symbol,
                             struct cn_jit_module *owner)
{
  cn_jit_names_add(names, symbol->name, owner)->symbol = symbol;
}

void cn_jit_names_remove(struct cn_jit_names *names, const char *text, const struct cn_jit_module *owner)
{
  struct cn_jit_name **at = names->bucket_count ? bucket_of(names, text) : NULL;

  while (at && *at && strcmp((*at)->text, text) != 0)
    at = &(*at)->next;
  if (!at || !*at || (*at)->owner != owner)
    return;
  struct cn_jit_name *name = *at;
  *at = name->next;
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
      if (bucket_of(names, name->text) != &names->buckets[i])
        return "names: a definition is in another bucket";
  return count == names->count ? NULL : "names: the count is not that of the definitions";
}
