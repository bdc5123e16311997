// RUN: %root/test/run/Inputs/same %build --many 3000 --small 40 %s
// RUN: %root/test/run/Inputs/same %build --levels "-O2" --own -fcairn-words=000:10 --many 3000 --small 40 %s
// Words in C: what a dynamic language does with them. An immediate that is lost, changed or followed prints something
// else.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/value.h>
#include <cairn/handle.h>

struct pair {
  cairn_value first, rest;
};
struct table {
  long used;
  cairn_value slots[];
};
struct both {
  cairn_value key;
  long n;
  cairn_value value;
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

__attribute__((noinline)) static cairn_value add(cairn_value a, cairn_value b)
{
  if (cairn_value_is_integer(a) && cairn_value_is_integer(b))
    return cairn_value_from(cairn_value_integer(a) + cairn_value_integer(b));
  return cons(a, b);
}

__attribute__((noinline)) static long depth(cairn_value v)
{
  if (!v || cairn_value_is_integer(v))
    return 0;
  long first = depth(cairn_value_object(struct pair, v)->first);
  long rest = depth(cairn_value_object(struct pair, v)->rest);
  return 1 + (first > rest ? first : rest);
}

__attribute__((noinline)) static void swap(struct both *b)
{
  struct both swapped = {b->value, b->n + 1, b->key};

  cairn_collect();
  *b = swapped;
}

static void put(struct table managed *t, cairn_value v)
{
  t->slots[t->used++] = v;
}

static cairn_value tables(long n)
{
  struct table managed *t = cairn_new_flex(struct table, 64);
  cairn_value total = cairn_value_from(0);

  for (long i = 0; i < 64; i++)
    put(t, i % 2 ? cairn_value_from(i * n) : cons(cairn_value_from(i), total));
  for (long i = 0; i < 64; i++)
    if (cairn_value_is_integer(t->slots[i]))
      total = add(total, t->slots[i]);
    else
      total = add(total, cairn_value_object(struct pair, t->slots[i])->first);
  return total;
}

static cairn_value slow(cairn_value v, long n)
{
  cairn_value kept[3] = {v, cairn_value_from(n), NULL};
  struct cairn_handle *handle = cairn_handle_new((void managed *)kept[1]);

  for (long i = 0; i < 3; i++)
    kept[2] = add(kept[2] ? kept[2] : kept[1], kept[0]);
  global = kept[2];
  local = kept[0];
  many[n % 20] = (cairn_value)cairn_handle_get(handle);
  cairn_handle_free(handle);
  return kept[n % 3];
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 500, sum = 0;
  struct both b = {cairn_value_from(1), 0, NULL};

  for (long i = 0; i < n; i++) {
    cairn_value v = slow(i % 2 ? cairn_value_from(i) : cons(cairn_value_from(i), NULL), i);
    sum = sum * 31 + depth(v) + (v && cairn_value_is_integer(v) ? cairn_value_integer(v) : 0);
    sum += depth(global) * 7 + depth(local) * 3 + cairn_value_integer(many[i % 20]);
    b.value = add(b.key, cairn_value_from(i));
    swap(&b);
    sum = sum % 1000003 + cairn_value_integer(tables(i)) % 1009;
  }
  printf("%ld %ld %ld\n", sum, b.n, depth(b.key) + depth(b.value));
  return 0;
}
