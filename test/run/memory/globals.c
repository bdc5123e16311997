// RUN: %root/test/run/Inputs/same %build  %s
// Globals that hold references, however deeply nested, static in functions and in files: each is
// a root, found and updated.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

struct inner {
  char letter;
  ref refs[3];
};
struct outer {
  double weight;
  struct inner inners[2];
  struct {
    int n;
    ref hidden;
  } tail;
};

ref exported;
static ref plain;
static ref row[5];
static struct outer nested[2];
static ref *indirect = &row[3];
static long numbers[4] = {1, 2, 3, 4};
static struct {
  const char *name;
  ref value;
} table[] = {{"first", NULL}, {"second", NULL}};

static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static long counter(void)
{
  static ref count;
  static struct inner kept;

  if (!count)
    count = box(100);
  kept.refs[1] = count;
  cairn_collect();
  return ++kept.refs[1]->value + (kept.refs[1] == count);
}

int main(void)
{
  exported = box(1);
  plain = box(2);
  for (int i = 0; i < 5; i++)
    row[i] = box(10 + i);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 3; k++)
        nested[i].inners[j].refs[k] = box(100 * i + 10 * j + k);
    nested[i].tail.hidden = nested[1 - i].inners[1].refs[2];
    table[i].value = box(50 + i);
  }
  cairn_collect();
  counter();
  printf("%ld %ld %ld %ld\n", exported->value, plain->value, (*indirect)->value, counter());
  long sum = 0;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 3; k++)
        sum = sum * 3 + nested[i].inners[j].refs[k]->value;
    printf("%s %ld %d\n", table[i].name, table[i].value->value, nested[i].tail.hidden != NULL);
  }
  printf("%ld %ld %d\n", sum, numbers[3], nested[1].tail.hidden == nested[0].inners[1].refs[2]);
  return 0;
}
