/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers triples of words with a hash table (open addressing), in the order of their first insertion. spans.c needs a
 * fast lookup, because a function may open a hundred thousand spans. Needs, breaks: nothing. Provides: struct
 * cn_triple_set.
 */
#include <stdlib.h>
#include "base/check.h"
#include "compile/markers/spans.h"

static size_t hash_triple(struct cn_word_triple t)
{
  uint64_t h = t.a * 0x9e3779b97f4a7c15u;

  h = (h ^ (h >> 29) ^ t.b) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 32) ^ t.c) * 0x94d049bb133111ebu;
  return (size_t)(h ^ (h >> 31));
}

static uint32_t *hash_cell_of(struct cn_triple_set *triples, struct cn_word_triple t)
{
  size_t mask = triples->room - 1, at = hash_triple(t) & mask;

  CN_CHECK(triples->room > triples->items.count); /* a free cell ends the search */
  for (; triples->cells[at]; at = (at + 1) & mask) {
    const struct cn_word_triple *other = &triples->items.at[triples->cells[at] - 1];
    if (other->a == t.a && other->b == t.b && other->c == t.c)
      break;
  }
  return &triples->cells[at];
}

static void grow_table(struct cn_triple_set *triples)
{
  triples->room = triples->room ? 2 * triples->room : 16;
  free(triples->cells);
  triples->cells = cn_alloc(triples->room * sizeof *triples->cells);
  for (size_t i = 0; i < triples->items.count; i++)
    *hash_cell_of(triples, triples->items.at[i]) = (uint32_t)i + 1;
}

uint32_t cn_triples_add(struct cn_triple_set *triples, struct cn_word_triple triple)
{
  if (2 * (triples->items.count + 1) > triples->room)
    grow_table(triples);
  uint32_t *cell = hash_cell_of(triples, triple);
  if (!*cell) {
    cn_push(&triples->items, triple);
    CN_CHECK(triples->items.count < UINT32_MAX);
    *cell = (uint32_t)triples->items.count;
  }
  return *cell - 1;
}

void cn_triples_free(struct cn_triple_set *triples)
{
  cn_free(&triples->items);
  free(triples->cells);
  *triples = (struct cn_triple_set){0};
}
