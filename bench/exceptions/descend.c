/* SPDX-License-Identifier: Apache-2.0
 *
 * The activations between the throw and the catch, for exceptions.ll: `n` calls of one function, of four functions in
 * turn, or of four functions in a random order that `seed` gives.
 */
#include <cairn/cairn.h>
#include <cairn/exceptions.h>

typedef void managed *ref;
#define FUNCTION __attribute__((noinline)) static long

static long throw_exception(ref e)
{
  return cairn_throw(1, e);
}

FUNCTION one(long n, ref e)
{
  return n == 0 ? throw_exception(e) : n - one(n - 1, e);
}

#define TURN(name, next, factor) \
  FUNCTION name(long n, ref e) \
  { \
    return n == 0 ? throw_exception(e) : factor * n - next(n - 1, e); \
  }
FUNCTION turn_a(long n, ref e);
TURN(turn_d, turn_a, 7)
TURN(turn_c, turn_d, 5)
TURN(turn_b, turn_c, 3)
TURN(turn_a, turn_b, 1)

FUNCTION random_a(long n, unsigned long seed, ref e);
FUNCTION random_b(long n, unsigned long seed, ref e);
FUNCTION random_c(long n, unsigned long seed, ref e);
FUNCTION random_d(long n, unsigned long seed, ref e);
#define RANDOM(name, factor) \
  FUNCTION name(long n, unsigned long seed, ref e) \
  { \
    if (n == 0) \
      return throw_exception(e); \
    seed = seed * 6364136223846793005 + 1442695040888963407; \
    switch (seed >> 62) { \
    case 0: \
      return factor * n - random_a(n - 1, seed, e); \
    case 1: \
      return factor * n - random_b(n - 1, seed, e); \
    case 2: \
      return factor * n - random_c(n - 1, seed, e); \
    default: \
      return factor * n - random_d(n - 1, seed, e); \
    } \
  }
RANDOM(random_a, 1)
RANDOM(random_b, 3)
RANDOM(random_c, 5)
RANDOM(random_d, 7)

__attribute__((noinline)) long descend(long kind, long n, unsigned long seed, ref e)
{
  return kind == 0 ? one(n, e) : kind == 1 ? turn_a(n, e) : random_a(n, seed, e);
}
