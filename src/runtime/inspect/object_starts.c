/* SPDX-License-Identifier: Apache-2.0
 *
 * Behind a stretch's bits are ranks: of each group of words, how many bits are set before it.
 */
#include "runtime/inspect/object_starts.h"

#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum { BITS = 64, GROUP = 8 };

static size_t words_of(const struct cn_stretch *stretch)
{
  return ((stretch->end - stretch->start) / CAIRN_ABI_OBJECT_ALIGN / BITS + GROUP) / GROUP * GROUP;
}

static size_t bytes_of(const struct cn_stretch *stretch)
{
  size_t words = words_of(stretch);

  return (words + words / GROUP) * sizeof(uint64_t);
}

static size_t bit_of(const struct cn_stretch *stretch, uintptr_t payload)
{
  CN_ASSERT(payload >= stretch->start && payload <= stretch->end);
  return (payload - stretch->start) / CAIRN_ABI_OBJECT_ALIGN;
}

static void note(void *env, const struct cn_heap_object *object, const struct cn_stretch *stretch)
{
  size_t bit = bit_of(stretch, object->payload);

  (void)env;
  CN_CHECK(stretch->starts != NULL);
  stretch->starts[bit / BITS] |= UINT64_C(1) << bit % BITS;
}

/* Returns how many objects there are up to the end of the stretch. */
static uint64_t rank(struct cn_stretch *stretch, uint64_t before)
{
  size_t words = words_of(stretch);
  uint64_t *ranks = stretch->starts + words;

  CN_ASSERT(words % GROUP == 0);
  for (size_t i = 0; i < words; i++) {
    if (i % GROUP == 0)
      ranks[i / GROUP] = before;
    before += (unsigned)__builtin_popcountll(stretch->starts[i]);
  }
  return before;
}

bool cn_object_starts_make(struct cn_heap_walk *walk)
{
  uint64_t count = 0;

  for (size_t i = 0; i < walk->stretches.count; i++) {
    struct cn_stretch *stretch = &walk->stretches.at[i];
    if (!stretch->blocks)
      continue;
    stretch->starts = cn_os_resize(NULL, 0, bytes_of(stretch));
    if (stretch->starts == NULL)
      return false;
    cn_heap_walk_stretch(walk, stretch, note, NULL);
    count = rank(stretch, count);
  }
  walk->objects = count;
  return true;
}

void cn_object_starts_free(struct cn_heap_walk *walk)
{
  for (size_t i = 0; i < walk->stretches.count; i++) {
    struct cn_stretch *stretch = &walk->stretches.at[i];
    if (stretch->starts != NULL)
      cn_os_free(stretch->starts, bytes_of(stretch));
    stretch->starts = NULL;
  }
}

uintptr_t cn_object_starts_last(const struct cn_stretch *stretch, uintptr_t address)
{
  CN_CHECK(stretch->starts != NULL);
  size_t bit = bit_of(stretch, address), i = bit / BITS;
  uint64_t word = stretch->starts[i] & ~UINT64_C(0) >> (BITS - 1 - bit % BITS);

  while (word == 0 && i > 0)
    word = stretch->starts[--i];
  if (word == 0)
    return 0;
  bit = i * BITS + (size_t)(BITS - 1 - __builtin_clzll(word));
  return stretch->start + bit * CAIRN_ABI_OBJECT_ALIGN;
}

uint64_t cn_object_starts_number(const struct cn_stretch *stretch, uintptr_t payload)
{
  size_t bit = bit_of(stretch, payload), word = bit / BITS, group = word / GROUP;
  uint64_t before = stretch->starts[words_of(stretch) + group];

  CN_ASSERT((stretch->starts[word] >> bit % BITS & 1) != 0); /* an object starts there */
  for (size_t i = group * GROUP; i < word; i++)
    before += (unsigned)__builtin_popcountll(stretch->starts[i]);
  return before + (unsigned)__builtin_popcountll(stretch->starts[word] & ((UINT64_C(1) << bit % BITS) - 1));
}
