// RUN: %root/test/run/Inputs/same %build --levels "-O1 -O3 -Os" --args 60 --many 700 \
// RUN:   --small %if soak %{2%} %else %{1%} %s
// RUN: %root/test/run/Inputs/same %build --levels "-O1" --own -fcairn-words=000:10 --args 60 --many 700 \
// RUN:   --small %if soak %{2%} %else %{1%} %s
// A language whose values are references or immediates joins texts, of some bytes and of many pieces' length: by copies
// to and from any byte, fills, and loops of which the compiler makes these. A place within a text ends as an immediate
// does. If it is refused the language has no texts; if a collection takes it for an immediate between two pieces of a
// long copy, the rest goes where the object was.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/value.h>

#define APART __attribute__((noinline)) static
typedef unsigned long ulong;
struct text {
  ulong length;
  char bytes[];
};
typedef struct text managed *text;
struct rope {
  cairn_value left, right, hash;
};

APART text make(ulong n)
{
  text t = cairn_new_flex(struct text, n);

  t->length = n;
  return t;
}

APART text of(ulong n, ulong seed)
{
  text t = make(n);

  for (ulong i = 0; i < n; i += 13)
    t->bytes[i] = (char)((seed + i) * 131 >> 3);
  return t;
}

APART text join(text a, text b)
{
  text t = make(a->length + b->length);

  cairn_copy(t->bytes, a->bytes, a->length);
  cairn_copy(t->bytes + a->length, b->bytes, b->length);
  return t;
}

APART text slice(text a, unsigned from, unsigned n) /* a loop that becomes memcpy */
{
  text t = make(n);

  for (unsigned i = 0; i < n; i++)
    t->bytes[i] = a->bytes[from + i];
  return t;
}

APART void blank(text a, ulong from, ulong n) /* and one that becomes memset */
{
  for (ulong i = 0; i < n; i++)
    a->bytes[from + i] = ' ';
}

APART void after(text to, text from, char what) /* no object is known of the place that the loop finds */
{
  const char managed *p = from->bytes, *end = p + from->length;

  while (p < end - 1 && *p++ != what)
    ;
  cairn_copy(to->bytes + 1, p, (ulong)(end - p));
}

APART void move(text a, ulong from, ulong to)
{
  memmove(&a->bytes[to], &a->bytes[from], a->length - (from > to ? from : to));
}

APART void through_native(text a, ulong at, char *buffer, int n)
{
  if (n > 0 && at + (ulong)n < a->length) {
    cairn_copy_out(buffer, a->bytes + at, n);
    buffer[n / 2]++;
    cairn_copy_in(a->bytes + at + 1, buffer, n);
  }
}

APART ulong hash(text a)
{
  ulong sum = a->length;

  for (ulong i = 0; i < a->length; i += i % 64 == 63 ? 577 : 1)
    sum = sum * 31 + (unsigned char)a->bytes[i];
  return sum;
}

APART cairn_value node(text left, cairn_value right, ulong sum)
{
  struct rope managed *r = cairn_new(struct rope);

  r->left = cairn_value_of(left);
  r->right = right;
  r->hash = cairn_value_from((long)(sum >> 2));
  return cairn_value_of(r);
}

static ulong one(ulong n, ulong size, char *buffer)
{
  text a = of(size + n % 9, n), b = join(a, of(3 + n % 5, n * 7)), c = slice(b, n % 7, (unsigned)(size - n % 3));
  cairn_value rope = node(a, node(c, cairn_value_from((long)n), hash(c)), hash(b));

  after(b, a, 'k');
  blank(c, 1 + n % 3, size / 2);
  move(b, 1 + n % 2, 4);
  move(b, 5, 2 - n % 2);
  through_native(c, n % 4, buffer, (int)(size / 2));
  through_native(b, 1, buffer, (int)n - 5);
  cairn_value left = cairn_value_object(struct rope, rope)->left;
  return hash(a) + 3 * hash(b) + 5 * hash(c) + hash(cairn_value_object(struct text, left));
}

int main(int argc, char **argv)
{
  ulong rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 60, sum = 0;
  char *buffer = malloc(1 << 18);

  for (ulong n = 0; n < rounds; n++)
    sum = sum * 1000003 + one(n, 20 + n, buffer) + one(n, 4000 * (n % 20) + 20000, buffer);
  printf("%lu\n", sum);
  free(buffer);
  return 0;
}
