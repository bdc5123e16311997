/* SPDX-License-Identifier: Apache-2.0
 *
 * A map from non-null pointers to 64-bit values (open addressing; entries stay). Zero-initialised is empty. Iteration
 * order depends on addresses, so output must be independent of it (docs/architecture.md, invariant 6).
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

/* The value of `key`, in place, or null. Valid until the next cn_ptrmap_add(). */
uint64_t *cn_ptrmap_find(const struct cn_ptrmap *map, const void *key);
/* The value of `key`, added as 0 if absent; then `*added` is true. `added` may be null. */
uint64_t *cn_ptrmap_add(struct cn_ptrmap *map, const void *key, bool *added);
void cn_ptrmap_free(struct cn_ptrmap *map);

#endif
