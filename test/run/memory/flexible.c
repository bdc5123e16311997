// RUN: %root/test/run/Inputs/same %build  %s
// Flexible array members: of references, of structs that hold some, after a fixed part with and
// without references.
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

struct table {
  long count;
  ref slots[];
};
struct item {
  short tag;
  ref first;
  int n;
  ref second;
};
struct items {
  ref owner;
  char letter;
  struct item all[];
};
struct text {
  ref owner;
  unsigned length;
  char bytes[];
};

static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

/* Known to others: these objects stay in the heap. */
struct table managed *table;
struct items managed *items;
struct text managed *text;

int main(void)
{
  struct table managed *t = cairn_new_flex(struct table, 5);
  t->count = 5;
  for (long i = 0; i < t->count; i++)
    t->slots[i] = box(i * i);

  struct items managed *s = cairn_new_flex(struct items, 4);
  s->owner = t->slots[3];
  for (int i = 0; i < 4; i++) {
    s->all[i].first = box(i);
    s->all[i].second = t->slots[i];
    s->all[i].n = i;
    s->all[i].tag = (short)-i;
  }
  struct text managed *x = cairn_new_flex(struct text, 9);
  x->owner = s->owner;
  for (int i = 0; i < 9; i++)
    x->bytes[i] = (char)('a' + i);
  struct table managed *none = cairn_new_flex(struct table, 0);
  table = t, items = s, text = x;
  cairn_collect();
  t = table, s = items, x = text;
  long sum = none->count;
  for (long i = 0; i < t->count; i++)
    sum = sum * 5 + t->slots[i]->value;
  for (int i = 0; i < 4; i++)
    sum = sum * 5 + s->all[i].first->value + s->all[i].second->value * 2 + s->all[i].n +
          s->all[i].tag;
  printf("%ld %c %c %d\n", sum, x->bytes[0], x->bytes[8], x->owner == t->slots[3]);
  return 0;
}
