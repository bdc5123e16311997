/* Managed code of verify_frames.test: registers hold references over calls, and native code is between. */
#include <stdio.h>
#include <cairn/cairn.h>
void native(void (*callback)(void));
struct box { long value; struct box managed *other; };
typedef struct box managed *ref;
__attribute__((noinline)) static ref make(long n) { ref b = cairn_new(struct box); b->value = n; return b; }
static void back(void) { make(1); }
__attribute__((noinline)) static long deep(long n, ref a, ref b)
{
  ref c = make(n);
  long left = n ? deep(n - 1, b, c) : 0;
  if (n == 2)
    native(back);
  return left + a->value + b->value + c->value;
}
int main(void)
{
  printf("%ld\n", deep(4, make(1), make(2)));
  return 0;
}
