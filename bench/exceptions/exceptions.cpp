// SPDX-License-Identifier: Apache-2.0
// Exceptions of C++, for bench/exceptions: DEPTH TIMES prints what exceptions.c does.
#include <cstdio>
#include <cstdlib>
#include <ctime>

struct raised {
  long value;
};

__attribute__((noinline)) static long descend(long n)
{
  if (n == 0)
    throw raised{1};
  return n - descend(n - 1);
}

static long run(long depth, long times)
{
  long sum = 0;

  for (long i = 0; i < times; i++)
    try {
      descend(depth);
    } catch (const raised &caught) {
      sum += caught.value;
    }
  return sum;
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  long depth = std::atol(argv[1]), times = std::atol(argv[2]);
  run(depth, 10);
  clock_t before = clock();
  long sum = run(depth, times);
  std::printf("%.2f %ld\n", 1e9 * (clock() - before) / CLOCKS_PER_SEC / times, sum);
}
