/* SPDX-License-Identifier: Apache-2.0
 *
 * Large arrays of bytes, of which most are replaced again and again. What would go wrong: where little of the maximum
 * is left, small objects get all of it, and each large one waits for a collection; a heap of arrays, which cost a full
 * collection nothing, takes twice what is alive.
 */
// RUN: %cairn-cc -O2 -fcairn-collector=generational %s -o %t
// With plenty: 16 MiB of arrays are alive; a quarter more may be old, and what a nursery takes young (36 MiB once).
// RUN: env CAIRN_WORKERS=1 CAIRN_HEAP_MAX=256m %t 512 20000 | FileCheck --check-prefix=PLENTY %s
// PLENTY: whole: yes, most MiB: 2{{[0-9],}}
// With hardly more than is alive. There were 4,700 and 7,300 collections once, for 400 and 700.
// RUN: env CAIRN_WORKERS=1 CAIRN_HEAP_MAX=24m %t 512 20000 | FileCheck --check-prefix=LITTLE %s
// RUN: env CAIRN_WORKERS=2 CAIRN_HEAP_MAX=22m %t 512 20000 | FileCheck --check-prefix=LITTLE %s
// RUN: env CAIRN_WORKERS=1 CAIRN_HEAP_MAX=24m CAIRN_PAUSE=3ms %t 512 20000 | FileCheck --check-prefix=LITTLE %s
// LITTLE: whole: yes, {{.*}} hundreds of collections: {{[0-9]$}}
// RUN: env CAIRN_HEAP_MAX=24m CAIRN_STRESS=50 %t 64 500 | FileCheck --check-prefix=STRESS %s
// STRESS: whole: yes,
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/events.h>

enum { BYTES = 32 << 10, SMALL = 100, FEW = 4 /* small objects for each array */ };
typedef char managed *ref;

static ref managed *volatile table;
static unsigned long collections, most;

cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  (void)env;
  if (event->kind != CAIRN_EVENT_COLLECTION_BEGINS)
    return;
  collections++;
  most = event->heap > most ? event->heap : most;
}

static ref make(long number)
{
  ref array = cairn_new_array(char, BYTES);

  for (int i = 0; i < FEW; i++)
    cairn_new_array(char, SMALL)[0] = (char)i;
  array[0] = (char)number;
  array[BYTES - 1] = (char)(number >> 3);
  return array;
}

int main(int argc, char **argv)
{
  long slots = argc > 1 ? atol(argv[1]) : 512, count = argc > 2 ? atol(argv[2]) : 1000, right = 0;

  cairn_listen(listen, NULL);
  table = cairn_new_array(ref, slots);
  for (long i = 0; i < slots + count; i++)
    table[i * 7919 % slots] = make(i);
  for (long i = count; i < count + slots; i++) {
    ref array = table[i * 7919 % slots];
    right += array[0] == (char)i && array[BYTES - 1] == (char)(i >> 3);
  }
  printf("whole: %s, most MiB: %lu, hundreds of collections: %lu\n", right == slots ? "yes" : "no", most >> 20,
         collections / 100);
  return right != slots;
}
