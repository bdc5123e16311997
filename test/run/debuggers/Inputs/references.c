// Functions with variables of managed type. show() is told the name and the value of a variable, and a debugger that
// stops there compares the value with its own. here() stops it while many frames wait, after a collection has moved all
// objects: each variable of a frame must then be readable, or have no value.
//
// With -DPLAIN the functions have pointers of C and objects that stay: clang alone compiles them, and loses values.
#include <stdio.h>
#ifdef PLAIN
#include <stdlib.h>
#define managed
#define cairn_leaf
#define cairn_new(type) ((type *)calloc(1, sizeof(type)))
#define cairn_new_array(type, count) ((type *)calloc(count, sizeof(type)))
#else
#include <cairn/cairn.h>
#endif

enum { MAGIC = 0x5ca1ab1e };
struct cell {
  struct cell managed *next;
  long magic, value;
};
struct pair {
  struct cell managed *first, *second;
};
typedef struct cell managed *list;

cairn_leaf void show(const char *name, void managed *value);
cairn_leaf void show_number(const char *name, long value);
cairn_leaf void here(void);
#define SHOW(variable) show(#variable, (void managed *)(variable))
#define NUMBER(variable) show_number(#variable, (long)(variable))
#define CASE __attribute__((noinline)) static long

static list kept;

__attribute__((noinline)) static list make(list next, long value)
{
  list cell = cairn_new(struct cell);
  cell->next = next;
  cell->magic = MAGIC;
  cell->value = value;
  return cell;
}

/* All objects move. */
__attribute__((noinline)) static void move(void)
{
  list cell = make(NULL, 1);
  kept = cell;
}

/* All objects move, and then a debugger looks at all frames. */
__attribute__((noinline)) static void look(void)
{
  move();
  here();
  kept = NULL;
}

static inline list second(list from)
{
  list result = from->next;
  SHOW(from);
  move();
  SHOW(result);
  SHOW(from);
  return result;
}

CASE parameter(list l)
{
  SHOW(l);
  move();
  SHOW(l);
  look();
  SHOW(l);
  return l->value;
}
CASE local(list l)
{
  list a = l->next;
  move();
  SHOW(a);
  look();
  SHOW(a);
  SHOW(l);
  return a->value + l->value;
}
CASE dies(list l)
{
  list a = l->next;
  SHOW(a);
  long v = a->value;
  move();
  look();
  return v + l->value;
}
CASE assigned(list l)
{
  list a = l;
  SHOW(a);
  move();
  a = a->next;
  SHOW(a);
  look();
  a = a->next;
  SHOW(a);
  return a->value;
}
CASE walk(list l)
{
  long s = 0;
  for (list c = l; c; c = c->next) {
    SHOW(c);
    move();
    s += c->value;
    SHOW(c);
  }
  return s;
}
CASE walk_look(list l)
{
  long s = 0;
  for (list c = l; c; c = c->next) {
    look();
    s += c->value;
    SHOW(c);
    SHOW(l);
  }
  return s;
}
CASE build(list l)
{
  list b = NULL;
  for (int i = 0; i < 4; i++) {
    b = make(b, i);
    SHOW(b);
    look();
  }
  SHOW(b);
  SHOW(l);
  return b->value + l->value;
}
CASE branch(list l, long n)
{
  list a = l;
  if (n & 1) {
    a = a->next;
    move();
    SHOW(a);
  } else {
    SHOW(a);
  }
  look();
  SHOW(a);
  SHOW(l);
  return a->value + l->value;
}
CASE chosen(list l, long n)
{
  list a = n > 2 ? l : l->next;
  move();
  SHOW(a);
  list b = n > 3 ? a : l;
  look();
  SHOW(b);
  SHOW(a);
  return a->value * b->value;
}
CASE two(list l, list m)
{
  look();
  SHOW(l);
  SHOW(m);
  list t = l;
  l = m;
  m = t;
  move();
  SHOW(l);
  SHOW(m);
  SHOW(t);
  return l->value - m->value;
}
CASE swapped(list l)
{
  list a = l, b = l->next;
  for (int i = 0; i < 3; i++) {
    list t = a;
    a = b;
    b = t;
    look();
    SHOW(a);
    SHOW(b);
  }
  return a->value * 3 + b->value;
}
CASE many(list l)
{
  list a = l, b = a->next, c = b->next, d = c->next;
  list e = make(a, 5), f = make(b, 6), g = make(c, 7), h = make(d, 8);
  look();
  SHOW(a);
  SHOW(b);
  SHOW(c);
  SHOW(d);
  SHOW(e);
  SHOW(f);
  SHOW(g);
  SHOW(h);
  move();
  SHOW(h);
  SHOW(g);
  SHOW(f);
  SHOW(e);
  SHOW(d);
  SHOW(c);
  SHOW(b);
  SHOW(a);
  return a->value + b->value * 2 + c->value * 3 + d->value * 4 + e->value * 5 + f->value * 6 + g->value * 7 +
         h->value * 8;
}
CASE fields(list l)
{
  struct pair p = {l, l->next};
  look();
  SHOW(p.first);
  SHOW(p.second);
  p.first = p.second;
  move();
  SHOW(p.first);
  SHOW(p.second);
  return p.first->value + p.second->value;
}
CASE inlined(list l)
{
  list a = second(l);
  look();
  SHOW(a);
  list b = second(a);
  SHOW(b);
  return a->value + b->value;
}
CASE recursive(list l)
{
  if (!l) {
    look();
    return 0;
  }
  SHOW(l);
  long r = recursive(l->next);
  SHOW(l);
  return r * 3 + l->value;
}
CASE twice(list l, long n)
{
  if (n == 0)
    return l->value;
  list a = make(l, n);
  long r = twice(a, n - 1);
  SHOW(a);
  r += twice(l, n - 1);
  SHOW(l);
  SHOW(a);
  look();
  return r + a->value;
}
CASE interior(list l)
{
  long managed *v = &l->value;
  move();
  SHOW(v);
  *v += 1;
  look();
  SHOW(v);
  *v -= 1;
  SHOW(l);
  return *v + l->value;
}
CASE element(long managed *a, long n)
{
  long s = 0;
  for (long i = 0; i < n; i++) {
    long managed *e = &a[i];
    SHOW(e);
    move();
    s += *e * i;
    SHOW(a);
  }
  return s;
}
CASE stepping(long managed *a, long n)
{
  long s = 0;
  for (long managed *e = a; e < a + n; e++) {
    move();
    SHOW(e);
    s = s * 3 + *e;
  }
  SHOW(a);
  return s + a[0];
}
CASE taken(list l)
{
  list a = l;
  list *p = &a;
  move();
  SHOW(a);
  *p = (*p)->next;
  look();
  SHOW(a);
  return a->value;
}
CASE null_first(list l, long n)
{
  list a = NULL;
  SHOW(a);
  move();
  if (n > 4) {
    a = l;
    SHOW(a);
  }
  look();
  SHOW(a);
  return a ? a->value : 0;
}
CASE nested(list l)
{
  long s = 0;
  for (list a = l; a; a = a->next)
    for (list b = l; b; b = b->next) {
      s += a->value * b->value;
      move();
      SHOW(a);
      SHOW(b);
    }
  look();
  SHOW(l);
  return s;
}
CASE early(list l, long n)
{
  list a = l->next;
  if (n > 100)
    return a->value;
  look();
  SHOW(a);
  for (int i = 0; i < 3; i++) {
    a = make(a, i);
    SHOW(a);
    if (a->value > 1) {
      SHOW(a);
      return a->next->value;
    }
  }
  return 0;
}
CASE cases(list l)
{
  list a = l;
  for (int i = 0; i < 4; i++) {
    switch (i) {
    case 0:
      a = l->next;
      break;
    case 1:
      move();
      break;
    case 2:
      a = make(a, 9);
      break;
    default:
      a = l;
    }
    SHOW(a);
    look();
  }
  SHOW(a);
  return a->value;
}
CASE same(list l)
{
  list a = l, b = l;
  move();
  SHOW(a);
  SHOW(b);
  b = b->next;
  look();
  SHOW(a);
  SHOW(b);
  return a->value + b->value;
}
CASE polled(list l)
{
  long s = l->value;
  for (long i = 0; i < 300000; i++)
    s ^= s * 5 + i;
  SHOW(l);
  look();
  SHOW(l);
  return (s & 1023) + l->value;
}
CASE polled_reads(list l)
{
  long s = 0;
  for (long i = 0; i < 300000; i++)
    s += l->value ^ i;
  SHOW(l);
  look();
  return s + l->value;
}
CASE around(list l)
{
  list a = l;
  do {
    look();
    SHOW(a);
    a = a->next;
  } while (a && a->value > 1);
  SHOW(l);
  return a ? a->value + l->value : 0;
}
CASE last_argument(list l)
{
  list a = make(l, 3);
  SHOW(a);
  long r = parameter(a);
  look();
  return r;
}
CASE shadowed(list l)
{
  list a = l;
  move();
  {
    list a = l->next;
    SHOW(a);
    look();
    SHOW(a);
    kept = a;
  }
  SHOW(a);
  kept = NULL;
  return a->value;
}
CASE replaced(list l)
{
  SHOW(l);
  l = make(l, 4);
  SHOW(l);
  look();
  l = make(l, 5);
  SHOW(l);
  move();
  SHOW(l);
  return l->value + l->next->value;
}
CASE through(long (*f)(list), list l)
{
  long r = f(l);
  SHOW(l);
  look();
  SHOW(l);
  return r + l->value;
}
CASE numbers(list l, long n)
{
  long a = n + 1;
  short b = (short)(n * 3);
  move();
  NUMBER(a);
  NUMBER(b);
  a += b;
  look();
  NUMBER(a);
  NUMBER(n);
  SHOW(l);
  int c = 7;
  move();
  NUMBER(c);
  c += (int)a;
  NUMBER(c);
  double d = a;
  (void)d;
  return a + c + l->value;
}

int main(void)
{
  list l = NULL;
  long sum = 0;
  for (long i = 0; i < 4; i++)
    l = make(l, i + 1);
  long managed *a = cairn_new_array(long, 5);
  for (long i = 0; i < 5; i++)
    a[i] = i * 7 + 1;
#define ADD(call) (sum = sum * 7 % 1000003 + (call))
  ADD(parameter(l));
  ADD(local(l));
  ADD(dies(l));
  ADD(assigned(l));
  ADD(walk(l));
  ADD(walk_look(l));
  ADD(build(l));
  ADD(branch(l, 4));
  ADD(branch(l, 5));
  ADD(chosen(l, 1));
  ADD(chosen(l, 4));
  ADD(two(l, l->next));
  ADD(swapped(l));
  ADD(many(l));
  ADD(fields(l));
  ADD(inlined(l));
  ADD(recursive(l));
  ADD(twice(l, 2));
  ADD(interior(l));
  ADD(element(a, 5));
  ADD(stepping(a, 5));
  ADD(taken(l));
  ADD(null_first(l, 4));
  ADD(null_first(l, 5));
  ADD(nested(l));
  ADD(early(l, 5));
  ADD(cases(l));
  ADD(same(l));
  ADD(polled(l));
  ADD(polled_reads(l));
  ADD(around(l));
  ADD(last_argument(l));
  ADD(shadowed(l));
  ADD(replaced(l));
  ADD(through(recursive, l));
  ADD(numbers(l, 5));
  printf("%ld\n", sum);
}
