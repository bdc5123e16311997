/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements a hash table over byte sequences, which the writers of maps use to share equal parts. Runs in the tools,
 * while sections are written, and prints nothing. The caller owns the table, its copies of keys included; the file has
 * no other state.
 */
#include "framemap/intern.h"

#include <string.h>

static uint32_t hash_bytes(const unsigned char *bytes, size_t length)
{
  uint32_t h = 2166136261u; /* FNV-1a */

  for (size_t i = 0; i < length; i++)
    h = (h ^ bytes[i]) * 16777619u;
  return h;
}

static void grow_table(struct cn_intern *t)
{
  uint32_t room = t->slots ? 2 * (t->mask + 1) : 64;

  CN_CHECK(room > t->mask && t->entries.count < room / 2);
  free(t->slots);
  t->slots = cn_alloc(room * sizeof *t->slots);
  t->mask = room - 1;
  for (uint32_t e = 0; e < t->entries.count; e++) {
    uint32_t i = t->entries.at[e].hash;
    while (t->slots[i & t->mask])
      i++;
    t->slots[i & t->mask] = e + 1;
  }
}

uint32_t cn_intern(struct cn_intern *t, const unsigned char *key, size_t length, uint32_t value, bool *is_new)
{
  uint32_t h = hash_bytes(key, length), i = h;

  CN_ASSERT(key || !length);
  if (t->entries.count * 2 >= (t->slots ? t->mask : 0))
    grow_table(t);
  CN_ASSERT(t->entries.count < t->mask); /* a free slot ends the search */
  for (; t->slots[i & t->mask]; i++) {
    uint32_t e = t->slots[i & t->mask] - 1;
    if (t->entries.at[e].hash == h && t->entries.at[e].length == length &&
        memcmp(t->keys.at + t->entries.at[e].start, key, length) == 0) {
      *is_new = false;
      return t->entries.at[e].value;
    }
  }
  cn_push(&t->entries, (struct cn_intern_entry){h, value, t->keys.count, length});
  for (size_t k = 0; k < length; k++)
    cn_push(&t->keys, key[k]);
  t->slots[i & t->mask] = (uint32_t)t->entries.count;
  *is_new = true;
  return value;
}

size_t cn_intern_keep_record(struct cn_intern *t, struct cn_bytes *bytes, size_t start)
{
  bool is_new;

  CN_CHECK(start <= bytes->count && bytes->count <= UINT32_MAX);
  size_t place = cn_intern(t, bytes->at + start, bytes->count - start, (uint32_t)start, &is_new);
  if (!is_new)
    bytes->count = start;
  return place;
}

void cn_intern_free(struct cn_intern *t)
{
  cn_free(&t->entries);
  cn_free(&t->keys);
  free(t->slots);
  *t = (struct cn_intern){0};
}
