/* Recursions that end, or not: overflow WAY DEPTH. References live over each call. */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *other;
};
typedef struct box managed *ref;

static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

static long odd(long n, ref r);
__attribute__((noinline)) static long even(long n, ref r)
{
  ref kept = n % 100 == 0 ? box(n) : r;

  return n == 0 ? r->value : odd(n - 1, r) + (kept == r);
}
__attribute__((noinline)) static long odd(long n, ref r)
{
  return n == 0 ? -r->value : even(n - 1, r) - r->value;
}

/* Three of these are too large for a stack of 8 MB, by more than the reserve at its end. */
__attribute__((noinline)) static long large(long n, ref r)
{
  volatile char bytes[3 << 20];

  bytes[n & 1023] = (char)n;
  return n == 0 ? r->value : large(n - 1, r) + bytes[n & 1023] - r->value;
}

__attribute__((noinline)) static long dynamic(long n, ref r)
{
  volatile char *bytes = __builtin_alloca((size_t)(n % 5000 + 64));

  bytes[1] = 1;
  return n == 0 ? r->value : dynamic(n - 1, r) + bytes[1];
}

/* No call in it needs to be made but through a pointer. */
static long (*volatile pointer)(long, ref);
__attribute__((noinline)) static long indirect(long n, ref r)
{
  return n == 0 ? r->value : pointer(n - 1, r) + r->value;
}

static int at_exit;
static void leave(void)
{
  printf("left: %ld\n", even(50, box(2)));
}

int main(int argc, char **argv)
{
  long n = argc > 2 ? atol(argv[2]) : 100, result = 0;
  char way = argc > 1 ? argv[1][0] : 'e';

  at_exit = atexit(leave);
  pointer = indirect;
  switch (way) {
  case 'e': result = even(n, box(1)); break;
  case 'l': result = large(n, box(1)); break;
  case 'd': result = dynamic(n, box(1)); break;
  case 'i': result = indirect(n, box(1)); break;
  }
  printf("%c %ld\n", way, result);
  return at_exit;
}
