/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls through pointers: closures in objects, each called with what the one before returned.
 */
#include "../programs/kernel.h"

#define CLOSURES 64

#ifndef callee_of
#define callee_of(f) (f)
#endif

struct closure {
  long (*code)(struct closure managed *self, long x);
  long value;
  struct closure managed *next;
};

static struct closure ANEW first;

static long add(struct closure managed *self, long x)
{
  return x + self->value;
}

static long twist(struct closure managed *self, long x)
{
  return (x ^ self->value) + (x >> 7);
}

static long scale(struct closure managed *self, long x)
{
  return x * 3 + self->value;
}

static long least(struct closure managed *self, long x)
{
  return x < self->value ? x : x - self->value;
}

void setup_closures(void)
{
  static long (*const codes[])(struct closure managed *, long) = {add, twist, scale, least};
  struct closure managed *list = NULL;

  for (long i = 0; i < CLOSURES; i++) {
    struct closure managed *closure = bench_new(struct closure);
    closure->code = codes[i * 7 % 4];
    closure->value = i * 0x9e3779b9;
    closure->next = list;
    list = closure;
  }
  first = list;
}

NOINLINE static long call_each(struct closure managed *closure, long x)
{
  for (; closure; closure = closure->next)
    x = callee_of(closure->code)(closure, x);
  return x;
}

long kernel_closures(void)
{
  long x = 1;

  for (int round = 0; round < 4000; round++)
    x = call_each(first, x);
  return x;
}
