/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table that maps byte sequences to numbers in constant time. Private to src/framemap.
 */
#ifndef CN_FRAMEMAP_INTERN_H
#define CN_FRAMEMAP_INTERN_H

#include "framemap/leb.h"

struct cn_intern_entry {
  uint32_t hash, value;
  size_t start, length; /* position of the key in `keys` */
};

/* Zero-initialised: empty. */
struct cn_intern {
  CN_VECTOR(struct cn_intern_entry) entries;
  struct cn_bytes keys;
  uint32_t *slots; /* an open-addressing table of entry indices + 1, or 0 */
  uint32_t mask;
};

/* The value of the key. If the key is new, sets *is_new, copies the key and gives it `value`. */
uint32_t cn_intern(struct cn_intern *table, const unsigned char *key, size_t length, uint32_t value, bool *is_new);

/* Keep one copy of each record that a writer appends to `bytes`: if a record equal to the bytes from `start` on is
 * there already, drop these bytes. Returns the place of the kept record. */
size_t cn_intern_keep_record(struct cn_intern *table, struct cn_bytes *bytes, size_t start);

/* Free the memory and leave the table empty. */
void cn_intern_free(struct cn_intern *table);

#endif
