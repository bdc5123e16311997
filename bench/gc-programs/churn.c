/* SPDX-License-Identifier: Apache-2.0
 *
 * A large table whose slots get new objects at random: `churn THREADS SLOTS COUNT`. What a slot had
 * stays for one more turn, as the next of the new object.
 */
#include "workload.h"

struct item {
  struct item managed *next;
  long number, step;
};

static void put(struct item managed * managed * slot, long number, long step)
{
  struct item managed *item = make(struct item), *old = *slot;

  item->number = number;
  item->step = step;
  item->next = old;
  if (old != NULL) {
    drop(old->next);
    old->next = NULL;
  }
  *slot = item;
}

static long sum_and_drop(struct item managed *item)
{
  long sum = 0;

  while (item != NULL) {
    struct item managed *next = item->next;
    sum += item->number + (item->step & 1);
    drop(item);
    item = next;
  }
  return sum;
}

static long work(void)
{
  long slots = arguments[0], count = arguments[1], random = 1, sum = 0;
  struct item managed *managed *table = make_array(struct item managed *, slots);

  for (long i = 0; i < count; i++) {
    long slot = next_random(&random) % slots;
    put(&table[slot], i & 127, i);
  }
  for (long i = 0; i < slots; i++)
    sum += sum_and_drop(table[i]);
  drop(table);
  return sum;
}
