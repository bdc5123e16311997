/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code that calls another language with frames of its own (language.S), and is called by it.
 *
 *   cc -O2 -c language.S manager.c && cairn-cc -O2 -fno-inline main.c language.o manager.o -o second_language
 */
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

long language_mix(struct node managed *node, long managed *array, long index,
                  struct node managed *(*function)(struct node managed *, long), long turns);
cairn_leaf void language_install(void);
cairn_leaf void language_end_check(void);
long managed_turn(long turns);

static struct node managed *work(struct node managed *node, long turns)
{
  struct node managed *fresh = cairn_new(struct node);

  fresh->value = 3 * node->value + turns;
  if (turns > 0)
    fresh->value += managed_turn(turns - 1);
  return fresh;
}

long managed_turn(long turns)
{
  struct node managed *node = cairn_new(struct node);
  struct node managed *other = cairn_new(struct node);
  long managed *array = cairn_new_array(long, 5);

  node->value = turns + 1;
  other->value = 77;
  for (long i = 0; i < 5; i++)
    array[i] = 10 * turns + i;
  long result = language_mix(node, array, 3, work, turns);
  return other->value == 77 && node->value == turns + 1 ? result : -1;
}

static long expect(long turns)
{
  long below = turns > 0 ? expect(turns - 1) : 0;

  return 3 * (turns + 1) + (10 * turns + 3) + 3 * (turns + 1) + turns + 2 * below;
}

int main(void)
{
  language_install();
  for (long turns = 0; turns < 7; turns++) {
    long result = managed_turn(turns);
    if (result != expect(turns))
      printf("wrong: ");
    printf("%ld: %ld\n", turns, result);
  }
  language_end_check();
  return 0;
}
