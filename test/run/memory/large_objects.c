// RUN: %root/test/run/Inputs/same %build --small 2 --args 30 --many 1500 %s
// Large objects, which are marked where they lie: arrays of references, of structs and of bytes, a flexible struct and a
// single object; reachable from each other in circles, from small objects, by pointers into them and just past their end;
// cleared, uncleared, resized; freed, and their pages used again.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  struct node managed *managed *others;
  long value;
};
typedef struct node managed *ref;
struct item {
  ref node;
  long number;
};
struct text {
  ref owner;
  char bytes[];
};
struct huge {
  ref first;
  long numbers[3000];
  ref last;
};

static ref kept;
static struct huge managed *huge;

static ref node(long value)
{
  ref n = cairn_new(struct node);

  n->value = value;
  return n;
}

/* Large arrays that lead to small objects, and these to large arrays. */
static long circles(long n)
{
  ref first = node(1), at = first;

  for (long i = 0; i < n; i++) {
    at->others = cairn_new_array(ref, 1100 + i * 37 % 3000);
    at->others[0] = first;
    at->others[1099] = node(i);
    at = at->others[1099];
  }
  at->others = first->others;
  cairn_collect();
  long sum = 0;
  for (ref r = first; r->others != first->others || r == first; r = r->others[1099])
    sum = sum * 3 + r->others[0]->value + r->others[1099]->value + (r->others[500] == NULL);
  return sum;
}

__attribute__((noinline)) static long through(long managed *from, long managed *end)
{
  long sum = 0;

  cairn_collect();
  while (from != end)
    sum = sum * 5 + *from++;
  cairn_collect();
  return sum + end[-1];
}

static long inside(long n)
{
  long sum = 0;

  for (long i = 0; i < n; i++) {
    long length = 1022 + i % 4 * 512; /* some fill their pages */
    long managed *a = i % 2 ? cairn_new_array(long, length) : cairn_new_array_uninit(long, length);
    for (long k = 0; k < length; k++)
      a[k] = i * k;
    sum = sum * 3 + through(a + length / 2, a + length);
  }
  return sum;
}

static long structs(long n)
{
  struct item managed *items = cairn_new_array(struct item, 700);

  for (long i = 0; i < n; i++) {
    items[i * 31 % 700].node = node(i);
    items[i * 31 % 700].number = i;
    items = cairn_resize_array(items, 700 + i % 13 * 100);
  }
  long sum = 0;
  for (long i = 0; i < 700; i++)
    sum = sum * 3 + (items[i].node ? items[i].node->value - items[i].number + 1 : 0);
  return sum;
}

static long texts(long n)
{
  long sum = 0;

  for (long i = 0; i < n; i++) {
    struct text managed *t = cairn_new_flex(struct text, 8170 + i * 11 % 40000);
    for (long k = 0; k < 8170; k += 100)
      sum += t->bytes[k];
    for (long k = 0; k < 8170; k++)
      t->bytes[k] = 'x';
    t->owner = node(i);
    sum = sum * 3 + t->owner->value;
  }
  return sum;
}

static long big_one(long n)
{
  long sum = 0;

  for (long i = 0; i < n; i++) {
    struct huge managed *h = cairn_new(struct huge);
    for (long k = 0; k < 3000; k += 50)
      sum += h->numbers[k];
    h->first = node(i);
    h->numbers[2999] = i;
    h->last = h->first;
    if (i % 3 == 0)
      huge = h;
  }
  cairn_collect();
  return sum + huge->numbers[2999] * 7 + huge->last->value + (huge->first == huge->last);
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 1;

  kept = node(42);
  printf("%ld %ld %ld\n", circles(n < 100 ? n : 100), inside(n), structs(n));
  printf("%ld %ld %ld\n", texts(n), big_one(n), kept->value);
  return 0;
}
