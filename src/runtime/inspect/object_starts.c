/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes the starts of objects, and finds and counts them by address. Each range of an open walk has a table: a bit for
 * each word of the range, and ranks after the bits. The rank of a group of words is the number of set bits before the
 * group. Runs in phase STOP, on the thread that stopped the others. Owns the mapping `tables`, which serves one walk at
 * a time and stays for the next walk, because mapping and faulting its pages takes longer than clearing them.
 */
#include "runtime/inspect/inspect.h"

#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { WORD_BITS = 64, RANK_GROUP_WORDS = 8 };

/* A mapping of more bytes than this that is larger than a walk's tables by more than the factor is given back. */
enum { MAX_IDLE_BYTES = 1 << 20, MAX_EXCESS_FACTOR = 4 };

static struct {
  unsigned char *at;
  size_t bytes;
  bool used; /* by an open walk */
} tables;

static size_t bitmap_words_of(const struct cn_heap_range *range)
{
  return ((range->end - range->start) / CAIRN_ABI_OBJECT_ALIGN / WORD_BITS + RANK_GROUP_WORDS) / RANK_GROUP_WORDS *
         RANK_GROUP_WORDS;
}

static size_t table_bytes_of(const struct cn_heap_range *range)
{
  size_t words = bitmap_words_of(range);

  return (words + words / RANK_GROUP_WORDS) * sizeof(uint64_t);
}

static size_t bit_index_of(const struct cn_heap_range *range, uintptr_t payload)
{
  CN_ASSERT(payload >= range->start && payload <= range->end);
  return (payload - range->start) / CAIRN_ABI_OBJECT_ALIGN;
}

static void set_start_bit(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  size_t bit = bit_index_of(range, object->payload);

  (void)env;
  CN_CHECK(range->starts != NULL);
  range->starts[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
}

/* Writes the ranks of a range after `before` objects. Returns the number of objects up to the range's end. */
static uint64_t write_ranks(struct cn_heap_range *range, uint64_t before)
{
  size_t words = bitmap_words_of(range);
  uint64_t *ranks = range->starts + words;

  CN_ASSERT(words % RANK_GROUP_WORDS == 0);
  for (size_t i = 0; i < words; i++) {
    if (i % RANK_GROUP_WORDS == 0)
      ranks[i / RANK_GROUP_WORDS] = before;
    before += (unsigned)__builtin_popcountll(range->starts[i]);
  }
  return before;
}

static void unmap_tables(void)
{
  if (tables.at != NULL)
    cn_os_free_mapping(tables.at, tables.bytes);
  tables.at = NULL;
  tables.bytes = 0;
}

/* Makes `bytes` zeroed bytes of `tables`. A new mapping has room for a heap that grows. False: memory is exhausted. */
static bool take_tables(size_t bytes)
{
  CN_CHECK(!tables.used);
  if (tables.bytes >= bytes && (tables.bytes <= MAX_IDLE_BYTES || tables.bytes / MAX_EXCESS_FACTOR <= bytes)) {
    memset(tables.at, 0, bytes);
  } else {
    unmap_tables();
    tables.bytes = bytes + bytes / 2;
    tables.at = cn_os_resize_mapping(NULL, 0, tables.bytes);
  }
  tables.used = tables.at != NULL;
  return tables.used;
}

static size_t tables_bytes_of(const struct cn_heap_walk *walk)
{
  size_t bytes = 0;

  for (size_t i = 0; i < walk->ranges.count; i++)
    if (walk->ranges.at[i].blocks)
      bytes += table_bytes_of(&walk->ranges.at[i]);
  return bytes;
}

bool cn_object_starts_make(struct cn_heap_walk *walk)
{
  size_t bytes = tables_bytes_of(walk);

  walk->objects = 0;
  if (bytes != 0 && !take_tables(bytes))
    return false;
  unsigned char *at = tables.at;
  for (size_t i = 0; i < walk->ranges.count; i++) {
    struct cn_heap_range *range = &walk->ranges.at[i];
    if (!range->blocks)
      continue;
    range->starts = (uint64_t *)at;
    at += table_bytes_of(range);
    cn_heap_walk_visit_range(walk, range, set_start_bit, NULL);
    walk->objects = write_ranks(range, walk->objects);
  }
  return true;
}

void cn_object_starts_free(struct cn_heap_walk *walk)
{
  for (size_t i = 0; i < walk->ranges.count; i++)
    walk->ranges.at[i].starts = NULL;
  tables.used = false;
}

uintptr_t cn_object_starts_find_last(const struct cn_heap_range *range, uintptr_t address)
{
  CN_CHECK(range->starts != NULL);
  size_t bit = bit_index_of(range, address), i = bit / WORD_BITS;
  uint64_t word = range->starts[i] & ~UINT64_C(0) >> (WORD_BITS - 1 - bit % WORD_BITS);

  while (word == 0 && i > 0)
    word = range->starts[--i];
  if (word == 0)
    return 0;
  bit = i * WORD_BITS + (size_t)(WORD_BITS - 1 - __builtin_clzll(word));
  return range->start + bit * CAIRN_ABI_OBJECT_ALIGN;
}

uint64_t cn_object_starts_number_of(const struct cn_heap_range *range, uintptr_t payload)
{
  size_t bit = bit_index_of(range, payload), word = bit / WORD_BITS, group = word / RANK_GROUP_WORDS;
  uint64_t before = range->starts[bitmap_words_of(range) + group];

  CN_ASSERT((range->starts[word] >> bit % WORD_BITS & 1) != 0); /* fails if no object starts at `payload` */
  for (size_t i = group * RANK_GROUP_WORDS; i < word; i++)
    before += (unsigned)__builtin_popcountll(range->starts[i]);
  return before + (unsigned)__builtin_popcountll(range->starts[word] & ((UINT64_C(1) << bit % WORD_BITS) - 1));
}
