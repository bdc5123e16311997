/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that mostly finds what it looks for at once, and else asks itself again in one of two
 * ways: nothing in the source says which way is rare (bench/safepoints --profile).
 */
#include "kernel.h"

#define SLOTS 1024

struct slot {
  unsigned long key;
  long value;
};

static struct slot managed *slots;

void setup_rare_calls(void)
{
  slots = bench_array(struct slot, SLOTS);
  for (unsigned long i = 0; i < SLOTS; i++) {
    slots[i].key = i % 128 ? i : i + SLOTS;
    slots[i].value = (long)(i * 7);
  }
}

NOINLINE static long look_up(struct slot managed *in, unsigned long key)
{
  const struct slot managed *slot = &in[key % SLOTS];

  if (slot->key > key)
    return look_up(in, key / 2 + 1) % 11;
  else if (slot->key < key)
    return look_up(in, key - SLOTS) * 3;
  else
    return slot->value;
}

long kernel_rare_calls(void)
{
  long sum = 0;

  for (unsigned long round = 0; round < 100; round++)
    for (unsigned long i = 0; i < SLOTS; i++)
      sum += look_up(slots, i);
  return sum;
}
