/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of any kind, in all places where the collector meets them. Compiled by clang to IR, as a
 * front end would emit it: REF is what references carry, so that fields lie at that much less.
 * Among the immediates are such as lead into the heap if they are taken for references.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/value.h>

#define AT(v, i) (*(cairn_value managed *)((char managed *)(v)-REF + 8 * (long)(i)))
#define ANY __attribute__((noinline))

struct pair {
  cairn_value first, rest;
};

static cairn_value global;
static _Thread_local cairn_value local;
static struct {
  long n;
  cairn_value words[3];
} globals;
static long expected[4096], made; /* immediates that look like addresses */
static long wrong;

/* A leaf, of native code: a number like any other from there on. */
long address_of(cairn_value v);

static void check(int right)
{
  wrong += !right;
}

ANY static cairn_value cons(cairn_value first, cairn_value rest)
{
  cairn_value p = (cairn_value)cairn_new(struct pair);

  AT(p, 0) = first;
  AT(p, 1) = rest;
  return p;
}

/* An immediate whose word is `address`, but for its last bits. */
ANY static cairn_value like(long address)
{
  long n = address >> SHIFT;

  if (made < 4096)
    expected[made++] = n;
  return cairn_value_from(n);
}

ANY static long sum(cairn_value list)
{
  if (!list || cairn_value_is_integer(list))
    return 0;
  cairn_value first = AT(list, 0);
  long below = sum(AT(list, 1));
  if (cairn_value_is_integer(first))
    return below + cairn_value_integer(first);
  return below + 2 * sum(first);
}

static void lists(long n)
{
  cairn_value list = NULL, kept = NULL;

  for (long i = 0; i < n; i++) {
    list = cons(i % 3 ? cairn_value_from(-i) : cons(cairn_value_from(i), NULL), list);
    if (i == n / 2) {
      kept = list;
      cairn_collect();
    }
  }
  global = list;
  local = kept;
  globals.words[0] = cairn_value_from(n);
  globals.words[2] = list;
  cairn_collect();
  printf("%ld %ld %ld\n", sum(global), sum(local), cairn_value_integer(globals.words[0]));
  check(globals.words[2] == list && globals.words[1] == NULL);
}

/* What a loop carries is an immediate and a reference by turns. */
ANY static long turns(long n)
{
  cairn_value v = cairn_value_from(5);
  long total = 0;

  for (long i = 0; i < n; i++) {
    total += cairn_value_is_integer(v) ? cairn_value_integer(v) : sum(v);
    v = cairn_value_is_integer(v) ? cons(v, NULL) : cairn_value_from(total & 1023);
    if (i % 7 == 0)
      cairn_collect();
  }
  return total;
}

static void arrays(long n)
{
  cairn_value array = (cairn_value)cairn_new_array(cairn_value, n), cell = NULL;

  made = 0;
  for (long i = 0; i < n; i++) {
    if (i % 16 == 0)
      cell = cons(cairn_value_from(i), NULL);
    AT(array, i) = i % 16 == 8 ? cell : like(address_of(cell) + (i % 16 - 8) * 4);
  }
  cairn_collect();
  array = (cairn_value)cairn_resize_array((cairn_value managed *)array, n + n / 2);
  cairn_collect();
  for (long i = 0, next = 0; i < n; i++)
    if (i % 16 != 8)
      check(cairn_value_integer(AT(array, i)) == expected[next++]);
    else
      check(cairn_value_integer(AT(AT(array, i), 0)) == i / 16 * 16);
  for (long i = n; i < n + n / 2; i++)
    check(AT(array, i) == NULL);
}

ANY static void put(cairn_value managed *place, cairn_value v)
{
  cairn_collect();
  *(cairn_value managed *)((char managed *)place - REF) = v;
}

ANY static void fill(cairn_value *words, cairn_value v)
{
  cairn_collect();
  words[1] = v;
  words[2] = like(address_of(v) + 8);
  cairn_collect();
}

/* Pointers to an element, which are passed on; words in locals whose address is. */
static void places(void)
{
  cairn_value array = (cairn_value)cairn_new_array(cairn_value, 8);
  cairn_value words[3] = {cairn_value_from(-1), NULL, NULL};

  made = 0;
  put((cairn_value managed *)((char managed *)array + 24), cons(cairn_value_from(9), NULL));
  put((cairn_value managed *)((char managed *)array + 32), cairn_value_from(10));
  fill(words, array);
  check(words[1] == array && cairn_value_integer(words[0]) == -1);
  check(cairn_value_integer(words[2]) == expected[0]);
  check(cairn_value_integer(AT(AT(array, 3), 0)) == 9 && cairn_value_integer(AT(array, 4)) == 10);
}

/* As many live immediates as fit in no registers, each like the address of the same cell. */
ANY static long many(cairn_value cell)
{
  long at = address_of(cell);
  cairn_value a = like(at + 0), b = like(at + 8), c = like(at - 8), d = like(at + 16),
              e = like(at + 24), f = like(at - 16), g = like(at + 1), h = like(at + 40);

  cairn_collect();
  cell = cons(cell, a);
  return (cairn_value_integer(a) + cairn_value_integer(b) + cairn_value_integer(c) +
          cairn_value_integer(d) + cairn_value_integer(e) + cairn_value_integer(f) +
          cairn_value_integer(g) + cairn_value_integer(h)) -
         (cairn_value_integer(AT(cell, 1)) * 8);
}

static void limits(void)
{
  long least = INT64_MIN >> SHIFT, most = INT64_MAX >> SHIFT;
  cairn_value low = cairn_value_from(least), high = cairn_value_from(most);

  cairn_collect();
  check(cairn_value_integer(low) == least && cairn_value_integer(high) == most);
  check(cairn_value_integer(low) < cairn_value_integer(high) && low != high);
  check(cairn_value_from(cairn_value_integer(high) + 1) == low);
  check(cairn_value_from(cairn_value_integer(low) - cairn_value_integer(high)) ==
        cairn_value_from(1));
  check(cairn_value_integer(cairn_value_from(cairn_value_integer(low) + 5)) == least + 5);
  check(cairn_value_is_integer(low) && !cairn_value_is_integer(cons(low, high)));
  check((unsigned long)cairn_value_integer(low) > (unsigned long)cairn_value_integer(high));
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 1000, rounds = argc > 2 ? atol(argv[2]) : 3;

  for (int round = 0; round < rounds; round++) {
    lists(n);
    printf("%ld\n", turns(n));
    arrays(n);
    arrays(4000); /* a large object */
    places();
    made = 0;
    long offsets = (8 - 8 + 16 + 24 - 16 + 40) >> SHIFT;
    long difference = many(cons(NULL, NULL)) - offsets;
    check(difference >= 0 && difference <= 1); /* the address has a last bit, or not */
    limits();
  }
  printf("%ld wrong\n", wrong);
  return 0;
}
