/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes the starts of objects, and finds and counts them by address. Each range of an open walk owns a table, which has
 * a bit for each word of the range, and ranks after the bits. The rank of a group of words is the number of set bits
 * before the group. Runs in phase STOP, on the thread that stopped the others.
 */
#include "runtime/inspect/object_starts.h"

#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { WORD_BITS = 64, RANK_GROUP_WORDS = 8 };

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

bool cn_object_starts_make(struct cn_heap_walk *walk)
{
  uint64_t count = 0;

  for (size_t i = 0; i < walk->ranges.count; i++) {
    struct cn_heap_range *range = &walk->ranges.at[i];
    if (!range->blocks)
      continue;
    range->starts = cn_os_resize_mapping(NULL, 0, table_bytes_of(range));
    if (range->starts == NULL)
      return false;
    cn_heap_walk_visit_range(walk, range, set_start_bit, NULL);
    count = write_ranks(range, count);
  }
  walk->objects = count;
  return true;
}

void cn_object_starts_free(struct cn_heap_walk *walk)
{
  for (size_t i = 0; i < walk->ranges.count; i++) {
    struct cn_heap_range *range = &walk->ranges.at[i];
    if (range->starts != NULL)
      cn_os_free_mapping(range->starts, table_bytes_of(range));
    range->starts = NULL;
  }
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
