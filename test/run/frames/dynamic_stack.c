// RUN: %root/test/run/Inputs/same %build  %s
// Frames of variable size (VLA, alloca) and over-aligned ones: the canonical frame address is
// then relative to a base register.
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

__attribute__((noinline)) static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static long vla(int n)
{
  int numbers[n];
  ref a = box(n), b = box(2 * n);

  for (int i = 0; i < n; i++) {
    numbers[i] = i * i;
    b = box(b->value + numbers[i]);
  }
  return a->value * 100000 + b->value + numbers[n - 1];
}

__attribute__((noinline)) static long with_alloca(int n)
{
  ref a = box(n);
  long sum = 0;

  for (int i = 1; i <= n; i++) {
    char *bytes = __builtin_alloca((size_t)i * 16);
    memset(bytes, i, (size_t)i * 16);
    a = box(a->value + bytes[i]);
    cairn_collect();
    sum += bytes[i * 16 - 1];
  }
  return sum * 1000 + a->value;
}

__attribute__((noinline)) static void fill(unsigned char *p, int n)
{
  memset(p, n, 64);
}

__attribute__((noinline)) static long aligned(int n)
{
  _Alignas(64) unsigned char block[64];
  ref a = box(n), b = box(n + 1);

  fill(block, n);
  cairn_collect();
  return a->value * 100 + b->value + block[63] + ((unsigned long)(void *)block & 63);
}

int main(void)
{
  printf("%ld %ld\n", vla(1), vla(25));
  printf("%ld\n", with_alloca(9));
  printf("%ld\n", aligned(5));
  return 0;
}
