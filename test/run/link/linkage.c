// RUN: %root/test/run/Inputs/same %build %s
// Weak functions that are absent or present, aliases, cleanup functions.
#include <stdio.h>
#include <cairn/cairn.h>
struct box {
  long value;
};
typedef struct box managed *ref;
extern void maybe(int) __attribute__((weak));
extern ref maybe_ref(ref) __attribute__((weak));
__attribute__((weak)) ref soft(ref a)
{
  cairn_collect();
  return a;
}
ref hard(ref a) __attribute__((alias("soft")));
static void done(ref *p)
{
  printf("cleanup %ld\n", (*p)->value);
}
int main(void)
{
  ref a = cairn_new(struct box);
  a->value = 5;
  __attribute__((cleanup(done))) ref held = a;
  if (maybe)
    maybe(3);
  if (maybe_ref)
    a = maybe_ref(a);
  a = hard(soft(a));
  cairn_collect();
  printf("%ld\n", a->value);


  return 0;
}
