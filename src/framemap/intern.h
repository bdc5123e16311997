/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table over byte sequences that finds an equal one in constant time. Private to src/framemap.
 */
#ifndef CN_FRAMEMAP_INTERN_H
#define CN_FRAMEMAP_INTERN_H

#include "framemap/leb.h"

struct cn_intern_entry {
  uint32_t hash, value;
  size_t start, length; /* of the key in `keys` */
};

/* Zero-initialised: empty. */
struct cn_intern {
  CN_VECTOR(struct cn_intern_entry) entries;
  struct cn_bytes keys;
  uint32_t *slots; /* open addressing: an entry's index + 1, or 0 */
  uint32_t mask;
};

/* The value of the key. A new key is copied and gets `value`; *is_new says so. */
uint32_t cn_intern(struct cn_intern *table, const unsigned char *key, size_t length, uint32_t value, bool *is_new);

/* Free the memory; the table is empty again. */
void cn_intern_free(struct cn_intern *table);

#endif
