// RUN: %root/test/run/Inputs/same %build  %s
// const, volatile and restrict references, references to references, typedefs, bit-fields, unions
// without references, enumerations.
#include <stdbool.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;
typedef const struct box managed *view;

enum colour { RED, GREEN = 1000, BLUE };

struct packed_things {
  unsigned low : 3, middle : 11;
  long wide : 40;
  bool yes : 1;
  enum colour colour;
  union {
    double d;
    long l;
    unsigned char bytes[8];
  } number;
  ref volatile shaky;
  ref *outside; /* an ordinary pointer to a local */
  struct {
    short a;
    struct {
      ref deep;
    };
  };
  ref grid[2][3];
};

static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static long look(view v, const ref managed *restrict at)
{
  cairn_collect();
  return v->value * 10 + (*at)->value;
}

int main(void)
{
  struct packed_things managed *p = cairn_new(struct packed_things);
  ref volatile local = box(4);
  ref managed *managed *tower = cairn_new_array(ref managed *, 2);

  p->low = 5;
  p->middle = 1029;
  p->wide = -123456789;
  p->yes = true;
  p->colour = BLUE;
  p->number.d = 1.0;
  p->shaky = box(8);
  p->deep = box(9);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      p->grid[i][j] = box(i * 3 + j);
  tower[1] = cairn_new_array(ref, 3);
  tower[1][2] = p->deep;
  cairn_collect();
  ref other = box(11);
  p->outside = &other;
  cairn_collect();
  long sum = 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      sum = sum * 7 + p->grid[i][j]->value;
  printf("%u %u %ld %d %d %02x %ld\n", p->low, p->middle, (long)p->wide, p->yes, p->colour,
         p->number.bytes[7], local->value);
  printf("%ld %ld %ld %ld\n", p->shaky->value, tower[1][2]->value, (*p->outside)->value, sum);
  printf("%ld\n", look(local, tower[1] + 2));
  return 0;
}
