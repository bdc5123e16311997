// Globals with more references than one layout describes: arrays, arrays in structs, arrays of structs with many each. They are roots in
// pieces; a reference at either end of a piece would be the one that is lost.
// RUN: clang -DCAIRN_PLAIN -I %root/include -O1 %s -o %t.plain && %t.plain > %t.expected
// RUN: %cairn-cc -O0 %s -o %t.O0 && env CAIRN_STRESS=10000 %t.O0 | diff %t.expected -
// RUN: %cairn-cc -O2 %s -o %t.O2 && env CAIRN_STRESS=10000 %t.O2 | diff %t.expected -
// RUN: %cairn-cc -O2 -static -fuse-ld=lld %s -o %t.static && env CAIRN_HEAP_MAX=8m %t.static | diff %t.expected -
#include <stdio.h>
#include <cairn/cairn.h>

enum { LARGE = 300001, ROWS = 7, WIDE = 70000, MANY = 50000 };
struct node {
  struct node managed *next;
  long value;
};
struct row {
  long key;
  struct node managed *cells[WIDE];
};
static struct node managed *flat[LARGE];
static struct {
  long before;
  struct node managed *single;
  struct row rows[ROWS];
  struct node managed *last;
} table;
static struct {
  struct node managed *a;
  long number;
  struct node managed *b;
} pairs[MANY];

static struct node managed *make(long value)
{
  struct node managed *n = cairn_new(struct node);
  n->value = value;
  return n;
}

static long value(struct node managed *n)
{
  return n ? n->value : 1;
}

int main(void)
{
  unsigned long sum = 0;
  for (long i = 0; i < LARGE; i += i % 4096 > 4090 || i % 4096 < 4 ? 1 : 97)
    flat[i] = make(i);
  flat[LARGE - 1] = make(5);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < WIDE; c += c % 4096 < 2 ? 1 : 511)
      table.rows[r].cells[c] = make(r * c);
  table.single = make(7);
  table.last = make(8);
  for (int i = 0; i < MANY; i += 33)
    pairs[i].a = pairs[MANY - 1 - i].b = make(i);
  cairn_collect();
  for (int i = 0; i < 1000; i++)
    sum += (unsigned long)value(make(i));
  for (long i = 0; i < LARGE; i++)
    sum = sum * 31 + (unsigned long)value(flat[i]);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < WIDE; c++)
      sum = sum * 31 + (unsigned long)value(table.rows[r].cells[c]);
  for (int i = 0; i < MANY; i++)
    sum = sum * 31 + (unsigned long)(value(pairs[i].a) + value(pairs[i].b));
  printf("%lu %ld %ld\n", sum, value(table.single), value(table.last));
  return 0;
}
