/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays of references that have lived long get new ones by copies that are made in pieces
 * (cairn.long.NAME), upwards and downwards, with a safepoint between the pieces; and bytes are
 * copied by cairn_copy() beside them. What would go wrong: the barrier of a piece comes before the
 * safepoint, which forgets it, or is that of another piece; then what was copied is gone after the
 * next young collection.
 */
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: for f in young cards snapshot loads; do \
// RUN:   clang -Wall -Wextra -Werror -O2 -I%root/include -c %root/examples/collectors/barriers/$f.c || exit 1; done
// RUN: ld -r young.o cards.o -o both.o && mv both.o cards.o
// RUN: %cairn-cc -O2 -fcairn-poll-budget=1 %s -o none && ./none 40 > expected && ./none 2 > small
// RUN: for k in cards snapshot loads; do \
// RUN:   %cairn-cc -O2 -fcairn-poll-budget=1 -fcairn-barriers=$k %s $k.o -o $k && \
// RUN:   nm $k | FileCheck %s --check-prefix=PIECES && \
// RUN:   env CAIRN_HEAP_INITIAL=64k CAIRN_STATS=1 ./$k 40 2>stats | diff expected - && \
// RUN:   FileCheck %s --input-file=stats --check-prefix=STATS || exit 1; done
// RUN: for k in cards snapshot loads; do \
// RUN:   env CAIRN_HEAP_INITIAL=64k CAIRN_VERIFY=heap ./$k 40 | diff expected - || exit 1; done
// PIECES-DAG: cairn.long.llvm.memcpy.p1.p1.i64
// PIECES-DAG: cairn.long.llvm.memmove.p1.p1.i64
// STATS: collections: {{[0-9][0-9]+}}
// RUN: env CAIRN_STRESS=1 CAIRN_STATS=1 ./cards 2 2>stats | diff small - && \
// RUN:   FileCheck %s --input-file=stats --check-prefix=MOVED
// RUN: env CAIRN_STRESS=1 ./loads 2 | diff small -
// MOVED-DAG: collections: {{[0-9][0-9]+}}
// MOVED-DAG: objects moved: {{[0-9][0-9][0-9]+}}
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct cell {
  long value;
};
typedef struct cell managed *ref;
typedef ref managed *array;

enum { LENGTH = 700, BYTES = 5000 };
static array table;
static char managed *text;

__attribute__((noinline)) static array cells(long n)
{
  array fresh = cairn_new_array(ref, LENGTH);

  for (long i = 0; i < LENGTH; i++)
    if (i % 9 == n % 9) {
      ref c = cairn_new(struct cell);
      c->value = n + i;
      fresh[i] = c;
    }
  return fresh;
}

__attribute__((noinline)) static void copy(array restrict to, array restrict from, long n)
{
  for (long i = 0; i < n; i++)
    to[i] = from[i];
}

__attribute__((noinline)) static void up(array a, long n)
{
  for (long i = n - 1; i > 0; i--)
    a[i] = a[i - 1];
}

__attribute__((noinline)) static void down(array a, long n)
{
  for (long i = 0; i + 1 < n; i++)
    a[i] = a[i + 1];
}

__attribute__((noinline)) static void bytes(char managed *restrict to, char managed *restrict from,
                                            long n)
{
  cairn_copy(to, from, (size_t)n);
}

__attribute__((noinline)) static long sum(void)
{
  long total = 0;

  for (long i = 0; i < LENGTH; i++)
    total = total * 3 + (table[i] ? table[i]->value : 1);
  for (long i = 0; i < BYTES; i++)
    total = total * 5 + text[i];
  return total;
}

int main(int argc, char **argv)
{
  long rounds = argc > 1 ? atol(argv[1]) : 10;

  table = cairn_new_array(ref, LENGTH);
  text = cairn_new_array(char, BYTES);
  for (long n = 0; n < rounds; n++) {
    char managed *line = cairn_new_array(char, BYTES);
    for (long i = 0; i < BYTES; i++)
      line[i] = (char)(i * n);
    bytes(text, line, BYTES - n);
    copy(table, cells(n), LENGTH - n % 7);
    up(table, LENGTH - n);
    copy(table + 100, cells(n + 1), LENGTH - 100);
    down(table, LENGTH);
    cells(n);
    printf("%ld\n", sum());
  }
  return 0;
}
