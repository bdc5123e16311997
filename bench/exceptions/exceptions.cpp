// SPDX-License-Identifier: Apache-2.0
// Exceptions of C++, for bench/exceptions: KIND DEPTH TIMES prints the same as exceptions.c, with the activations of
// descend.c.
#include <cstdio>
#include <cstdlib>
#include <ctime>

struct raised {
  long value;
};

#define FUNCTION __attribute__((noinline)) static long

FUNCTION one(long n)
{
  if (n == 0)
    throw raised{1};
  return n - one(n - 1);
}

#define TURN(name, next, factor) \
  FUNCTION name(long n) \
  { \
    if (n == 0) \
      throw raised{1}; \
    return factor * n - next(n - 1); \
  }
FUNCTION turn_a(long n);
TURN(turn_d, turn_a, 7)
TURN(turn_c, turn_d, 5)
TURN(turn_b, turn_c, 3)
TURN(turn_a, turn_b, 1)

FUNCTION random_a(long n, unsigned long seed);
FUNCTION random_b(long n, unsigned long seed);
FUNCTION random_c(long n, unsigned long seed);
FUNCTION random_d(long n, unsigned long seed);
#define RANDOM(name, factor) \
  FUNCTION name(long n, unsigned long seed) \
  { \
    if (n == 0) \
      throw raised{1}; \
    seed = seed * 6364136223846793005 + 1442695040888963407; \
    switch (seed >> 62) { \
    case 0: \
      return factor * n - random_a(n - 1, seed); \
    case 1: \
      return factor * n - random_b(n - 1, seed); \
    case 2: \
      return factor * n - random_c(n - 1, seed); \
    default: \
      return factor * n - random_d(n - 1, seed); \
    } \
  }
RANDOM(random_a, 1)
RANDOM(random_b, 3)
RANDOM(random_c, 5)
RANDOM(random_d, 7)

__attribute__((noinline)) static long descend(long kind, long n, unsigned long seed)
{
  return kind == 0 ? one(n) : kind == 1 ? turn_a(n) : random_a(n, seed);
}

static long run(long kind, long depth, long times)
{
  long sum = 0;

  for (long i = 0; i < times; i++)
    try {
      descend(kind, depth, i);
    } catch (const raised &caught) {
      sum += caught.value;
    }
  return sum;
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  long kind = std::atol(argv[1]), depth = std::atol(argv[2]), times = std::atol(argv[3]);
  run(kind, depth, 10);
  clock_t before = clock();
  long sum = run(kind, depth, times);
  std::printf("%.2f %ld\n", 1e9 * (clock() - before) / CLOCKS_PER_SEC / times, sum);
}
