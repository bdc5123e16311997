/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of bench/transitions.
 */
#include <time.h>

long native_add(long value);
long native_known(long value);
long native_leaf(long value);
long native_loop(long (*function)(long), long value, long turns);
double native_now(void);
long native_unused(void);
long Java_Transitions_call(void *env, void *class, long value);
double Java_Transitions_now(void *env, void *class);

long native_add(long value)
{
  return value + 1;
}

long native_known(long value)
{
  return value + 1;
}

long native_leaf(long value)
{
  return value + 1;
}

long native_loop(long (*function)(long), long value, long turns)
{
  for (long i = 0; i < turns; i++)
    value = function(value);
  return value;
}

/* For OCaml, and for Java. */
double native_now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* What OCaml's byte code would call; there is none. */
long native_unused(void)
{
  return 0;
}

long Java_Transitions_call(void *env, void *class, long value)
{
  (void)env;
  (void)class;
  return value + 1;
}

double Java_Transitions_now(void *env, void *class)
{
  (void)env;
  (void)class;
  return native_now();
}
