/* Three functions of identical code. */
#include <stdio.h>
#include <cairn/cairn.h>
struct box {
  long value;
  struct box managed *next;
};
typedef struct box managed *ref;
__attribute__((noinline)) ref one(ref a)
{
  ref b = cairn_new(struct box);
  b->next = a;
  b->value = a ? a->value + 1 : 0;
  cairn_collect();
  return b;
}
__attribute__((noinline)) ref two(ref a)
{
  ref b = cairn_new(struct box);
  b->next = a;
  b->value = a ? a->value + 1 : 0;
  cairn_collect();
  return b;
}
__attribute__((noinline)) ref three(ref a)
{
  ref b = cairn_new(struct box);
  b->next = a;
  b->value = a ? a->value + 1 : 0;
  cairn_collect();
  return b;
}
int main(void)
{
  ref a = 0;
  for (int i = 0; i < 10; i++)
    a = three(two(one(a)));
  long s = 0;
  for (; a; a = a->next)
    s = s * 3 + a->value;
  printf("%ld\n", s);
  return 0;
}
