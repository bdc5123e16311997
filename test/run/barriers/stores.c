/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores of references in every form, from objects that have lived long to new ones. What would go
 * wrong: a form has no barrier, or a collector is not told by it; then what was stored is gone
 * after the next young collection. The collectors of examples/collectors/barriers look through all of their old
 * space before each collection, and name the field that no barrier told of.
 */
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: for f in young cards; do clang -Wall -Wextra -Werror -O2 -I%root/include -c \
// RUN:   %root/examples/collectors/barriers/$f.c || exit 1; done
// RUN: %cairn-cc -O2 %s -o none && ./none 2000 > expected && ./none 3 > small
// RUN: for o in -O0 -O2; do %cairn-cc $o -fcairn-barriers=cards %s young.o cards.o -o cards && \
// RUN:   env CAIRN_HEAP_INITIAL=16k YOUNG_REPORT=1 ./cards 2000 2>report | diff expected - && cat report && \
// RUN:   awk '/^young/ { exit !($2 > 50 && $4 > 5 && $6 > 10000) }' report || exit 1; done
// RUN: for f in 1 3 1000; \
// RUN:   do env YOUNG_FULL=$f CAIRN_HEAP_INITIAL=16k CAIRN_VERIFY=heap ./cards 2000 | diff expected - && \
// RUN:   env YOUNG_FULL=$f CAIRN_HEAP_INITIAL=64k CAIRN_STRESS=1 CAIRN_STATS=1 ./cards 3 2>stats | diff small - \
// RUN:   && FileCheck %s --input-file=stats --check-prefix=STATS || exit 1; done
// STATS-DAG: collections: {{[0-9][0-9][0-9]+}}
// STATS-DAG: objects moved: {{[0-9][0-9][0-9]+}}
// Collectors that go on while the program runs:
// RUN: for f in snapshot loads; do clang -Wall -Wextra -Werror -O2 -I%root/include -c \
// RUN:   %root/examples/collectors/barriers/$f.c || exit 1; done
// RUN: for k in snapshot loads; do for o in -O0 -O2; do %cairn-cc $o -fcairn-barriers=$k %s $k.o -o $k && \
// RUN:   env CAIRN_HEAP_INITIAL=16k SNAPSHOT_REPORT=1 LOADS_REPORT=1 ./$k 2000 2>report | diff expected - && \
// RUN:   FileCheck %s --input-file=report --check-prefix=BESIDE || exit 1; done || exit 1; done
// BESIDE: {{snapshot|loads}}: {{[0-9]+}} collections, {{[0-9][0-9][0-9]+}} {{old values|loads healed}}
// RUN: for k in snapshot loads; do env CAIRN_HEAP_INITIAL=16k CAIRN_VERIFY=heap ./$k 2000 | diff expected - || \
// RUN:   exit 1; done
// RUN: for s in LOADS_STILL LOADS_AT_ONCE; do env CAIRN_HEAP_INITIAL=16k CAIRN_VERIFY=heap $s=1 ./loads 2000 | \
// RUN:   diff expected - || exit 1; done
// RUN: not env CAIRN_STRESS=1 ./snapshot 2>&1 | FileCheck %s --check-prefix=STILL
// STILL: CAIRN_STRESS: collector 'snapshot' moves no objects
// RUN: env CAIRN_STRESS=1 LOADS_REPORT=1 ./loads 3 2>report | diff small - && \
// RUN:   FileCheck %s --input-file=report --check-prefix=BESIDE && \
// RUN:   env LOADS_AT_ONCE=1 CAIRN_STRESS=1 ./loads 3 | diff small - && \
// RUN:   env CAIRN_VERIFY=heap CAIRN_STRESS=1 ./loads 3 | diff small -
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct cell {
  long value;
  struct cell managed *next;
};
typedef struct cell managed *ref;

struct pair {
  ref first;
  long number;
  ref second;
};
struct wide {
  ref fields[12];
  struct pair pairs[3];
  _Atomic(ref) shared;
};
typedef struct wide managed *wide;
typedef ref managed *array;

enum { LENGTH = 300 };
static wide kept[8];
static array table, grown;
static long length = 8;
static ref global;

__attribute__((noinline)) static ref cell(long value, ref next)
{
  ref c = cairn_new(struct cell);

  c->value = value;
  c->next = next;
  return c;
}

/* An address within an object: whose, the compiler does not know. */
__attribute__((noinline)) static void store_at(ref managed *slot, ref value)
{
  *slot = value;
}

__attribute__((noinline)) static void fields(wide w, long n)
{
  for (int i = 0; i < 12; i++)
    w->fields[i] = cell(n + i, w->fields[(i + 5) % 12]);
  w->fields[3] = NULL;
  store_at(&w->fields[7], cell(n, NULL));
}

__attribute__((noinline)) static void structs(wide to, wide from, long n)
{
  struct pair pair = {cell(n, NULL), n, cell(n + 1, NULL)};

  to->pairs[0] = pair;
  to->pairs[1] = from->pairs[0];
  from->pairs[2] = to->pairs[1];
}

__attribute__((noinline)) static void atomics(wide w, long n)
{
  ref expected = NULL, fresh = cell(n, NULL);

  if (!__c11_atomic_compare_exchange_strong(&w->shared, &expected, fresh, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST))
    __c11_atomic_store(&w->shared, cell(n + 1, expected->next), __ATOMIC_RELEASE);
  if (n % 3 == 0)
    __c11_atomic_exchange(&w->shared, cell(n + 2, NULL), __ATOMIC_ACQ_REL);
}

__attribute__((noinline)) static void arrays(long n)
{
  array fresh = cairn_new_array(ref, LENGTH);

  for (long i = 0; i < LENGTH; i++)
    if (i % 7 == n % 7)
      table[i] = cell(n + i, table[i] && n % 5 ? table[i]->next : NULL);
  for (long i = 0; i < LENGTH; i++)
    fresh[i] = table[LENGTH - 1 - i];
  if (n % 4 == 0)
    memcpy(table + 10, fresh + 20, 100 * sizeof *table);
  if (n % 9 == 0)
    memcpy(table, fresh, 3 * sizeof *table);
  if (n % 11 == 0)
    for (long i = 50; i < 60; i++)
      table[i] = NULL;
  if (n % 13 == 0)
    memmove(&table[2], &table[1], 40 * sizeof *table);
}

/* Loops that store to one place after the other: of any length, up and down, by steps of one word
 * and of several. */
__attribute__((noinline)) static void loops(array to, wide w, long n)
{
  long from = n * 7 % 90, count = n * n % 131;
  ref fresh = cell(n, NULL);

  for (long i = 0; i < count; i++)
    to[from + i] = fresh;
  fresh = cell(n + 1, to[from]);
  for (long i = count % 50 - 1; i >= 0; i--)
    to[from + i] = fresh;
  fresh = cell(n + 2, to[from + 1]);
  for (long i = 0; i != count / 3; i++)
    to[from + 2 * i + 1] = fresh;
  fresh = cell(n + 3, NULL);
  struct pair managed *pair = w->pairs;
  for (long i = 0; i <= n % 3; i++, pair++)
    pair->first = pair->second = fresh;
}

/* What an array loses when it gets shorter. */
__attribute__((noinline)) static void resize(long n)
{
  length += length < 100 ? 7 : -60;
  grown = cairn_resize_array(grown, length);
  for (long i = length - 1; i >= 0 && grown[i] == NULL; i--)
    grown[i] = cell(n + i, cell(i, NULL));
}

/* A list whose end is old. */
__attribute__((noinline)) static void append(long n)
{
  ref at = global;

  if (n % 50 == 0 || global == NULL) {
    global = cell(n, NULL);
    return;
  }
  while (at->next != NULL)
    at = at->next;
  at->next = cell(n, NULL);
}

__attribute__((noinline)) static long sum(ref list)
{
  long total = 0;

  for (int i = 0; list != NULL && i < 60; list = list->next, i++)
    total = total * 3 + list->value;
  return total;
}

__attribute__((noinline)) static long sum_all(void)
{
  long total = sum(global);

  for (int k = 0; k < 8; k++) {
    wide w = kept[k];
    for (int i = 0; i < 12; i++)
      total = total * 5 + sum(w->fields[i]);
    for (int i = 0; i < 3; i++)
      total = total * 7 + sum(w->pairs[i].first) + sum(w->pairs[i].second) + w->pairs[i].number;
    total = total * 9 + sum(__c11_atomic_load(&w->shared, __ATOMIC_SEQ_CST));
  }
  for (long i = 0; i < LENGTH; i++)
    total = total * 11 + sum(table[i]);
  for (long i = 0; i < length; i++)
    total = total * 13 + sum(grown[i]);
  return total;
}

int main(int argc, char **argv)
{
  long rounds = argc > 1 ? atol(argv[1]) : 100, total = 0;

  table = cairn_new_array(ref, LENGTH);
  grown = cairn_new_array(ref, length);
  for (int k = 0; k < 8; k++)
    kept[k] = cairn_new(struct wide);
  for (long n = 0; n < rounds; n++) {
    fields(kept[n % 8], n);
    structs(kept[n % 8], kept[(n + 3) % 8], n);
    atomics(kept[(n + 1) % 8], n);
    arrays(n);
    loops(table, kept[(n + 5) % 8], n);
    append(n);
    resize(n);
    if (n % 40 == 39)
      printf("%ld\n", total += sum_all());
  }
  printf("%ld\n", total + sum_all());
  return 0;
}
