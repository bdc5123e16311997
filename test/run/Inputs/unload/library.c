/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with a type of its own, of WORDS words: it leaves garbage behind, and one object that
 * it gives away.
 */
#include <cairn/cairn.h>

struct item {
  struct item managed *next;
  long value[WORDS];
};

struct item managed *make(long count, void (*back)(void));

struct item managed *make(long count, void (*back)(void))
{
  struct item managed *list = NULL;

  for (long i = 0; i < count; i++) {
    struct item managed *item = cairn_new(struct item);
    item->value[0] = i;
    item->next = list;
    list = item;
  }
  back();
  for (long i = count; list->next; list = list->next)
    if (list->value[0] != --i)
      return NULL;
  return list;
}
