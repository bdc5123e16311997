/* SPDX-License-Identifier: Apache-2.0
 *
 * The language's runtime: objects come from code that cairn-cc compiles, for only that knows how to
 * make them, and brings what registers the program's frame maps.
 */
#include <stdio.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

struct cell managed *make(long value, struct cell managed *next);
#ifdef UNROUTED /* said against the truth: build() calls make() */
#define FOREIGN cairn_leaf
#else
#define FOREIGN
#endif
FOREIGN struct cell managed *build(long count);
FOREIGN long sum(struct cell managed *list);

struct cell managed *make(long value, struct cell managed *next)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->next = next;
  cell->value = value;
  return cell;
}

int main(void)
{
  struct cell managed *list = build(100);

  printf("%ld %ld\n", list->value, sum(list));
  return 0;
}
