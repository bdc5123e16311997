/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that all megamorphic inline caches share: entries by key and name, in pairs that a hash selects. A new
 * entry takes the unused place of its pair, or replaces one of the two. Each entry has a version, as caches have. Owns
 * the table, which is made at the first fill and stays, and the count of fills; changes happen under CN_LOCK_PATCH. Any
 * thread, in any phase; look-ups take no lock.
 */
#include "patch/inline_cache.h"

#include "runtime/os/os.h"

enum { TABLE_BITS = 12, TABLE_ENTRIES = 1 << TABLE_BITS };

struct shared_entry {
  uint64_t version;
  uintptr_t key, name; /* key 0: unused */
  uintptr_t word[2];
} __attribute__((aligned(64)));

static struct shared_entry *table;
static uint64_t fill_count;

/* The first entry of the pair. */
static size_t find_pair(uintptr_t name, uintptr_t key)
{
  uint64_t hash = (key ^ (name << 32 | name >> 32)) * 0x9e3779b97f4a7c15u;

  return (size_t)(hash >> (64 - TABLE_BITS)) & ~(size_t)1;
}

static bool match(const struct shared_entry *entry, uintptr_t name, uintptr_t key,
                  struct cairn_inline_cache_values *values)
{
  uint64_t version = __atomic_load_n(&entry->version, __ATOMIC_ACQUIRE) & ~(uint64_t)1;

  if (__atomic_load_n(&entry->key, __ATOMIC_RELAXED) != key || __atomic_load_n(&entry->name, __ATOMIC_RELAXED) != name)
    return false;
  values->word[0] = __atomic_load_n(&entry->word[0], __ATOMIC_RELAXED);
  values->word[1] = __atomic_load_n(&entry->word[1], __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return __atomic_load_n(&entry->version, __ATOMIC_RELAXED) == version;
}

bool cairn_inline_cache_find_shared(const struct cairn_inline_cache *cache, uintptr_t key,
                                    struct cairn_inline_cache_values *values)
{
  const struct shared_entry *pair = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

  if (pair == NULL)
    return false;
  pair += find_pair(cache->name, key);
  return match(&pair[0], cache->name, key, values) || match(&pair[1], cache->name, key, values);
}

static void set_entry(struct shared_entry *entry, uintptr_t name, uintptr_t key, const uintptr_t word[2])
{
  cn_cache_begin_change(&entry->version);
  __atomic_store_n(&entry->key, key, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->name, name, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->word[0], word[0], __ATOMIC_RELAXED);
  __atomic_store_n(&entry->word[1], word[1], __ATOMIC_RELAXED);
  cn_cache_end_change(&entry->version);
}

/* The place for the key in its pair: its old place, an unused one, or by turns. */
static unsigned choose_place(const struct shared_entry *pair, uintptr_t name, uintptr_t key)
{
  for (unsigned i = 0; i < 2; i++)
    if (pair[i].key == key && pair[i].name == name)
      return i;
  for (unsigned i = 0; i < 2; i++)
    if (pair[i].key == 0)
      return i;
  return fill_count++ % 2;
}

static bool make_table(void)
{
  struct shared_entry *memory = cn_os_resize_mapping(NULL, 0, TABLE_ENTRIES * sizeof *memory);

  __atomic_store_n(&table, memory, __ATOMIC_RELEASE);
  return memory != NULL;
}

bool cn_shared_cache_fill(uintptr_t name, uintptr_t key, const uintptr_t word[2])
{
  if (table == NULL && !make_table())
    return false;
  struct shared_entry *pair = &table[find_pair(name, key)];
  set_entry(&pair[choose_place(pair, name, key)], name, key, word);
  return true;
}

void cn_shared_cache_clear(cn_cache_predicate *must_go, const void *env)
{
  static const uintptr_t nothing[2];

  for (size_t i = 0; table != NULL && i < TABLE_ENTRIES; i++)
    if (table[i].key != 0 && must_go(env, table[i].name, table[i].key, table[i].word))
      set_entry(&table[i], 0, 0, nothing);
}
