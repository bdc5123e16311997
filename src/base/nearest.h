/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest of several names to a word that a user may have mistyped. Any thread; without state or allocation. A name
 * is near if it needs at most one edit per three letters of the word.
 */
#ifndef CN_BASE_NEAREST_H
#define CN_BASE_NEAREST_H

#include <stddef.h>
#include <string.h>

enum { CN_NEAREST_MAX_BYTES = 48 }; /* longer words and names are never near */

struct cn_nearest {
  const char *word;
  size_t length;    /* of the word, in bytes */
  const char *name; /* the nearest name of those offered; null if no name is near */
  size_t distance;  /* from the word to `name`; without a name, one more than the greatest distance of a near name */
};

static inline struct cn_nearest cn_nearest_to(const char *word, size_t length)
{
  return (struct cn_nearest){.word = word, .length = length, .distance = (length + 1) / 3 + 1};
}

/* The least number of edits from one text to the other. An edit inserts, removes or changes a byte, or swaps two
 * neighbours. Both texts have at most CN_NEAREST_MAX_BYTES. */
static inline size_t cn_edit_distance(const char *one, size_t one_length, const char *other, size_t other_length)
{
  size_t rows[3][CN_NEAREST_MAX_BYTES + 1]; /* row i % 3: from the first i bytes of `one` to each start of `other` */

  for (size_t k = 0; k <= other_length; k++)
    rows[0][k] = k;
  for (size_t i = 1; i <= one_length; i++) {
    size_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *swap = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t k = 1; k <= other_length; k++) {
      row[k] = last[k - 1] + (one[i - 1] != other[k - 1]);
      if (row[k] > last[k] + 1)
        row[k] = last[k] + 1;
      if (row[k] > row[k - 1] + 1)
        row[k] = row[k - 1] + 1;
      if (i > 1 && k > 1 && one[i - 1] == other[k - 2] && one[i - 2] == other[k - 1] && row[k] > swap[k - 2] + 1)
        row[k] = swap[k - 2] + 1;
    }
  }
  return rows[one_length % 3][other_length];
}

/* Offers a name, whose first `length` bytes are compared with the word. The first of equally near names wins. */
static inline void cn_nearest_offer(struct cn_nearest *nearest, const char *name, size_t length)
{
  if (nearest->length > CN_NEAREST_MAX_BYTES || length > CN_NEAREST_MAX_BYTES)
    return;
  size_t distance = cn_edit_distance(nearest->word, nearest->length, name, length);
  if (distance >= nearest->distance)
    return;
  nearest->distance = distance;
  nearest->name = name;
}

#endif
