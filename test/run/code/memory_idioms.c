// RUN: %root/test/run/Inputs/same %build --levels "-O0 -O2 -O3 -Oz" %s
// Loops that the optimiser makes memset, memcpy and memmove of, over references and data in
// managed memory.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static void clear(ref managed *slots, long n)
{
  for (long i = 0; i < n; i++)
    slots[i] = NULL;
}
__attribute__((noinline)) static void copy(ref managed *restrict to, ref managed *restrict from,
                                           long n)
{
  for (long i = 0; i < n; i++)
    to[i] = from[i];
}
__attribute__((noinline)) static void insert(ref managed *slots, long n, ref value)
{
  for (long i = n - 1; i > 0; i--)
    slots[i] = slots[i - 1];
  slots[0] = value;
}
__attribute__((noinline)) static void same(ref managed *slots, long n, ref value)
{
  for (long i = 0; i < n; i++)
    slots[i] = value;
}
__attribute__((noinline)) static long reversed(ref managed *slots, long n)
{
  long s = 0;

  for (long i = 0; i < n / 2; i++) {
    ref t = slots[i];
    slots[i] = slots[n - 1 - i];
    slots[n - 1 - i] = t;
  }
  for (long i = 0; i < n; i++)
    s = s * 3 + slots[i]->value;
  return s;
}
__attribute__((noinline)) static long count_null(ref managed *slots, long n)
{
  long s = 0;

  for (long i = 0; i < n; i++)
    s += !slots[i];
  return s;
}
/* Four independent chains: the vectoriser of straight-line code would like vectors of references.
 */
__attribute__((noinline)) static void four(ref managed *to, ref managed *from)
{
  ref a = from[0], b = from[1], c = from[2], d = from[3];

  cairn_collect();
  to[0] = a;
  to[1] = b;
  to[2] = c;
  to[3] = d;
}
__attribute__((noinline)) static long gathered(ref managed *slots, long n)
{
  long s = 0;

  for (long i = 0; i < n; i++)
    s += slots[i]->value;
  return s;
}

/* Copies of references as bytes, of many in pieces, and between the middles of objects. */
enum { MANY = 4200 };
struct tail {
  int kind, length;
  ref slots[];
};

__attribute__((noinline)) static long copied(void)
{
  ref managed *a = cairn_new_array(ref, MANY);
  ref managed *b = cairn_new_array(ref, MANY);
  struct tail managed *t = cairn_new_flex(struct tail, MANY);
  long s = 0;

  for (int i = 0; i < MANY; i++)
    a[i] = i % 100 == 0 ? box(i) : a[i - 1];
  cairn_copy(b, a, MANY * sizeof *a);
  cairn_copy(t->slots, (char managed *)b, MANY * sizeof *b);
  struct tail managed *u = cairn_new_flex(struct tail, MANY);
  t->length = 7;
  cairn_copy(&u->length, &t->length, sizeof t->length + MANY * sizeof *b);
  cairn_collect();
  for (int i = 0; i < MANY; i++)
    s += b[i]->value + u->slots[i]->value + (u->slots[i] == a[i]);
  return s * 10 + u->length;
}

int main(void)
{
  ref managed *a = cairn_new_array(ref, 37);
  ref managed *b = cairn_new_array(ref, 37);
  char managed *bytes = cairn_new_array(char, 1000);

  for (int i = 0; i < 37; i++)
    a[i] = box(i);
  copy(b, a, 37);
  insert(b, 37, box(99));
  four(a + 4, b);
  cairn_collect();
  printf("%ld %ld\n", gathered(a, 37), gathered(b, 37));
  printf("%ld\n", reversed(b, 37));
  clear(b + 3, 20);
  printf("%ld\n", count_null(b, 37));
  same(b, 37, a[5]);
  cairn_collect();
  printf("%ld %d\n", gathered(b, 37), b[36] == a[5]);
  cairn_copy_in(bytes, "some text that is copied in", 28);
  cairn_copy(bytes + 100, bytes, 28);
  char text[28];
  cairn_collect();
  cairn_copy_out(text, bytes + 100, 28);
  puts(text);
  printf("%ld\n", copied());
  return 0;
}
