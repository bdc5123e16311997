/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of bench/transitions, `transitions TURNS`: nanoseconds for each, one line per kind.
 * PLAIN: by plain C, without a runtime. By the thread's own clock, which stands while others run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef PLAIN
#define cairn_leaf
#define cairn_native
#define cairn_unmanaged
#else
#include <cairn/cairn.h>
#endif

typedef long function(long);
extern long native_add(long value);
cairn_native extern long native_known(long value);
cairn_leaf extern long native_leaf(long value);
extern long native_loop(function *called, long value, long turns);

static volatile long sink;
static function *volatile pointer;

__attribute__((noinline)) static long add(long value)
{
  return value + sink;
}

static void direct(long turns)
{
  long value = 0;

  for (long i = 0; i < turns; i++)
    value = native_add(value);
  sink = value;
}

static void known(long turns)
{
  long value = 0;

  for (long i = 0; i < turns; i++)
    value = native_known(value);
  sink = value;
}

static void leaf(long turns)
{
  long value = 0;

  for (long i = 0; i < turns; i++)
    value = native_leaf(value);
  sink = value;
}

static void by_pointer(long turns)
{
  function *called = pointer;
  long value = 0;

  for (long i = 0; i < turns; i++)
    value = called(value);
  sink = value;
}

static void native_pointer(long turns)
{
  pointer = native_add;
  by_pointer(turns);
}

static void managed_pointer(long turns)
{
  pointer = add;
  by_pointer(turns);
}

static void callback(long turns)
{
  sink = native_loop(add, 0, turns);
}

cairn_unmanaged static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(long turns);
  } kinds[] = {{"direct", direct},
               {"known", known},
               {"leaf", leaf},
               {"native-pointer", native_pointer},
               {"managed-pointer", managed_pointer},
               {"callback", callback}};
  long turns = argc > 1 ? atol(argv[1]) : 1000000;

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    double start = now();
    kinds[i].run(turns);
    printf("%s %.3f\n", kinds[i].name, (now() - start) / (double)turns);
  }
  return 0;
}
