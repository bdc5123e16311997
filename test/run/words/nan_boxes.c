// RUN: %root/test/run/Inputs/same %build --many 28000 --small 5 %s
// NaN boxes: a word that is a double, 48 bits of a kind, or a reference. Wrong: a double whose bits are an address of
// the heap and that a collection changes or follows; a NaN that becomes another kind; a reference that is lost.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/value.h>

enum { SMALL, TRUTH, CHARACTER, ADDRESS };

struct pair {
  cairn_value first, rest;
};

static cairn_value global, many[20];
static _Thread_local cairn_value local;

static cairn_value cons(cairn_value first, cairn_value rest)
{
  struct pair managed *p = cairn_new(struct pair);

  p->first = first;
  p->rest = rest;
  return cairn_value_of(p);
}

__attribute__((noinline)) static double of_bits(unsigned long bits)
{
  double d;

  memcpy(&d, &bits, sizeof d);
  return d;
}

__attribute__((noinline)) static unsigned long bits_of(double d)
{
  unsigned long bits;

  memcpy(&bits, &d, sizeof bits);
  return d == d ? bits : 1;
}

static unsigned long mix(unsigned long sum, unsigned long more)
{
  return (sum ^ more) * 0x9e3779b97f4a7c15 + (sum >> 29);
}

static unsigned long digest(cairn_value v)
{
  unsigned long sum = cairn_value_is_box(v);

  for (; v && !cairn_value_is_box(v); v = cairn_value_object(struct pair, v)->rest)
    sum = mix(sum, digest(cairn_value_object(struct pair, v)->first));
  if (cairn_value_is_double(v))
    return mix(sum, bits_of(cairn_value_double(v)));
  for (unsigned kind = SMALL; kind <= ADDRESS; kind++)
    if (cairn_value_is_payload(v, kind))
      sum = mix(sum, mix(kind, cairn_value_payload(v)));
  return sum;
}

/* Doubles of all signs and sizes, also those whose bits are small, as addresses are. */
static cairn_value double_of(unsigned long n)
{
  static const unsigned long few[] = {0, 1, 0x7f0012345678, 0x7ff0000000000000, 0x7ff8000000000000, 0xffffffffffffffff,
                                      0x8000000000000000, 0xfff0000000000000, 0xfff8000000000000, 0xfffdffffffffffff};

  return cairn_value_from_double(of_bits(n % 4 != 0 ? few[n / 4 % 10] : n * 0x9e3779b97f4a7c15));
}

static cairn_value payload_of(unsigned long n)
{
  return cairn_value_from_payload((unsigned)n & 3, n % 3 != 0 ? 0x7f0012345678 + n : n * 0x9e3779b97f4a7c15);
}

int main(int argc, char **argv)
{
  unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 300, sum = 0;
  char here;

  for (unsigned long i = 0; i < n; i++) {
    cairn_value list = NULL;
    for (unsigned long k = 0; k < 40; k++) {
      cairn_value d = double_of(i * 41 + k), p = payload_of(i + k);
      list = cons(d, cons(p, cons(cons(p, d), list)));
    }
    many[i % 20] = list;
    global = cons(global, i % 50 != 0 ? cons(list, NULL) : NULL);
    if (i % 50 == 0)
      global = cairn_value_from_double((double)i);
    local = cons(double_of(i), local);
    sum = mix(sum, digest(list));
  }
  for (int k = 0; k < 20; k++)
    sum = mix(sum, digest(many[k]));
  cairn_value where = cairn_value_from_payload(ADDRESS, (uint64_t)(uintptr_t)&here);
  printf("%lx %lx %lx %d\n", sum, digest(global), digest(local),
         (char *)(uintptr_t)cairn_value_payload(where) == &here);
  printf("%d %d %d\n", cairn_value_is_double(NULL), cairn_value_is_box(NULL), cairn_value_is_payload(NULL, SMALL));
  return 0;
}
