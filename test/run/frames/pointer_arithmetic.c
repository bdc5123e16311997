// RUN: %root/test/run/Inputs/same %build  %s
// Differences and comparisons of references over safepoints. LLVM hoists half of a difference
// over a call when it can see the conversion; after a move the sum is then wrong.
#include <stdio.h>
#include <cairn/cairn.h>

__attribute__((noinline)) static void pause_here(void)
{
  cairn_collect();
}

__attribute__((noinline)) static long differences(long managed *a, long n)
{
  long s = 0;

  for (long managed *p = a; p != a + n; p++) {
    pause_here();
    s += p - a;
  }
  return s;
}

__attribute__((noinline)) static long char_differences(char managed *a, long n)
{
  long s = 0;

  for (char managed *p = a; p < a + n; p += 3) {
    pause_here();
    s = s * 2 + (p - a) + (a + n - p) * 3;
  }
  return s;
}

__attribute__((noinline)) static int compared(long managed *a, long managed *b, int rounds)
{
  int s = 0;

  for (int i = 0; i < rounds; i++) {
    pause_here();
    s += a < b;
    s += 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * !a;
  }
  return s;
}

__attribute__((noinline)) static int truncated(long managed *a, long managed *b)
{
  int before = (int)(b - a);

  pause_here();
  return before * 100 + (int)(b - a) + (b - a > 3);
}

int main(void)
{
  long managed *a = cairn_new_array(long, 40);
  char managed *text = cairn_new_array(char, 40);

  printf("%ld\n", differences(a, 20));
  printf("%ld\n", char_differences(text, 31));
  printf("%d %d %d\n", compared(a, a + 3, 5), compared(a + 3, a, 5), compared(a + 3, a + 3, 5));
  printf("%d\n", truncated(a + 2, a + 9));
  return 0;
}
