/* SPDX-License-Identifier: Apache-2.0
 *
 * The main program of bench/exceptions for exceptions.ll: KIND DEPTH TIMES prints the nanoseconds of the processor for
 * each exception, and the sum of all that were caught. KIND is `unwound`, or a number that descend.c knows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unwind.h>

long run_thrown(long kind, long depth, long times);
long run_unwound(long depth, long times);

struct raised {
  struct _Unwind_Exception head;
  long value;
};

static void dispose(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
  (void)reason;
  free(exception);
}

void native_raise(long value)
{
  struct raised *raised = calloc(1, sizeof *raised);

  raised->head.exception_cleanup = dispose;
  raised->value = value;
  _Unwind_RaiseException(&raised->head);
  abort();
}

long native_caught(struct _Unwind_Exception *exception)
{
  long value = ((struct raised *)exception)->value;

  _Unwind_DeleteException(exception);
  return value;
}

static long run(const char *kind, long depth, long times)
{
  return strcmp(kind, "unwound") == 0 ? run_unwound(depth, times) : run_thrown(atol(kind), depth, times);
}

int main(int argc, char **argv)
{
  if (argc != 4)
    return 2;
  long depth = atol(argv[2]), times = atol(argv[3]);
  run(argv[1], depth, 10);
  clock_t before = clock();
  long sum = run(argv[1], depth, times);
  printf("%.2f %ld\n", 1e9 * (double)(clock() - before) / CLOCKS_PER_SEC / (double)times, sum);
  return 0;
}
