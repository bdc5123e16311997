// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2" --flags "-Wall -Wextra -Werror -pedantic" --small 1 %s
// RUN: %cairn-cc -std=c99 -pedantic-errors -Wno-c11-extensions -I%root/include -c %s -o %t.o
// Typedefs that have `managed` name objects in each macro that makes or resizes some, as their types without it do.
#include <stdio.h>
#include <cairn/cairn.h>

typedef struct file managed file;
typedef const struct file managed const_file;
typedef volatile struct file managed volatile_file;
typedef const volatile struct file managed both_file;
typedef struct table managed table;
typedef long managed number;

struct file {
  file *next;
  long size;
};
struct table {
  long count;
  file *slot[];
};
typedef file files[4];
struct text {
  long count;
  char of[];
};
typedef struct text managed text;
struct three {
  char c[3];
};
typedef _Atomic(struct three) atomic_three;

#ifndef CAIRN_PLAIN
#define SAME(expression, type) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(expression), type), #expression);

/* Never called. Results have the type that is given, with its qualifiers and `managed` once. */
void types(void);
void types(void)
{
  SAME(cairn_new(file), struct file managed *)
  SAME(cairn_new(const_file), const struct file managed *)
  SAME(cairn_new(volatile_file), volatile struct file managed *)
  SAME(cairn_new(both_file), const volatile struct file managed *)
  SAME(cairn_new(files), struct file managed(*)[4])
  SAME(cairn_new(file *), struct file managed *managed *)
  SAME(cairn_new_array(file, 1), struct file managed *)
  SAME(cairn_new_array_uninit(number, 1), long managed *)
  SAME(cairn_new_flex(table, 1), struct table managed *)
  SAME(cairn_new_flex(table, 1, slot), struct table managed *)
  SAME(cairn_new_flex_uninit(text, 1), struct text managed *)
  SAME(cairn_new(const int), const int managed *)
  SAME(cairn_new(_Atomic long), _Atomic long managed *)
  SAME(cairn_new(atomic_three), atomic_three managed *)
  SAME(cairn_new(void (*)(void)), void (*managed *)(void))
}
#endif

static file *listed(file *next, long size)
{
  file *new = cairn_new(file);

  new->next = next;
  new->size = size;
  return new;
}

static long sum(const_file *list)
{
  long sum = 0;

  for (; list; list = list->next)
    sum += list->size;
  return sum;
}

int main(void)
{
  file *list = NULL;
  table *slots = cairn_new_flex(table, 3), *named = cairn_new_flex(table, 3, slot);
  text *line = cairn_new_flex_uninit(text, 8);
  file *array = cairn_new_array(file, 3);
  number *numbers = cairn_new_array_uninit(number, 3);
  const_file *constant = cairn_new(const_file);
  files *four = cairn_new(files), *eight = cairn_new_array(files, 2);
  atomic_three managed *threes = cairn_new_array(atomic_three, 5);
  _Atomic long managed *counts = cairn_new_array(_Atomic long, 5);

  for (long i = 0; i < 100; i++)
    list = listed(list, i);
  slots->slot[2] = named->slot[1] = array[1].next = (*four)[3].next = eight[1][2].next = list;
  numbers[2] = line->of[7] = 5;
  counts[3] = 7;
  threes[4] = (struct three){{1, 2, 3}};
  array = cairn_resize_array(array, 40);
  counts = cairn_resize_array(counts, 40);
  numbers = cairn_resize_array_uninit(numbers, 4);
  cairn_collect();
  struct three third = threes[4];
  printf("%ld %ld %ld %ld %ld\n", sum(slots->slot[2]), sum(named->slot[1]), sum(array[1].next), sum((*four)[3].next),
         sum(eight[1][2].next));
  printf("%ld %d %ld %ld %d %ld %d\n", numbers[2], line->of[7], array[39].size, constant->size, third.c[2], counts[3],
         (int)sizeof *threes);
}
