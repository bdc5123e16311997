/* SPDX-License-Identifier: Apache-2.0
 *
 * Structs with references by value: in registers, and in memory after the registers are taken, where clang passes a
 * struct of one reference as an integer; also through a pointer to the function and from another unit. Wrong: the
 * program is refused, or reads an object at its old place.
 */
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: clang -O2 -DCAIRN_PLAIN -I%root/include %s -lm -o plain && ./plain > expected
// RUN: %cairn-cc -O0 -I%root/include %s -o one && CAIRN_STRESS=1 ./one | diff expected -
// RUN: %cairn-cc -O2 -I%root/include %s -o one && CAIRN_STRESS=1 ./one | diff expected -
// RUN: %cairn-cc -O2 -I%root/include -DCALLEES -c %s -o callees.o
// RUN: %cairn-cc -O2 -I%root/include -DCALLERS %s callees.o -o two && CAIRN_STRESS=1 ./two | diff expected -
#include <cairn/cairn.h>
#include <stdio.h>

typedef struct node managed node;
struct node {
  node *next;
  long value;
};
struct one {
  node *a;
};
struct two {
  node *a, *b;
};
struct mixed {
  int i;
  node *a;
};
struct pair {
  node *a;
  double d;
};
struct large {
  node *a;
  long x;
  node *b;
};
struct floats {
  double x, y, z;
};

typedef double function(int, struct two, long, struct two, struct two, struct one, struct pair, struct one,
                        struct mixed, struct large, struct floats, struct one *, long double);
function add;

static node *make(long value)
{
  node *n = cairn_new(node);

  n->value = value;
  return n;
}

#ifndef CALLERS
double add(int i, struct two t, long l, struct two u, struct two v, struct one o, struct pair p, struct one q,
           struct mixed m, struct large g, struct floats f, struct one *at, long double d)
{
  node *last = make(1);

  last->next = q.a;
  return i + t.a->value + t.b->value + (double)l + u.a->value + u.b->value + v.a->value + v.b->value + o.a->value +
         p.a->value + p.d + last->next->value + m.i + m.a->value + g.a->value + (double)g.x + g.b->value + f.x + f.y +
         f.z + at->a->value + (double)d;
}
#endif

#ifndef CALLEES
static struct two make_two(long value)
{
  return (struct two){make(value), make(value * 2)};
}

static struct one make_one(long value)
{
  return (struct one){make(value)};
}

static double call(function *f, long i)
{
  struct one local = make_one(i * 17), *at = &local;
  struct two second = make_two(i + 1);

  return f((int)i, make_two(i), i, second, make_two(i + 2), *at, (struct pair){make(i), (double)i / 2}, make_one(i * 3),
           (struct mixed){(int)i, make(i * 5)}, (struct large){make(i * 7), i, make(i * 11)},
           (struct floats){1, (double)i, 2}, at, 0.5L);
}

int main(void)
{
  function *volatile pointer = add;
  double sum = 0;

  for (long i = 0; i < 50; i++)
    sum += call(add, i) + call(pointer, i) * 3;
  printf("%.2f\n", sum);
}
#endif
