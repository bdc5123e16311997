/* SPDX-License-Identifier: Apache-2.0
 *
 * Of a large array that was just made a young collection of the generational collector looks at
 * dirty cards alone, so that a long one takes no longer pause. So each way to store into one marks
 * them. What would go wrong: one does not, and an object is lost to which only that array leads; a
 * collection looks at all of the array after all.
 */
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: clang -O2 -DNATIVE -c %s -o native.o
// RUN: for o in -O0 -O2; do %cairn-cc $o -g %s native.o -o large$o || exit 1; done
// RUN: for o in -O0 -O2; do for e in CAIRN_VERIFY=heap CAIRN_PAUSE=3ms; do \
// RUN:   env $e ./large$o | FileCheck %s || exit 1; done || exit 1; done
// RUN: env CAIRN_STRESS=1 ./large-O2 little | FileCheck %s
// RUN: env CAIRN_VERIFY=heap CAIRN_PAUSE=1ms CAIRN_HEAP_INITIAL=1m ./large-O2 | FileCheck %s
// CHECK: stored 500 of 500, by a loop 2000 of 2000
// CHECK: copied 2000 of 2000, moved 1999 of 1999
// CHECK: grown 1000 of 1000, longer 6000 of 6000, shorter 1500 of 1500
// CHECK: pairs 1500 of 1500, flexible 3000 of 3000
// RUN: %cairn-cc -fcairn-collector=generational -O2 -g %s native.o -o missing
// RUN: not --crash env CAIRN_VERIFY=heap ./missing missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: cairn: fatal: CAIRN_VERIFY=heap: before collection {{[0-9]+}}:
// MISSING-SAME: to a younger object, and no barrier has told of it
#ifdef NATIVE

void store(void **slot, void *value);
void store(void **slot, void *value)
{
  *slot = value;
}

#else
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

enum { MANY = 2000 };

struct node {
  long value;
};
typedef struct node managed *ref;
typedef ref managed *array;

struct pair {
  long number;
  ref first, second;
};
struct table {
  ref extra;
  long count;
  ref at[];
};

cairn_leaf void store(ref managed *slot, ref value);

extern char managed *garbage;
char managed *garbage;
static int rounds = 600;
static long length = MANY; /* not known to the compiler */

__attribute__((noinline)) static ref node(long value)
{
  ref n = cairn_new(struct node);

  n->value = value;
  return n;
}

/* Fill the nursery twice, where no stress does it: all that is young is copied, and what was there is overwritten. */
__attribute__((noinline)) static void collect(void)
{
  for (int i = 0; i < rounds; i++) {
    garbage = cairn_new_array(char, 8000);
    for (int k = 0; k < 8000; k += 8)
      garbage[k] = -1;
  }
}

static long right(array a, long from, long to, long first)
{
  long count = 0;

  for (long i = from; i < to; i++)
    count += a[i] != NULL && a[i]->value == first + i;
  return count;
}

__attribute__((noinline)) static array filled(void)
{
  array a = cairn_new_array(ref, length);

  for (long i = 0; i < length; i++)
    a[i] = node(i);
  return a;
}

/* Stores of what was made before, as the first thing that is done to the array. */
static void by_stores(void)
{
  array small = cairn_new_array(ref, 500);

  for (long i = 0; i < 500; i++)
    small[i] = node(3 * i);
  array a = cairn_new_array(ref, length), b;
  for (long i = 0; i < 500; i++)
    a[3 * i] = small[i];
  collect();
  long count = 0;
  for (long i = 0; i < 500; i++)
    count += a[3 * i]->value == 3 * i;
  b = filled();
  collect();
  printf("stored %ld of 500, by a loop %ld of 2000\n", count, right(b, 0, length, 0));
}

static void by_copies(void)
{
  array from = filled(), a = cairn_new_array(ref, length);

  cairn_copy(a, from, (unsigned long)length * sizeof *a);
  from = NULL;
  collect();
  printf("copied %ld of 2000, ", right(a, 0, length, 0));
  array again = filled(), b = cairn_new_array(ref, length);
  memmove(b + 1, again, (unsigned long)(length - 1) * sizeof *b);
  again = NULL;
  collect();
  printf("moved %ld of 1999\n", right(b, 1, length, -1));
}

/* A small array becomes a large one, which becomes longer where it is, and shorter. */
static void by_growing(void)
{
  array a = cairn_new_array(ref, 1000);

  for (long i = 0; i < 1000; i++)
    a[i] = node(i);
  a = cairn_resize_array(a, length);
  collect();
  printf("grown %ld of 1000, ", right(a, 0, 1000, 0));
  a = cairn_resize_array(cairn_new_array(ref, length), 3 * length);
  for (long i = 0; i < 3 * length; i++)
    a[i] = node(i);
  collect();
  printf("longer %ld of 6000, ", right(a, 0, 3 * length, 0));
  a = cairn_resize_array(filled(), 1500);
  collect();
  printf("shorter %ld of 1500\n", right(a, 0, 1500, 0));
}

static void by_types(void)
{
  struct pair managed *pairs = cairn_new_array(struct pair, 1500);
  long count = 0;

  for (long i = 0; i < 1500; i++) {
    pairs[i].first = node(i);
    pairs[i].second = pairs[i].first;
  }
  collect();
  for (long i = 0; i < 1500; i++)
    count += pairs[i].first == pairs[i].second && pairs[i].first->value == i;
  struct table managed *table = cairn_new_flex(struct table, length);
  table->extra = node(-7);
  for (long i = 0; i < length; i++)
    table->at[i] = node(i);
  collect();
  long found = table->extra->value == -7 ? 1000 : 0;
  printf("pairs %ld of 1500, flexible %ld of 3000\n", count,
         found + right(&table->at[0], 0, length, 0));
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "missing") == 0) {
    array a = cairn_new_array(ref, length);
    store(&a[1234], node(1));
    collect();
    return a[1234]->value != 1;
  }
  if (argc > 1)
    rounds = 1;
  by_stores();
  by_copies();
  by_growing();
  by_types();
  return 0;
}
#endif
