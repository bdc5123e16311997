/* SPDX-License-Identifier: Apache-2.0
 *
 * What a dynamic language does with its words: arithmetic that looks at both operands first, lists
 * and vectors of values of any type. `words KIND TURNS` does it so many times, and prints
 * nanoseconds for each operation and a checksum. With UNION the words are plain unions with a tag
 * beside them, as languages have them whose collector knows no immediates; they hold no reference
 * that a collector would have to find, so cells come from malloc() in one piece.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ANY __attribute__((noinline))

#ifndef UNION

#include <cairn/value.h>

typedef cairn_value value;
#define AT managed
#define INTEGER(n) cairn_value_from(n)
#define IS_INTEGER(v) cairn_value_is_integer(v)
#define NUMBER(v) cairn_value_integer(v)
#define IS_CELL(v) ((v) != NULL && !cairn_value_is_integer(v))
#define CELL(v) cairn_value_object(struct cell, v)
#define OF(cell) cairn_value_of(cell)
#define NIL ((value)NULL)
#define NEW_CELL() cairn_new(struct cell)
#define NEW_VECTOR(n) cairn_new_array(value, n)

#else

struct cell;
typedef struct {
  enum { EMPTY, NUMBERS, CELLS } tag;
  union {
    long number;
    struct cell *cell;
  } is;
} value;
#define AT
#define INTEGER(n) ((value){NUMBERS, {.number = (n)}})
#define IS_INTEGER(v) ((v).tag == NUMBERS)
#define NUMBER(v) ((v).is.number)
#define IS_CELL(v) ((v).tag == CELLS)
#define CELL(v) ((v).is.cell)
#define OF(c) ((value){CELLS, {.cell = (c)}})
#define NIL ((value){EMPTY, {.number = 0}})
#define NEW_CELL() ((struct cell *)malloc(sizeof(struct cell)))
#define NEW_VECTOR(n) ((value *)calloc((size_t)(n), sizeof(value)))

#endif

struct cell {
  value first, rest;
};

ANY static value not_numbers(value a, value b)
{
  (void)a;
  (void)b;
  puts("no numbers");
  exit(1);
}

static inline value add(value a, value b)
{
  if (IS_INTEGER(a) && IS_INTEGER(b))
    return INTEGER(NUMBER(a) + NUMBER(b));
  return not_numbers(a, b);
}

static inline value subtract(value a, value b)
{
  if (IS_INTEGER(a) && IS_INTEGER(b))
    return INTEGER(NUMBER(a) - NUMBER(b));
  return not_numbers(a, b);
}

static inline int less(value a, value b)
{
  if (IS_INTEGER(a) && IS_INTEGER(b))
    return NUMBER(a) < NUMBER(b);
  return NUMBER(not_numbers(a, b)) != 0;
}

ANY static value fib(value n)
{
  if (less(n, INTEGER(2)))
    return n;
  return add(fib(subtract(n, INTEGER(1))), fib(subtract(n, INTEGER(2))));
}

ANY static value make_list(long n)
{
  value list = NIL;

  for (long i = 0; i < n; i++) {
    struct cell AT *cell = NEW_CELL();
    cell->first = INTEGER(i);
    cell->rest = list;
    list = OF(cell);
  }
  return list;
}

ANY static value sum(value list)
{
  value total = INTEGER(0);

  for (; IS_CELL(list); list = CELL(list)->rest)
    total = add(total, CELL(list)->first);
  return total;
}

ANY static void fill(value AT *vector, long n, value v)
{
  for (long i = 0; i < n; i++)
    vector[i] = v;
}

static long now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

enum { LENGTH = 10000, FIB = 32, CALLS = 7049155 };

int main(int argc, char **argv)
{
  const char *kind = argc > 1 ? argv[1] : "fib";
  long turns = argc > 2 ? atol(argv[2]) : 1, operations = CALLS, result = 0;
  value list = make_list(LENGTH);
  value AT *vector = NEW_VECTOR(LENGTH);
  long start = now();

  if (strcmp(kind, "fib") == 0) {
    for (volatile long i = 0; i < turns; i++) /* fib(32 + 0), which nobody knows in advance */
      result += NUMBER(fib(INTEGER(FIB + i / turns)));
  } else {
    operations = LENGTH;
    for (long i = 0; i < turns; i++)
      if (strcmp(kind, "sum") == 0) {
        result += NUMBER(sum(list));
      } else {
        fill(vector, LENGTH, INTEGER(i));
        result += NUMBER(vector[i % LENGTH]);
      }
  }
  printf("%.3f %ld\n", (double)(now() - start) / (double)(turns * operations), result);
  return 0;
}
