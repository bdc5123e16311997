/* SPDX-License-Identifier: Apache-2.0
 *
 * A map from non-null pointers to 64-bit values, with open addressing and without removal. A zero-initialised map is
 * empty. The order of iteration over a map depends on addresses, so output must be independent of it
 * (docs/architecture.md, invariant 6).
 */
#ifndef CN_BASE_PTRMAP_H
#define CN_BASE_PTRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_ptrmap {
  struct cn_ptrmap_entry {
    const void *key;
    uint64_t value;
  } *entries;
  size_t room, count;
};

/* A pointer to the value of `key`, valid until the next cn_ptrmap_add(), or null. */
uint64_t *cn_ptrmap_find(const struct cn_ptrmap *map, const void *key);
/* A pointer to the value of `key`; an absent key is added with the value 0, and *added is then true. `added` may be
 * null. */
uint64_t *cn_ptrmap_add(struct cn_ptrmap *map, const void *key, bool *added);
void cn_ptrmap_free(struct cn_ptrmap *map);

#endif
